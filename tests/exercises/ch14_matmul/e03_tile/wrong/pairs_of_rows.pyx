# misconception: edge
# fails: test_sides_from_1_to_9
cimport cython


@cython.boundscheck(False)
@cython.wraparound(False)
def matmul(a, b, out):
    """Write the product of `a` and `b` into `out`."""
    if b.shape[0] != a.shape[1]:
        raise ValueError(f"matmul: a is {a.shape} but b is {b.shape}; inner sizes differ")
    if out.shape != (a.shape[0], b.shape[1]):
        raise ValueError(f"matmul: the product is {(a.shape[0], b.shape[1])} but out is {out.shape}")
    cdef const double[:, :] left = a, right = b
    cdef double[:, :] product = out
    cdef Py_ssize_t rows = a.shape[0], inner = a.shape[1], columns = b.shape[1], i, j, k
    cdef double s, t
    for i in range(0, rows - 1, 2):
        for j in range(columns):
            s = t = 0.0
            for k in range(inner):
                s += left[i, k] * right[k, j]
                t += left[i + 1, k] * right[k, j]
            product[i, j] = s
            product[i + 1, j] = t
