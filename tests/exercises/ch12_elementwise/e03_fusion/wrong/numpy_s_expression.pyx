# misconception: temporaries
# fails: test_no_array_on_the_way
import numpy as np


def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`."""
    for operand in (x, mean, scale, shift):
        np.broadcast_to(operand, out.shape)
    with np.errstate(all='ignore'):
        out[...] = (x - mean) * scale + shift
