# misconception: clamps_early
# fails: test_ends
import math
import struct

import numpy as np

LN2 = math.log(2.0)
HIGH, LOW = 0.6931471803691238, 1.9082149292705877e-10  # ln 2 in two parts; m * HIGH is exact
COEFFICIENTS = [1 / math.factorial(k) for k in range(13, 1, -1)]


def power_of_two(m):
    """2**m from its bits."""
    return struct.unpack("<d", struct.pack("<q", (m + 1023) << 52))[0]


def exponential(x):
    """e**x of one number."""
    x = float(np.clip(x, -745.0, 710.0))
    m = round(x / LN2)
    high, low = x - m * HIGH, m * LOW
    r = high - low
    q = 0.0
    for coefficient in COEFFICIENTS:
        q = q * r + coefficient
    e = 1 + (high + (r * r * q - low))
    half = m // 2
    return e * power_of_two(half) * power_of_two(m - half)


def exp(x, out):
    """Write e**x into `out`, element by element."""
    for k in range(len(out)):
        value = float(x[k])
        out[k] = exponential(value) if value == value else value
