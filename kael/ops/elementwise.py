"""Elementwise operations: each with its formula, what it saves, its gradient and its kinks in one place.

The gradient functions are ordinary tensor operations; the backward pass runs them with recording off.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.op import OUTPUT, Op
from kael.autograd.recording import record, record_binary, record_unary
from kael.dtypes import DType
from kael.kernels import table
from kael.ops.dispatch import (
    alike,
    as_tensor,
    cast,
    common_shape,
    compute,
    compute_like,
    compute_of,
    compute_pair,
    default_dtype,
    promoted,
    rounded,
    scalar,
    sum_to,
)
from kael.ops.searching import nonzero
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


def compare(op: Op, kernel: Callable[..., None], x: Any, y: Any) -> Tensor:
    """Apply a comparison; its result is bool and has no history."""
    a, b = promoted(op.name, x, y)
    return compute_pair(kernel, a.dtype, dtypes.bool, a.array, b.array)


def fused(kernel: Callable[..., None], g: Tensor, value: Tensor) -> Tensor:
    """A gradient from a kernel that does the whole rule in one pass over `g` and a saved value."""
    return compute_pair(kernel, g.dtype, g.dtype, g.array, value.array)


def add_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    link = node.inputs[position]
    return g if link.shape is node.shape else sum_to(g, link.shape)


def sub_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return sum_to(neg(g) if position else g, node.inputs[position].shape)


# [mul-vjp]
def mul_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    other = node.saved[1 - position]
    link = node.inputs[position]
    product = mul(g, other.get())
    return product if link.shape is node.shape else sum_to(product, link.shape)


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
    logarithm = compute_like(table.log, x.dtype, x.array)
    flat = logical_and(eq(x, 0), ge(y, 0))
    return sum_to(mul(g, where(flat, 0.0, mul(result, logarithm))), node.inputs[1].shape)


def extremum_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    mine, other = node.saved[position].get(), node.saved[1 - position].get()
    loses = lt(mine, other) if node.op is MAXIMUM else gt(mine, other)
    share = where(loses, 0.0, where(eq(mine, other), mul(g, 0.5), g))
    return sum_to(share, node.inputs[position].shape)


def neg_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return neg(g)


def abs_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(table.abs_vjp, g, node.saved[0].get())


def relu_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(table.relu_vjp, g, node.saved[OUTPUT].get())


def zero_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fresh(numpy.zeros(node.inputs[position].shape, g.dtype.numpy), g.dtype)


def reciprocal_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(neg(g), square(node.saved[OUTPUT].get()))


def square_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, mul(node.saved[0].get(), 2))


def modulo_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    if position == 0:
        return sum_to(g, node.inputs[0].shape)
    mode = "trunc" if node.op is FMOD else "floor"
    quotient = div(node.saved[0].get(), node.saved[1].get(), mode)
    return sum_to(mul(neg(g), quotient), node.inputs[1].shape)


def clamp_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    x, low, high = [saved.get() for saved in node.saved[:3]]
    if position == 0:
        share = compute_of(table.clamp_vjp, g.dtype, g.array, x.array, low.array, high.array)
    elif position == 1:
        below = logical_or(lt(low, high), eq(high, math.inf))  # with no upper bound, high is inf
        share = where(logical_and(lt(x, low), below), g, 0.0)
    else:
        share = where(logical_or(gt(x, high), lt(high, low)), g, 0.0)
    return sum_to(share, node.inputs[position].shape)


def addcmul_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    if position == 0:
        return sum_to(g, node.inputs[0].shape)
    slope = mul(node.saved[3 - position].get(), node.attributes[0])
    return sum_to(mul(g, slope), node.inputs[position].shape)


def addcdiv_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    if position == 0:
        return sum_to(g, node.inputs[0].shape)
    divisor = node.saved[2].get()
    slope = div(g, divisor)
    if position == 2:
        slope = mul(neg(slope), div(node.saved[1].get(), divisor))
    return sum_to(mul(slope, node.attributes[0]), node.inputs[position].shape)


def lerp_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    if position == 2:
        slope = sub(node.saved[1].get(), node.saved[0].get())
    else:
        slope = node.saved[2].get()
        slope = slope if position else sub(1, slope)
    return sum_to(mul(g, slope), node.inputs[position].shape)


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
RELU = Op("relu", "max(x, 0)", relu_vjp, "g where y > 0", ((OUTPUT,),), kinks="0 at 0; g at nan")
RECIPROCAL = Op(
    "reciprocal", "1/x", reciprocal_vjp, "-g*y**2", ((OUTPUT,),), kinks="-inf at 0", dtypes="floating point"
)
SQUARE = Op("square", "x * x", square_vjp, "2*g*x", ((0,),), dtypes="promoted, bool to int64")
FMOD = Op("fmod", "x - y*trunc(x/y)", modulo_vjp, "g to x, -g*trunc(x/y) to y", ((), (0, 1)), passes=True)
REMAINDER = Op("remainder", "x - y*floor(x/y)", modulo_vjp, "g to x, -g*floor(x/y) to y", ((), (0, 1)), passes=True)
FLOOR_DIVIDE = Op("floor_divide", "floor(x/y)", zero_vjp, "0 to both")
TRUNC_DIVIDE = Op("trunc_divide", "trunc(x/y)", zero_vjp, "0 to both")
CLAMP = Op(
    "clamp", "x, or the bound that it lies beyond", clamp_vjp, "g to x between the bounds, else to the bound",
    ((0, 1, 2), (0, 1, 2), (0, 1, 2)), kinks="g to x at a bound; 0 to all at nan",
)  # fmt: skip
ADDCMUL = Op(
    "addcmul", "x + value*a*b", addcmul_vjp, "g to x, g*value*b to a, g*value*a to b", ((), (2,), (1,)), passes=True
)
ADDCDIV = Op(
    "addcdiv", "x + value*a/b", addcdiv_vjp, "g to x, g*value/b to a, -g*value*a/b**2 to b", ((), (2,), (1, 2)),
    passes=True,
)  # fmt: skip
LERP = Op(
    "lerp", "x + weight*(end - x)", lerp_vjp, "g*(1-weight) to x, g*weight to end, g*(end-x) to weight",
    ((2,), (2,), (0, 1)), dtypes="one floating-point type",
)  # fmt: skip
SIGN = Op("sign", "-1, 0 or 1", zero_vjp, "0")
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
LOGICAL_XOR = Op("logical_xor", "one nonzero and not both", dtypes="bool")
LOGICAL_NOT = Op("logical_not", "x is zero", dtypes="bool")
ISNAN = Op("isnan", "x is nan", dtypes="bool")
ISINF = Op("isinf", "x is an infinity", dtypes="bool")
ISFINITE = Op("isfinite", "x is neither an infinity nor nan", dtypes="bool")


def add(x: Any, other: Any, alpha: Any = 1) -> Tensor:
    """The sum ``x + alpha * other`` of two broadcastable operands.

    Examples
    --------
    >>> import kael
    >>> kael.add(kael.tensor([[1, 2, 3], [4, 5, 6]]), kael.tensor([10, 20, 30]))
    tensor([[11, 22, 33],
            [14, 25, 36]])
    """
    return binary(ADD, table.add, x, other if alpha == 1 else scaled("add", x, other, alpha))


def sub(x: Any, other: Any, alpha: Any = 1) -> Tensor:
    """The difference ``x - alpha * other`` of two broadcastable operands.

    Raises
    ------
    RuntimeError
        For a bool operand.
    """
    if not alike(x, other) or x.dtype is dtypes.bool:
        check_no_bool(x, other)
        x, other = promoted("sub", x, other)
    return binary(SUB, table.sub, x, other if alpha == 1 else scaled("sub", x, other, alpha))


def check_no_bool(x: Any, other: Any) -> None:
    """Raise RuntimeError for a difference with a bool operand."""
    left = x.dtype if isinstance(x, Tensor) else default_dtype(x, "sub")
    right = other.dtype if isinstance(other, Tensor) else default_dtype(other, "sub")
    if left is dtypes.bool and right is dtypes.bool:
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if left is dtypes.bool or right is dtypes.bool:
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )


def scaled(operation: str, x: Any, other: Any, alpha: Any) -> Tensor:
    """The second operand of a sum or difference times a number.

    Raises
    ------
    RuntimeError
        For integer operands and a number that is none.
    """
    x, other = promoted(operation, x, other)
    if default_dtype(alpha, operation).category > other.dtype.category:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return mul(other, alpha)


def mul(x: Any, other: Any) -> Tensor:
    """The product ``x * other`` of two broadcastable operands."""
    return binary(MUL, table.mul, x, other)


def div(x: Any, other: Any, rounding_mode: Any = None) -> Tensor:
    """The quotient ``x / other`` of two broadcastable operands.

    Parameters
    ----------
    x, other : Tensor or number
        The operands; integers divide as float32, unless the quotient is rounded.
    rounding_mode : {None, "trunc", "floor"}
        Leave the quotient as it is, drop its fraction, or round it down. A rounded quotient has the gradient 0.

    Raises
    ------
    RuntimeError
        For another mode, and for a rounded quotient of integers by 0.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([-7, 7])
    >>> kael.div(x, 2), kael.div(x, 2, rounding_mode="trunc"), kael.div(x, 2, rounding_mode="floor")
    (tensor([-3.5000,  3.5000]), tensor([-3,  3]), tensor([-4,  3]))
    """
    x, other = promoted("div", x, other)
    if rounding_mode is None:
        if not x.dtype.is_floating_point:
            x, other = cast(x, dtypes.default), cast(other, dtypes.default)
        return binary(DIV, table.div, x, other)
    if rounding_mode == "floor":
        check_divisor("div", other)
        return binary(FLOOR_DIVIDE, table.floor_divide, x, other)
    if rounding_mode != "trunc":
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    if x.dtype.is_floating_point:
        quotient = compute_like(table.trunc, x.dtype, div(x.detach(), other.detach()).array)
    else:
        quotient = floor_divide(sub(x, fmod(x, other)), other)
    return record_binary(quotient, TRUNC_DIVIDE, x, other)


def floor_divide(x: Any, other: Any) -> Tensor:
    """The quotient ``x / other`` rounded down, the operator ``//``: integers stay integers.

    Raises
    ------
    RuntimeError
        For integers divided by 0.
    """
    return div(x, other, "floor")


def fmod(x: Any, other: Any) -> Tensor:
    """What ``x / other`` leaves when it drops its fraction; it has the sign of x.

    Raises
    ------
    RuntimeError
        For integers divided by 0.

    Examples
    --------
    >>> import kael
    >>> kael.fmod(kael.tensor([-5.0, 5.0]), 3), kael.remainder(kael.tensor([-5.0, 5.0]), 3)
    (tensor([-2.,  2.]), tensor([1., 2.]))
    """
    x, other = promoted("fmod", x, other)
    check_divisor("fmod", other)
    return binary(FMOD, table.fmod, x, other)


def remainder(x: Any, other: Any) -> Tensor:
    """What ``x / other`` leaves when rounded down, the operator ``%``; it has the sign of `other`.

    Raises
    ------
    RuntimeError
        For integers divided by 0.
    """
    x, other = promoted("remainder", x, other)
    check_divisor("remainder", other)
    return binary(REMAINDER, table.remainder, x, other)


def check_divisor(operation: str, divisor: Tensor) -> None:
    """Refuse what whole division cannot divide by.

    Raises
    ------
    NotImplementedError
        For bool.
    RuntimeError
        For an integer 0.
    """
    if divisor.dtype is dtypes.bool:
        raise NotImplementedError(f"{operation}: not implemented for bool; cast to int64 first")
    if not divisor.dtype.is_floating_point and not divisor.array.all():
        raise RuntimeError(f"ZeroDivisionError: {operation} of integers by 0")


def pow(x: Any, exponent: Any) -> Tensor:
    """The power ``x ** exponent`` of two broadcastable operands.

    Raises
    ------
    RuntimeError
        For an integer base with a negative whole number as exponent. In a tensor of exponents such a one leaves what
        has no fraction: 0, or 1 and -1 of themselves.
    """
    number = not isinstance(exponent, Tensor)
    x, exponent = promoted("pow", x, exponent)
    if x.dtype is dtypes.bool:
        raise NotImplementedError("pow: not implemented for bool; cast to int64 first")
    if number and not x.dtype.is_floating_point and (exponent.array < 0).any():
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return binary(POW, table.pow, x, exponent)


def maximum(x: Any, other: Any) -> Tensor:
    """The larger of two broadcastable operands, element by element; nan wins."""
    return binary(MAXIMUM, table.maximum, x, other)


def minimum(x: Any, other: Any) -> Tensor:
    """The smaller of two broadcastable operands, element by element; nan wins."""
    return binary(MINIMUM, table.minimum, x, other)


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


def relu(x: Any) -> Tensor:
    """The positive part ``max(x, 0)``."""
    return unary(RELU, table.relu, x)


def reciprocal(x: Any) -> Tensor:
    """The reciprocal ``1/x``."""
    return unary_float(RECIPROCAL, table.reciprocal, x)


def square(x: Any) -> Tensor:
    """The square ``x * x``."""
    a = as_tensor(x, "square")
    if a.dtype is dtypes.bool:
        a = cast(a, dtypes.int64)
    return record_unary(compute_pair(table.mul, a.dtype, a.dtype, a.array, a.array), SQUARE, a)


def sign(x: Any) -> Tensor:
    """The sign of x: -1, 0 or 1."""
    x = as_tensor(x, "sign")
    return unary(SIGN, table.copy if x.dtype is dtypes.bool else table.sign, x)


def clamp(x: Any, min: Any = None, max: Any = None) -> Tensor:
    """x, or the bound that it lies beyond.

    Parameters
    ----------
    x : Tensor
        What is bounded.
    min, max : Tensor or number, optional
        The bounds, one of which may be left out; tensors broadcast. Where `min` is above `max`, the result is `max`.

    Raises
    ------
    RuntimeError
        When both bounds are left out.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([-2.0, 1.0, 3.0], requires_grad=True)
    >>> y = kael.clamp(x, -1, 1)
    >>> y.sum().backward()
    >>> y, x.grad
    (tensor([-1.,  1.,  1.], grad_fn=<ClampBackward>), tensor([0., 1., 0.]))
    """
    x = as_tensor(x, "clamp")
    if min is None and max is None:
        raise RuntimeError("clamp: At least one of 'min' or 'max' must not be None")
    for bound in (min, max):
        if isinstance(bound, Tensor):
            x, _ = promoted("clamp", x, bound)
        elif bound is not None:
            kind = default_dtype(bound, "clamp")
            x = x if kind.category <= x.dtype.category else cast(x, kind)
    if x.dtype is dtypes.bool and min is not None and max is not None:
        raise NotImplementedError("clamp: not implemented for bool; cast to int64 first")
    low, high = limit(x.dtype, min, False), limit(x.dtype, max, True)
    output = compute_of(table.clamp, x.dtype, x.array, low.array, high.array)
    return record(output, CLAMP, (x, low, high))


def clamp_min(x: Any, min: Any) -> Tensor:
    """The larger of x and a lower bound; all of the gradient goes to x where they are equal."""
    return clamp(x, min)


def clamp_max(x: Any, max: Any) -> Tensor:
    """The smaller of x and an upper bound; all of the gradient goes to x where they are equal."""
    return clamp(x, None, max)


def within(bound: Any, dtype: DType) -> Any:
    """A whole number as bound of integers, moved into their range; other bounds as they are."""
    if dtype.category != 1 or not isinstance(bound, int):
        return bound
    limits = numpy.iinfo(dtype.numpy)
    return builtins.max(builtins.min(bound, int(limits.max)), int(limits.min))


def limit(dtype: DType, bound: Any, upper: bool) -> Tensor:
    """A bound in the dtype of what is bounded; where there is none, the last number of the dtype."""
    if isinstance(bound, Tensor):
        return cast(bound, dtype)
    if bound is not None:
        return scalar(within(bound, dtype), dtype)
    if dtype.is_floating_point:
        return scalar(math.inf if upper else -math.inf, dtype)
    if dtype is dtypes.bool:
        return scalar(upper, dtype)
    limits = numpy.iinfo(dtype.numpy)
    return scalar(int(limits.max if upper else limits.min), dtype)


def lerp(x: Any, end: Any, weight: Any) -> Tensor:
    """The point between two, ``x + weight * (end - x)``.

    Parameters
    ----------
    x, end : Tensor of floating point
        Where a weight of 0 and of 1 lie; all three operands broadcast.
    weight : Tensor or number
        How far to go.

    Raises
    ------
    RuntimeError
        When the dtypes differ.
    NotImplementedError
        For integers.
    """
    x, end = as_tensor(x, "lerp"), as_tensor(end, "lerp")
    weight = weight if isinstance(weight, Tensor) else scalar(weight, x.dtype)
    for name, operand in (("end", end), ("weight", weight)):
        if operand.dtype is not x.dtype:
            raise RuntimeError(f"expected dtype {x.dtype.name} for `{name}` but got dtype {operand.dtype.name}")
    if not x.dtype.is_floating_point:
        raise NotImplementedError(f"lerp: not implemented for {x.dtype.name}; cast to a floating-point dtype first")
    return record(compute_of(table.lerp, x.dtype, x.array, end.array, weight.array), LERP, (x, end, weight))


def eq(x: Any, other: Any) -> Tensor:
    """Where ``x == other``."""
    return compare(EQ, table.eq, x, other)


def ne(x: Any, other: Any) -> Tensor:
    """Where ``x != other``."""
    return compare(NE, table.ne, x, other)


def lt(x: Any, other: Any) -> Tensor:
    """Where ``x < other``."""
    return compare(LT, table.lt, x, other)


def le(x: Any, other: Any) -> Tensor:
    """Where ``x <= other``."""
    return compare(LE, table.le, x, other)


def gt(x: Any, other: Any) -> Tensor:
    """Where ``x > other``."""
    return compare(GT, table.gt, x, other)


def ge(x: Any, other: Any) -> Tensor:
    """Where ``x >= other``."""
    return compare(GE, table.ge, x, other)


def logical_and(x: Any, other: Any) -> Tensor:
    """Where x and `other` are both nonzero."""
    x, other = as_bool(x, "logical_and"), as_bool(other, "logical_and")
    return compare(LOGICAL_AND, table.logical_and, x, other)


def logical_or(x: Any, other: Any) -> Tensor:
    """Where x or `other` is nonzero."""
    x, other = as_bool(x, "logical_or"), as_bool(other, "logical_or")
    return compare(LOGICAL_OR, table.logical_or, x, other)


def logical_not(x: Any) -> Tensor:
    """Where x is zero."""
    x = as_bool(x, "logical_not")
    return compute(table.logical_not, x.array.shape, dtypes.bool, dtypes.bool, x.array)


def addcmul(x: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
    """The sum ``x + value * tensor1 * tensor2`` of broadcastable operands."""
    return combined(ADDCMUL, table.mul, x, tensor1, tensor2, value)


def addcdiv(x: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
    """The sum ``x + value * tensor1 / tensor2`` of broadcastable operands.

    Raises
    ------
    RuntimeError
        For integers divided by integers.
    """
    if not (
        as_tensor(tensor1, "addcdiv").dtype.is_floating_point or as_tensor(tensor2, "addcdiv").dtype.is_floating_point
    ):
        raise RuntimeError("addcdiv: integer division is not supported; divide with div, or cast to floating point")
    return combined(ADDCDIV, table.div, x, tensor1, tensor2, value)


def combined(op: Op, kernel: Callable[..., None], x: Any, tensor1: Any, tensor2: Any, value: Any) -> Tensor:
    """``x + value * kernel(tensor1, tensor2)``, each step in the dtype of the result."""
    first, second = promoted(op.name, tensor1, tensor2)
    x, first = promoted(op.name, x, first)
    second = cast(second, x.dtype)
    part = compute_pair(kernel, x.dtype, x.dtype, first.array, second.array)
    part = part if value == 1 else scaled(op.name, x.detach(), part, value)
    output = compute_pair(table.add, x.dtype, x.dtype, x.array, part.array)
    return record(output, op, (x, first, second), (value,))


def logical_xor(x: Any, other: Any) -> Tensor:
    """Where one of x and `other` is nonzero and not both."""
    x, other = as_bool(x, "logical_xor"), as_bool(other, "logical_xor")
    return compare(LOGICAL_XOR, table.logical_xor, x, other)


def isnan(x: Any) -> Tensor:
    """Where x is nan."""
    return classified(table.isnan, as_tensor(x, "isnan"), False)


def isinf(x: Any) -> Tensor:
    """Where x is an infinity of either sign."""
    return classified(table.isinf, as_tensor(x, "isinf"), False)


def isfinite(x: Any) -> Tensor:
    """Where x is neither an infinity nor nan."""
    return classified(table.isfinite, as_tensor(x, "isfinite"), True)


def classified(kernel: Callable[..., None], x: Tensor, otherwise: bool) -> Tensor:
    """What a kernel says of floating-point numbers; the one answer that there is for integers."""
    if x.dtype.is_floating_point:
        return compute(kernel, x.array.shape, x.dtype, dtypes.bool, x.array)
    return fresh(numpy.full(x.array.shape, otherwise), dtypes.bool)


def isclose(x: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Where ``|x - other| <= atol + rtol * |other|``, or the two are equal.

    Raises
    ------
    RuntimeError
        When the dtypes differ.
    """
    x, other = as_tensor(x, "isclose").detach(), as_tensor(other, "isclose").detach()
    if x.dtype is not other.dtype:
        raise RuntimeError(f"{x.dtype.name} did not match {other.dtype.name}")
    same = eq(x, other)
    if equal_nan:
        same = logical_or(same, logical_and(isnan(x), isnan(other)))
    if not x.dtype.is_floating_point:
        x, other = cast(x, dtypes.default), cast(other, dtypes.default)
    distance = abs(sub(x, other))
    near = le(distance, add(mul(abs(other), rtol), atol))
    return logical_or(same, logical_and(near, isfinite(distance)))


def allclose(x: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> builtins.bool:
    """Whether `isclose` holds everywhere."""
    return builtins.bool(isclose(x, other, rtol, atol, equal_nan).array.all())


def equal(x: Tensor, other: Tensor) -> builtins.bool:
    """Whether two tensors have one shape and equal elements.

    Raises
    ------
    TypeError
        For anything but tensors.
    """
    for operand in (x, other):
        if not isinstance(operand, Tensor):
            raise TypeError(f"equal(): both arguments must be Tensor, not {type(operand).__name__}")
    return x.array.shape == other.array.shape and builtins.bool(eq(x, other).array.all())


def as_bool(x: Any, operation: str) -> Tensor:
    """An operand as a bool tensor: true where it is nonzero."""
    x = as_tensor(x, operation)
    return x if x.dtype is dtypes.bool else ne(x, 0)


def where(condition: Any, x: Any = None, y: Any = None) -> Tensor:
    """Choose from x where the condition holds and from y elsewhere; all three broadcast.

    Parameters
    ----------
    condition : Tensor of bool
        What to choose by.
    x, y : Tensor or number, optional
        What to choose from. Without both: the places where the condition is not zero, one vector per axis.

    Raises
    ------
    TypeError
        When the condition is not bool.
    """
    condition = as_tensor(condition, "where")
    if x is None and y is None:
        places: Tensor = nonzero(condition, as_tuple=True)  # a tuple of them: the one call that has another type
        return places
    if condition.dtype is not dtypes.bool:
        raise TypeError(f"where: the condition is {condition.dtype.name}; compare it with a value to make it bool")
    x, y = promoted("where", x, y)
    shape = common_shape(condition.array.shape, common_shape(x.array.shape, y.array.shape))
    wide = x.dtype.wide or x.dtype
    left, right = cast(x.detach(), wide), cast(y.detach(), wide)
    out = table.empty(shape, wide.numpy)
    table.where(condition.array, left.array, right.array, out)
    return record(fresh(rounded(out, wide, x.dtype), x.dtype), WHERE, (x, y, condition))


METHODS = (
    abs,
    add,
    addcdiv,
    addcmul,
    allclose,
    clamp,
    clamp_max,
    clamp_min,
    div,
    eq,
    equal,
    floor_divide,
    fmod,
    ge,
    gt,
    isclose,
    isfinite,
    isinf,
    isnan,
    le,
    lerp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    lt,
    maximum,
    minimum,
    mul,
    ne,
    neg,
    pow,
    reciprocal,
    relu,
    remainder,
    sign,
    square,
    sub,
)
FUNCTIONS = (*METHODS, where)
OUT_OF_PLACE = (add, allclose, div, equal, isclose, isfinite, isinf, isnan, maximum, minimum, mul, sub)
INPLACE = tuple([function for function in METHODS if function not in OUT_OF_PLACE])
ALIASES = {
    "absolute": abs,
    "clip": clamp,
    "divide": div,
    "greater": gt,
    "greater_equal": ge,
    "less": lt,
    "less_equal": le,
    "multiply": mul,
    "negative": neg,
    "not_equal": ne,
    "subtract": sub,
    "true_divide": div,
}
