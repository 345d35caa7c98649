"""Elements in another order, or several times over: copies."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy

from kael.autograd.node import filled
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.dispatch import as_tensor, axes_of, axis_of, compute
from kael.ops.shape import permute, reshape, sizes, whole_sizes
from kael.ops.splitting import whole
from kael.tensors import Tensor, fresh


def flip_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return flipped(g, node.attributes[0])


def roll_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    shifts, axes = node.attributes
    return fresh(numpy.roll(g.array, [-shift for shift in shifts], axes), g.dtype)


def repeat_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    repeats = node.attributes[0]
    shape = node.inputs[0].shape
    whole_shape = (1,) * (len(repeats) - len(shape)) + shape
    split = [size for pair in zip(repeats, whole_shape, strict=True) for size in pair]
    kept = tuple([size for pair in whole_shape for size in (1, pair)])
    total = compute(table.sum, kept, g.dtype, g.dtype, g.array.reshape(split))
    return fresh(total.array.reshape(shape), g.dtype)


def repeat_interleave_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axis, repeats = node.attributes
    shape = node.inputs[0].shape
    if isinstance(repeats, int):
        front, size, back = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
        split = g.array.reshape((front, size, repeats, back))
        total = compute(table.sum, (front, size, 1, back), g.dtype, g.dtype, split)
        return fresh(total.array.reshape(shape), g.dtype)
    result = filled(shape, g.dtype, 0.0)
    places = numpy.repeat(numpy.arange(shape[axis]), repeats)
    index: Any = (*[slice(None)] * axis, places)
    numpy.add.at(result.array, index, g.array)
    return result


FLIP = Op("flip", "axes backwards", flip_vjp, "g with the axes backwards again", numpy=True)
ROLL = Op("roll", "axes moved round", roll_vjp, "g moved round the other way", numpy=True)
REPEAT = Op("repeat", "the whole several times along each axis", repeat_vjp, "g summed over the repeats", numpy=True)
REPEAT_INTERLEAVE = Op(
    "repeat_interleave",
    "each place of an axis several times",
    repeat_interleave_vjp,
    "g summed over the repeats of each place",
    numpy=True,
)


def flip(x: Tensor, *dims: Any) -> Tensor:
    """Axes backwards; a copy, since there are no negative strides.

    Raises
    ------
    RuntimeError
        When an axis is named twice.

    Examples
    --------
    >>> import kael
    >>> kael.flip(kael.arange(3), (0,))
    tensor([2, 1, 0])
    """
    x = as_tensor(x, "flip")
    given = sizes(dims)
    axes = axes_of(given, x.array.ndim) if given else ()
    return record(flipped(x, axes), FLIP, (x,), (axes,))


def flipped(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """A copy with axes backwards, unrecorded."""
    turned = [slice(None, None, -1) if axis in axes else slice(None) for axis in range(x.array.ndim)]
    return fresh(x.array[(*turned, ...)].copy(), x.dtype)


def fliplr(x: Tensor) -> Tensor:
    """The second axis backwards; RuntimeError where there is none."""
    x = as_tensor(x, "fliplr")
    if x.array.ndim < 2:
        raise RuntimeError("fliplr: Input must be >= 2-d.")
    return flip(x, 1)


def flipud(x: Tensor) -> Tensor:
    """The first axis backwards; RuntimeError for a 0-d tensor."""
    x = as_tensor(x, "flipud")
    if x.array.ndim < 1:
        raise RuntimeError("flipud: Input must be >= 1-d.")
    return flip(x, 0)


def roll(x: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Elements moved along axes, those that leave at one end coming in at the other.

    Parameters
    ----------
    x : Tensor
        What to move.
    shifts : int or sequence of int
        By how many places, per axis.
    dims : int or sequence of int, optional
        The axes. Left out, all elements move as one row.

    Raises
    ------
    RuntimeError
        When there are not as many shifts as axes.
    IndexError
        For an axis of a 0-d tensor.
    """
    x = as_tensor(x, "roll")
    steps = whole_sizes(shifts)
    named = () if dims is None else whole_sizes(dims)
    if not steps:
        raise RuntimeError("`shifts` required")
    if not named and len(steps) == 1:
        return reshape(roll(reshape(x, -1), steps, 0), x.array.shape)
    if len(steps) != len(named):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(named)}")
    if not x.array.ndim:
        raise IndexError(f"Dimension specified as {named[0]} but tensor has no dimensions")
    axes = tuple([axis_of(dim, x.array.ndim) for dim in named])
    return record(fresh(numpy.roll(x.array, steps, axes), x.dtype), ROLL, (x,), (steps, axes))


def repeat(x: Tensor, *repeats: Any) -> Tensor:
    """The whole tensor several times along each axis, with new axes in front; a copy.

    Raises
    ------
    RuntimeError
        For fewer numbers than axes, and for negative ones.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([1, 2]).repeat(2, 2).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    times = sizes(repeats)
    if len(times) < x.array.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: "
            f"got {times} for {x.array.shape}"
        )
    if any(count < 0 for count in times):
        raise RuntimeError(f"repeat: a tensor cannot be repeated a negative number of times, got {times}")
    return record(fresh(numpy.tile(x.array, times), x.dtype), REPEAT, (x,), (times,))


def tile(x: Tensor, *dims: Any) -> Tensor:
    """As `repeat`, but fewer numbers than axes stand for the last axes."""
    x = as_tensor(x, "tile")
    times = sizes(dims)
    return repeat(x, (1,) * (x.array.ndim - len(times)) + times)


def repeat_interleave(x: Tensor, repeats: Any = None, dim: int | None = None, output_size: Any = None) -> Tensor:
    """Each place of an axis several times in a row.

    Parameters
    ----------
    x : Tensor
        What to repeat. Alone: how often each index is repeated, and the indices come back.
    repeats : int or Tensor
        How often, for all places or for each.
    dim : int, optional
        The axis; without one all elements count as one row.
    output_size : int, optional
        How many places come out, which is only checked.

    Raises
    ------
    RuntimeError
        For negative numbers, numbers that are not integers, and more or fewer than places.

    Examples
    --------
    >>> import kael
    >>> kael.repeat_interleave(kael.tensor([10, 20]), kael.tensor([1, 2]))
    tensor([10, 20, 20])
    """
    x = as_tensor(x, "repeat_interleave")
    if repeats is None:
        if x.array.ndim != 1:
            raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
        counted = checked(x, x.array.size)
        return fresh(numpy.repeat(numpy.arange(x.array.size, dtype=x.array.dtype), counted), x.dtype)
    if dim is None:
        return repeat_interleave(reshape(x, -1), repeats, 0, output_size)
    axis = axis_of(dim, x.array.ndim)
    if not x.array.ndim:
        x = reshape(x, 1)
    size = x.array.shape[axis]
    if isinstance(repeats, Tensor):
        counts = checked(repeats, size)
        if counts.size == 1:
            counts = int(counts.reshape(())[()])
    else:
        counts = whole(repeats, "repeat_interleave: repeats")
        if counts < 0:
            raise RuntimeError(f"Repeats must be non-negative, got {counts}")
    array = numpy.repeat(x.array, counts, axis)
    if output_size is not None and array.shape[axis] != output_size:
        raise RuntimeError(
            f"repeat_interleave: Invalid output_size, expected {array.shape[axis]} but got {output_size}"
        )
    return record(fresh(array, x.dtype), REPEAT_INTERLEAVE, (x,), (axis, counts))


def checked(repeats: Tensor, size: int) -> Any:
    """A copy of the numbers in a tensor of repeats, one for all places or one each."""
    array = repeats.array
    if array.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if repeats.dtype.category != 1:
        raise RuntimeError(f"repeats must be integers, got {repeats.dtype.name}; use .long()")
    if array.size not in (1, size):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got "
            f"repeats.size(0) = {array.size} and input.size(0) = {size}"
        )
    if array.size and array.min() < 0:
        raise RuntimeError("repeats can not be negative")
    return array.copy()


def rot90(x: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """The plane of two axes turned by 90 degrees `k` times, from the first towards the second.

    Raises
    ------
    RuntimeError
        When there are not two different axes.
    """
    x = as_tensor(x, "rot90")
    named = whole_sizes(dims)
    ndim = x.array.ndim
    if len(named) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(named)}")
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    first, second = axis_of(named[0], ndim), axis_of(named[1], ndim)
    if first == second:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {named[0]} and dim1 = {named[1]}")
    turns = whole(k, "rot90: k") % 4
    if turns == 2:
        return flip(x, first, second)
    order = list(range(ndim))
    order[first], order[second] = second, first
    if turns == 1:
        return permute(flip(x, second), order)
    return flip(permute(x, order), second) if turns == 3 else reshape(x, x.array.shape)


FUNCTIONS = (
    flip,
    fliplr,
    flipud,
    repeat_interleave,
    roll,
    rot90,
    tile,
)
METHODS = (*FUNCTIONS, repeat)
