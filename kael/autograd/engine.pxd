cimport cython

from kael.autograd.hooks cimport run_after_accumulation, run_hooks
from kael.autograd.meta cimport AutogradMeta
from kael.autograd.node cimport AccumulateGrad, FunctionNode, Node, NodeInput, accumulate, copied, gradient_edge
from kael.autograd.per_thread cimport PerThread
from kael.autograd.recording cimport requires_grad
from kael.tensors cimport Tensor, fresh

cdef PerThread grad_enabled, recorder


@cython.locals(node=Node, link=NodeInput, edge=Node, stack=list, counts=dict)
cpdef dict count_dependencies(object roots, object needed=*)

cpdef check_gradient(Node node, Py_ssize_t position, NodeInput link, Tensor gradient)

@cython.locals(node=Node, gradient=Tensor, function=FunctionNode, results=list, passes=bint, position=Py_ssize_t,
               whole=Node,
               link=NodeInput, edge=Node, total=Tensor, contribution=Tensor, pending=Py_ssize_t, ready=list,
               leaf=AccumulateGrad)
cpdef process(dict totals, set borrowed, dict counts, bint retain_graph, dict captured, object trace)

@cython.locals(node=Node, total=Tensor, seed=Tensor, root=Tensor, totals=dict, borrowed=set)
cpdef list run(object roots, object gradients, bint retain_graph, object inputs)

cpdef Tensor seed_gradient(Tensor root, object gradient, Py_ssize_t index=*)

@cython.locals(link=NodeInput)
cpdef bint leads_on(Node node, dict counts)

@cython.locals(meta=AutogradMeta)
cpdef retain(FunctionNode function, Tensor gradient)
