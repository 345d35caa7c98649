"""No floats at all until the end: the reduction and the series in whole numbers of 2**-200."""

import math
from decimal import Decimal, localcontext

BITS = 200
with localcontext() as context:
    context.prec = 80
    LN2 = int(Decimal(2).ln() * 2**BITS)


def exponential(x):
    if x != x:
        return x
    if x > 710.0 or x < -746.0:
        return math.inf if x > 0 else 0.0
    numerator, denominator = x.as_integer_ratio()
    scaled = (numerator << BITS) // denominator
    m, r = divmod(scaled, LN2)
    total = term = 1 << BITS
    for n in range(1, 60):
        term = term * r // (n << BITS)
        total += term
    shift = BITS - m
    try:
        return total / (1 << shift) if shift >= 0 else float(total << -shift)
    except OverflowError:
        return math.inf


def exp(x, out):
    for k in range(len(out)):
        out[k] = exponential(float(x[k]))
