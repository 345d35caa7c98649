"""The bytes of a tensor and the counter of writes to them."""

from __future__ import annotations

from typing import Any

import numpy


class Storage:
    """The memory that a tensor and all its views share.

    Attributes
    ----------
    array : numpy.ndarray
        The array that owns (or borrows) the memory.
    version : int
        How many in-place operations have written to it, through whatever view.
    """

    __slots__ = ("__weakref__", "array", "version")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.version = 0

    @property
    def nbytes(self) -> int:
        """Bytes of memory held."""
        return int(self.array.nbytes)

    def place(self, array: Any) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """A view's shape, strides, and distance in bytes from the lowest byte of this memory."""
        return array.shape, array.strides, address(array) - span(self.array)[0] if array.size else 0

    def view(self, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Any:
        """The array at such a place."""
        return numpy.asarray(View(self.array, shape, strides, span(self.array)[0] + offset))

    def __deepcopy__(self, memo: dict[int, Any]) -> Storage:
        _, state = self.__reduce__()
        memo[id(self)] = copied = rebuilt(*state)
        return copied

    def __reduce__(self) -> Any:
        low, high = span(self.array)
        memory, place = numpy.zeros(high - low, numpy.uint8), self.place(self.array)
        numpy.ndarray(place[0], self.array.dtype, memory, place[2], place[1])[...] = self.array
        return rebuilt, (memory, self.array.dtype.str, *place)


class View:
    """Tells NumPy where an array lies, and keeps the memory alive."""

    def __init__(self, owner: Any, shape: tuple[int, ...], strides: tuple[int, ...], data: int) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "shape": shape, "strides": strides, "data": (data, False), "typestr": owner.dtype.str,
        }  # fmt: skip


def rebuilt(memory: Any, dtype: str, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Storage:
    """The storage that was copied or pickled; the count of writes begins anew."""
    return Storage(numpy.ndarray(shape, numpy.dtype(dtype), memory, offset, strides))


def address(array: Any) -> int:
    """Where the first element of an array lies."""
    return int(array.__array_interface__["data"][0])


def span(array: Any) -> tuple[int, int]:
    """The lowest address that an array uses, and the one behind its highest; equal for an array without elements."""
    low = high = address(array)
    if array.size == 0:
        return low, low
    for size, step in zip(array.shape, array.strides, strict=True):
        low += min((size - 1) * step, 0)
        high += max((size - 1) * step, 0)
    return low, high + int(array.itemsize)
