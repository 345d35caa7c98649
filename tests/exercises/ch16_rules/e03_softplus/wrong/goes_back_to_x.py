# misconception: cancelled
# fails: test_tiny_outputs
import math

from chapters.flat import Buffer


def softplus_vjp(grad, y):
    slopes = []
    for v in y:
        x = v if v > 30 else math.log(math.exp(v) - 1)
        slopes.append(1 / (1 + math.exp(-x)))
    return Buffer([g * s for g, s in zip(grad, slopes, strict=True)], grad.shape, grad.typecode)
