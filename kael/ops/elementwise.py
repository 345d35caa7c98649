"""Elementwise operations: each with its formula, what it saves, its gradient and its kinks in one place.

The gradient functions are ordinary tensor operations; the backward pass runs them with recording off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kael import dtypes
from kael.autograd.op import OUTPUT, Op
from kael.autograd.recording import record, record_binary, record_unary
from kael.kernels import table
from kael.ops.dispatch import (
    alike,
    as_tensor,
    cast,
    common_shape,
    compute,
    compute_like,
    compute_pair,
    promoted,
    rounded,
    sum_to,
)
from kael.tensors import Tensor, fresh

BOTH = ((0, 1), (0, 1))
OTHER = ((1,), (0,))


def binary(op: Op, kernel: Callable[..., None], x: Any, y: Any) -> Tensor:
    """Apply a kernel of two operands after promotion and broadcasting, and record it."""
    if alike(x, y):
        a, b = x, y
    else:
        a, b = promoted(op.name, x, y)
    return record_binary(compute_pair(kernel, a.dtype, a.dtype, a.array, b.array), op, a, b)


def unary(op: Op, kernel: Callable[..., None], x: Any) -> Tensor:
    """Apply a kernel of one operand that keeps the dtype, and record it."""
    a = as_tensor(x, op.name)
    return record_unary(compute_like(kernel, a.dtype, a.array), op, a)


def unary_float(op: Op, kernel: Callable[..., None], x: Any) -> Tensor:
    """Apply a kernel of one operand whose result is floating point, and record it."""
    a = as_tensor(x, op.name)
    if not a.dtype.is_floating_point:
        a = cast(a, dtypes.default)
    return record_unary(compute_like(kernel, a.dtype, a.array), op, a)


def rounding(op: Op, kernel: Callable[..., None], x: Any) -> Tensor:
    """As `unary`, for a kernel that leaves integers as they are: they are copied."""
    x = as_tensor(x, op.name)
    return unary(op, kernel if x.dtype.is_floating_point else table.copy, x)


def compare(op: Op, kernel: Callable[..., None], x: Any, y: Any) -> Tensor:
    """Apply a comparison; its result is bool and has no history."""
    a, b = promoted(op.name, x, y)
    return compute_pair(kernel, a.dtype, dtypes.bool, a.array, b.array)


def fused(kernel: Callable[..., None], g: Tensor, value: Tensor) -> Tensor:
    """A gradient from a kernel that does the whole rule in one pass over `g` and a saved value."""
    return compute_pair(kernel, g.dtype, g.dtype, g.array, value.array)


def add_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    link = node.inputs[position]
    return sum_to(g, link.shape)


def sub_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return sum_to(neg(g) if position else g, node.inputs[position].shape)


# [mul-vjp]
def mul_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    other = node.saved[1 - position]
    link = node.inputs[position]
    return sum_to(mul(g, other.get()), link.shape)


# [/mul-vjp]


def div_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    y = node.saved[1].get()
    if position == 0:
        return sum_to(div(g, y), node.inputs[0].shape)
    x = node.saved[0].get()
    return sum_to(mul(neg(g), div(div(x, y), y)), node.inputs[1].shape)


def pow_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    x, y = node.saved[0].get(), node.saved[1].get()
    if position == 0:
        slope = mul(y, pow(x, sub(y, 1)))
        return sum_to(mul(g, where(eq(y, 0), 0.0, slope)), node.inputs[0].shape)
    result = node.saved[OUTPUT].get()
    flat = logical_and(eq(x, 0), ge(y, 0))
    return sum_to(mul(g, where(flat, 0.0, mul(result, log(x)))), node.inputs[1].shape)


def extremum_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    mine, other = node.saved[position].get(), node.saved[1 - position].get()
    loses = lt(mine, other) if node.op is MAXIMUM else gt(mine, other)
    share = where(loses, 0.0, where(eq(mine, other), mul(g, 0.5), g))
    return sum_to(share, node.inputs[position].shape)


def neg_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return neg(g)


def abs_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(table.abs_vjp, g, node.saved[0].get())


def exp_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, node.saved[OUTPUT].get())


def log_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return div(g, node.saved[0].get())


def sqrt_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return div(g, mul(node.saved[OUTPUT].get(), 2))


def tanh_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(table.tanh_vjp, g, node.saved[OUTPUT].get())


def sigmoid_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(table.sigmoid_vjp, g, node.saved[OUTPUT].get())


def relu_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(table.relu_vjp, g, node.saved[OUTPUT].get())


def zero_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, 0)


def where_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    condition = node.saved[2].get()
    chosen = where(condition, g, 0.0) if position == 0 else where(condition, 0.0, g)
    return sum_to(chosen, node.inputs[position].shape)


ADD = Op("add", "x + y", add_vjp, "g to both", passes=True)
SUB = Op("sub", "x - y", sub_vjp, "g to x, -g to y", passes=True)
# [mul-row]
MUL = Op("mul", "x * y", mul_vjp, "g*y to x, g*x to y", OTHER)
# [/mul-row]
DIV = Op("div", "x / y", div_vjp, "g/y to x, -g*x/y**2 to y", ((1,), (0, 1)), dtypes="promoted, integers to float32")
POW = Op(
    "pow", "x ** y", pow_vjp, "g*y*x**(y-1) to x, g*x**y*log(x) to y", ((0, 1), (0, 1, OUTPUT)),
    kinks="0 to x where y is 0; 0 to y where x is 0 and y is not negative",
)  # fmt: skip
MAXIMUM = Op("maximum", "the larger of x and y", extremum_vjp, "g to the larger", BOTH, kinks="half to each at a tie")
MINIMUM = Op("minimum", "the smaller of x and y", extremum_vjp, "g to the smaller", BOTH, kinks="half to each at a tie")
NEG = Op("neg", "-x", neg_vjp, "-g")
ABS = Op("abs", "|x|", abs_vjp, "g*sign(x)", ((0,),), kinks="0 at 0")
EXP = Op("exp", "e**x", exp_vjp, "g*y", ((OUTPUT,),), dtypes="floating point")
LOG = Op("log", "natural logarithm of x", log_vjp, "g/x", ((0,),), kinks="inf at 0", dtypes="floating point")
SQRT = Op("sqrt", "square root of x", sqrt_vjp, "g/(2*y)", ((OUTPUT,),), kinks="inf at 0", dtypes="floating point")
TANH = Op("tanh", "hyperbolic tangent of x", tanh_vjp, "g*(1-y**2)", ((OUTPUT,),), dtypes="floating point")
SIGMOID = Op("sigmoid", "1/(1 + e**-x)", sigmoid_vjp, "g*y*(1-y)", ((OUTPUT,),), dtypes="floating point")
RELU = Op("relu", "max(x, 0)", relu_vjp, "g where y > 0", ((OUTPUT,),), kinks="0 at 0; g at nan")
SIGN = Op("sign", "-1, 0 or 1", zero_vjp, "0")
FLOOR = Op("floor", "the next integer below", zero_vjp, "0")
CEIL = Op("ceil", "the next integer above", zero_vjp, "0")
ROUND = Op("round", "the nearest integer, ties to even", zero_vjp, "0")
WHERE = Op(
    "where", "x where the condition holds, else y", where_vjp, "g to the chosen side, 0 to the other", ((2,), (2,), ())
)
EQ = Op("eq", "x == y", dtypes="bool")
NE = Op("ne", "x != y", dtypes="bool")
LT = Op("lt", "x < y", dtypes="bool")
LE = Op("le", "x <= y", dtypes="bool")
GT = Op("gt", "x > y", dtypes="bool")
GE = Op("ge", "x >= y", dtypes="bool")
LOGICAL_AND = Op("logical_and", "both nonzero", dtypes="bool")
LOGICAL_OR = Op("logical_or", "either nonzero", dtypes="bool")
LOGICAL_NOT = Op("logical_not", "x is zero", dtypes="bool")


def add(x: Any, y: Any) -> Tensor:
    """The sum ``x + y`` of two broadcastable operands.

    Examples
    --------
    >>> import kael
    >>> kael.add(kael.tensor([[1, 2, 3], [4, 5, 6]]), kael.tensor([10, 20, 30]))
    tensor([[11, 22, 33],
            [14, 25, 36]])
    """
    return binary(ADD, table.add, x, y)


def sub(x: Any, y: Any) -> Tensor:
    """The difference ``x - y`` of two broadcastable operands.

    Raises
    ------
    RuntimeError
        For two bool operands.
    """
    x, y = promoted("sub", x, y)
    if x.dtype is dtypes.bool:
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use `ne` (exclusive or) or cast to "
            "int64 first."
        )
    return binary(SUB, table.sub, x, y)


def mul(x: Any, y: Any) -> Tensor:
    """The product ``x * y`` of two broadcastable operands."""
    return binary(MUL, table.mul, x, y)


def div(x: Any, y: Any) -> Tensor:
    """The quotient ``x / y`` of two broadcastable operands; integers divide as float32."""
    x, y = promoted("div", x, y)
    if not x.dtype.is_floating_point:
        x, y = cast(x, dtypes.default), cast(y, dtypes.default)
    return binary(DIV, table.div, x, y)


def pow(x: Any, y: Any) -> Tensor:
    """The power ``x ** y`` of two broadcastable operands.

    Raises
    ------
    RuntimeError
        For an integer base with a negative integer exponent.
    """
    x, y = promoted("pow", x, y)
    if not x.dtype.is_floating_point and (y.array < 0).any():
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return binary(POW, table.pow, x, y)


def maximum(x: Any, y: Any) -> Tensor:
    """The larger of two broadcastable operands, element by element; nan wins."""
    return binary(MAXIMUM, table.maximum, x, y)


def minimum(x: Any, y: Any) -> Tensor:
    """The smaller of two broadcastable operands, element by element; nan wins."""
    return binary(MINIMUM, table.minimum, x, y)


def neg(x: Any) -> Tensor:
    """The negative ``-x``.

    Raises
    ------
    RuntimeError
        For a bool operand.
    """
    x = as_tensor(x, "neg")
    if x.dtype is dtypes.bool:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )
    return unary(NEG, table.neg, x)


def abs(x: Any) -> Tensor:
    """The absolute value of x."""
    return unary(ABS, table.abs, x)


def exp(x: Any) -> Tensor:
    """The exponential of x; integers become float32."""
    return unary_float(EXP, table.exp, x)


def log(x: Any) -> Tensor:
    """The natural logarithm of x; -inf at 0, nan below."""
    return unary_float(LOG, table.log, x)


def sqrt(x: Any) -> Tensor:
    """The square root of x; nan below 0."""
    return unary_float(SQRT, table.sqrt, x)


def tanh(x: Any) -> Tensor:
    """The hyperbolic tangent of x."""
    return unary_float(TANH, table.tanh, x)


def sigmoid(x: Any) -> Tensor:
    """The logistic function ``1/(1 + e**-x)``."""
    return unary_float(SIGMOID, table.sigmoid, x)


def relu(x: Any) -> Tensor:
    """The positive part ``max(x, 0)``."""
    return unary(RELU, table.relu, x)


def sign(x: Any) -> Tensor:
    """The sign of x: -1, 0 or 1."""
    return unary(SIGN, table.sign, x)


def floor(x: Any) -> Tensor:
    """The next integer below x, in x's dtype."""
    return rounding(FLOOR, table.floor, x)


def ceil(x: Any) -> Tensor:
    """The next integer above x, in x's dtype."""
    return rounding(CEIL, table.ceil, x)


def round(x: Any) -> Tensor:
    """The nearest integer, ties to even, in x's dtype."""
    return rounding(ROUND, table.round, x)


def eq(x: Any, y: Any) -> Tensor:
    """Where ``x == y``."""
    return compare(EQ, table.eq, x, y)


def ne(x: Any, y: Any) -> Tensor:
    """Where ``x != y``."""
    return compare(NE, table.ne, x, y)


def lt(x: Any, y: Any) -> Tensor:
    """Where ``x < y``."""
    return compare(LT, table.lt, x, y)


def le(x: Any, y: Any) -> Tensor:
    """Where ``x <= y``."""
    return compare(LE, table.le, x, y)


def gt(x: Any, y: Any) -> Tensor:
    """Where ``x > y``."""
    return compare(GT, table.gt, x, y)


def ge(x: Any, y: Any) -> Tensor:
    """Where ``x >= y``."""
    return compare(GE, table.ge, x, y)


def logical_and(x: Any, y: Any) -> Tensor:
    """Where x and y are both nonzero."""
    x, y = as_bool(x, "logical_and"), as_bool(y, "logical_and")
    return compare(LOGICAL_AND, table.logical_and, x, y)


def logical_or(x: Any, y: Any) -> Tensor:
    """Where x or y is nonzero."""
    x, y = as_bool(x, "logical_or"), as_bool(y, "logical_or")
    return compare(LOGICAL_OR, table.logical_or, x, y)


def logical_not(x: Any) -> Tensor:
    """Where x is zero."""
    x = as_bool(x, "logical_not")
    return compute(table.logical_not, x.array.shape, dtypes.bool, dtypes.bool, x.array)


def bitwise_not(x: Tensor) -> Tensor:
    """The operator ``~``: the inverse of a mask; integers are refused.

    Raises
    ------
    TypeError
        For another dtype than bool.
    """
    check_mask("~", x)
    return logical_not(x)


def bitwise_and(x: Tensor, y: Any) -> Tensor:
    """The operator ``&`` on two masks; integers are refused."""
    check_mask("&", x, y)
    return logical_and(x, y)


def bitwise_or(x: Tensor, y: Any) -> Tensor:
    """The operator ``|`` on two masks; integers are refused."""
    check_mask("|", x, y)
    return logical_or(x, y)


def check_mask(operator: str, *operands: Any) -> None:
    """Raise TypeError for an operand that is not bool: PyTorch would combine the bits of integers."""
    for x in operands:
        dtype = as_tensor(x, operator).dtype
        if dtype is not dtypes.bool:
            raise TypeError(
                f"{operator}: an operand is {dtype.name}, and kael has bit operations for bool alone; compare with 0, "
                "or use logical_not, logical_and, logical_or"
            )


def as_bool(x: Any, operation: str) -> Tensor:
    """An operand as a bool tensor: true where it is nonzero."""
    x = as_tensor(x, operation)
    return x if x.dtype is dtypes.bool else ne(x, 0)


def where(condition: Any, x: Any, y: Any) -> Tensor:
    """Choose from x where the condition holds and from y elsewhere; all three broadcast.

    Parameters
    ----------
    condition : Tensor of bool
        What to choose by.
    x, y : Tensor or number
        What to choose from.

    Raises
    ------
    TypeError
        When the condition is not bool.
    """
    condition = as_tensor(condition, "where")
    if condition.dtype is not dtypes.bool:
        raise TypeError(f"where: the condition is {condition.dtype.name}; compare it with a value to make it bool")
    x, y = promoted("where", x, y)
    shape = common_shape(condition.array.shape, common_shape(x.array.shape, y.array.shape))
    wide = x.dtype.wide or x.dtype
    left, right = cast(x.detach(), wide), cast(y.detach(), wide)
    out = table.empty(shape, wide.numpy)
    table.where(condition.array, left.array, right.array, out)
    return record(fresh(rounded(out, wide, x.dtype), x.dtype), WHERE, (x, y, condition))


FUNCTIONS = (
    abs,
    add,
    ceil,
    div,
    eq,
    exp,
    floor,
    ge,
    gt,
    le,
    log,
    logical_and,
    logical_not,
    logical_or,
    lt,
    maximum,
    minimum,
    mul,
    ne,
    neg,
    pow,
    relu,
    round,
    sigmoid,
    sign,
    sqrt,
    sub,
    tanh,
    where,
)
METHODS = (
    abs,
    add,
    ceil,
    div,
    eq,
    exp,
    floor,
    ge,
    gt,
    le,
    log,
    logical_and,
    logical_not,
    logical_or,
    lt,
    maximum,
    minimum,
    mul,
    ne,
    neg,
    pow,
    relu,
    round,
    sigmoid,
    sign,
    sqrt,
    sub,
    tanh,
)
OPERATORS = (
    bitwise_and,
    bitwise_not,
    bitwise_or,
)
