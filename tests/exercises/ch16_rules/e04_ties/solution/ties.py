"""In the shape that keepdims would give, by broadcasting."""

import numpy as np


def amax_vjp(grad, x, y, axis, keepdims):
    """The gradient of x from the gradient of y, the largest of x along an axis; ties share it equally."""
    if not keepdims:
        grad, y = np.expand_dims(grad, axis), np.expand_dims(y, axis)
    reached = (x == y) | np.isnan(x)
    ties = reached.sum(axis=axis, keepdims=True)
    return np.where(reached, grad / ties, 0.0).astype(grad.dtype)
