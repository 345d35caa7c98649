# misconception: assumes_contiguous
# fails: test_any_strides
cimport cython
import numpy as np


@cython.boundscheck(False)
@cython.wraparound(False)
def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`."""
    cdef const float[:, ::1] a = x
    cdef const float[:, :] m = np.broadcast_to(mean, out.shape)
    cdef const float[:, :] s = np.broadcast_to(scale, out.shape)
    cdef const float[:, :] h = np.broadcast_to(shift, out.shape)
    cdef float[:, :] o = out
    cdef Py_ssize_t rows = out.shape[0], columns = out.shape[1], i, j
    cdef Py_ssize_t down = 1 if x.shape[0] == rows else 0, along = 1 if x.shape[1] == columns else 0
    np.broadcast_to(x, out.shape)
    for i in range(rows):
        for j in range(columns):
            o[i, j] = (a[i * down, j * along] - m[i, j]) * s[i, j] + h[i, j]
