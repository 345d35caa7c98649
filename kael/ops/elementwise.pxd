cimport cython

from kael.autograd.meta cimport NodeInput
from kael.autograd.node cimport FunctionNode
from kael.autograd.op cimport Op
from kael.autograd.recording cimport SavedTensor, record, record_binary, record_unary
from kael.ops.dispatch cimport (
    alike, as_tensor, cast, common_shape, compute, compute_like, compute_pair, promoted, sum_to,
)
from kael.table cimport Table
from kael.tensors cimport Tensor, fresh

cdef Table table


@cython.locals(a=Tensor, b=Tensor)
cpdef Tensor binary(Op op, object kernel, object x, object y)

@cython.locals(a=Tensor)
cpdef Tensor unary(Op op, object kernel, object x)

@cython.locals(a=Tensor)
cpdef Tensor unary_float(Op op, object kernel, object x)

@cython.locals(a=Tensor, b=Tensor)
cpdef Tensor compare(Op op, object kernel, object x, object y)

cpdef Tensor fused(object kernel, Tensor g, Tensor value)

@cython.locals(link=NodeInput)
cpdef Tensor add_vjp(FunctionNode node, Tensor g, Py_ssize_t position)

@cython.locals(link=NodeInput, other=SavedTensor)
cpdef Tensor mul_vjp(FunctionNode node, Tensor g, Py_ssize_t position)

cpdef Tensor add(object x, object other, object alpha=*)

cpdef Tensor sub(object x, object other, object alpha=*)

cpdef Tensor mul(object x, object other)

cpdef Tensor div(object x, object other, object rounding_mode=*)

cpdef Tensor neg(object x)
