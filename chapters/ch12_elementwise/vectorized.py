"""The elementwise kernels in NumPy: the same functions as `reference`, each a ufunc or a few.

A door first asks NumPy, which refuses what does not fit (``casting="no"``); only then does `checks` say why, in the
words of every rung. exp, log, tanh and pow keep NumPy's own last bits: they are held to bounds, not to bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chapters.ch07_broadcasting.spec import broadcast_shapes
from chapters.ch12_elementwise.checks import check_arrays, check_value

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

Array = NDArray[Any]

FLOAT32, FLOAT64, INT64, BOOL = (np.dtype(name) for name in ("float32", "float64", "int64", "bool"))
DTYPES = {
    "fd": (FLOAT32, FLOAT64),
    "fdq": (FLOAT32, FLOAT64, INT64),
    "fdq?": (FLOAT32, FLOAT64, INT64, BOOL),
    "?": (BOOL,),
}


quiet = np.errstate(all="ignore")


def _check(op: str, accepts: str, **operands: Array) -> None:
    """As `check_arrays`, which takes long: arrays of one shape and one type that is taken are let through before it."""
    out = operands["out"]
    alike = getattr(out, "dtype", None) in DTYPES[accepts]
    for operand in operands.values():
        alike = alike and type(operand) is np.ndarray and operand.flags.behaved
        alike = alike and operand.dtype == out.dtype and operand.shape == out.shape
    if not alike:
        check_arrays(op, accepts, "", **operands)


def _lie_well(*operands: Array) -> bool:
    """Whether all are arrays and aligned: what NumPy would forgive and the twin cannot."""
    for operand in operands:  # noqa: SIM110 - all() of a generator takes twice as long
        if not isinstance(operand, np.ndarray) or not operand.flags.aligned:
            return False
    return True


@quiet
def _unary(op: str, accepts: str, ufunc: np.ufunc, x: Array, out: Array) -> None:
    try:
        if x.dtype not in DTYPES[accepts] or not _lie_well(x, out):
            raise TypeError
        ufunc(x, out=out, casting="no")
    except (AttributeError, TypeError, ValueError):
        check_arrays(op, accepts, "", x=x, out=out)
        raise


@quiet
def _test(op: str, ufunc: np.ufunc, x: Array, out: Array) -> None:
    """As `_unary`, for a question about floats whose answer is bool."""
    check_arrays(op, "fd", "?", x=x, out=out)
    ufunc(x, out=out, casting="no")


# region [binary]
@quiet
def _binary(op: str, accepts: str, result: str, ufunc: Callable[..., Any], x: Array, y: Array, out: Array) -> None:
    try:
        if x.dtype not in DTYPES[accepts] or not _lie_well(x, y, out):
            raise TypeError
        ufunc(x, y, out=out, casting="no")
    except (AttributeError, TypeError, ValueError):
        check_arrays(op, accepts, result, x=x, y=y, out=out)
        raise


# endregion [binary]


def add(x: Array, y: Array, out: Array) -> None:
    """Sum: ``out = x + y``; int64 wraps, and of bools it is *or*."""
    _binary("add", "fdq?", "", np.add, x, y, out)


def sub(x: Array, y: Array, out: Array) -> None:
    """Difference: ``out = x - y``; int64 wraps."""
    _binary("sub", "fdq", "", np.subtract, x, y, out)


# region [mul]
def mul(x: Array, y: Array, out: Array) -> None:
    """Product: ``out = x * y``; int64 wraps, and of bools it is *and*."""
    _binary("mul", "fdq?", "", np.multiply, x, y, out)


# endregion [mul]


def div(x: Array, y: Array, out: Array) -> None:
    """Quotient of floats: ``out = x / y``; 1/0 is inf and 0/0 is nan."""
    _binary("div", "fd", "", np.divide, x, y, out)


@quiet
def _power(x: Array, y: Array, out: Array, casting: Any) -> None:
    """NumPy's power, but for its short way where one exponent is 0.5: a square root, -0 of -0 and nan of -inf."""
    roots = y == 0.5
    if not roots.any():
        np.power(x, y, out=out, casting=casting)
        return
    root = np.where(x == -np.inf, x.dtype.type(np.inf), np.sqrt(x) + 0)
    np.copyto(out, np.where(roots, root, np.power(x, y)), casting=casting)


def pow(x: Array, y: Array, out: Array) -> None:
    """Power: ``out = x ** y``; int64 wraps, and a negative int64 exponent leaves 0, or ±1 of a base of ±1."""
    if getattr(x, "dtype", None) != INT64:
        return _binary("pow", "fdq", "", _power, x, y, out)
    check_arrays("pow", "fdq", "", x=x, y=y, out=out)
    inverse = np.where(np.abs(x) == 1, x ** (y & 1), 0)
    np.copyto(out, np.where(y < 0, inverse, x ** np.maximum(y, 0)))
    return None


@quiet
def maximum(x: Array, y: Array, out: Array) -> None:
    """The larger of two: nan if either is nan, and +0 of two zeros of opposite sign."""
    _check("maximum", "fdq?", x=x, y=y, out=out)
    zeros = (x == y) & (x == 0)
    if x.dtype.kind == "f" and zeros.any():
        np.copyto(out, np.where(zeros, np.where(np.signbit(x), y, x), np.maximum(x, y)))
    else:
        np.copyto(out, np.maximum(x, y))


@quiet
def minimum(x: Array, y: Array, out: Array) -> None:
    """The smaller of two: nan if either is nan, and -0 of two zeros of opposite sign."""
    _check("minimum", "fdq?", x=x, y=y, out=out)
    zeros = (x == y) & (x == 0)
    if x.dtype.kind == "f" and zeros.any():
        np.copyto(out, np.where(zeros, np.where(np.signbit(x), x, y), np.minimum(x, y)))
    else:
        np.copyto(out, np.minimum(x, y))


def eq(x: Array, y: Array, out: Array) -> None:
    """``out = x == y`` as bool; nan equals nothing."""
    _binary("eq", "fdq?", "?", np.equal, x, y, out)


def ne(x: Array, y: Array, out: Array) -> None:
    """``out = x != y`` as bool; nan differs from everything."""
    _binary("ne", "fdq?", "?", np.not_equal, x, y, out)


def lt(x: Array, y: Array, out: Array) -> None:
    """``out = x < y`` as bool."""
    _binary("lt", "fdq?", "?", np.less, x, y, out)


def le(x: Array, y: Array, out: Array) -> None:
    """``out = x <= y`` as bool."""
    _binary("le", "fdq?", "?", np.less_equal, x, y, out)


def gt(x: Array, y: Array, out: Array) -> None:
    """``out = x > y`` as bool."""
    _binary("gt", "fdq?", "?", np.greater, x, y, out)


def ge(x: Array, y: Array, out: Array) -> None:
    """``out = x >= y`` as bool."""
    _binary("ge", "fdq?", "?", np.greater_equal, x, y, out)


def logical_and(x: Array, y: Array, out: Array) -> None:
    """``out = x and y`` of bools."""
    _binary("logical_and", "?", "?", np.logical_and, x, y, out)


def logical_or(x: Array, y: Array, out: Array) -> None:
    """``out = x or y`` of bools."""
    _binary("logical_or", "?", "?", np.logical_or, x, y, out)


def logical_xor(x: Array, y: Array, out: Array) -> None:
    """``out = x != y`` of bools."""
    _binary("logical_xor", "?", "?", np.logical_xor, x, y, out)


def logical_not(x: Array, out: Array) -> None:
    """``out = not x`` of bools."""
    _unary("logical_not", "?", np.logical_not, x, out)


def neg(x: Array, out: Array) -> None:
    """``out = -x``; the smallest int64 stays itself."""
    _unary("neg", "fdq", np.negative, x, out)


def abs(x: Array, out: Array) -> None:
    """``out = |x|``; the smallest int64 stays itself."""
    _unary("abs", "fdq", np.absolute, x, out)


def exp(x: Array, out: Array) -> None:
    """``out = e ** x``."""
    _unary("exp", "fd", np.exp, x, out)


def log(x: Array, out: Array) -> None:
    """Natural logarithm; -inf at 0, nan below."""
    _unary("log", "fd", np.log, x, out)


def sqrt(x: Array, out: Array) -> None:
    """Square root; nan below 0, and -0 of -0."""
    _unary("sqrt", "fd", np.sqrt, x, out)


def tanh(x: Array, out: Array) -> None:
    """Hyperbolic tangent."""
    _unary("tanh", "fd", np.tanh, x, out)


@quiet
def sigmoid(x: Array, out: Array) -> None:
    """``out = 1 / (1 + exp(-x))``, written with exp(-|x|), which cannot overflow."""
    _check("sigmoid", "fd", x=x, out=out)
    decay = np.exp(-np.abs(x))
    np.copyto(out, np.where(x < 0, decay, 1) / (1 + decay), casting="same_kind")


# region [relu]
def relu(x: Array, out: Array) -> None:
    """``out = max(x, 0)``: nan stays nan, and -0 becomes +0 (hence the addition)."""
    _check("relu", "fdq", x=x, out=out)
    np.maximum(x, 0, out=out)
    np.add(out, 0, out=out)


# endregion [relu]


def sign(x: Array, out: Array) -> None:
    """1, 0 or -1; 0 for nan and for both zeros."""
    _check("sign", "fdq", x=x, out=out)
    np.copyto(out, np.subtract(x > 0, x < 0, dtype=np.int8), casting="unsafe")


def floor(x: Array, out: Array) -> None:
    """The largest whole number that is not above x."""
    _unary("floor", "fd", np.floor, x, out)


def ceil(x: Array, out: Array) -> None:
    """The smallest whole number that is not below x."""
    _unary("ceil", "fd", np.ceil, x, out)


def round(x: Array, out: Array) -> None:
    """The nearest whole number, halves to even."""
    _unary("round", "fd", np.rint, x, out)


def log1p(x: Array, out: Array) -> None:
    """``out = log(1 + x)`` of floats, exact near 0 where 1 + x would round; -inf at -1, nan below."""
    _unary("log1p", "fd", np.log1p, x, out)


def expm1(x: Array, out: Array) -> None:
    """``out = e ** x - 1`` of floats, exact near 0 where e ** x would round."""
    _unary("expm1", "fd", np.expm1, x, out)


def log2(x: Array, out: Array) -> None:
    """Logarithm to base 2 of floats: -inf at 0, nan below."""
    _unary("log2", "fd", np.log2, x, out)


def log10(x: Array, out: Array) -> None:
    """Logarithm to base 10 of floats: -inf at 0, nan below."""
    _unary("log10", "fd", np.log10, x, out)


def exp2(x: Array, out: Array) -> None:
    """``out = 2 ** x`` of floats."""
    _unary("exp2", "fd", np.exp2, x, out)


def sin(x: Array, out: Array) -> None:
    """Sine of floats in radians; nan at an infinity."""
    _unary("sin", "fd", np.sin, x, out)


def cos(x: Array, out: Array) -> None:
    """Cosine of floats in radians; nan at an infinity."""
    _unary("cos", "fd", np.cos, x, out)


def tan(x: Array, out: Array) -> None:
    """Tangent of floats in radians; nan at an infinity."""
    _unary("tan", "fd", np.tan, x, out)


def asin(x: Array, out: Array) -> None:
    """The angle from -pi/2 to pi/2 whose sine is x; nan outside -1 to 1."""
    _unary("asin", "fd", np.arcsin, x, out)


def acos(x: Array, out: Array) -> None:
    """The angle from 0 to pi whose cosine is x; nan outside -1 to 1."""
    _unary("acos", "fd", np.arccos, x, out)


def atan(x: Array, out: Array) -> None:
    """The angle from -pi/2 to pi/2 whose tangent is x."""
    _unary("atan", "fd", np.arctan, x, out)


def sinh(x: Array, out: Array) -> None:
    """Hyperbolic sine of floats."""
    _unary("sinh", "fd", np.sinh, x, out)


def cosh(x: Array, out: Array) -> None:
    """Hyperbolic cosine of floats."""
    _unary("cosh", "fd", np.cosh, x, out)


def asinh(x: Array, out: Array) -> None:
    """Inverse hyperbolic sine of floats."""
    _unary("asinh", "fd", np.arcsinh, x, out)


def acosh(x: Array, out: Array) -> None:
    """Inverse hyperbolic cosine of floats; nan below 1."""
    _unary("acosh", "fd", np.arccosh, x, out)


def atanh(x: Array, out: Array) -> None:
    """Inverse hyperbolic tangent of floats: an infinity at -1 and 1, nan beyond."""
    _unary("atanh", "fd", np.arctanh, x, out)


def _erf_taylor() -> tuple[Array, Array]:
    """Middles of intervals that cover 0 to 6, and the coefficients of erf's Taylor series around each, constant first.

    The derivatives of exp(-c * c) follow from one another as Hermite polynomials do.
    """
    c = np.arange(385) / 64
    terms = [np.array([math.erf(value) for value in c]), 2 / math.sqrt(math.pi) * np.exp(-c * c)]
    for n in range(1, 7):
        before = terms[n - 1] if n > 1 else 0.0
        terms.append((-2 * c * n * terms[n] - 2 * (n - 1) * before) / (n * (n + 1)))
    return c, np.array(terms)


MIDDLES, COEFFICIENTS = _erf_taylor()


@quiet
def erf(x: Array, out: Array) -> None:
    """The error function, by its Taylor series around the nearest 64th, where `math.erf` has it ready."""
    _check("erf", "fd", x=x, out=out)
    size = np.minimum(np.abs(x, dtype=np.float64), 6.0)
    which = np.rint(np.nan_to_num(size) * 64).astype(np.intp)
    step = size - MIDDLES[which]
    value = COEFFICIENTS[-1][which]
    for terms in COEFFICIENTS[-2::-1]:
        value = value * step + terms[which]
    np.copyto(out, np.copysign(value, x), casting="same_kind")


_erfc = np.frompyfunc(math.erfc, 1, 1)


def erfc(x: Array, out: Array) -> None:
    """``out = 1 - erf(x)``, one number at a time: NumPy has no such function."""
    _check("erfc", "fd", x=x, out=out)
    np.copyto(out, _erfc(x), casting="unsafe")


def _sine_of_turns(x: Array) -> Array:
    """sin(pi * x), exactly 0 at whole numbers, and cos(pi * x)."""
    whole = np.rint(x)
    sign = np.where(np.fmod(whole, 2) != 0, -1.0, 1.0)
    angle = np.pi * (x - whole)
    return np.stack([sign * np.sin(angle), sign * np.cos(angle)])


@quiet
def sinc(x: Array, out: Array) -> None:
    """``out = sin(pi * x) / (pi * x)``, 1 at 0 and nan at infinity."""
    _check("sinc", "fd", x=x, out=out)
    wide = x.astype(np.float64)
    np.copyto(out, np.where(wide == 0, 1.0, _sine_of_turns(wide)[0] / (np.pi * wide)), casting="same_kind")


@quiet
def sinc_vjp(g: Array, x: Array, out: Array) -> None:
    """``out = g * (cos(pi * x) - sinc(x)) / x``, 0 at 0, by its series near 0."""
    _check("sinc_vjp", "fd", g=g, x=x, out=out)
    wide = x.astype(np.float64)
    angle = np.pi * wide
    sine, cosine = _sine_of_turns(wide)
    term, total = -np.pi * angle / 3, np.zeros(x.shape)
    for n in range(1, 10):
        total = total + term
        term = term * (-angle * angle / (2 * n * (2 * n + 3)))
    np.copyto(out, g * np.where(np.abs(angle) > 1, (cosine - sine / angle) / wide, total), casting="same_kind")


def reciprocal(x: Array, out: Array) -> None:
    """``out = 1 / x``."""
    _unary("reciprocal", "fd", np.reciprocal, x, out)


@quiet
def rsqrt(x: Array, out: Array) -> None:
    """``out = 1 / sqrt(x)``: inf at 0, nan below."""
    _check("rsqrt", "fd", x=x, out=out)
    np.copyto(out, 1 / np.sqrt(x))


def trunc(x: Array, out: Array) -> None:
    """x without its fraction."""
    _unary("trunc", "fd", np.trunc, x, out)


def isnan(x: Array, out: Array) -> None:
    """Where a float is nan."""
    _test("isnan", np.isnan, x, out)


def isinf(x: Array, out: Array) -> None:
    """Where a float is an infinity of either sign."""
    _test("isinf", np.isinf, x, out)


def isfinite(x: Array, out: Array) -> None:
    """Where a float is neither an infinity nor nan."""
    _test("isfinite", np.isfinite, x, out)


def atan2(x: Array, y: Array, out: Array) -> None:
    """The angle of the point with height x and width y."""
    _binary("atan2", "fd", "", np.arctan2, x, y, out)


def hypot(x: Array, y: Array, out: Array) -> None:
    """``out = sqrt(x * x + y * y)``, without overflow on the way."""
    _binary("hypot", "fd", "", np.hypot, x, y, out)


@quiet
def xlogy(x: Array, y: Array, out: Array) -> None:
    """``out = x * log(y)``, 0 where x is 0 and y a number."""
    _check("xlogy", "fd", x=x, y=y, out=out)
    np.copyto(out, np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y)))


def fmod(x: Array, y: Array, out: Array) -> None:
    """What x / y leaves when the quotient drops its fraction."""
    _binary("fmod", "fdq", "", np.fmod, x, y, out)


@quiet
def remainder(x: Array, y: Array, out: Array) -> None:
    """What x / y leaves when the quotient is rounded down; a zero has the sign of x, where NumPy gives it that of y."""
    _check("remainder", "fdq", x=x, y=y, out=out)
    left = np.fmod(x, y)
    np.copyto(out, np.where((left != 0) & ((left < 0) != (y < 0)), left + y, left))


def floor_divide(x: Array, y: Array, out: Array) -> None:
    """``out = x / y`` rounded down."""
    _binary("floor_divide", "fdq", "", np.floor_divide, x, y, out)


@quiet
def clamp(x: Array, low: Array, high: Array, out: Array) -> None:
    """x, or the bound that it lies beyond; `high` where the bounds cross, nan where one of the three is."""
    _check("clamp", "fdq?", x=x, low=low, high=high, out=out)
    raised = np.where((x < low) | (low != low), low, x)
    np.copyto(out, np.where((raised > high) | (high != high), high, raised))


@quiet
def lerp(start: Array, end: Array, weight: Array, out: Array) -> None:
    """``out = start + weight * (end - start)``, computed from the nearer end."""
    _check("lerp", "fd", start=start, end=end, weight=weight, out=out)
    way = end - start
    np.copyto(out, np.where(np.abs(weight) < 0.5, start + weight * way, end - way * (1 - weight)))


def where(condition: Array, x: Array, y: Array, out: Array) -> None:
    """``out = x if condition else y``."""
    check_arrays("where", "fdq?", "", condition=condition, x=x, y=y, out=out)
    np.copyto(out, np.where(condition, x, y))


@quiet
def copy(x: Array, out: Array) -> None:
    """``out = x`` in the type of `out`: the cast.

    Floats become int64 by dropping the fraction, and -2**63 where no int64 is near: nan, inf, beyond 2**63.
    """
    check_arrays("copy", "fdq?", "any", x=x, out=out)
    if out.dtype == INT64 and x.dtype.kind == "f":
        x = np.where((x >= -(2.0**63)) & (x < 2.0**63), x, -(2.0**63))
    np.copyto(out, x, casting="unsafe")


@quiet
def fill(out: Array, value: float) -> None:
    """Write one number into every element."""
    code = check_arrays("fill", "fdq?", "", out=out)
    np.copyto(out, np.array(check_value("fill", code, value)), casting="unsafe")


# region [broadcast_add_kernel]
def broadcast_add_kernel(a: Array, b: Array, out: Array) -> None:
    """``out = a + b`` where axes of size 1 repeat: the kernel of section 12.4, `add` under its first name."""
    check_arrays("broadcast_add_kernel", "fdq?", "", a=a, b=b, out=out)
    add(a, b, out)


# endregion [broadcast_add_kernel]


# region [elementwise_add]
def elementwise_add(a: Array, b: Array) -> Array:
    """``a + b`` in a fresh buffer, of the shape that the two broadcast to; neither operand is touched."""
    out: Array = np.empty(broadcast_shapes(np.shape(a), np.shape(b)), getattr(a, "dtype", None))
    check_arrays("elementwise_add", "fdq?", "", a=a, b=b, out=out)
    add(a, b, out)
    return out


# endregion [elementwise_add]


@quiet
def add_scaled(x: Array, y: Array, alpha: float, out: Array) -> None:
    """``out = x + alpha * y``, rounded after each of the two steps."""
    _check("add_scaled", "fd", x=x, y=y, out=out)
    np.add(x, np.multiply(y, x.dtype.type(alpha)), out=out)


# region [tanh_vjp]
@quiet
def tanh_vjp(g: Array, y: Array, out: Array) -> None:
    """``out = g * (1 - y * y)``, with y = tanh(x)."""
    _check("tanh_vjp", "fd", g=g, y=y, out=out)
    np.multiply(g, 1 - y * y, out=out)


# endregion [tanh_vjp]


@quiet
def sigmoid_vjp(g: Array, y: Array, out: Array) -> None:
    """``out = g * ((1 - y) * y)``, with y = sigmoid(x)."""
    _check("sigmoid_vjp", "fd", g=g, y=y, out=out)
    np.multiply(g, (1 - y) * y, out=out)


def relu_vjp(g: Array, x: Array, out: Array) -> None:
    """``out = 0 where x <= 0, else g``: nothing at 0, and all of g at nan."""
    _check("relu_vjp", "fd", g=g, x=x, out=out)
    np.copyto(out, np.where(x <= 0, 0, g), casting="same_kind")


@quiet
def abs_vjp(g: Array, x: Array, out: Array) -> None:
    """``out = g * sign(x)``: nothing at 0."""
    _check("abs_vjp", "fd", g=g, x=x, out=out)
    np.multiply(g, np.subtract(x > 0, x < 0, dtype=np.int8), out=out, casting="same_kind")


def clamp_vjp(g: Array, x: Array, low: Array, high: Array, out: Array) -> None:
    """``out = g where low <= x <= high, else 0``: all of g at a bound, nothing at nan."""
    _check("clamp_vjp", "fd", g=g, x=x, low=low, high=high, out=out)
    np.copyto(out, np.where((low <= x) & (x <= high), g, 0), casting="same_kind")
