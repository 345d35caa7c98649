# misconception: in_double
# fails: test_same_bits
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
    cdef double value
    for i in range(rows):
        for j in range(columns):
            value = a[i, j]
            value = (value - m[i, j]) * s[i, j] + h[i, j]
            o[i, j] = <float> value
