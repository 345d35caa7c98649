# misconception: changes_its_arguments
# fails: test_arguments_stay
import numpy as np


def amax_vjp(grad, x, y, axis, keepdims):
    if not keepdims:
        grad, y = np.expand_dims(grad, axis), np.expand_dims(y, axis)
    reached = (x == y) | np.isnan(x)
    ties = reached.sum(axis=axis, keepdims=True)
    grad /= ties
    return np.where(reached, grad, 0.0).astype(grad.dtype)
