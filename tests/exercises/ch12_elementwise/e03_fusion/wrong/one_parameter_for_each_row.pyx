# misconception: never_repeats
# fails: test_a_row_of_parameters
cimport cython
import numpy as np


@cython.boundscheck(False)
@cython.wraparound(False)
def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`."""
    cdef const float[:, :] a = np.broadcast_to(x, out.shape)
    cdef const float[:] m = np.resize(mean, out.shape[0])
    cdef const float[:] s = np.resize(scale, out.shape[0])
    cdef const float[:] h = np.resize(shift, out.shape[0])
    cdef float[:, :] o = out
    cdef Py_ssize_t rows = out.shape[0], columns = out.shape[1], i, j
    for operand in (mean, scale, shift):
        np.broadcast_to(operand, out.shape)
    for i in range(rows):
        for j in range(columns):
            o[i, j] = (a[i, j] - m[i]) * s[i] + h[i]
