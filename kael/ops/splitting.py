"""Parts of a tensor as views: one slice, several side by side, windows that overlap.

Where an operation gives several tensors, each has a node of its own.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.dispatch import as_tensor, axis_of
from kael.ops.shape import whole_sizes
from kael.tensors import Tensor, fresh, view_of


def window_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    result = filled(node.inputs[0].shape, g.dtype, 0.0)
    result.array[node.attributes[0]] = g.array
    return result


def add_window(node: Any, g: Tensor, total: Tensor) -> None:
    add_part(total, node.attributes[0], g)


def unfold_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axis, size, step = node.attributes
    result = filled(node.inputs[0].shape, g.dtype, 0.0)
    if not result.array.ndim:
        result.array[...] = g.array.sum()
        return result
    count = g.array.shape[axis]
    for offset in range(size):
        places: list[Any] = [slice(None)] * result.array.ndim
        places[axis] = slice(offset, offset + (count - 1) * step + 1, step)
        result.array[tuple(places)] += g.array[..., offset]
    return result


def as_strided_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    written, read, length = node.attributes
    memory = numpy.zeros(length, g.dtype.numpy)
    shared = numpy.zeros(length, g.dtype.numpy)
    numpy.add.at(memory, places(*written), g.array)
    numpy.add.at(shared, places(*read), 1)
    return fresh(numpy.asarray((memory / numpy.maximum(shared, 1))[places(*read)]), g.dtype)


ELSEWHERE = "g at the places of the part, 0 elsewhere"
NARROW = Op("narrow", "a range of one axis", window_vjp, ELSEWHERE, numpy=True, adds=add_window)
SELECT = Op("select", "one place of an axis, which is dropped", window_vjp, ELSEWHERE, numpy=True, adds=add_window)
SPLIT = Op("split", "one of the ranges that an axis is split into", window_vjp, ELSEWHERE, numpy=True, adds=add_window)
UNBIND = Op(
    "unbind", "one of the places of an axis, which is dropped", window_vjp, ELSEWHERE, numpy=True, adds=add_window
)
UNFOLD = Op(
    "unfold",
    "windows of one axis on a new last axis",
    unfold_vjp,
    "g added at the places of each window",
    numpy=True,
)

AS_STRIDED = Op(
    "as_strided",
    "the elements of the storage at any strides",
    as_strided_vjp,
    "g added at the places in the storage, read where the input lies; elements that share a place share it equally",
    numpy=True,
)


def places(shape: tuple[int, ...], strides: tuple[int, ...], first: int) -> Any:
    """Where in the storage the elements of a view lie."""
    found = numpy.full(shape, first)
    for axis, step in enumerate(strides):
        found += step * numpy.arange(shape[axis]).reshape((-1,) + (1,) * (len(shape) - axis - 1))
    return found


def add_part(total: Tensor, index: Any, g: Tensor) -> None:
    """Add a gradient to a part of another, which a basic index names, in place."""
    view = total.array[index]
    if g.dtype.wide is None:
        table.add(view, g.array, view)
    else:
        view += g.array


def part(x: Tensor, op: Op, axis: int, place: Any) -> Tensor:
    """The view of a place or range of an axis, recorded."""
    index = (*[slice(None)] * axis, place, ...)
    return record(view_of(x, x.array[index]), op, (x,), (index,))


def whole(value: Any, name: str) -> int:
    """An argument as an integer.

    Raises
    ------
    TypeError
        When it is none.
    """
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {type(value).__name__}") from None


def narrow(x: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """The range of `length` places of an axis from `start`; a view.

    Raises
    ------
    IndexError
        When the range starts outside the axis.
    RuntimeError
        When it ends outside, is of a negative length, or when `x` is 0-d.
    """
    x = as_tensor(x, "narrow")
    if not x.array.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor) and (start.array.ndim or start.dtype.category != 1):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    axis = axis_of(dim, x.array.ndim)
    size = x.array.shape[axis]
    first, length = whole(start, "narrow(): start"), whole(length, "narrow(): length")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= first <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {first})")
    if first < 0:
        first += size
    if first + length > size:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return part(x, NARROW, axis, slice(first, first + length))


def select(x: Tensor, dim: int, index: int) -> Tensor:
    """One place of an axis, which is dropped; a view.

    Raises
    ------
    IndexError
        When there is no such place, or when `x` is 0-d.
    """
    x = as_tensor(x, "select")
    if not x.array.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis = axis_of(dim, x.array.ndim)
    size = x.array.shape[axis]
    place = whole(index, "select(): index")
    if not -size <= place < size:
        raise IndexError(f"select(): index {place} out of range for tensor of size {x.array.shape} at dimension {axis}")
    return part(x, SELECT, axis, place % size)


def ranges(x: Tensor, lengths: Sequence[int], axis: int) -> tuple[Tensor, ...]:
    """The views of ranges of these lengths, side by side."""
    first = 0
    parts = []
    for length in lengths:
        parts.append(part(x, SPLIT, axis, slice(first, first + length)))
        first += length
    return tuple(parts)


def split(x: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """An axis split into ranges of one length, the last of which may be shorter, or of the lengths given; views.

    Parameters
    ----------
    x : Tensor
        What to split.
    split_size_or_sections : int or sequence of int
        The length of all ranges, or of each.
    dim : int
        The axis.

    Raises
    ------
    RuntimeError
        When the lengths do not add up to the axis's or one is negative, and for a 0-d tensor.

    Examples
    --------
    >>> import kael
    >>> [part.tolist() for part in kael.split(kael.arange(5), 2)]
    [[0, 1], [2, 3], [4]]
    """
    x = as_tensor(x, "split")
    if not x.array.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    axis = axis_of(dim, x.array.ndim)
    size = x.array.shape[axis]
    if isinstance(split_size_or_sections, (tuple, list)):
        lengths = whole_sizes(split_size_or_sections)
        if any(length < 0 for length in lengths):
            raise RuntimeError(
                f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={lengths}"
            )
        if sum(lengths) != size:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension "
                f"{axis}), but got split_sizes={lengths}"
            )
        return ranges(x, lengths, axis)
    length = whole(split_size_or_sections, "split: split_size_or_sections")
    if length < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={length}")
    if length == 0 and size:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
    count = max(-(-size // length), 1) if length else 1
    return ranges(x, [min(length, size - k * length) for k in range(count)], axis)


def chunk(x: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """An axis split into at most `chunks` ranges of one length, the last of which may be shorter; views.

    Raises
    ------
    RuntimeError
        For less than one, and for a 0-d tensor.
    """
    x = as_tensor(x, "chunk")
    if not x.array.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    chunks = whole(chunks, "chunk: chunks")
    if chunks < 1:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    axis = axis_of(dim, x.array.ndim)
    size = x.array.shape[axis]
    return ranges(x, [0] * chunks, axis) if size == 0 else split(x, -(-size // chunks), axis)


def tensor_split(x: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """An axis split into ranges of nearly one length, or at indices, as NumPy's ``array_split``; views.

    Raises
    ------
    RuntimeError
        For less than one range, for indices in a tensor that is not int64, and for a 0-d tensor.
    """
    x = as_tensor(x, "tensor_split")
    if not x.array.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    if isinstance(indices_or_sections, Tensor):
        if indices_or_sections.dtype is not dtypes.int64:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                f"{indices_or_sections.dtype.name}"
            )
        indices_or_sections = indices_or_sections.tolist()
    axis = axis_of(dim, x.array.ndim)
    size = x.array.shape[axis]
    if isinstance(indices_or_sections, (tuple, list)):
        bounds = [0, *whole_sizes(indices_or_sections), size]
        return tuple([part(x, SPLIT, axis, slice(first, last)) for first, last in pairwise(bounds)])
    count = whole(indices_or_sections, "tensor_split: indices_or_sections")
    if count < 1:
        raise RuntimeError(f"number of sections must be larger than 0, got {count}")
    return ranges(x, [size // count + (k < size % count) for k in range(count)], axis)


def evenly(operation: str, x: Any, indices_or_sections: Any, axis: int, least: int) -> tuple[Tensor, ...]:
    """What `hsplit`, `vsplit` and `dsplit` share: ranges of exactly one length, or at indices."""
    x = as_tensor(x, operation)
    if x.array.ndim < least:
        raise RuntimeError(
            f"torch.{operation} requires a tensor with at least {least} dimension, but got a tensor with "
            f"{x.array.ndim} dimensions!"
        )
    if not isinstance(indices_or_sections, (tuple, list)):
        count = whole(indices_or_sections, f"{operation}: indices_or_sections")
        size = x.array.shape[axis]
        if count < 1 or size % count:
            raise RuntimeError(
                f"torch.{operation} attempted to split along dimension {axis}, but the size of the dimension {size} is "
                f"not divisible by the split_size {count}!"
            )
    return tensor_split(x, indices_or_sections, axis)


def hsplit(x: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """The second axis split, or the only one: into so many ranges of one length, or at indices; views."""
    x = as_tensor(x, "hsplit")
    return evenly("hsplit", x, indices_or_sections, int(x.array.ndim > 1), 1)


def vsplit(x: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """The first axis of at least two split: into so many ranges of one length, or at indices; views."""
    return evenly("vsplit", x, indices_or_sections, 0, 2)


def dsplit(x: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """The third axis split: into so many ranges of one length, or at indices; views."""
    return evenly("dsplit", x, indices_or_sections, 2, 3)


def unbind(x: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """One view per place of an axis, which is dropped.

    Raises
    ------
    IndexError
        For a 0-d tensor, or when there is no such axis.
    """
    x = as_tensor(x, "unbind")
    if not x.array.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    axis = axis_of(dim, x.array.ndim)
    return tuple([part(x, UNBIND, axis, place) for place in range(x.array.shape[axis])])


def unfold(x: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of `size` places of an axis, each `step` after the last, on a new last axis; a view.

    The windows overlap where `step` is less than `size`; the gradient of a place is the sum over its windows.

    Raises
    ------
    RuntimeError
        When a window is longer than the axis or of negative length, or when `step` is below 1.

    Examples
    --------
    >>> import kael
    >>> kael.arange(4).unfold(0, 2, 1).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    axis = axis_of(dimension, x.array.ndim)
    have = x.array.shape[axis] if x.array.ndim else 1
    size, step = whole(size, "unfold: size"), whole(step, "unfold: step")
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > have:
        raise RuntimeError(f"maximum size for tensor at dimension {axis} is {have} but size is {size}")
    if step < 1:
        raise RuntimeError(f"step is {step} but must be > 0")
    shape, strides = list(x.array.shape), list(x.array.strides)
    if shape:
        shape[axis] = (have - size) // step + 1
        strides.append(strides[axis])
        strides[axis] *= step
    else:
        strides.append(x.array.itemsize)
    array = numpy.lib.stride_tricks.as_strided(x.array, (*shape, size), strides)
    return record(view_of(x, array), UNFOLD, (x,), (axis, size, step))


def as_strided(x: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of the storage with any sizes and strides, in elements, also beyond the input.

    Parameters
    ----------
    x : Tensor
        Whose storage to view.
    size, stride : sequence of int
        The sizes and the steps between neighbours along each axis.
    storage_offset : int, optional
        Where the view begins; where `x` begins when it is left out.

    Raises
    ------
    RuntimeError
        When the view would leave the storage, for negative sizes or strides, for more strides than sizes, and for a
        storage with gaps, such as one shared with a NumPy array.

    Examples
    --------
    >>> import kael
    >>> kael.arange(4).as_strided((3, 2), (1, 1)).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    x = as_tensor(x, "as_strided")
    shape, steps = whole_sizes(size), whole_sizes(stride)
    if len(shape) != len(steps):
        raise RuntimeError(f"mismatch in length of strides and shape: {steps} for {shape}")
    if any(step < 0 for step in steps):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {steps}")
    if any(one < 0 for one in shape):
        raise RuntimeError(f"as_strided: sizes must not be negative, got {shape}")
    memory = x.storage.array
    if not (memory.flags.c_contiguous or memory.flags.f_contiguous):
        raise RuntimeError("as_strided: the storage is a NumPy array with gaps; use kael.tensor, which copies")
    first = x.storage_offset() if storage_offset is None else whole(storage_offset, "as_strided: storage_offset")
    if first < 0:
        raise RuntimeError(f"as_strided: invalid storage offset {first}")
    item = x.array.itemsize
    end = first + sum((one - 1) * step for one, step in zip(shape, steps, strict=True)) + 1
    if 0 not in shape and end > memory.size:
        raise RuntimeError(
            f"setStorage: sizes {shape}, strides {steps}, storage offset {first}, and itemsize {item} requiring a "
            f"storage size of {end * item} are out of bounds for storage of size {memory.nbytes}"
        )
    flat = memory.reshape(-1, order="A")
    begin = flat[first:] if 0 not in shape else flat[:0]
    array = numpy.lib.stride_tricks.as_strided(begin, shape, [step * item for step in steps])
    attributes = ((shape, steps, first), (x.array.shape, x.stride(), x.storage_offset()), memory.size)
    return record(view_of(x, array), AS_STRIDED, (x,), attributes)


FUNCTIONS = (
    as_strided,
    chunk,
    dsplit,
    hsplit,
    narrow,
    select,
    split,
    tensor_split,
    unbind,
    vsplit,
)
METHODS = (*FUNCTIONS, unfold)
