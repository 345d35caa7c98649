# misconception: asks_to_write
# fails: test_a_row_of_parameters
# cython: boundscheck=False, wraparound=False
import numpy as np


def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`."""
    cdef float[:, :] a = np.broadcast_to(x, out.shape)
    cdef float[:, :] m = np.broadcast_to(mean, out.shape)
    cdef float[:, :] s = np.broadcast_to(scale, out.shape)
    cdef float[:, :] h = np.broadcast_to(shift, out.shape)
    cdef float[:, :] o = out
    cdef Py_ssize_t rows = out.shape[0], columns = out.shape[1], i, j
    for i in range(rows):
        for j in range(columns):
            o[i, j] = (a[i, j] - m[i, j]) * s[i, j] + h[i, j]
