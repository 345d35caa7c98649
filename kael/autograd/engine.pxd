cimport cython

from kael.agreement cimport has_shape
from kael.autograd.hooks cimport run_after_accumulation, run_hooks
from kael.autograd.meta cimport NodeInput
from kael.autograd.node cimport AccumulateGrad, FunctionNode, Node, accumulate, copied, gradient_edge
from kael.autograd.per_thread cimport PerThread
from kael.autograd.recording cimport requires_grad
from kael.tensors cimport Tensor, fresh

cdef PerThread grad_enabled, recorder


@cython.final
cdef class GraphTask:
    cdef readonly list nodes
    cdef dict stand_ins
    cdef Node find(self, Node node)
    @cython.locals(place=Node)
    cdef Node enter(self, Node node)
    @cython.locals(node=Node, link=NodeInput, edge=Node, place=Node, stack=list)
    cpdef count(self, object roots, object needed)
    cpdef Py_ssize_t pending(self, Node node)
    @cython.locals(place=Node)
    cdef Tensor own_total(self, Node node)
    @cython.locals(node=Node)
    cpdef leave(self)


cpdef check_gradient(Node node, Py_ssize_t position, NodeInput link, Tensor gradient)

@cython.locals(node=Node, here=Node, gradient=Tensor, function=FunctionNode, results=list, position=Py_ssize_t,
               link=NodeInput, edge=Node, place=Node, contribution=Tensor, total=Tensor, leaf=AccumulateGrad)
cpdef process(GraphTask task, list ready, bint retain_graph, dict captured, object trace)

@cython.locals(node=Node, seed=Tensor, root=Tensor, place=Node, task=GraphTask, index=Py_ssize_t, nodes=list,
               seeds=list, ready=list)
cpdef list run(object roots, object gradients, bint retain_graph, object inputs)

cpdef Tensor seed_gradient(Tensor root, object gradient, Py_ssize_t index=*)

@cython.locals(link=NodeInput)
cpdef bint leads_on(Node node, GraphTask task)
