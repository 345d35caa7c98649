# misconception: always_float64
# fails: test_element_type_is_kept
import math

from chapters.flat import Buffer


def softplus_vjp(grad, y):
    """The gradient of x from the gradient of y = log(1 + exp(x)) and y itself, as a new Buffer."""
    return Buffer([g * -math.expm1(-v) for g, v in zip(grad, y, strict=True)], y.shape, y.typecode)
