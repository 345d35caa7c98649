"""In-place operations: what they refuse, and the one way in which they write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.grad_mode import is_grad_enabled
from kael.autograd.recording import requires_grad
from kael.dtypes import DType
from kael.elements import elements
from kael.kernels import table
from kael.ops.dispatch import as_tensor, common_shape, default_dtype, promoted, scalar
from kael.ops.elementwise import add, check_no_bool, div, sub
from kael.tensors import Tensor


def check_grad_rules(x: Tensor, source: Any, name: str) -> None:
    """Refuse a write that would change what was recorded; with recording off nothing is refused.

    Parameters
    ----------
    x : Tensor
        What would be written.
    source : Tensor or number or None
        What it would be written from.
    name : str
        The operation's name for the error.

    Raises
    ------
    RuntimeError
        When `x` is a leaf that requires grad or a view of one, when it has history, or when `source` requires grad.
    """
    # [grad-rules]
    if not is_grad_enabled():
        return
    if x.grad_fn is not None:
        raise RuntimeError(f"{name} is not supported on a tensor with gradient history; use the out-of-place op")
    if requires_grad(x) or (x.base is not None and requires_grad(x.base)):
        raise RuntimeError(f"a leaf tensor that requires grad is being used in the in-place operation {name}")
    if isinstance(source, Tensor) and requires_grad(source):
        raise RuntimeError(f"{name} is not supported with a source that requires grad")
    # [/grad-rules]


def check_writable(x: Any, name: str) -> None:
    """Refuse an array in which two elements share one place.

    Raises
    ------
    RuntimeError
        For an expanded tensor.
    """
    if x.flags.c_contiguous:
        return
    for size, stride in zip(x.shape, x.strides, strict=True):
        if size > 1 and stride == 0 and x.size:
            raise RuntimeError(
                "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                f"location. Please clone() the tensor before performing the operation {name}."
            )


def same_view(x: Any, y: Any) -> bool:
    """Whether two arrays are the same elements in the same order, so that nothing is left to copy."""
    return bool(
        x.shape == y.shape
        and x.strides == y.strides
        and x.dtype == y.dtype
        and x.__array_interface__["data"] == y.__array_interface__["data"]
    )


def source_array(x: Tensor, name: str, value: Any) -> Any:
    """The value's elements in memory that the write cannot disturb."""
    if not isinstance(value, (Tensor, list, tuple, numpy.ndarray)):
        kind = default_dtype(value, name)
        return scalar(value, x.dtype if kind.category <= x.dtype.category else kind).array
    array, _ = elements(value)
    return array.copy() if numpy.may_share_memory(array, x.array) else array


def write(x: Tensor, name: str, index: Any, target: Any, value: Any) -> None:
    """Copy a value into a part of a tensor and count the write.

    `target` is a view of the part, or with an `index` the whole array.
    """
    check_writable(target, name)
    array = source_array(x, name, value)
    shape = target.shape if index is None else target[index].shape
    if array.shape != shape:
        extra = array.ndim - len(shape)
        while extra > 0 and array.shape[0] == 1:
            array = array.reshape(array.shape[1:])
            extra -= 1
        fits = extra <= 0 and all(a in (1, b) for a, b in zip(array.shape[::-1], shape[::-1], strict=False))
        if not fits:
            raise RuntimeError(
                f"{name}: the value is {array.shape} but the index selects {shape}; it must broadcast to that shape"
            )
    with numpy.errstate(all="ignore"):
        if index is None:
            target[...] = array
        else:
            target[index] = array
    x.storage.version += 1


def binary_(name: str, kernel: Callable[..., None], x: Tensor, other: Any) -> Tensor:
    """Apply a kernel of two operands with the result in the first, and count the write.

    Raises
    ------
    RuntimeError
        When autograd's rules forbid it, when the result would be larger than `x` or of a dtype that `x` cannot hold,
        or when elements of `x` share memory.
    """
    check_grad_rules(x, other, name)
    check_writable(x.array, name)
    left, right = promoted(name, x.detach(), other.detach() if isinstance(other, Tensor) else other)
    result = left.dtype
    if kernel is table.div and not result.is_floating_point:
        result = dtypes.default
    shape = x.array.shape
    check_result(x, result, common_shape(shape, right.array.shape))
    inside = result.wide or result
    operand = right.array
    if isinstance(other, Tensor) and (other.storage is x.storage or numpy.may_share_memory(operand, x.array)):
        operand = operand.copy()
    if inside is x.dtype:
        kernel(x.array, operand, x.array)
    else:
        out = table.empty(shape, inside.numpy)
        kernel(x.array.astype(inside.numpy), operand.astype(inside.numpy), out)
        with numpy.errstate(all="ignore"):
            x.array[...] = out
    x.storage.version += 1
    return x


def in_place(x: Tensor, name: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> Tensor:
    """Write what an operation gives into its first operand, and count the write: every ``NAME_`` without its own loop.

    Parameters
    ----------
    x : Tensor
        The first operand, which receives the result.
    name : str
        The operation's name for errors, such as ``exp_``.
    function : callable
        The operation that returns a fresh tensor.
    *arguments : Tensor, number or other
        Its further arguments. They may overlap `x`: the result is complete before anything is written.
    **options : bool, number or str
        Arguments that it takes by name alone.

    Raises
    ------
    RuntimeError
        When autograd's rules forbid it, when the result is larger than `x` or of a dtype that `x` cannot hold, or when
        elements of `x` share memory.
    """
    for argument in arguments or (None,):
        check_grad_rules(x, argument, name)
    check_writable(x.array, name)
    plain = [argument.detach() if isinstance(argument, Tensor) else argument for argument in arguments]
    result = function(x.detach(), *plain, **options)
    check_result(x, result.dtype, result.array.shape)
    if result.dtype is x.dtype and result.dtype.wide is None:
        table.copy(result.array, x.array)
    else:
        with numpy.errstate(all="ignore"):
            x.array[...] = result.array
    x.storage.version += 1
    return x


def check_result(x: Tensor, dtype: DType, shape: tuple[int, ...]) -> None:
    """Refuse a result that a tensor cannot hold.

    Raises
    ------
    RuntimeError
        For a dtype of a higher category, and for another shape.
    """
    if dtype.category > x.dtype.category:
        raise RuntimeError(f"result type {dtype.name} can't be cast to the desired output type {x.dtype.name}")
    if shape != x.array.shape:
        raise RuntimeError(f"output with shape {x.array.shape} doesn't match the broadcast shape {shape}")


def add_(x: Tensor, other: Any, alpha: Any = 1) -> Tensor:
    """Add in place: ``x += alpha * other``."""
    return binary_("add_", table.add, x, other) if alpha == 1 else in_place(x, "add_", add, other, alpha)


def sub_(x: Tensor, other: Any, alpha: Any = 1) -> Tensor:
    """Subtract in place: ``x -= alpha * other``."""
    check_no_bool(x, other)
    return binary_("sub_", table.sub, x, other) if alpha == 1 else in_place(x, "sub_", sub, other, alpha)


def mul_(x: Tensor, other: Any) -> Tensor:
    """Multiply in place: ``x *= other``."""
    return binary_("mul_", table.mul, x, other)


def div_(x: Tensor, other: Any, rounding_mode: Any = None) -> Tensor:
    """Divide in place: ``x /= other``."""
    if rounding_mode is None:
        return binary_("div_", table.div, x, other)
    return in_place(x, "div_", div, other, rounding_mode)


def fill_(x: Tensor, value: Any) -> Tensor:
    """Set every element to one number."""
    check_grad_rules(x, value, "fill_")
    number = as_tensor(value, "fill_")
    if number.array.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {number.array.ndim} dimensions."
        )
    with numpy.errstate(all="ignore"):
        x.array[...] = number.array
    x.storage.version += 1
    return x


def zero_(x: Tensor) -> Tensor:
    """Set every element to 0."""
    check_grad_rules(x, None, "zero_")
    x.array[...] = 0
    x.storage.version += 1
    return x


def copy_(x: Tensor, source: Tensor) -> Tensor:
    """Set the elements to those of a source that broadcasts, cast to this dtype."""
    check_grad_rules(x, source, "copy_")
    if isinstance(source, Tensor) and same_view(x.array, source.array):
        x.storage.version += 1
        return x
    if isinstance(source, Tensor) and source.array.ndim > x.array.ndim:
        shape = common_shape(x.array.shape, source.array.shape)
        raise RuntimeError(f"output with shape {x.array.shape} doesn't match the broadcast shape {shape}")
    write(x, "copy_", None, x.array, source)
    return x


METHODS = (
    add_,
    copy_,
    div_,
    fill_,
    mul_,
    sub_,
    zero_,
)
