# misconception: through_out
# fails: test_out_may_be_any_operand
cimport cython
import numpy as np


@cython.boundscheck(False)
@cython.wraparound(False)
def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`."""
    cdef const float[:, :] a = np.broadcast_to(x, out.shape)
    cdef const float[:, :] m = np.broadcast_to(mean, out.shape)
    cdef const float[:, :] s = np.broadcast_to(scale, out.shape)
    cdef const float[:, :] h = np.broadcast_to(shift, out.shape)
    cdef float[:, :] o = out
    cdef Py_ssize_t rows = out.shape[0], columns = out.shape[1], i, j
    for i in range(rows):
        for j in range(columns):
            o[i, j] = a[i, j] - m[i, j]
    for i in range(rows):
        for j in range(columns):
            o[i, j] = o[i, j] * s[i, j]
    for i in range(rows):
        for j in range(columns):
            o[i, j] = o[i, j] + h[i, j]
