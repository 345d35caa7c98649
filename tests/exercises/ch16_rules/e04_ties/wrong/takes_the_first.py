# misconception: first_of_ties
# fails: test_ties_share
import numpy as np


def amax_vjp(grad, x, y, axis, keepdims):
    if not keepdims:
        grad = np.expand_dims(grad, axis)
    result = np.zeros(x.shape, grad.dtype)
    np.put_along_axis(result, np.expand_dims(x.argmax(axis=axis), axis), grad, axis)
    return result
