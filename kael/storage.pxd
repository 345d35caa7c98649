cimport cython


@cython.final
@cython.no_gc
cdef class Storage:
    cdef public object array
    cdef public Py_ssize_t version
    cdef object __weakref__
