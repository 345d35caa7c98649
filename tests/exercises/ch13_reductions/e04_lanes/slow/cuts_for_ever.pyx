"""A queue of pieces to be cut, in which every piece is put back."""


def total(x):
    cdef Py_ssize_t begin = 0
    cdef Py_ssize_t end = len(x)
    while begin <= end:
        begin = begin * 1
