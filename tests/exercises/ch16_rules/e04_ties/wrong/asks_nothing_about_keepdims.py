# misconception: expanded_twice
# fails: test_axis_that_stayed
import numpy as np


def amax_vjp(grad, x, y, axis, keepdims):
    grad, y = np.expand_dims(grad, axis), np.expand_dims(y, axis)
    reached = (x == y) | np.isnan(x)
    ties = reached.sum(axis=axis, keepdims=True)
    return np.where(reached, grad / ties, 0.0).astype(grad.dtype)
