"""e**x by range reduction and a series, with four mistakes."""

import math
import struct

from kael.exercises import NotStarted

LN2 = math.log(2.0)
HIGH, LOW = 0.6931471803691238, 1.9082149292705877e-10  # ln 2 in two parts; m * HIGH is exact
COEFFICIENTS = [1 / math.factorial(k) for k in range(13, 1, -1)]


def power_of_two(m):
    """2**m from its bits."""
    return struct.unpack("<d", struct.pack("<q", (m + 1023) << 52))[0]


def exponential(x):
    """e**x of one number."""
    x = max(-746.0, min(710.0, x))
    m = int(x / LN2)
    r = x - m * LN2
    q = 0.0
    for coefficient in COEFFICIENTS:
        q = q * r + coefficient
    e = 1 + (r + r * r * q)
    return e * power_of_two(m)


def exp(x, out):
    """Write e**x into `out`, element by element."""
    raise NotStarted  # delete this line to begin
    for k in range(len(out)):
        out[k] = exponential(float(x[k]))
