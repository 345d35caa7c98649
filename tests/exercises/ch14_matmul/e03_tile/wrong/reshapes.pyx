# misconception: reshaped
# fails: test_a_small_product
cimport cython
import numpy as np


@cython.boundscheck(False)
@cython.wraparound(False)
def matmul(a, b, out):
    """Write the product of `a` and `b` into `out`."""
    if b.shape[0] != a.shape[1]:
        raise ValueError(f"matmul: a is {a.shape} but b is {b.shape}; inner sizes differ")
    if out.shape != (a.shape[0], b.shape[1]):
        raise ValueError(f"matmul: the product is {(a.shape[0], b.shape[1])} but out is {out.shape}")
    cdef const double[:, :] left = a
    cdef double[:, :] product = out
    cdef Py_ssize_t rows = a.shape[0], inner = a.shape[1], columns = b.shape[1], i, j, k
    padded = np.zeros((columns + 3, inner))
    padded[:columns] = b.reshape(columns, inner)
    cdef const double[:, ::1] packed = padded
    cdef double x, s, t, u, v
    cdef double sums[4]
    for i in range(rows):
        for j in range(0, columns, 4):
            s = t = u = v = 0.0
            for k in range(inner):
                x = left[i, k]
                s += x * packed[j, k]
                t += x * packed[j + 1, k]
                u += x * packed[j + 2, k]
                v += x * packed[j + 3, k]
            sums[0], sums[1], sums[2], sums[3] = s, t, u, v
            for k in range(min(4, columns - j)):
                product[i, j + k] = sums[k]
