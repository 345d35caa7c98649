cimport cython

from kael.autograd.op cimport Op
from kael.dtypes cimport DType
from kael.tensors cimport Tensor


@cython.locals(a=Tensor, b=Tensor, dtype=DType)
cpdef Tensor binary(Op op, object kernel, object x, object y)

@cython.locals(a=Tensor)
cpdef Tensor unary(Op op, object kernel, object x)

@cython.locals(a=Tensor, b=Tensor)
cpdef Tensor compare(Op op, object kernel, object x, object y)
