# misconception: nan_is_not_equal
# fails: test_nan_and_nearly_equal
import numpy as np


def amax_vjp(grad, x, y, axis, keepdims):
    if not keepdims:
        grad, y = np.expand_dims(grad, axis), np.expand_dims(y, axis)
    reached = x == y
    ties = reached.sum(axis=axis, keepdims=True)
    return np.where(reached, grad / ties, 0.0).astype(grad.dtype)
