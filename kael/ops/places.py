"""The places that an index names: parsed once, then read, written or added to by chapter 8's kernels.

An index is a basic part (integers, slices, None, Ellipsis), which is a view, and after that integer arrays on some of
the view's axes. A mask counts as the arrays of its true places, and True or False as an axis of size 1 of which one
element is taken, or none.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy

from kael.dtypes import DType
from kael.elements import holds_tensors, without_tensors
from kael.kernels import table
from kael.ops.dispatch import rounded
from kael.tensors import Tensor


class Places:
    """What integer arrays select from the axes of a view.

    Attributes
    ----------
    axes : tuple of int
        The axes that are indexed.
    index : numpy.ndarray
        Per indexed axis the coordinates, broadcast together: int64 of shape ``(len(axes), ...)``, none negative.
    masks : bool
        The arrays come from one mask alone.
    """

    __slots__ = ("axes", "index", "masks")

    def __init__(self, axes: tuple[int, ...], index: Any, masks: bool = False) -> None:
        self.axes = axes
        self.index = index
        self.masks = masks

    def start(self) -> int:
        """Where the arrays' axes stand in the result: at the first of them if they are neighbours, else in front."""
        first = self.axes[0]
        return first if self.axes[-1] - first == len(self.axes) - 1 else 0

    def shape(self, view: Any) -> tuple[int, ...]:
        """The shape of what is selected from the view."""
        start, axes = self.start(), self.axes
        rest = tuple([size for axis, size in enumerate(view.shape) if axis not in axes])
        return rest[:start] + self.index.shape[1:] + rest[start:]  # type: ignore[no-any-return]

    def rows(self, view: Any) -> Any:
        """The view with the indexed axes in front."""
        axes = self.axes
        if axes[-1] == len(axes) - 1:
            return view
        return view.transpose(*axes, *[axis for axis in range(view.ndim) if axis not in axes])

    def lines(self, selected: Any) -> Any:
        """What is selected with the arrays' axes in front."""
        start = self.start()
        if start == 0:
            return selected
        stop = start + self.index.ndim - 1
        return selected.transpose(*range(start, stop), *range(start), *range(stop, selected.ndim))

    def along(self, shape: tuple[int, ...]) -> Any:
        """The index as one along an axis, where it is one and not the first; None otherwise."""
        if len(self.axes) > 1 or self.axes[0] == 0 or self.index.ndim != 2:
            return None
        return along(self.index[0], self.axes[0], shape)


def at_least_1d(array: Any) -> Any:
    """A 0-d array as one of a single element."""
    return array if array.ndim else array.reshape(1)


def along(index: Any, axis: int, shape: tuple[int, ...]) -> Any:
    """A contiguous vector of places as an index along one axis of what has a certain shape, without a copy."""
    strides = [0] * len(shape)
    strides[axis] = index.itemsize
    return numpy.ndarray(shape, index.dtype, index, 0, tuple(strides))


def repeated(number: Any, shape: tuple[int, ...]) -> Any:
    """A 0-d array as one of a certain shape, without a copy."""
    return numpy.ndarray(shape, number.dtype, number, 0, (0,) * len(shape))


def read(places: Places, view: Any, dtype: DType) -> Any:
    """A fresh array of what the arrays select from the basic view."""
    shape = places.shape(view)
    inside = dtype.wide or dtype
    out = table.empty(shape, inside.numpy)
    source = view if inside is dtype else view.astype(inside.numpy)
    index = places.along(shape)
    if index is not None:
        table.gather(source, index, places.axes[0], out)
    else:
        table.gather_rows(places.rows(source), places.index, places.lines(out))
    return rounded(out, inside, dtype)


def put(places: Places, value: Any, view: Any, dtype: DType, adding: bool = False) -> None:
    """Write or add a value, of the shape and dtype that the arrays select, to the basic view."""
    index = places.along(value.shape)
    if index is not None:
        change(table.scatter_add if adding else table.scatter, dtype, view, index, value, places.axes[0])
    elif adding:
        change(table.scatter_add_rows, dtype, places.rows(view), places.index, places.lines(value))
    else:
        change(table.scatter_rows, dtype, places.rows(view), places.index, places.lines(value))


def change(kernel: Callable[..., None], dtype: DType, target: Any, index: Any, value: Any, *axis: int) -> None:
    """Run a kernel that writes to a target; dtypes that no kernel takes are computed in a wider one, rounded once."""
    if dtype.wide is None:
        kernel(index, value, *axis, target)
        return
    out = target.astype(dtype.wide.numpy)
    kernel(index, value.astype(dtype.wide.numpy), *axis, out)
    target[...] = rounded(out, dtype.wide, dtype)


def last_written(places: Places, view: Any) -> Any:
    """Which of the places keeps its value, for another one later may be the same: bool, of the places' shape."""
    shape = places.index.shape[1:]
    number = numpy.arange(places.index[0].size).reshape(shape)
    last, found = numpy.empty(places.rows(view).shape[: len(places.axes)], numpy.int64), numpy.empty_like(number)
    table.scatter_rows(places.index, number, last)
    table.gather_rows(last, places.index, found)
    return found == number


def spread(kept: Any, places: Places, selected: Any) -> Any:
    """A value per place as an array that broadcasts to what is selected."""
    return kept.reshape(kept.shape + (1,) * (selected.ndim - places.start() - kept.ndim))


def whole(bound: Any) -> Any:
    """A bound of a slice as an integer, or None.

    Raises
    ------
    TypeError
        For another type.
    """
    try:
        return None if bound is None else operator.index(bound)
    except TypeError:
        raise TypeError(f"the bounds of a slice must be integers or None, got {type(bound).__name__}") from None


def stepping(part: slice) -> slice:
    """A slice with integer bounds.

    Raises
    ------
    ValueError
        For a step below 1.
    """
    step = whole(part.step)
    if step is not None and step < 1:
        raise ValueError(f"step must be greater than zero, got {step}")
    return slice(whole(part.start), whole(part.stop), step)


def out_of_bounds(place: Any, axis: int, size: int) -> str:
    """The text of the error for a place that an axis has not."""
    return f"index {place} is out of bounds for dimension {axis} with size {size}"


def within(place: int, axis: int, size: int) -> int:
    """An integer of an index; IndexError where the axis has no such place."""
    if not -size <= place < size:
        raise IndexError(out_of_bounds(place, axis, size))
    return place


def from_the_front(array: Any, axis: int, size: int) -> Any:
    """An integer array of an index, counted from the front; IndexError where the axis has no such place."""
    if array.size:
        flat = array.ravel()
        lowest, highest = int(numpy.minimum.reduce(flat)), int(numpy.maximum.reduce(flat))  # quicker than min and max
        if highest >= size or lowest < -size:
            raise IndexError(out_of_bounds(highest if highest >= size else lowest, axis, size))
        if lowest < 0:
            return numpy.where(array < 0, array + size, array)
    return array


def listed(part: Any) -> Any:
    """A list of an index as an array.

    Raises
    ------
    IndexError
        When its rows have uneven lengths.
    """
    if len(part) and not isinstance(part, range) and holds_tensors(part):
        part = without_tensors(part)
    try:
        return numpy.asarray(part, dtype=None if len(part) else numpy.int64)
    except ValueError:
        raise IndexError("a list used as an index must hold rows of one length") from None


def index_array(part: Any) -> Any:
    """One part of an index that is neither None nor Ellipsis: an int, a slice, or an array of integers or bools.

    Raises
    ------
    IndexError
        For anything else.
    """
    if isinstance(part, (bool, numpy.bool_)):
        return numpy.asarray(part)
    if isinstance(part, slice):
        return part
    array = part.array if isinstance(part, Tensor) else part
    if isinstance(array, (list, tuple, range)):
        array = listed(array)
    if not isinstance(array, numpy.ndarray):
        try:
            return operator.index(array)
        except TypeError:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and integer or bool tensors are valid indices "
                f"(got {type(part).__name__})"
            ) from None
    kind = array.dtype.kind
    if kind == "b":
        return array
    if kind not in "iu":
        raise IndexError(f"tensors used as indices must be of integer or bool dtype, got {array.dtype}")
    if array.ndim == 0:
        return int(array)
    if kind == "u" and array.dtype.itemsize == 1:
        raise IndexError(
            "an index of uint8 is a mask in PyTorch and a list of places in NumPy; cast it to bool or int64 to say "
            "which"
        )
    return array


def is_mask(part: Any) -> bool:
    """Whether one part of an index is an array of bools."""
    return isinstance(part, numpy.ndarray) and part.dtype.kind == "b"


def axes_of_part(part: Any) -> int:
    """How many axes one part of an index uses up."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if is_mask(part) else 1


def check_mask(mask: Any, shape: tuple[int, ...], axis: int) -> None:
    """Raise IndexError for a mask whose sizes are not those of the axes it stands for."""
    for offset, have in enumerate(mask.shape):
        if have != shape[axis + offset]:
            raise IndexError(
                f"The shape of the mask {mask.shape} at index {offset} does not match the shape of the indexed "
                f"tensor {shape} at index {axis + offset}"
            )


def parsed(shape: tuple[int, ...], index: Any) -> tuple[tuple[Any, ...], Places | None]:
    """What an index selects from a tensor of some shape: the basic part, and what arrays select from its view.

    The basic part always holds an Ellipsis, with which NumPy gives a view also where every axis is indexed.

    Raises
    ------
    IndexError
        For an index out of bounds, of a wrong kind, too many of them, a mask of another shape, or arrays that do not
        broadcast together.
    ValueError
        For a slice with a step below 1.
    """
    if type(index) is int and shape:
        return (within(index, 0, shape[0]), ...), None
    parts = [
        part if part is None or part is Ellipsis or type(part) is int or type(part) is slice else index_array(part)
        for part in (index if isinstance(index, tuple) else (index,))
    ]
    used = sum([axes_of_part(part) for part in parts])
    if used > len(shape):
        if not shape:
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert a 0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}: {used} were given")
    basic: list[Any] = []
    axes: list[int] = []
    arrays: list[Any] = []
    axis, place = 0, 0  # in the tensor, and in the basic view
    ellipsis = False
    for part in parts:
        if part is Ellipsis:
            if ellipsis:
                raise IndexError("an index can only have a single ellipsis ('...')")
            ellipsis = True
            basic.append(part)
            axis += len(shape) - used
            place += len(shape) - used
        elif part is None:
            basic.append(None)
            place += 1
        elif isinstance(part, slice):
            basic.append(stepping(part))
            axis += 1
            place += 1
        elif not isinstance(part, numpy.ndarray):
            basic.append(within(part, axis, shape[axis]))
            axis += 1
        elif part.dtype.kind == "b":
            check_mask(part, shape, axis)
            basic.extend([slice(None)] * part.ndim if part.ndim else [None])
            found = part.nonzero() if part.ndim else (numpy.zeros(int(part), numpy.int64),)
            axes.extend(range(place, place + len(found)))
            arrays.extend(found)
            axis += part.ndim
            place += len(found)
        else:
            basic.append(slice(None))
            axes.append(place)
            arrays.append(from_the_front(part, axis, shape[axis]))
            axis += 1
            place += 1
    if not ellipsis:
        basic.append(...)
    if not arrays:
        return tuple(basic), None
    masks = [is_mask(part) for part in parts if isinstance(part, numpy.ndarray)] == [True]
    return tuple(basic), Places(tuple(axes), together(arrays), masks)


def together(arrays: list[Any]) -> Any:
    """Integer arrays broadcast together, as one array of int64 with memory of its own."""
    first = arrays[0]
    if len(arrays) == 1:
        shape = first.shape
    else:
        try:
            shape = numpy.broadcast_shapes(*[array.shape for array in arrays])
        except ValueError:
            shapes = ", ".join([str(array.shape) for array in arrays])
            raise IndexError(
                f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
            ) from None
    index = numpy.empty((len(arrays), *shape), numpy.int64)
    for which, array in enumerate(arrays):
        index[which] = array
    return index
