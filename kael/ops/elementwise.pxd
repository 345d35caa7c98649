cimport cython

from kael.autograd.node cimport FunctionNode
from kael.autograd.op cimport Op
from kael.autograd.recording cimport record, record_binary, record_unary
from kael.ops.dispatch cimport as_tensor, cast, common_shape, compute, compute_pair, promoted, sum_to
from kael.tensors cimport Tensor, fresh


@cython.locals(a=Tensor, b=Tensor)
cpdef Tensor binary(Op op, object kernel, object x, object y)

@cython.locals(a=Tensor)
cpdef Tensor unary(Op op, object kernel, object x)

@cython.locals(a=Tensor, b=Tensor)
cpdef Tensor compare(Op op, object kernel, object x, object y)

cpdef Tensor add_vjp(FunctionNode node, Tensor g, Py_ssize_t position)

cpdef Tensor mul_vjp(FunctionNode node, Tensor g, Py_ssize_t position)
