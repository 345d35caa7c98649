"""The check of the bounds switched off, and a tile that walks on where the matrix has ended."""

cimport cython


@cython.boundscheck(False)
def matmul(a, b, out):
    cdef double[:, :] product = out
    cdef Py_ssize_t i
    for i in range(1 << 40):
        product[i, 0] = 0
