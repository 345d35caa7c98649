"""Cases of the operations in `kael.ops.elementwise`."""

import math

import numpy as np

from tests.ops.cases.case import BINARY, UNARY, Case, binary, one, several, unary

CONDITION = np.array([[True, False, True], [False, False, True]])
NAN, INF = math.nan, math.inf
LINE = np.array([-INF, -1000.0, -2.5, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.5, 1000.0, INF, NAN])
EDGES = ((LINE,),)
PAIRS = ((np.repeat(LINE, len(LINE)), np.tile(LINE, len(LINE))),)
INTEGERS = (np.array([-7, 7, -8, 8, 0, 5]), np.array([2, -2, 4, 3, 5, -1]))
SMALL = (np.array([-7, 100, -128, 127], np.int8), np.array([2, 3, -1, -2], np.int8))
BITS = (np.array([-7, 7, 12, 0, 2**40, 5]), np.array([2, 3, 10, 5, 1, 63]))
MASKS = (np.array([True, True, False, False]), np.array([True, False, True, False]))
BOUNDS = (
    np.array([-1.0, 1.0, 0.0, 3.0, NAN, -2.0]), np.full(6, -1.0), np.array([1.0, 1.0, 1.0, -2.0, 1.0, 0.0]),
)  # fmt: skip
INNER = (), (5,), (2, 2), (0,), (2, 0)
"""Shapes for which `draw` gives numbers between -1 and 1."""

WRAPPED = "PyTorch wraps a bound that the dtype cannot hold; kael takes it for what it is"

erf, erfc = (np.vectorize(function, otypes=[float]) for function in (math.erf, math.erfc))


def inner(op, oracle):
    """A case of a function that is defined from -1 to 1."""
    return one(op, "", lambda k, x: getattr(k, op)(x), oracle, *INNER, kinks=EDGES)


def smooth(op, oracle, positive=False):
    """A case of a function of one operand, with infinities and zeros."""
    return unary(op, oracle, positive, kinks=EDGES)


def divided(op, label, call, oracle):
    """A case of a function that jumps where x / y is whole: the second operand is scaled so that none is."""
    return several(
        op, label, lambda k, x, y: call(k, x, y * 1.1), lambda x, y: oracle(x, y * y.dtype.type(1.1)), *BINARY,
        kinks=(*PAIRS, INTEGERS, SMALL),
    )  # fmt: skip


def bits(op, oracle, *kinks):
    """A case of an operation on integers."""
    return Case(
        op, lambda k, x, y: getattr(k, op)((x * 10).long(), (y * 5).abs().long()),
        lambda x, y: oracle((x * 10).astype(np.int64), np.abs(y * 5).astype(np.int64)), BINARY, kinks=kinks,
    )  # fmt: skip


def lerp(x, end, weight):
    return x + weight * (end - x)


def clamp(x, low, high):
    return np.minimum(np.maximum(x, low), high)


DIFFERENTIABLE = [
    binary("add", np.add),
    several(
        "add", "scaled", lambda k, x, y: k.add(x, y, alpha=-2.5), lambda x, y: x - x.dtype.type(2.5) * y,
        ((2, 3), (3,)), ((), ()), ((2, 0), (2, 1)),
    ),
    binary("sub", np.subtract),
    several(
        "sub", "scaled", lambda k, x, y: k.sub(x, y, alpha=3), lambda x, y: x - 3 * y, ((2, 3), (3,)), ((), ()),
        ((2, 0), (2, 1)), kinks=(INTEGERS, SMALL),
    ),
    binary("mul", np.multiply),
    binary("div", np.divide, kinks=(*PAIRS, INTEGERS)),
    several(
        "trunc_divide", "", lambda k, x, y: k.div(x, y, rounding_mode="trunc"), lambda x, y: np.trunc(x / y),
        ((2, 2), (2, 2)), kinks=(*PAIRS, INTEGERS, SMALL),
    ),
    divided(
        "trunc_divide", "all shapes", lambda k, x, y: k.div(x, y, rounding_mode="trunc"), lambda x, y: np.trunc(x / y)
    ),
    several(
        "floor_divide", "", lambda k, x, y: k.div(x, y, rounding_mode="floor"), lambda x, y: np.floor(x / y),
        ((2, 2), (2, 2)), kinks=(*PAIRS, INTEGERS, SMALL),
    ),
    divided("floor_divide", "all shapes", lambda k, x, y: k.div(x, y, rounding_mode="floor"), np.floor_divide),
    several("fmod", "", lambda k, x, y: k.fmod(x, y), np.fmod, ((2, 2), (2, 2)), kinks=(*PAIRS, INTEGERS, SMALL)),
    divided("fmod", "all shapes", lambda k, x, y: k.fmod(x, y), np.fmod),
    several(
        "remainder", "", lambda k, x, y: k.remainder(x, y), np.remainder, ((2, 2), (2, 2)),
        kinks=(*PAIRS, INTEGERS, SMALL),
    ),
    divided("remainder", "operator", lambda k, x, y: x % y, np.remainder),
    binary("pow", np.power, positive=True),
    binary("maximum", np.maximum),
    binary("minimum", np.minimum),
    binary("atan2", np.arctan2, kinks=PAIRS),
    binary("hypot", np.hypot, kinks=PAIRS),
    binary("xlogy", lambda x, y: x * np.log(y), positive=True, kinks=PAIRS),
    unary("neg", np.negative),
    unary("abs", np.abs, kinks=EDGES),
    smooth("exp", np.exp),
    smooth("exp2", np.exp2),
    smooth("expm1", np.expm1),
    smooth("log", np.log, positive=True),
    smooth("log1p", np.log1p, positive=True),
    smooth("log2", np.log2, positive=True),
    smooth("log10", np.log10, positive=True),
    smooth("sqrt", np.sqrt, positive=True),
    smooth("rsqrt", lambda x: 1 / np.sqrt(x), positive=True),
    smooth("reciprocal", lambda x: 1 / x),
    smooth("square", np.square),
    smooth("sin", np.sin),
    smooth("cos", np.cos),
    smooth("tan", np.tan),
    inner("asin", np.arcsin),
    inner("acos", np.arccos),
    smooth("atan", np.arctan),
    smooth("sinh", np.sinh),
    smooth("cosh", np.cosh),
    smooth("tanh", np.tanh),
    smooth("asinh", np.arcsinh),
    Case(
        "acosh", lambda k, x: k.acosh(x + 1), lambda x: np.arccosh(x + 1), tuple((shape,) for shape in UNARY), True,
        kinks=EDGES,
    ),
    inner("atanh", np.arctanh),
    smooth("sinc", np.sinc),
    several(
        "addcmul", "", lambda k, x, a, b: k.addcmul(x, a, b, value=2), lambda x, a, b: x + 2 * a * b,
        ((2, 3), (2, 3), (2, 3)), ((3,), (2, 3), ()), ((), (2, 1), (1, 3)), ((2, 0), (1,), (2, 1)),
    ),
    several(
        "addcdiv", "", lambda k, x, a, b: k.addcdiv(x, a, b, value=0.5), lambda x, a, b: x + x.dtype.type(0.5) * a / b,
        ((2, 3), (2, 3), (2, 3)), ((3,), (2, 3), ()), ((), (2, 1), (1, 3)), ((2, 0), (1,), (2, 1)),
    ),
    smooth("erf", lambda x: erf(x).astype(x.dtype)),
    smooth("erfc", lambda x: erfc(x).astype(x.dtype)),
    smooth("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    smooth("relu", lambda x: np.maximum(x, 0)),
    smooth("sign", np.sign),
    smooth("floor", np.floor),
    smooth("ceil", np.ceil),
    smooth("round", np.round),
    one("round", "decimals", lambda k, x: k.round(x, decimals=1), lambda x: np.round(x, 1), (2, 3), (0,)),
    one("round", "tens", lambda k, x: k.round(x * 20, decimals=-1), lambda x: np.round(x * 20, -1), (2, 3)),
    smooth("trunc", np.trunc),
    one("clamp", "", lambda k, x: k.clamp(x, -0.5, 0.8), lambda x: clamp(x, -0.5, 0.8), (2, 3), (), (0,), (2, 3, 4)),
    one("clamp", "low", lambda k, x: k.clamp_min(x, 0.2), lambda x: np.maximum(x, 0.2), (2, 3), (), (0,)),
    one("clamp", "high", lambda k, x: k.clamp_max(x, 0.2), lambda x: np.minimum(x, 0.2), (2, 3), (), (0,)),
    one(
        "clamp", "at bounds", lambda k, x: k.clamp(x, -1, 1), lambda x: clamp(x, -1, 1), (), kinks=EDGES,
        differs=WRAPPED,
    ),
    one("clamp", "crossed", lambda k, x: k.clamp(x, 1, -1), lambda x: x * 0 - 1, (2, 3), kinks=EDGES, differs=WRAPPED),
    several(
        "clamp", "tensors", lambda k, x, low, high: k.clamp(x, low, high), clamp, ((2, 3), (2, 3), (2, 3)),
        ((2, 3), (3,), ()), ((2, 3), (2, 1), (1, 3)), ((2, 0), (1,), (2, 1)), kinks=(BOUNDS,),
    ),
    several(
        "clamp", "bounds that broadcast together", lambda k, x, low, high: k.clamp(x, low, high), clamp,
        ((), (2, 1), (1, 3)), differs="PyTorch's backward pass fails where one bound is wider than x and the other",
    ),
    several("clamp", "low tensor", lambda k, x, low: k.clamp(x, min=low), np.maximum, *BINARY, kinks=(BOUNDS[:2],)),
    several("clamp", "high tensor", lambda k, x, high: k.clamp(x, max=high), np.minimum, *BINARY),
    several(
        "lerp", "", lambda k, x, end, weight: k.lerp(x, end, weight), lerp, ((2, 3), (2, 3), (2, 3)),
        ((2, 3), (3,), ()), ((), (2, 1), (1, 3)), ((2, 0), (1,), (2, 1)),
    ),
    several(
        "lerp", "number", lambda k, x, end: k.lerp(x, end, 0.25), lambda x, y: lerp(x, y, x.dtype.type(0.25)), *BINARY
    ),
    several(
        "where", "", lambda k, x, y: k.where(k.tensor(CONDITION), x, y), lambda x, y: np.where(CONDITION, x, y),
        ((2, 3), (2, 3)), ((3,), ()), ((1, 1), (2, 1)),
    ),
]  # fmt: skip

OTHERS = [
    binary("eq", np.equal, kinks=PAIRS),
    binary("ne", np.not_equal, kinks=PAIRS),
    binary("lt", np.less, kinks=PAIRS),
    binary("le", np.less_equal, kinks=PAIRS),
    binary("gt", np.greater, kinks=PAIRS),
    binary("ge", np.greater_equal, kinks=PAIRS),
    binary("logical_and", np.logical_and, kinks=(*PAIRS, MASKS, INTEGERS)),
    binary("logical_or", np.logical_or, kinks=(*PAIRS, MASKS, INTEGERS)),
    binary("logical_xor", np.logical_xor, kinks=(*PAIRS, MASKS, INTEGERS)),
    unary("logical_not", np.logical_not, kinks=EDGES),
    unary("isnan", np.isnan, kinks=EDGES),
    unary("isinf", np.isinf, kinks=EDGES),
    unary("isfinite", np.isfinite, kinks=EDGES),
    bits("bitwise_and", np.bitwise_and, BITS, MASKS),
    bits("bitwise_or", np.bitwise_or, BITS, MASKS),
    bits("bitwise_xor", np.bitwise_xor, BITS, MASKS),
    bits("bitwise_left_shift", np.left_shift, BITS),
    bits("bitwise_right_shift", np.right_shift, BITS),
    one("bitwise_not", "", lambda k, x: k.bitwise_not(x.long()), lambda x: ~x.astype(np.int64), (2, 3), (), (0,)),
    one("bitwise_not", "mask", lambda k, x: ~(x > 0), lambda x: ~(x > 0), (2, 3), (), (0,)),
]
