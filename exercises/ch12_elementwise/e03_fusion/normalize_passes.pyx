"""The same step in three compiled passes with two arrays between them, to be beaten. Leave this file as it is."""

import numpy as np


def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`, operation by operation."""
    cdef const float[:, :] a = np.broadcast_to(x, out.shape)
    cdef const float[:, :] m = np.broadcast_to(mean, out.shape)
    cdef const float[:, :] s = np.broadcast_to(scale, out.shape)
    cdef const float[:, :] h = np.broadcast_to(shift, out.shape)
    cdef float[:, :] difference = np.empty(out.shape, np.float32)
    cdef float[:, :] product = np.empty(out.shape, np.float32)
    cdef float[:, :] o = out
    cdef Py_ssize_t rows = out.shape[0], columns = out.shape[1], i, j
    for i in range(rows):
        for j in range(columns):
            difference[i, j] = a[i, j] - m[i, j]
    for i in range(rows):
        for j in range(columns):
            product[i, j] = difference[i, j] * s[i, j]
    for i in range(rows):
        for j in range(columns):
            o[i, j] = product[i, j] + h[i, j]
