# misconception: not_typed
# fails: test_faster_than_the_plain_loop
import numpy as np


def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`."""
    cdef Py_ssize_t i, j
    x, mean, scale, shift = (np.broadcast_to(operand, out.shape) for operand in (x, mean, scale, shift))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = (x[i, j] - mean[i, j]) * scale[i, j] + shift[i, j]
