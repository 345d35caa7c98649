# misconception: through_out
# fails: test_out_may_be_any_operand
import numpy as np


def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`."""
    for operand in (x, mean, scale, shift):
        np.broadcast_to(operand, out.shape)
    np.subtract(x, mean, out=out)
    np.multiply(out, scale, out=out)
    np.add(out, shift, out=out)
