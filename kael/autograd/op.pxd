cdef class Op:
    cdef readonly str name
    cdef readonly str node
    cdef readonly str formula
    cdef readonly object gradient
    cdef readonly str gradient_formula
    cdef readonly tuple needs
    cdef readonly bint jointly
    cdef readonly bint passes
    cdef readonly object adds
    cdef readonly str kinks
    cdef readonly str dtypes
    cdef readonly bint numpy
