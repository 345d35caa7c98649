"""r as one rounded number, which costs a quarter of an ulp, and ldexp to scale."""

import math

LN2 = math.log(2.0)
HIGH, LOW = 0.6931471803691238, 1.9082149292705877e-10  # ln 2 in two parts; m * HIGH is exact
COEFFICIENTS = [1 / math.factorial(k) for k in range(13, 1, -1)]


def exponential(x):
    """e**x of one number."""
    if x != x:
        return x
    x = max(-746.0, min(x, 710.0))
    m = round(x / LN2)
    r = x - m * HIGH - m * LOW
    q = 0.0
    for coefficient in COEFFICIENTS:
        q = q * r + coefficient
    e = 1 + (r + r * r * q)
    return math.ldexp(e, m) if m < 1024 else math.ldexp(e, m - 1) * 2


def exp(x, out):
    """Write e**x into `out`, element by element."""
    for k in range(len(out)):
        out[k] = exponential(float(x[k]))
