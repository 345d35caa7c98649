# misconception: counts_everywhere
# fails: test_ties_share
import numpy as np


def amax_vjp(grad, x, y, axis, keepdims):
    if not keepdims:
        grad, y = np.expand_dims(grad, axis), np.expand_dims(y, axis)
    reached = (x == y) | np.isnan(x)
    ties = reached.sum()
    return np.where(reached, grad / ties, 0.0).astype(grad.dtype)
