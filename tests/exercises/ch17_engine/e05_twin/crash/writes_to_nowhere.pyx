"""A pointer that was never set."""


def add_rows(grad, index, out):
    cdef double* o = NULL
    o[0] = 1.0
