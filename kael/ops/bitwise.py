"""Operations on the bits of integers and on masks; they have no gradient."""

from __future__ import annotations

from typing import Any

import numpy

from kael import dtypes
from kael.autograd.op import Op
from kael.ops.dispatch import as_tensor, common_shape, promoted
from kael.ops.elementwise import logical_not
from kael.tensors import Tensor, fresh

BITWISE_AND = Op("bitwise_and", "x & y", dtypes="promoted, not floating point", numpy=True)
BITWISE_OR = Op("bitwise_or", "x | y", dtypes="promoted, not floating point", numpy=True)
BITWISE_XOR = Op("bitwise_xor", "x ^ y", dtypes="promoted, not floating point", numpy=True)
BITWISE_NOT = Op("bitwise_not", "~x", dtypes="integers and bool", numpy=True)
BITWISE_LEFT_SHIFT = Op("bitwise_left_shift", "x << y", dtypes="promoted, integers", numpy=True)
BITWISE_RIGHT_SHIFT = Op("bitwise_right_shift", "x >> y", dtypes="promoted, integers", numpy=True)


def bitwise_not(x: Any) -> Tensor:
    """The operator ``~``: all bits of an integer inverted; of bool, the inverse of a mask."""
    x = as_tensor(x, "bitwise_not")
    if x.dtype is dtypes.bool:
        return logical_not(x)
    if x.dtype.is_floating_point:
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors, got " + x.dtype.name
        )
    return fresh(numpy.asarray(numpy.bitwise_not(x.array)), x.dtype)


def bitwise_and(x: Any, other: Any) -> Tensor:
    """The operator ``&``: the bits that are set in both."""
    return bits("bitwise_and", numpy.bitwise_and, x, other)


def bitwise_or(x: Any, other: Any) -> Tensor:
    """The operator ``|``: the bits that are set in either."""
    return bits("bitwise_or", numpy.bitwise_or, x, other)


def bitwise_xor(x: Any, other: Any) -> Tensor:
    """The operator ``^``: the bits that are set in one and not in both."""
    return bits("bitwise_xor", numpy.bitwise_xor, x, other)


def bitwise_left_shift(x: Any, other: Any) -> Tensor:
    """The operator ``<<``: the bits of an integer moved up, 0 where they all leave it."""
    return bits("bitwise_left_shift", numpy.left_shift, x, other)


def bitwise_right_shift(x: Any, other: Any) -> Tensor:
    """The operator ``>>``: the bits of an integer moved down, the sign following."""
    return bits("bitwise_right_shift", numpy.right_shift, x, other)


def bits(operation: str, ufunc: Any, x: Any, other: Any) -> Tensor:
    """A NumPy operation on the bits of two operands."""
    a, b = promoted(operation, x, other)
    check_bits(operation, a)
    if a.dtype is dtypes.bool and operation.endswith("shift"):
        raise NotImplementedError(f"{operation}: not implemented for bool; cast to an integer dtype first")
    common_shape(a.array.shape, b.array.shape)
    return fresh(numpy.asarray(ufunc(a.array, b.array)), a.dtype)


def check_bits(operation: str, x: Tensor) -> None:
    """Raise NotImplementedError for floating point, whose bits are not a number's digits."""
    if x.dtype.is_floating_point:
        raise NotImplementedError(f"{operation}: not implemented for {x.dtype.name}; cast to an integer dtype or bool")


METHODS = (
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
)
FUNCTIONS = METHODS
INPLACE = METHODS
