# misconception: axis_at_the_end
# fails: test_first_axis_that_is_gone
import numpy as np


def amax_vjp(grad, x, y, axis, keepdims):
    if not keepdims:
        grad, y = grad[..., None], y[..., None]
    reached = (x == y) | np.isnan(x)
    ties = reached.sum(axis=axis, keepdims=True)
    return np.where(reached, grad / ties, 0.0).astype(grad.dtype)
