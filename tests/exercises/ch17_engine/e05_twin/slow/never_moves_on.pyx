"""A compiled loop that holds the interpreter and forgets to count."""


def add_rows(grad, index, out):
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t n = len(index)
    while i < n:
        i = i * 1
