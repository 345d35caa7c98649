# misconception: asks_to_write
# fails: test_any_strides
cimport cython
import numpy as np


cdef int step(Py_ssize_t length):
    return 1 if length > 1 else 0


@cython.boundscheck(False)
@cython.wraparound(False)
def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`."""
    cdef float[:, :] a = x, m = mean, s = scale, h = shift, o = out
    cdef Py_ssize_t rows = out.shape[0], columns = out.shape[1], i, j
    for operand in (x, mean, scale, shift):
        np.broadcast_to(operand, out.shape)
    cdef Py_ssize_t ai = step(a.shape[0]), aj = step(a.shape[1]), mi = step(m.shape[0]), mj = step(m.shape[1])
    cdef Py_ssize_t si = step(s.shape[0]), sj = step(s.shape[1]), hi = step(h.shape[0]), hj = step(h.shape[1])
    for i in range(rows):
        for j in range(columns):
            o[i, j] = (a[i * ai, j * aj] - m[i * mi, j * mj]) * s[i * si, j * sj] + h[i * hi, j * hj]
