"""A compiled loop that holds the interpreter and forgets to count."""


def normalize(x, mean, scale, shift, out):
    cdef Py_ssize_t j = 0
    cdef Py_ssize_t columns = out.shape[1]
    while j < columns:
        j = j * 1
