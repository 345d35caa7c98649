"""The elementwise kernels in NumPy: the same functions as `reference`, each a ufunc or a few.

A door first asks NumPy, which refuses what does not fit (``casting="no"``); only then does `checks` say why, in the
words of every rung. exp, log, tanh and pow keep NumPy's own last bits: they are held to bounds, not to bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chapters.ch07_broadcasting.spec import broadcast_shapes
from chapters.ch12_elementwise.checks import check_arrays, check_value

__all__ = [
    "abs",
    "abs_vjp",
    "add",
    "add_scaled",
    "broadcast_add_kernel",
    "ceil",
    "copy",
    "div",
    "elementwise_add",
    "eq",
    "exp",
    "fill",
    "floor",
    "ge",
    "gt",
    "le",
    "log",
    "logical_and",
    "logical_not",
    "logical_or",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "ne",
    "neg",
    "pow",
    "relu",
    "relu_vjp",
    "round",
    "sigmoid",
    "sigmoid_vjp",
    "sign",
    "sqrt",
    "sub",
    "tanh",
    "tanh_vjp",
    "where",
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


# region [binary]
@quiet
def _binary(op: str, accepts: str, result: str, ufunc: np.ufunc, x: Array, y: Array, out: Array) -> None:
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


def pow(x: Array, y: Array, out: Array) -> None:
    """Power: ``out = x ** y``; int64 wraps, and a negative int64 exponent leaves 0, or ±1 of a base of ±1."""
    if getattr(x, "dtype", None) != INT64:
        return _binary("pow", "fdq", "", np.power, x, y, out)
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
