"""Rung 1, the definition of the elementwise kernels: one rule per kernel, one loop for all of them.

A kernel applies a rule on numbers to every element of `out`: `unary` and `binary` are that loop, and the offsets they
run over come from chapter 7's walk, so an operand of size 1 along an axis repeats there. Rules are written in float64
and rounded once to the element type. For +, -, *, / and the square root of float32 numbers that gives the same bits as
computing in float32 throughout, since float64 has more than twice its digits.
"""

from __future__ import annotations

import math
import operator
from builtins import abs as absolute
from collections.abc import Callable
from typing import Any

from chapters import ieee
from chapters.ch07_broadcasting.reference import walk
from chapters.ch07_broadcasting.spec import BroadcastSpec, broadcast_shapes
from chapters.ch12_elementwise.checks import check, check_value
from chapters.flat import Buffer, rounded, shape, store, typecode, values

__all__ = [
    "abs",
    "abs_vjp",
    "acos",
    "acosh",
    "add",
    "add_scaled",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "broadcast_add_kernel",
    "ceil",
    "clamp",
    "clamp_vjp",
    "copy",
    "cos",
    "cosh",
    "div",
    "elementwise_add",
    "eq",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fill",
    "floor",
    "floor_divide",
    "fmod",
    "ge",
    "gt",
    "hypot",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "lerp",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "ne",
    "neg",
    "pow",
    "reciprocal",
    "relu",
    "relu_vjp",
    "remainder",
    "round",
    "rsqrt",
    "sigmoid",
    "sigmoid_vjp",
    "sign",
    "sin",
    "sinc",
    "sinc_vjp",
    "sinh",
    "sqrt",
    "sub",
    "tan",
    "tanh",
    "tanh_vjp",
    "trunc",
    "where",
    "xlogy",
]


def offsets(x: Any, out: Any) -> list[int] | range:
    """The offset in `x` that each element of `out` reads; a plain count where the shapes agree."""
    own, target = shape(x), shape(out)
    return range(math.prod(target)) if own == target else walk(BroadcastSpec(own, target))


def unary(rule: Callable[[Any], Any], x: Any, out: Any) -> None:
    """``out[k] = rule(x[i])`` for every element k of `out`."""
    given = values(x)
    results = []
    for i in offsets(x, out):
        results.append(rule(given[i]))
    store(out, results)


# region [binary]
def binary(rule: Callable[[Any, Any], Any], x: Any, y: Any, out: Any) -> None:
    """``out[k] = rule(x[i], y[j])`` for every element k of `out`."""
    left, right = values(x), values(y)
    results = []
    for i, j in zip(offsets(x, out), offsets(y, out), strict=True):
        results.append(rule(left[i], right[j]))
    store(out, results)


# endregion [binary]


def add(x: Any, y: Any, out: Any) -> None:
    """Sum: ``out = x + y``; int64 wraps, and of bools it is *or*.

    Parameters
    ----------
    x, y : float32, float64, int64 or bool
        The operands, of one element type; each broadcasts to the shape of `out`.
    out : of the operands' element type
        Receives the result. It may be an operand itself, but must not overlap one otherwise.

    Raises
    ------
    TypeError
        When the element types differ, or are not among these.
    ValueError
        When an operand does not broadcast to `out`, or `out` cannot be written.

    Notes
    -----
    Exact: every rung gives the same bits. One pass over memory; nothing is allocated. The other kernels of this module
    take their operands in the same way and raise the same errors.

    Examples
    --------
    >>> out = Buffer.full(0, (2, 3))
    >>> add(Buffer([1, 2, 3, 4, 5, 6], (2, 3)), Buffer([10, 20, 30], (1, 3)), out)
    >>> out.tolist()
    [[11.0, 22.0, 33.0], [14.0, 25.0, 36.0]]
    """
    check("add", "fdq?", "", x=x, y=y, out=out)
    binary(operator.add, x, y, out)


def sub(x: Any, y: Any, out: Any) -> None:
    """Difference: ``out = x - y`` of float32, float64 or int64; int64 wraps. Exact, as `add`."""
    check("sub", "fdq", "", x=x, y=y, out=out)
    binary(operator.sub, x, y, out)


# region [mul]
def mul(x: Any, y: Any, out: Any) -> None:
    """Product: ``out = x * y``; int64 wraps, and of bools it is *and*. Exact, as `add`."""
    check("mul", "fdq?", "", x=x, y=y, out=out)
    binary(operator.mul, x, y, out)


# endregion [mul]


def div(x: Any, y: Any, out: Any) -> None:
    """Quotient of floats: ``out = x / y``; 1/0 is inf and 0/0 is nan. Exact, as `add`.

    int64 operands raise TypeError: whether 7 / 2 is 3 or 3.5 is for the caller to say, by a cast.
    """
    check("div", "fd", "", x=x, y=y, out=out)
    binary(ieee.div, x, y, out)


def pow(x: Any, y: Any, out: Any) -> None:
    """Power: ``out = x ** y``; int64 wraps, and a negative int64 exponent leaves 0, or ±1 of a base of ±1.

    Within 1 ulp of the exact power on the plain rung and the twin, within 4 ulp on the NumPy rung; exact for int64. The
    twin takes two steps to a float64 power by the one number 3 or -0.5, within 2 ulp.
    """
    code = check("pow", "fdq", "", x=x, y=y, out=out)
    binary(ieee.int_pow if code == "q" else ieee.pow, x, y, out)


def maximum(x: Any, y: Any, out: Any) -> None:
    """The larger of two: nan if either is nan, and +0 of two zeros of opposite sign. Exact, as `add`."""
    code = check("maximum", "fdq?", "", x=x, y=y, out=out)
    binary(ieee.maximum if code in "fd" else max, x, y, out)


def minimum(x: Any, y: Any, out: Any) -> None:
    """The smaller of two: nan if either is nan, and -0 of two zeros of opposite sign. Exact, as `add`."""
    code = check("minimum", "fdq?", "", x=x, y=y, out=out)
    binary(ieee.minimum if code in "fd" else min, x, y, out)


def eq(x: Any, y: Any, out: Any) -> None:
    """``out = x == y`` as bool; nan equals nothing, and -0 equals +0."""
    check("eq", "fdq?", "?", x=x, y=y, out=out)
    binary(operator.eq, x, y, out)


def ne(x: Any, y: Any, out: Any) -> None:
    """``out = x != y`` as bool; nan differs from everything, itself included."""
    check("ne", "fdq?", "?", x=x, y=y, out=out)
    binary(operator.ne, x, y, out)


def lt(x: Any, y: Any, out: Any) -> None:
    """``out = x < y`` as bool; false where either is nan."""
    check("lt", "fdq?", "?", x=x, y=y, out=out)
    binary(operator.lt, x, y, out)


def le(x: Any, y: Any, out: Any) -> None:
    """``out = x <= y`` as bool; false where either is nan."""
    check("le", "fdq?", "?", x=x, y=y, out=out)
    binary(operator.le, x, y, out)


def gt(x: Any, y: Any, out: Any) -> None:
    """``out = x > y`` as bool; false where either is nan."""
    check("gt", "fdq?", "?", x=x, y=y, out=out)
    binary(operator.gt, x, y, out)


def ge(x: Any, y: Any, out: Any) -> None:
    """``out = x >= y`` as bool; false where either is nan."""
    check("ge", "fdq?", "?", x=x, y=y, out=out)
    binary(operator.ge, x, y, out)


def logical_and(x: Any, y: Any, out: Any) -> None:
    """``out = x and y`` of bools."""
    check("logical_and", "?", "?", x=x, y=y, out=out)
    binary(operator.and_, x, y, out)


def logical_or(x: Any, y: Any, out: Any) -> None:
    """``out = x or y`` of bools."""
    check("logical_or", "?", "?", x=x, y=y, out=out)
    binary(operator.or_, x, y, out)


def logical_xor(x: Any, y: Any, out: Any) -> None:
    """``out = x != y`` of bools: one of the two and not both."""
    check("logical_xor", "?", "?", x=x, y=y, out=out)
    binary(operator.xor, x, y, out)


def logical_not(x: Any, out: Any) -> None:
    """``out = not x`` of bools."""
    check("logical_not", "?", "?", x=x, out=out)
    unary(operator.not_, x, out)


def neg(x: Any, out: Any) -> None:
    """``out = -x`` of float32, float64 or int64; the smallest int64 stays itself. Exact."""
    check("neg", "fdq", "", x=x, out=out)
    unary(operator.neg, x, out)


def abs(x: Any, out: Any) -> None:
    """``out = |x|`` of float32, float64 or int64; the smallest int64 stays itself. Exact."""
    check("abs", "fdq", "", x=x, out=out)
    unary(absolute, x, out)


def exp(x: Any, out: Any) -> None:
    """``out = e ** x`` of floats; inf beyond the largest float, then subnormal numbers and 0 below the smallest.

    Within 1 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("exp", "fd", "", x=x, out=out)
    unary(ieee.exp, x, out)


def log(x: Any, out: Any) -> None:
    """Natural logarithm of floats: -inf at 0, nan below.

    Within 1 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("log", "fd", "", x=x, out=out)
    unary(ieee.log, x, out)


def sqrt(x: Any, out: Any) -> None:
    """Square root of floats: nan below 0, and -0 of -0. Exact."""
    check("sqrt", "fd", "", x=x, out=out)
    unary(ieee.sqrt, x, out)


def tanh(x: Any, out: Any) -> None:
    """Hyperbolic tangent of floats; keeps the sign of zero.

    Within 1 ulp on the plain rung, within 3 ulp on the twin, within 4 ulp on the NumPy rung.
    """
    check("tanh", "fd", "", x=x, out=out)
    unary(math.tanh, x, out)


def logistic(x: float) -> float:
    """1 / (1 + exp(-x)) by way of exp(-|x|), which cannot overflow."""
    decay = ieee.exp(-absolute(x))
    return (decay if x < 0 else 1.0) / (1.0 + decay)


def sigmoid(x: Any, out: Any) -> None:
    """``out = 1 / (1 + exp(-x))`` of floats: 0 at -inf, 1 at inf, and full precision between them.

    Within 3 ulp on the plain rung and the twin, within 6 ulp on the NumPy rung.
    """
    check("sigmoid", "fd", "", x=x, out=out)
    unary(logistic, x, out)


# region [relu]
def relu(x: Any, out: Any) -> None:
    """``out = max(x, 0)`` of float32, float64 or int64: nan stays nan, and -0 becomes +0. Exact."""
    check("relu", "fdq", "", x=x, out=out)
    unary(lambda value: 0 if value <= 0 else value, x, out)


# endregion [relu]


def sign(x: Any, out: Any) -> None:
    """1, 0 or -1; 0 for nan and for both zeros. Exact."""
    check("sign", "fdq", "", x=x, out=out)
    unary(lambda value: (value > 0) - (value < 0), x, out)


def floor(x: Any, out: Any) -> None:
    """The largest whole number that is not above x, as a float. Exact."""
    check("floor", "fd", "", x=x, out=out)
    unary(ieee.floor, x, out)


def ceil(x: Any, out: Any) -> None:
    """The smallest whole number that is not below x, as a float. Exact."""
    check("ceil", "fd", "", x=x, out=out)
    unary(ieee.ceil, x, out)


def round(x: Any, out: Any) -> None:
    """The nearest whole number, as a float; halves go to the even one. Exact."""
    check("round", "fd", "", x=x, out=out)
    unary(ieee.round, x, out)


def log1p(x: Any, out: Any) -> None:
    """``out = log(1 + x)`` of floats, exact near 0 where 1 + x would round; -inf at -1, nan below.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("log1p", "fd", "", x=x, out=out)
    unary(ieee.log1p, x, out)


def expm1(x: Any, out: Any) -> None:
    """``out = e ** x - 1`` of floats, exact near 0 where e ** x would round.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("expm1", "fd", "", x=x, out=out)
    unary(ieee.expm1, x, out)


def log2(x: Any, out: Any) -> None:
    """Logarithm to base 2 of floats: -inf at 0, nan below.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("log2", "fd", "", x=x, out=out)
    unary(ieee.log2, x, out)


def log10(x: Any, out: Any) -> None:
    """Logarithm to base 10 of floats: -inf at 0, nan below.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("log10", "fd", "", x=x, out=out)
    unary(ieee.log10, x, out)


def exp2(x: Any, out: Any) -> None:
    """``out = 2 ** x`` of floats.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("exp2", "fd", "", x=x, out=out)
    unary(ieee.exp2, x, out)


def sin(x: Any, out: Any) -> None:
    """Sine of floats in radians; nan at an infinity.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("sin", "fd", "", x=x, out=out)
    unary(ieee.sin, x, out)


def cos(x: Any, out: Any) -> None:
    """Cosine of floats in radians; nan at an infinity.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("cos", "fd", "", x=x, out=out)
    unary(ieee.cos, x, out)


def tan(x: Any, out: Any) -> None:
    """Tangent of floats in radians; nan at an infinity.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("tan", "fd", "", x=x, out=out)
    unary(ieee.tan, x, out)


def asin(x: Any, out: Any) -> None:
    """The angle from -pi/2 to pi/2 whose sine is x; nan outside -1 to 1.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("asin", "fd", "", x=x, out=out)
    unary(ieee.asin, x, out)


def acos(x: Any, out: Any) -> None:
    """The angle from 0 to pi whose cosine is x; nan outside -1 to 1.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("acos", "fd", "", x=x, out=out)
    unary(ieee.acos, x, out)


def atan(x: Any, out: Any) -> None:
    """The angle from -pi/2 to pi/2 whose tangent is x.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("atan", "fd", "", x=x, out=out)
    unary(math.atan, x, out)


def sinh(x: Any, out: Any) -> None:
    """Hyperbolic sine of floats.

    Within 2 ulp on the plain rung, within 3 ulp on the twin, within 4 ulp on the NumPy rung.
    """
    check("sinh", "fd", "", x=x, out=out)
    unary(ieee.sinh, x, out)


def cosh(x: Any, out: Any) -> None:
    """Hyperbolic cosine of floats.

    Within 2 ulp on the plain rung, within 3 ulp on the twin, within 4 ulp on the NumPy rung.
    """
    check("cosh", "fd", "", x=x, out=out)
    unary(ieee.cosh, x, out)


def asinh(x: Any, out: Any) -> None:
    """Inverse hyperbolic sine of floats.

    Within 2 ulp on the plain rung, within 3 ulp on the twin, within 4 ulp on the NumPy rung.
    """
    check("asinh", "fd", "", x=x, out=out)
    unary(math.asinh, x, out)


def acosh(x: Any, out: Any) -> None:
    """Inverse hyperbolic cosine of floats; nan below 1.

    Within 2 ulp on the plain rung, within 3 ulp on the twin, within 4 ulp on the NumPy rung.
    """
    check("acosh", "fd", "", x=x, out=out)
    unary(ieee.acosh, x, out)


def atanh(x: Any, out: Any) -> None:
    """Inverse hyperbolic tangent of floats: an infinity at -1 and 1, nan beyond.

    Within 2 ulp on the plain rung, within 3 ulp on the twin, within 4 ulp on the NumPy rung.
    """
    check("atanh", "fd", "", x=x, out=out)
    unary(ieee.atanh, x, out)


def erf(x: Any, out: Any) -> None:
    """The error function ``2/sqrt(pi) * (integral of exp(-t*t) from 0 to x)`` of floats.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("erf", "fd", "", x=x, out=out)
    unary(math.erf, x, out)


def erfc(x: Any, out: Any) -> None:
    """``out = 1 - erf(x)`` of floats, without the loss of digits where erf(x) is near 1.

    Within 5 ulp on the plain and the NumPy rung, within 7 ulp on the twin.
    """
    check("erfc", "fd", "", x=x, out=out)
    unary(math.erfc, x, out)


def sine_of_turns(x: float) -> float:
    """sin(pi * x) of a finite x, from its distance to the nearest whole number: exactly 0 at whole numbers."""
    whole = ieee.round(x)
    value = math.sin(math.pi * (x - whole))
    return -value if math.fmod(whole, 2.0) else value


def cardinal_sine(x: float) -> float:
    """sin(pi * x) / (pi * x), 1 at 0 and nan at infinity."""
    if x == 0:
        return 1.0
    return sine_of_turns(x) / (math.pi * x) if math.isfinite(x) else math.nan


def sinc(x: Any, out: Any) -> None:
    """``out = sin(pi * x) / (pi * x)`` of floats, 1 at 0: exactly 0 at the other whole numbers, nan at infinity.

    Within 4 ulp on every rung.
    """
    check("sinc", "fd", "", x=x, out=out)
    unary(cardinal_sine, x, out)


def reciprocal(x: Any, out: Any) -> None:
    """``out = 1 / x`` of floats. Exact."""
    check("reciprocal", "fd", "", x=x, out=out)
    unary(lambda value: ieee.div(1.0, value), x, out)


def rsqrt(x: Any, out: Any) -> None:
    """``out = 1 / sqrt(x)`` of floats: inf at 0, nan below. Exact, step by step."""
    code = check("rsqrt", "fd", "", x=x, out=out)
    unary(lambda value: ieee.div(1.0, rounded(ieee.sqrt(value), code)), x, out)


def trunc(x: Any, out: Any) -> None:
    """x without its fraction, as a float. Exact."""
    check("trunc", "fd", "", x=x, out=out)
    unary(ieee.trunc, x, out)


def isnan(x: Any, out: Any) -> None:
    """Where a float is nan, as bool."""
    check("isnan", "fd", "?", x=x, out=out)
    unary(math.isnan, x, out)


def isinf(x: Any, out: Any) -> None:
    """Where a float is an infinity of either sign, as bool."""
    check("isinf", "fd", "?", x=x, out=out)
    unary(math.isinf, x, out)


def isfinite(x: Any, out: Any) -> None:
    """Where a float is neither an infinity nor nan, as bool."""
    check("isfinite", "fd", "?", x=x, out=out)
    unary(math.isfinite, x, out)


def atan2(x: Any, y: Any, out: Any) -> None:
    """The angle from -pi to pi of the point with height x and width y, as in ``atan(x / y)``.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("atan2", "fd", "", x=x, y=y, out=out)
    binary(math.atan2, x, y, out)


def hypot(x: Any, y: Any, out: Any) -> None:
    """``out = sqrt(x * x + y * y)`` of floats, without overflow on the way.

    Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.
    """
    check("hypot", "fd", "", x=x, y=y, out=out)
    binary(math.hypot, x, y, out)


def log_times(x: float, y: float) -> float:
    """x * log(y), 0 where x is 0 unless y is nan."""
    return 0.0 if x == 0 and not math.isnan(y) else x * ieee.log(y)


def xlogy(x: Any, y: Any, out: Any) -> None:
    """``out = x * log(y)`` of floats, 0 where x is 0 and y a number: the term of an entropy.

    Within 3 ulp on the plain rung and the twin, within 5 ulp on the NumPy rung.
    """
    check("xlogy", "fd", "", x=x, y=y, out=out)
    binary(log_times, x, y, out)


def fmod(x: Any, y: Any, out: Any) -> None:
    """What x / y leaves when the quotient drops its fraction: it has the sign of x. Exact.

    nan for y = 0 and for infinite x; of int64, 0 for y = 0.
    """
    code = check("fmod", "fdq", "", x=x, y=y, out=out)
    binary(ieee.int_fmod if code == "q" else ieee.fmod, x, y, out)


def remainder(x: Any, y: Any, out: Any) -> None:
    """What x / y leaves when the quotient is rounded down: it has the sign of y, but a zero that of x. Exact.

    nan for y = 0 and for infinite x; of int64, 0 for y = 0.
    """
    code = check("remainder", "fdq", "", x=x, y=y, out=out)
    binary(ieee.int_remainder if code == "q" else ieee.remainder, x, y, out)


def floor_quotient(x: float, y: float, code: str) -> float:
    """x / y rounded down so that it fits `remainder`, each step in the element type.

    x less what is left over is a multiple of y, so the quotient of the two is whole but for its rounding. Rounding down
    x / y itself would make 1 out of 0.9999999999999999.
    """
    if y == 0:
        return ieee.div(x, y)
    left = ieee.fmod(x, y)
    quotient = rounded(rounded(x - left, code) / y, code)
    if left and (left < 0) != (y < 0):
        quotient = rounded(quotient - 1, code)
    if quotient == 0:
        return math.copysign(0.0, x / y)
    whole = ieee.floor(quotient)
    return whole + 1 if quotient - whole > 0.5 else whole


def floor_divide(x: Any, y: Any, out: Any) -> None:
    """``out = x / y`` rounded down. Exact, step by step.

    An infinity or nan for y = 0; of int64, 0 for y = 0, and -2**63 / -1 wraps.
    """
    code = check("floor_divide", "fdq", "", x=x, y=y, out=out)
    binary(ieee.int_floor_divide if code == "q" else lambda a, b: floor_quotient(a, b, code), x, y, out)


def between(x: Any, low: Any, high: Any) -> Any:
    """x, or the bound that it lies beyond; `high` where the bounds cross, nan where one of the three is."""
    raised = low if x < low or low != low else x
    return high if raised > high or high != high else raised


def clamp(x: Any, low: Any, high: Any, out: Any) -> None:
    """x, or the bound that it lies beyond; `high` where the bounds cross, nan where one of the three is. Exact."""
    check("clamp", "fdq?", "", x=x, low=low, high=high, out=out)
    given, least, most = values(x), values(low), values(high)
    results = []
    for i, j, k in zip(offsets(x, out), offsets(low, out), offsets(high, out), strict=True):
        results.append(between(given[i], least[j], most[k]))
    store(out, results)


def lerp(start: Any, end: Any, weight: Any, out: Any) -> None:
    """``out = start + weight * (end - start)`` of floats, computed from the nearer end. Exact, step by step.

    So a weight of 0 gives `start` and a weight of 1 gives `end`, to the bit.
    """
    code = check("lerp", "fd", "", start=start, end=end, weight=weight, out=out)
    first, last, share = values(start), values(end), values(weight)
    results = []
    for i, j, k in zip(offsets(start, out), offsets(end, out), offsets(weight, out), strict=True):
        way = rounded(last[j] - first[i], code)
        if absolute(share[k]) < 0.5:
            results.append(first[i] + rounded(share[k] * way, code))
        else:
            results.append(last[j] - rounded(way * rounded(1 - share[k], code), code))
    store(out, results)


def where(condition: Any, x: Any, y: Any, out: Any) -> None:
    """``out = x if condition else y``; the condition is bool, and all three broadcast to `out`. Exact."""
    check("where", "fdq?", "", condition=condition, x=x, y=y, out=out)
    chosen, left, right = values(condition), values(x), values(y)
    results = []
    for c, i, j in zip(offsets(condition, out), offsets(x, out), offsets(y, out), strict=True):
        results.append(left[i] if chosen[c] else right[j])
    store(out, results)


def copy(x: Any, out: Any) -> None:
    """``out = x`` in the type of `out`, whichever the two are: the cast.

    Parameters
    ----------
    x : float32, float64, int64 or bool
        What is copied; it broadcasts to the shape of `out`.
    out : float32, float64, int64 or bool
        Receives it. Floats become int64 by dropping the fraction, and -2**63 where no int64 is near: nan, inf, beyond
        2**63. A number becomes True unless it is 0. float64 and int64 round to the nearest float32.

    Examples
    --------
    >>> out = Buffer.full(0, (4,), "q")
    >>> copy([1.9, -1.9, float("nan"), 2.0], out)
    >>> out.tolist()
    [1, -1, -9223372036854775808, 2]
    """
    code = check("copy", "fdq?", "any", x=x, out=out)
    cast: Callable[[Any], Any] = operator.pos
    if typecode(out) == "q" and code in "fd":
        cast = ieee.to_int64
    elif typecode(out) == "f" and code == "q":
        cast = ieee.float32_of_int
    unary(cast, x, out)


def fill(out: Any, value: float) -> None:
    """Write one number into every element, as `copy` would cast it; OverflowError where no int64 can hold it."""
    code = check("fill", "fdq?", "", out=out)
    store(out, [check_value("fill", code, value)] * math.prod(shape(out)))


# region [broadcast_add_kernel]
def broadcast_add_kernel(a: Any, b: Any, out: Any) -> None:
    """``out = a + b`` where axes of size 1 repeat: the kernel of section 12.4, `add` under its first name.

    Examples
    --------
    >>> out = Buffer.full(0, (2, 3))
    >>> broadcast_add_kernel(Buffer([1, 2, 3, 4, 5, 6], (2, 3)), Buffer([10, 20, 30], (1, 3)), out)
    >>> out.tolist()
    [[11.0, 22.0, 33.0], [14.0, 25.0, 36.0]]
    """
    check("broadcast_add_kernel", "fdq?", "", a=a, b=b, out=out)
    add(a, b, out)


# endregion [broadcast_add_kernel]


# region [elementwise_add]
def elementwise_add(a: Any, b: Any) -> Any:
    """``a + b`` in a fresh buffer, of the shape that the two broadcast to; neither operand is touched.

    >>> elementwise_add([1.0, 2.0], [10.0]).tolist()
    [11.0, 12.0]
    """
    out = Buffer.full(0, broadcast_shapes(shape(a), shape(b)), typecode(a))
    check("elementwise_add", "fdq?", "", a=a, b=b, out=out)
    add(a, b, out)
    return out


# endregion [elementwise_add]


def add_scaled(x: Any, y: Any, alpha: float, out: Any) -> None:
    """``out = x + alpha * y`` of floats, rounded after each of the two steps: the step of an optimizer. Exact."""
    code = check("add_scaled", "fd", "", x=x, y=y, out=out)
    factor = rounded(alpha, code)
    binary(lambda a, b: a + rounded(factor * b, code), x, y, out)


# region [tanh_vjp]
def tanh_vjp(g: Any, y: Any, out: Any) -> None:
    """``out = g * (1 - y * y)``, with y = tanh(x): the backward pass without a temporary. Exact, step by step."""
    code = check("tanh_vjp", "fd", "", g=g, y=y, out=out)
    binary(lambda up, t: up * rounded(1.0 - rounded(t * t, code), code), g, y, out)


# endregion [tanh_vjp]


def sigmoid_vjp(g: Any, y: Any, out: Any) -> None:
    """``out = g * ((1 - y) * y)``, with y = sigmoid(x). Exact, step by step."""
    code = check("sigmoid_vjp", "fd", "", g=g, y=y, out=out)
    binary(lambda up, s: up * rounded(rounded(1.0 - s, code) * s, code), g, y, out)


def relu_vjp(g: Any, x: Any, out: Any) -> None:
    """``out = 0 where x <= 0, else g``: nothing at 0, and all of g where x is nan. Exact."""
    check("relu_vjp", "fd", "", g=g, x=x, out=out)
    binary(lambda up, value: 0.0 if value <= 0 else up, g, x, out)


def abs_vjp(g: Any, x: Any, out: Any) -> None:
    """``out = g * sign(x)``: nothing at 0. Exact."""
    check("abs_vjp", "fd", "", g=g, x=x, out=out)
    binary(lambda up, value: up * ((value > 0) - (value < 0)), g, x, out)


def cardinal_slope(x: float) -> float:
    """The derivative of `cardinal_sine`: its series near 0, where the difference of the closed form loses digits."""
    if not math.isfinite(x):
        return x - x
    angle = math.pi * x
    if absolute(angle) > 1:
        turns = ieee.round(x)
        cosine = math.cos(math.pi * (x - turns))
        return ((-cosine if math.fmod(turns, 2.0) else cosine) - cardinal_sine(x)) / x
    term, total = -math.pi * angle / 3, 0.0
    for n in range(1, 10):
        total += term
        term *= -angle * angle / (2 * n * (2 * n + 3))
    return total


def sinc_vjp(g: Any, x: Any, out: Any) -> None:
    """``out = g * (cos(pi * x) - sinc(x)) / x``, 0 at 0: the slope of `sinc`, by its series near 0.

    Within 8 ulp on every rung, but near the places where the slope is 0.
    """
    check("sinc_vjp", "fd", "", g=g, x=x, out=out)
    binary(lambda up, value: up * cardinal_slope(value), g, x, out)


def clamp_vjp(g: Any, x: Any, low: Any, high: Any, out: Any) -> None:
    """``out = g where low <= x <= high, else 0``: all of g at a bound, nothing at nan. Exact."""
    check("clamp_vjp", "fd", "", g=g, x=x, low=low, high=high, out=out)
    up, given, least, most = values(g), values(x), values(low), values(high)
    results = []
    for n, i, j, k in zip(offsets(g, out), offsets(x, out), offsets(low, out), offsets(high, out), strict=True):
        results.append(up[n] if least[j] <= given[i] <= most[k] else 0.0)
    store(out, results)
