cimport cython

from kael.autograd.meta cimport AutogradMeta
from kael.autograd.node cimport FunctionNode, NodeInput, function_node, gradient_edge, link_to
from kael.autograd.op cimport Op
from kael.autograd.per_thread cimport PerThread
from kael.tensors cimport Tensor

cdef PerThread grad_enabled
cdef object _watcher


@cython.final
@cython.no_gc
cdef class SavedTensor:
    cdef readonly Tensor data
    cdef readonly Py_ssize_t version
    @cython.locals(data=Tensor)
    cpdef Tensor get(self)


@cython.locals(saved=SavedTensor)
cpdef SavedTensor saved_tensor(Tensor tensor)

@cython.locals(meta=AutogradMeta)
cpdef bint requires_grad(Tensor tensor)

@cython.locals(tensor=Tensor)
cpdef bint should_record(Tensor output, tuple inputs)

@cython.locals(meta=AutogradMeta, needs=tuple, saved=list, links=list, tensor=Tensor,
               position=Py_ssize_t, which=Py_ssize_t)
cpdef set_history(Tensor output, Op op, tuple inputs, tuple attributes=*)

cpdef Tensor record(Tensor output, Op op, tuple inputs, tuple attributes=*)

@cython.locals(meta=AutogradMeta)
cpdef produce(Tensor output, FunctionNode node)

@cython.locals(links=tuple, saved=tuple, needs=tuple, first=tuple)
cpdef Tensor record_unary(Tensor output, Op op, Tensor x)

@cython.locals(left=bint, right=bint, links=tuple, saved=tuple, needs=tuple, first=tuple, second=tuple)
cpdef Tensor record_binary(Tensor output, Op op, Tensor x, Tensor y)
