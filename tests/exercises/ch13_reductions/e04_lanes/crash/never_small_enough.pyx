"""A recursion in C that cuts nothing off."""


cdef double part(const double[:] x, Py_ssize_t begin, Py_ssize_t end):
    cdef double lanes[8]
    lanes[0] = x[begin] if begin < end else 0
    return part(x, begin, end) + lanes[0]


def total(x):
    return part(x, 0, len(x))
