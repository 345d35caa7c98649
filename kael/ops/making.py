"""New tensors: from data, filled with one value, and of the dtype of another."""

from __future__ import annotations

from typing import Any

import numpy

from kael import devices, dtypes
from kael.autograd.leaf import requires_grad_
from kael.dtypes import DType
from kael.elements import elements
from kael.kernels import table
from kael.ops.shape import sizes
from kael.strides import axes_in_memory
from kael.tensors import Tensor, fresh


def check_dtype(operation: str, dtype: Any) -> None:
    """Raise TypeError for a dtype that is not kael's."""
    if dtype is not None and not isinstance(dtype, DType):
        raise TypeError(f"{operation}: expected a dtype such as kael.float32, got {dtype!r}")


def check_fits(array: Any, dtype: DType) -> None:
    """Refuse numbers that an integer dtype cannot hold; a negative one in uint8 counts from 256.

    Raises
    ------
    RuntimeError
        When one is too large, too small, infinite or nan.
    """
    if dtype.category != 1 or not array.size or array.dtype == numpy.bool_:
        return
    bounds = numpy.iinfo(dtype.numpy)
    least = -int(bounds.max) if dtype is dtypes.uint8 else int(bounds.min)
    smallest, largest = array.min(), array.max()
    if not (smallest > least - 1 and largest < int(bounds.max) + 1):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")


def made(operation: str, data: Any, dtype: DType | None, device: Any, requires_grad: bool) -> Tensor:
    """A new leaf with a copy of the data."""
    check_dtype(operation, dtype)
    devices.check(operation, device)
    array, kind = elements(data)
    if dtype is None:
        dtype = kind
    elif dtype is not kind and not isinstance(data, (Tensor, numpy.ndarray)):
        check_fits(array, dtype)
    with numpy.errstate(all="ignore"):
        result = fresh(numpy.array(array, dtype.numpy, order="C", copy=True), dtype)
    if requires_grad:
        requires_grad_(result)
    return result


def asked(operation: str, size: tuple[Any, ...], by_name: Any) -> tuple[int, ...]:
    """The sizes of a new tensor, given one by one, as a sequence, or by the name ``size``.

    Raises
    ------
    TypeError
        When there are none, or both.
    RuntimeError
        For a negative one.
    """
    if by_name is not None:
        if size:
            raise TypeError(f"{operation}: sizes are given twice, by place and as size={by_name}")
        size = (by_name,)
    elif not size:
        raise TypeError(f'{operation}() missing 1 required positional arguments: "size"')
    wanted = sizes(size)
    if any(one < 0 for one in wanted):
        raise RuntimeError(f"{operation}: sizes must not be negative, got {wanted}")
    return wanted


def filled(
    operation: str, shape: tuple[int, ...], value: Any, dtype: DType | None, device: Any, requires_grad: bool
) -> Tensor:
    """A tensor of one repeated value, or of whatever the memory held where there is none."""
    check_dtype(operation, dtype)
    devices.check(operation, device)
    dtype = dtypes.default if dtype is None else dtype
    result = fresh(table.empty(shape, dtype.numpy), dtype)
    if value is not None:
        fill(result, value)
    if requires_grad:
        requires_grad_(result)
    return result


def fill(x: Tensor, value: Any) -> None:
    """Write one number everywhere into a new tensor; see `check_fits`."""
    if value in (0, 1):
        x.array[...] = value
        return
    check_fits(numpy.asarray(value), x.dtype)
    with numpy.errstate(all="ignore"):
        x.array[...] = numpy.asarray(value).astype(x.dtype.numpy)


def filled_like(operation: str, x: Any, value: Any, dtype: DType | None, device: Any, requires_grad: bool) -> Tensor:
    """As `filled`, in the shape and, where there are no gaps, the order of axes in memory of another tensor.

    Raises
    ------
    TypeError
        When `x` is no tensor.
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"{operation}: expected a tensor whose shape to take, got {type(x).__name__}")
    order = axes_in_memory(x.array)
    shape = tuple([x.array.shape[axis] for axis in order])
    result = filled(operation, shape, value, x.dtype if dtype is None else dtype, device, False)
    if order != sorted(order):
        result.array = result.array.transpose([order.index(axis) for axis in range(len(order))])
    if requires_grad:
        requires_grad_(result)
    return result


def new_empty(
    x: Tensor, *shape: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of these sizes and the dtype of `x` whose elements are whatever the memory held."""
    wanted = asked("new_empty", shape, size)
    return filled("new_empty", wanted, None, x.dtype if dtype is None else dtype, device, requires_grad)


def new_zeros(
    x: Tensor, *shape: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Zeros of these sizes and the dtype of `x`."""
    wanted = asked("new_zeros", shape, size)
    return filled("new_zeros", wanted, 0, x.dtype if dtype is None else dtype, device, requires_grad)


def new_ones(
    x: Tensor, *shape: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Ones of these sizes and the dtype of `x`."""
    wanted = asked("new_ones", shape, size)
    return filled("new_ones", wanted, 1, x.dtype if dtype is None else dtype, device, requires_grad)


def new_full(
    x: Tensor, size: Any, fill_value: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """One repeated value in these sizes and the dtype of `x`."""
    wanted = asked("new_full", (size,), None)
    return filled("new_full", wanted, fill_value, x.dtype if dtype is None else dtype, device, requires_grad)


def new_tensor(x: Tensor, data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A new leaf with a copy of the data in the dtype of `x`."""
    return made("new_tensor", data, x.dtype if dtype is None else dtype, device, requires_grad)


METHODS = (
    new_empty,
    new_full,
    new_ones,
    new_tensor,
    new_zeros,
)
