cdef class DType:
    cdef readonly str name
    cdef readonly object numpy
    cdef readonly int category
    cdef readonly bint is_floating_point
    cdef readonly Py_ssize_t itemsize
    cdef readonly DType wide


cpdef DType result_type(DType x, object x_is_scalar, DType y, object y_is_scalar)
