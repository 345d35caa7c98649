"""From operands to a kernel: numbers become tensors, dtypes meet, shapes broadcast, a result is allocated."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy

from kael import dtypes
from kael.agreement import has_shape
from kael.dtypes import DType
from kael.kernels import table
from kael.tensors import Tensor, fresh


def as_tensor(value: Any, operation: str) -> Tensor:
    """An operand that stands alone as a tensor: a tensor as it is, a number as a 0-d tensor of its default dtype."""
    if isinstance(value, Tensor):
        return value
    return scalar(value, default_dtype(value, operation))


def default_dtype(value: Any, operation: str) -> DType:
    """The dtype of a Python or NumPy number: bool, int64 or the default floating-point type.

    Raises
    ------
    TypeError
        For anything that is not a real number.
    """
    kind = type(value)
    if kind is float:
        return dtypes.default
    if kind is int:
        return dtypes.int64
    if isinstance(value, (bool, numpy.bool_)):
        return dtypes.bool
    if isinstance(value, (int, numpy.integer)):
        return dtypes.int64
    if isinstance(value, (float, numpy.floating)):
        return dtypes.default
    if isinstance(value, numpy.ndarray):
        raise TypeError(f"{operation}: an operand is a NumPy array; make it a tensor with kael.tensor(array)")
    raise TypeError(f"{operation}: an operand is {type(value).__name__}; tensors and real numbers are taken")


def scalar(value: Any, dtype: DType) -> Tensor:
    """A number as a 0-d tensor that does not require grad.

    One too large for a small integer type wraps, one too large for a floating-point type is infinite.

    Raises
    ------
    OverflowError
        When it does not fit int64 either.
    """
    if dtype.is_floating_point and dtype.wide is None:
        out = table.empty((), dtype.numpy)
        table.fill(out, value)
        return fresh(out, dtype)
    try:
        if dtype.is_floating_point and not -65504.0 <= value <= 65504.0:  # float16 holds these, so no type overflows
            with numpy.errstate(over="ignore"):
                return fresh(numpy.array(value, dtype.numpy), dtype)
        return fresh(numpy.array(value, dtype.numpy), dtype)
    except OverflowError:
        if not -(2**63) <= value < 2**63:
            raise OverflowError(f"the number {value} does not fit int64; write it as a float") from None
        return fresh(numpy.array(value, numpy.int64).astype(dtype.numpy), dtype)


def alike(x: Any, y: Any) -> bool:
    """Whether two operands are tensors of one dtype, so that nothing has to be promoted."""
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        left, right = x, y
        return left.dtype is right.dtype
    return False


def promoted(operation: str, x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Two operands as tensors of the dtype that the operation computes in.

    A Python number does not widen a tensor of its own category: ``float32 * 2.5`` is float32.
    """
    if isinstance(x, Tensor):
        left = x
        if isinstance(y, Tensor):
            right = y
            if left.dtype is right.dtype:
                return left, right
            dtype = dtypes.result_type(left.dtype, left.array.ndim == 0, right.dtype, right.array.ndim == 0)
            return cast(left, dtype), cast(right, dtype)
        kind = default_dtype(y, operation)
        dtype = left.dtype if kind.category <= left.dtype.category else kind
        return cast(left, dtype), scalar(y, dtype)
    if isinstance(y, Tensor):
        right = y
        kind = default_dtype(x, operation)
        dtype = right.dtype if kind.category <= right.dtype.category else kind
        return scalar(x, dtype), cast(right, dtype)
    return promoted(operation, as_tensor(x, operation), y)


def cast(tensor: Tensor, dtype: DType) -> Tensor:
    """The tensor in another dtype, recorded; the tensor itself where nothing changes."""
    if tensor.dtype is dtype:
        return tensor
    from kael.ops.shape import converted

    return converted(tensor, dtype)


def common_shape(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that two operands broadcast to.

    Raises
    ------
    RuntimeError
        When they do not; a kernel's own error is a ValueError.
    """
    if x == y or not y:
        return x
    if not x:
        return y
    try:
        shape: tuple[int, ...] = table.broadcast_shapes(x, y)
    except ValueError as error:
        raise RuntimeError(str(error)) from None
    return shape


def compute(kernel: Callable[..., None], shape: tuple[int, ...], dtype: DType, result: DType, array: Any) -> Tensor:
    """Run a kernel of one operand of `dtype` into a fresh tensor of dtype `result`."""
    if dtype.wide is None:
        out = table.empty(shape, result.numpy)
        kernel(array, out)
        return fresh(out, result)
    inside = dtype.wide if result is dtype else result
    out = table.empty(shape, inside.numpy)
    kernel(array.astype(dtype.wide.numpy), out)
    return fresh(rounded(out, inside, result), result)


def compute_like(kernel: Callable[..., None], dtype: DType, array: Any) -> Tensor:
    """Run a kernel of one operand of `dtype` into a fresh tensor of the same shape and dtype."""
    if dtype.wide is not None:
        return compute(kernel, array.shape, dtype, dtype, array)
    out = table.empty_for(array, array, dtype.numpy)
    kernel(array, out)
    return fresh(out, dtype)


def empty_for(x: Any, y: Any, dtype: DType) -> Any:
    """An uninitialised array of the shape that two arrays broadcast to; RuntimeError where they do not."""
    try:
        return table.empty_for(x, y, dtype.numpy)
    except ValueError as error:
        raise RuntimeError(str(error)) from None


def compute_pair(kernel: Callable[..., None], dtype: DType, result: DType, x: Any, y: Any) -> Tensor:
    """Run a kernel of two operands of `dtype` that broadcast into a fresh tensor of dtype `result`."""
    if dtype.wide is None:
        out = empty_for(x, y, result)
        kernel(x, y, out)
        return fresh(out, result)
    inside = dtype.wide if result is dtype else result
    out = empty_for(x, y, inside)
    kernel(x.astype(dtype.wide.numpy), y.astype(dtype.wide.numpy), out)
    return fresh(rounded(out, inside, result), result)


def compute_of(kernel: Callable[..., None], dtype: DType, *arrays: Any) -> Tensor:
    """Run a kernel of any number of operands of `dtype` that broadcast into a fresh tensor of that dtype."""
    shape: tuple[int, ...] = ()
    for array in arrays:
        shape = common_shape(shape, array.shape)
    inside = dtype.wide or dtype
    out = table.empty(shape, inside.numpy)
    kernel(*(arrays if inside is dtype else [array.astype(inside.numpy) for array in arrays]), out)
    return fresh(rounded(out, inside, dtype), dtype)


def rounded(array: Any, inside: DType, result: DType) -> Any:
    """What was computed in a wider dtype, rounded once to the result's."""
    if inside is result:
        return array
    with numpy.errstate(all="ignore"):
        return array.astype(result.numpy)


def sum_to(gradient: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A gradient summed back to an operand's shape from before broadcasting; itself where the shapes agree."""
    if has_shape(gradient.array, shape):
        return gradient
    return compute(table.sum, shape, gradient.dtype, gradient.dtype, gradient.array)


def axis_of(dim: Any, ndim: int) -> int:
    """An axis counted from the front.

    Raises
    ------
    IndexError
        When there is no such axis.
    TypeError
        When it is not an integer.
    """
    try:
        axis = operator.index(dim)
    except TypeError:
        raise TypeError(f"an axis must be an integer, got {type(dim).__name__}") from None
    bound = max(ndim, 1)
    if not -bound <= axis < bound:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {axis})")
    return axis + bound if axis < 0 else axis


def axes_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """Axes given as None (all), one integer or several, counted from the front.

    Raises
    ------
    RuntimeError
        When an axis is named twice.
    """
    if dim is None:
        return tuple(range(ndim))
    if not isinstance(dim, (tuple, list)):
        dim = (dim,)
    if not dim:
        return tuple(range(ndim))
    axes = tuple([axis_of(d, ndim) for d in dim])
    for axis in axes:
        if axes.count(axis) > 1:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    return axes if ndim else ()
