# misconception: not_typed
# fails: test_faster_than_three_passes
import numpy as np


def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`."""
    cdef const float[:, :] a = np.broadcast_to(x, out.shape)
    cdef const float[:, :] m = np.broadcast_to(mean, out.shape)
    cdef const float[:, :] s = np.broadcast_to(scale, out.shape)
    cdef const float[:, :] h = np.broadcast_to(shift, out.shape)
    cdef float[:, :] o = out
    rows, columns = out.shape
    for i in range(rows):
        for j in range(columns):
            o[i, j] = (a[i, j] - m[i, j]) * s[i, j] + h[i, j]
