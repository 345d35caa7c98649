cimport cython


@cython.final
cdef class AutogradMeta:
    cdef public bint requires_grad
    cdef public object grad
    cdef public object grad_fn
    cdef public object accumulator
    cdef public object hooks
