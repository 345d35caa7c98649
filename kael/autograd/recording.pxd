cimport cython

from kael.autograd.meta cimport NodeInput
from kael.autograd.node cimport FunctionNode, function_node, link_to
from kael.autograd.op cimport Op
from kael.autograd.per_thread cimport PerThread
from kael.agreement cimport has_shape
from kael.collector cimport leave_out, leave_out_record
from kael.tensors cimport Tensor, memory_of

cdef PerThread grad_enabled
cdef object _watcher


@cython.final
cdef class SavedTensor(Tensor):
    cdef readonly Py_ssize_t saved_version
    cpdef Tensor get(self)


@cython.locals(saved=SavedTensor)
cpdef SavedTensor saved_tensor(Tensor tensor)

@cython.locals(link=NodeInput)
cpdef bint requires_grad(Tensor tensor)

@cython.locals(tensor=Tensor)
cpdef bint should_record(Tensor output, tuple inputs)

@cython.locals(saved=list, links=list, link=NodeInput, tensor=Tensor, position=Py_ssize_t,
               which=Py_ssize_t)
cpdef set_history(Tensor output, Op op, tuple inputs, tuple attributes=*)

cpdef Tensor record(Tensor output, Op op, tuple inputs, tuple attributes=*)

@cython.locals(node=FunctionNode, shape=tuple, first=tuple)
cpdef produce(Tensor output, Op op, tuple inputs, tuple saved, tuple attributes)

@cython.locals(saved=tuple, first=tuple)
cpdef Tensor record_unary(Tensor output, Op op, Tensor x)

@cython.locals(first=NodeInput, second=NodeInput, left=bint, right=bint, saved=tuple, mine=tuple,
               other=tuple)
cpdef Tensor record_binary(Tensor output, Op op, Tensor x, Tensor y)
