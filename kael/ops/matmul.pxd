cimport cython
from numpy cimport ndarray

from kael.autograd.node cimport FunctionNode
from kael.autograd.op cimport Op
from kael.autograd.recording cimport record, record_binary
from kael.dtypes cimport DType
from kael.ops.dispatch cimport common_shape, compute_pair, promoted, sum_to
from kael.table cimport Table
from kael.tensors cimport Tensor, fresh

cdef Table table


@cython.locals(inside=DType)
cpdef object product(object left, object right, DType dtype)

@cython.locals(x_shape=tuple, y_shape=tuple, shape=tuple, dtype=DType)
cpdef Tensor matmul_vjp(FunctionNode node, Tensor g, Py_ssize_t position)

@cython.locals(a=Tensor, b=Tensor, dtype=DType, rows=ndarray, columns=ndarray)
cpdef Tensor matmul(object x, object other)
