# misconception: lost_digits
# fails: test_tiny_outputs
import math

from chapters.flat import Buffer


def softplus_vjp(grad, y):
    slopes = [v - v * v / 2 if v < 1e-8 else 1 - math.exp(-v) for v in y]
    return Buffer([g * s for g, s in zip(grad, slopes, strict=True)], grad.shape, grad.typecode)
