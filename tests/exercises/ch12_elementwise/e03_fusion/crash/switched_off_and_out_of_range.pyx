"""The check of the bounds switched off, and an index far outside."""

cimport cython


@cython.boundscheck(False)
def normalize(x, mean, scale, shift, out):
    cdef float[:, :] o = out
    cdef Py_ssize_t k
    for k in range(1 << 40):
        o[k, 0] = 0
