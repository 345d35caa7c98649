cdef class Operators:
    cpdef object add(self, object x, object y)
    cpdef object sub(self, object x, object y)
    cpdef object mul(self, object x, object y)
    cpdef object div(self, object x, object y)
    cpdef object matmul(self, object x, object y)
