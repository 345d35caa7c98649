"""Arithmetic as the processor does it: Python's own raises where IEEE 754 has an answer.

``1.0 / 0.0`` raises in Python and is inf in C; ``math.exp(1000.0)`` raises and is inf in C; Python's integers grow
where int64 wraps. References call these instead, so that they define the same numbers as the compiled twins.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable

__all__ = [
    "acos",
    "acosh",
    "asin",
    "atanh",
    "ceil",
    "cos",
    "cosh",
    "div",
    "exp",
    "exp2",
    "expm1",
    "float32_of_int",
    "floor",
    "fmod",
    "int_floor_divide",
    "int_fmod",
    "int_pow",
    "int_remainder",
    "log",
    "log10",
    "log1p",
    "log2",
    "maximum",
    "minimum",
    "pow",
    "remainder",
    "round",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "to_int64",
    "trunc",
    "wrap_int64",
]

LOWEST = -(2**63)


def div(x: float, y: float) -> float:
    """Quotient: x / 0 is an inf of the signs' product, and 0 / 0 nan.

    >>> div(1.0, -0.0), div(0.0, 0.0)
    (-inf, nan)
    """
    if y != 0:
        return x / y
    if x == 0 or math.isnan(x):
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1.0, y)


def unlimited(function: Callable[[float], float]) -> Callable[[float], float]:
    """A function that gives inf where it overflows."""

    def limited(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return math.inf

    limited.__doc__ = f"math.{function.__name__}, inf where it overflows."
    return limited


def total(function: Callable[[float], float]) -> Callable[[float], float]:
    """A function that gives nan where it is not defined."""

    def partial(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return math.nan

    partial.__doc__ = f"math.{function.__name__}, nan where it is not defined."
    return partial


exp, exp2, expm1, cosh = (unlimited(function) for function in (math.exp, math.exp2, math.expm1, math.cosh))
sin, cos, tan, asin, acos, acosh = (
    total(function) for function in (math.sin, math.cos, math.tan, math.asin, math.acos, math.acosh)
)


def sinh(x: float) -> float:
    """Hyperbolic sine, an infinity of x's sign where it overflows."""
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)


def atanh(x: float) -> float:
    """Inverse hyperbolic tangent: an infinity at -1 and 1, nan beyond.

    >>> atanh(-1.0), atanh(2.0)
    (-inf, nan)
    """
    if abs(x) == 1:
        return math.copysign(math.inf, x)
    return math.nan if abs(x) > 1 else math.atanh(x)


def log(x: float) -> float:
    """Natural logarithm: -inf at 0, nan below.

    >>> log(0.0), log(-1.0)
    (-inf, nan)
    """
    if x > 0:
        return math.log(x)
    return -math.inf if x == 0 else math.nan


def log2(x: float) -> float:
    """Logarithm to base 2: -inf at 0, nan below."""
    return math.log2(x) if x > 0 else log(x)


def log10(x: float) -> float:
    """Logarithm to base 10: -inf at 0, nan below."""
    return math.log10(x) if x > 0 else log(x)


def log1p(x: float) -> float:
    """log(1 + x): -inf at -1, nan below."""
    return math.log1p(x) if x > -1 else log(1 + x)


def fmod(x: float, y: float) -> float:
    """What x / y leaves when the quotient drops its fraction, with the sign of x; nan for y = 0 and infinite x.

    >>> fmod(-5.0, 3.0), fmod(1.0, 0.0)
    (-2.0, nan)
    """
    try:
        return math.fmod(x, y)
    except ValueError:
        return math.nan


def remainder(x: float, y: float) -> float:
    """What x / y leaves when the quotient is rounded down, with the sign of y; a zero keeps the sign of x.

    >>> remainder(-5.0, 3.0), remainder(-0.0, 3.0)
    (1.0, -0.0)
    """
    left = fmod(x, y)
    return left + y if left and (left < 0) != (y < 0) else left


def int_fmod(x: int, y: int) -> int:
    """As `fmod`, in int64; 0 for y = 0."""
    return x - y * (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1) if y else 0


def int_remainder(x: int, y: int) -> int:
    """As `remainder`, in int64; 0 for y = 0."""
    return x % y if y else 0


def int_floor_divide(x: int, y: int) -> int:
    """x / y rounded down, in int64; 0 for y = 0.

    >>> int_floor_divide(-7, 2), int_floor_divide(-(2**63), -1)
    (-4, -9223372036854775808)
    """
    return wrap_int64(x // y) if y else 0


def sqrt(x: float) -> float:
    """Square root: nan below 0; -0 is its own root."""
    return math.nan if x < 0 else math.sqrt(x)


def pow(x: float, y: float) -> float:
    """x**y: an inf of the right sign where it overflows or divides by zero, nan for a root of a negative number.

    >>> pow(-0.0, -3.0), pow(-8.0, 1 / 3), pow(-10.0, 309.0)
    (-inf, nan, -inf)
    """
    try:
        return math.pow(x, y)
    except OverflowError:
        pass
    except ValueError:
        if x != 0:
            return math.nan
    return math.copysign(math.inf, x) if math.fmod(y, 2.0) in (1.0, -1.0) else math.inf


def int_pow(x: int, y: int) -> int:
    """x**y in int64; with a negative exponent what is left of 1 / x**-y without its fraction, 0 for x = 0 too.

    >>> int_pow(3, 41), int_pow(-1, -3), int_pow(2, -1)
    (-420491770248316829, -1, 0)
    """
    if y < 0:
        if x in (1, -1):
            return x if y % 2 else 1
        return 0
    unsigned = int.__pow__(x, y, 2**64)
    return wrap_int64(unsigned)


def maximum(x: float, y: float) -> float:
    """The larger of two: nan if either is nan, +0 of two zeros of opposite sign."""
    if x != x:
        return x
    if x == y:
        return y if math.copysign(1.0, x) < 0 else x
    return x if x > y else y


def minimum(x: float, y: float) -> float:
    """The smaller of two: nan if either is nan, -0 of two zeros of opposite sign."""
    if x != x:
        return x
    if x == y:
        return x if math.copysign(1.0, x) < 0 else y
    return x if x < y else y


def floor(x: float) -> float:
    """The largest whole number not above x, with the sign of x where it is zero; inf and nan are their own."""
    return math.copysign(float(math.floor(x)), x) if math.isfinite(x) else x


def ceil(x: float) -> float:
    """The smallest whole number not below x, with the sign of x where it is zero; inf and nan are their own."""
    return math.copysign(float(math.ceil(x)), x) if math.isfinite(x) else x


def trunc(x: float) -> float:
    """x without its fraction, with the sign of x where it is zero; inf and nan are their own."""
    return math.copysign(float(math.trunc(x)), x) if math.isfinite(x) else x


def round(x: float) -> float:
    """The nearest whole number, halves to even, with the sign of x where it is zero; inf and nan are their own.

    >>> round(2.5), round(3.5), round(-0.5)
    (2.0, 4.0, -0.0)
    """
    if not math.isfinite(x):
        return x
    below = math.floor(x)
    up = x - below > 0.5 or (x - below == 0.5 and below % 2 == 1)
    return math.copysign(float(below + up), x)


def wrap_int64(value: int) -> int:
    """An integer modulo 2**64 as the signed number whose bits it leaves.

    >>> wrap_int64(2**63)
    -9223372036854775808
    """
    return (value - LOWEST) % 2**64 + LOWEST


def to_int64(x: float) -> int:
    """A float without its fraction; -2**63 for nan, inf and what lies outside int64, as the processor answers."""
    return int(x) if LOWEST <= x < -LOWEST else LOWEST


def float32_of_int(value: int) -> float:
    """The float32 nearest to an integer, rounded once; by way of float64 it would be rounded twice.

    >>> float32_of_int(2**60 + 2**36 + 1) - 2**60
    137438953472.0
    """
    if abs(value) >= 2**53:
        sticky = bool(value & 0x7FF)
        value = (value >> 11 | sticky) << 11
    result: float = array("f", (float(value),))[0]
    return result
