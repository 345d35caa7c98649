"""The whole array at once; ldexp scales, also to subnormal numbers and to infinity."""

import math

import numpy as np


def exp(x, out):
    with np.errstate(all="ignore"):
        bounded = np.clip(x, -746.0, 710.0)
        m = np.rint(bounded / math.log(2.0))
        high, low = bounded - m * 0.6931471803691238, m * 1.9082149292705877e-10
        r = high - low
        q = np.zeros_like(r)
        for k in range(15, 1, -1):
            q = q * r + 1 / math.factorial(k)
        e = 1 + (high + (r * r * q - low))
        out[:] = np.ldexp(e, np.where(np.isnan(m), 0, m).astype(np.int64))
