"""The three loops compiled, to be beaten. Leave this file as it is."""


def matmul(a, b, out):
    """Write the product of `a` and `b` into `out`, one sum at a time."""
    cdef const double[:, :] left = a, right = b
    cdef double[:, :] product = out
    cdef Py_ssize_t rows = a.shape[0], inner = a.shape[1], columns = b.shape[1], i, j, k
    cdef double total
    for i in range(rows):
        for j in range(columns):
            total = 0
            for k in range(inner):
                total += left[i, k] * right[k, j]
            product[i, j] = total
