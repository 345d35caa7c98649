# misconception: temporaries
# fails: test_no_array_on_the_way
cimport cython
import numpy as np


@cython.boundscheck(False)
@cython.wraparound(False)
def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`."""
    cdef const float[:, ::1] a = np.broadcast_to(x, out.shape).copy()
    cdef const float[:, ::1] m = np.broadcast_to(mean, out.shape).copy()
    cdef const float[:, ::1] s = np.broadcast_to(scale, out.shape).copy()
    cdef const float[:, ::1] h = np.broadcast_to(shift, out.shape).copy()
    cdef float[:, :] o = out
    cdef Py_ssize_t rows = out.shape[0], columns = out.shape[1], i, j
    for i in range(rows):
        for j in range(columns):
            o[i, j] = (a[i, j] - m[i, j]) * s[i, j] + h[i, j]
