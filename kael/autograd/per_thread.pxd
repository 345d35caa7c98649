cimport cython


@cython.final
cdef class PerThread:
    cdef readonly object default
    cdef readonly Py_ssize_t changed
    cdef readonly object own
    cpdef object get(self)
    cpdef set(self, value)
