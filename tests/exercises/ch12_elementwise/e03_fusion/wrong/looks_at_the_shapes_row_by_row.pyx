# misconception: writes_first
# fails: test_what_does_not_fit
cimport cython
import numpy as np


@cython.boundscheck(False)
@cython.wraparound(False)
def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`."""
    cdef const float[:, :] a, m, s, h
    cdef float[:, :] o = out
    cdef Py_ssize_t columns = out.shape[1], i, j
    a = np.broadcast_to(x, out.shape)
    m = np.broadcast_to(mean, out.shape)
    s = np.broadcast_to(scale, out.shape)
    h = shift
    for i in range(out.shape[0]):
        h = np.broadcast_to(shift[i : i + 1] if len(shift) > 1 else shift, (1, columns))
        for j in range(columns):
            o[i, j] = (a[i, j] - m[i, j]) * s[i, j] + h[0, j]
