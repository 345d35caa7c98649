cdef class Table:
    cdef dict __dict__
    cdef public object add
    cdef public object copy
    cdef public object empty
    cdef public object empty_for
    cdef public object fill
    cdef public object matmul
    cdef public object mul
    cdef public object sum
