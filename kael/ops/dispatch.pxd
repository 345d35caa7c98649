cimport cython

from kael.agreement cimport has_shape
from kael.dtypes cimport DType
from kael.table cimport Table
from kael.tensors cimport Tensor, fresh

cdef Table table


@cython.locals(left=Tensor, right=Tensor)
cpdef bint alike(object x, object y)

@cython.locals(left=Tensor, right=Tensor, dtype=DType, kind=DType)
cpdef tuple promoted(str operation, object x, object y)

cpdef Tensor cast(Tensor tensor, DType dtype)

cpdef Tensor scalar(object value, DType dtype)

cpdef tuple common_shape(tuple x, tuple y)

cpdef Tensor sum_to(Tensor gradient, tuple shape)

cpdef Tensor compute(object kernel, tuple shape, DType dtype, DType result, object array)

cpdef object empty_for(object x, object y, DType dtype)

cpdef Tensor compute_like(object kernel, DType dtype, object array)

cpdef Tensor compute_pair(object kernel, DType dtype, DType result, object x, object y)

cpdef Tensor as_tensor(object value, str operation)

@cython.locals(axis=Py_ssize_t, bound=Py_ssize_t)
cpdef Py_ssize_t axis_of(object dim, Py_ssize_t ndim) except -1

cpdef tuple axes_of(object dim, Py_ssize_t ndim)
