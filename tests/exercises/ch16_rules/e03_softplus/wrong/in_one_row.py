# misconception: flat
# fails: test_single_number
import math

from chapters.flat import Buffer


def softplus_vjp(grad, y):
    """The gradient of x from the gradient of y = log(1 + exp(x)) and y itself, as a new Buffer."""
    return Buffer([g * -math.expm1(-v) for g, v in zip(grad, y, strict=True)], (len(grad),), grad.typecode)
