"""Reading and writing elements by index."""

from __future__ import annotations

import operator
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.ops.inplace import check_grad_rules, write
from kael.tensors import Tensor, fresh, view_of


def getitem_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    index, basic = node.attributes
    result = filled(node.inputs[0].shape, g.dtype, 0.0)
    if basic:
        result.array[index] = g.array
    else:
        numpy.add.at(result.array, index, g.array)
    return result


GETITEM = Op(
    "getitem", "x[index]", getitem_vjp, "g at the places that were read, added where one was read twice", numpy=True
)


def normalized(x: Tensor, index: Any) -> tuple[Any, bool]:
    """An index as NumPy takes it, and whether it is basic, so that the result is a view.

    Raises
    ------
    IndexError
        For an index out of bounds, of a wrong kind, too many of them, or a mask of another shape.
    ValueError
        For a slice with a step below 1.
    """
    parts = list(index) if isinstance(index, tuple) else [index]
    basic = True
    axis = 0
    shape = x.array.shape
    consumed = [consumes(part) for part in parts]
    total = sum(consumed)
    if total > len(shape):
        if not shape:
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert a 0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}: {total} were given")
    if sum(part is Ellipsis for part in parts) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    result: list[Any] = []
    for part, taken in zip(parts, consumed, strict=True):
        if part is Ellipsis:
            axis += len(shape) - total
        elif isinstance(part, slice):
            if part.step is not None and whole(part.step) < 1:
                raise ValueError(f"step must be greater than zero, got {part.step}")
            part = slice(*[whole(bound) for bound in (part.start, part.stop, part.step)])
        elif part is not None:
            part, is_basic = element(part, shape[axis : axis + taken], axis)
            basic = basic and is_basic
        result.append(part)
        axis += taken
    return tuple(result), basic


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


def listed(part: Any) -> Any:
    """A list of an index as an array.

    Raises
    ------
    IndexError
        When its rows have uneven lengths.
    """
    try:
        return numpy.asarray(part, dtype=numpy.int64 if len(part) == 0 else None)
    except ValueError:
        raise IndexError("a list used as an index must hold rows of one length") from None


def consumes(part: Any) -> int:
    """How many axes one part of an index uses up."""
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, (bool, numpy.bool_)):
        return 0
    if isinstance(part, Tensor) and part.dtype is dtypes.bool:
        return int(part.array.ndim)
    if isinstance(part, numpy.ndarray) and part.dtype == bool:
        return int(part.ndim)
    if isinstance(part, list):
        array = listed(part)
        return int(array.ndim) if array.dtype == bool else 1
    return 1


def element(part: Any, sizes: tuple[int, ...], axis: int) -> tuple[Any, bool]:
    """One integer, list, mask or tensor of an index, checked against the sizes of the axes it uses up."""
    if isinstance(part, (bool, numpy.bool_)):
        return numpy.asarray(part), False
    array = part.array if isinstance(part, Tensor) else part
    if isinstance(array, (list, tuple)):
        array = listed(array)
    if isinstance(array, numpy.ndarray) and array.ndim == 0 and array.dtype != bool:
        if not numpy.issubdtype(array.dtype, numpy.integer):
            raise IndexError(f"tensors used as indices must be of integer or bool dtype, got {array.dtype}")
        array = int(array)
    if not isinstance(array, numpy.ndarray):
        try:
            position = operator.index(array)
        except TypeError:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and integer or bool tensors are valid indices "
                f"(got {type(part).__name__})"
            ) from None
        if not -sizes[0] <= position < sizes[0]:
            raise IndexError(f"index {position} is out of bounds for dimension {axis} with size {sizes[0]}")
        return position, True
    if array.dtype == bool:
        for offset, (have, size) in enumerate(zip(array.shape, sizes, strict=True)):
            if have != size:
                raise IndexError(
                    f"The shape of the mask {array.shape} at index {offset} does not match the shape of the indexed "
                    f"tensor {sizes} at index {axis + offset}"
                )
        return array, False
    if not numpy.issubdtype(array.dtype, numpy.integer):
        raise IndexError(f"tensors used as indices must be of integer or bool dtype, got {array.dtype}")
    if array.dtype == numpy.uint8:
        raise IndexError(
            "an index of uint8 is a mask in PyTorch and a list of places in NumPy; cast it to bool or int64 to say "
            "which"
        )
    if array.size and (array.max() >= sizes[0] or array.min() < -sizes[0]):
        wrong = int(array.max() if array.max() >= sizes[0] else array.min())
        raise IndexError(f"index {wrong} is out of bounds for dimension {axis} with size {sizes[0]}")
    return array, False


def at(array: Any, index: tuple[Any, ...]) -> Any:
    """The view of an array at a basic index, 0-d where every axis is indexed."""
    return array[index if Ellipsis in index else (*index, ...)]


def divided(index: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """An index with arrays as a basic one, which takes the integers, and one for what is left.

    NumPy counts an integer among the arrays, which moves their axis to the front; here an axis stays with its array.
    """
    spans = [
        [slice(None)] * (part.ndim if part.dtype == bool else 1) if isinstance(part, numpy.ndarray) else [part]
        for part in index
    ]
    first = [part for span in spans for part in span]
    rest = [
        slice(None) if isinstance(part, slice) or part is None else part for part in index if not isinstance(part, int)
    ]
    return tuple(first), tuple(rest)


def getitem(x: Tensor, index: Any) -> Tensor:
    """The elements at an index: a view for integers, slices, None and Ellipsis; a copy for tensors, lists and masks."""
    index, basic = normalized(x, index)
    if not basic and any(isinstance(part, int) for part in index):
        first, rest = divided(index)
        return getitem(getitem(x, first), rest)
    if basic:
        return record(view_of(x, at(x.array, index)), GETITEM, (x,), (index, True))
    copied = numpy.array(x.array[index], copy=True)
    frozen = tuple([part.copy() if isinstance(part, numpy.ndarray) else part for part in index])
    return record(fresh(copied, x.dtype), GETITEM, (x,), (frozen, False))


def setitem(x: Tensor, index: Any, value: Any) -> None:
    """Write a value to the elements at an index, in place.

    Raises
    ------
    RuntimeError
        As for every in-place operation, and when the value does not broadcast to what the index selects.
    """
    check_grad_rules(x, value, "__setitem__")
    index, basic = normalized(x, index)
    if basic:
        target = at(x.array, index)
        write(x, "__setitem__", None, target, value)
        return
    if any(isinstance(part, int) for part in index):
        first, rest = divided(index)
        write(x, "__setitem__", rest, x.array[first], value)
        return
    write(x, "__setitem__", index, x.array, value)


OPERATORS = (
    getitem,
    setitem,
)
