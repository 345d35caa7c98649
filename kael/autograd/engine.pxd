cimport cython

from kael.autograd.meta cimport AutogradMeta
from kael.autograd.node cimport AccumulateGrad, FunctionNode, Node, NodeInput
from kael.tensors cimport Tensor


cdef class Buffer:
    cdef public Tensor total
    cdef public bint owned
    cpdef add(self, Tensor contribution, bint owned)


@cython.locals(node=Node, link=NodeInput, edge=Node, stack=list, counts=dict)
cpdef dict count_dependencies(object roots, object needed=*)

cpdef check_gradient(Node node, Py_ssize_t position, NodeInput link, Tensor gradient)

@cython.locals(node=Node, buffer=Buffer, gradient=Tensor, function=FunctionNode, results=list, owned=bint,
               position=Py_ssize_t, link=NodeInput, edge=Node, target=Buffer, contribution=Tensor,
               pending=Py_ssize_t, first=bint, ready=list, leaf=AccumulateGrad)
cpdef process(dict buffers, dict counts, bint retain_graph, dict captured, object trace)

@cython.locals(link=NodeInput)
cpdef bint leads_on(Node node, dict counts)

@cython.locals(meta=AutogradMeta)
cpdef retain(FunctionNode function, Tensor gradient)
