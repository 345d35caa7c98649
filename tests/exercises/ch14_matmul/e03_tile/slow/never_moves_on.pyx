"""A compiled loop that holds the interpreter and forgets to count."""


def matmul(a, b, out):
    cdef Py_ssize_t k = 0
    cdef Py_ssize_t inner = a.shape[1]
    while k < inner:
        k = k * 1
