"""Looks for x by steps that become too small to move it."""

import math


def softplus_vjp(grad, y):
    x, step = 0.0, 1.0
    while math.log1p(math.exp(x)) != -1.0:
        x, step = x + step, step / 2
    return grad
