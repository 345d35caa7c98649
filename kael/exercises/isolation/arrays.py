"""NumPy arrays: blocks of memory, and the arrays that lie in them."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from kael.exercises.forbidden import Factor
from kael.exercises.isolation.entries import Entry
from kael.exercises.isolation.wire import MOST_BYTES, Garbled, known_dtype, to_bytes, to_text

if TYPE_CHECKING:
    from kael.exercises.isolation.values import Shared

__all__ = ["ARRAYS", "outermost"]

ARRAYS: dict[type, str] = {np.ndarray: "ndarray", Factor: "Factor"}
ARRAY_KINDS = {name: kind for kind, name in ARRAYS.items()}


class Block(Entry):
    """The memory that NumPy arrays lie in: all that the outermost of them has."""

    code = "M"

    def __init__(self, number: int, thing: Any, mine: bool) -> None:
        super().__init__(number, thing, mine)
        self.low, self.high = byte_bounds(thing)
        self.raw = raw_bytes(thing)
        self.holders = 1 + (self.raw.base is thing)

    def meta(self, shared: Shared) -> Any:
        thing = self.thing
        return [thing.dtype.str, list(thing.shape), axes_by_stride(thing), bool(thing.flags.writeable)]

    def changed(self, shared: Shared) -> str | None:
        data = self.raw.tobytes()
        if data == self.last:
            return None
        self.last = data
        return f'"{to_text(data)}"'

    def remember(self, shared: Shared) -> None:
        self.last = self.raw.tobytes()

    def fill(self, shared: Shared, state: Any) -> None:
        self.put_back(np.frombuffer(to_bytes(state), np.uint8))

    def copy(self) -> Any:
        return self.raw.copy()

    def put_back(self, copy: Any) -> None:
        if self.raw.flags.writeable:
            self.raw[...] = copy
            return
        flags = self.thing.flags
        flags.writeable = True
        try:
            raw_bytes(self.thing)[...] = copy
        finally:
            flags.writeable = False

    @staticmethod
    def make(shared: Shared, meta: Any) -> Any:
        """Memory of its own, as an array."""
        dtype, shape, axes, _ = meta
        kind = known_dtype(dtype)
        if prod(max(size, 1) for size in shape) * kind.itemsize > MOST_BYTES or sorted(axes) != list(range(len(shape))):
            raise Garbled(f"an array of shape {shape}")
        if axes == sorted(axes) or axes == sorted(axes, reverse=True):
            return np.zeros(shape, kind, "C" if axes == sorted(axes) else "F")
        return np.zeros([shape[axis] for axis in axes], kind).transpose(np.argsort(axes))


class ArrayEntry(Entry):
    """A NumPy array: where it lies in its block."""

    code = "A"
    block: Block

    def lies_in(self, block: Block) -> None:
        """Say in which block; the array that has the memory is held there as well."""
        self.block = block
        self.holders = 1 + block.holders if block.thing is self.thing else 1

    def meta(self, shared: Shared) -> Any:
        block = self.block
        offset = self.thing.__array_interface__["data"][0] - block.low if self.thing.size else 0
        whole = block.thing is self.thing
        return [block.number, whole, offset, ARRAYS[type(self.thing)], *self.geometry()]

    def geometry(self) -> list[Any]:
        thing = self.thing
        return [thing.dtype.str, list(thing.shape), list(thing.strides), bool(thing.flags.writeable)]

    def state(self, shared: Shared) -> Any:
        return self.geometry()

    def fill(self, shared: Shared, state: Any) -> None:
        if self.geometry() != state:
            self.put_back(state)

    def copy(self) -> Any:
        return self.geometry()

    def put_back(self, copy: Any) -> None:
        dtype, shape, strides, writeable = copy
        if known_dtype(dtype) != self.thing.dtype or prod(shape) != self.thing.size:
            raise Garbled(f"an array that is now {dtype} of shape {shape}")
        if self.geometry()[:3] != copy[:3]:
            self.thing.shape = tuple(shape)
            if self.geometry()[2] != strides:
                raise Garbled(f"an array whose strides are now {strides}")
        self.thing.flags.writeable = writeable is True

    @staticmethod
    def make(shared: Shared, meta: Any) -> Any:
        """An array in a block that is there."""
        number, whole, offset, kind, dtype, shape, strides, writeable = meta
        block = shared.entries[number]
        if not isinstance(block, Block) or kind not in ARRAY_KINDS:
            raise Garbled("an array without memory")
        element = known_dtype(dtype)
        if prod(max(size, 1) for size in shape) * element.itemsize > MOST_BYTES:
            raise Garbled(f"an array of shape {shape}")
        if whole is True and kind == "ndarray" and list(block.thing.strides) == strides:
            thing = block.thing
        else:
            thing = np.ndarray(tuple(shape), element, block.raw, offset, tuple(strides))
            thing = thing.view(ARRAY_KINDS[kind]) if kind != "ndarray" else thing
        if [element, list(thing.shape), list(thing.strides)] != [thing.dtype, list(shape), list(strides)]:
            raise Garbled("an array that is not as it says")
        thing.flags.writeable = writeable is True and thing.flags.writeable
        return thing


def raw_bytes(value: Any) -> Any:
    """The memory of an array that lies in one piece, as bytes."""
    if not value.size:
        return np.empty(0, np.uint8)
    flat = value.view(np.ndarray)
    return flat.transpose(axes_by_stride(flat)).reshape(-1).view(np.uint8)


def axes_by_stride(value: Any) -> list[int]:
    """Axes of an array in the order in which they lie in memory, the last one moving by single elements."""
    axes = list(range(value.ndim))
    if value.flags.c_contiguous:
        return axes
    return axes[::-1] if value.flags.f_contiguous else sorted(axes, key=lambda axis: -value.strides[axis])


def outermost(value: Any) -> Any:
    """The array that has the memory of `value`; a copy where that does not lie in one piece."""
    root = value
    base = value.base
    while base is not None:
        if isinstance(base, memoryview):
            base = base.obj
        if type(base) is np.ndarray and base.dtype.kind in "biufcSU":
            root = base
        base = getattr(base, "base", None)
    low, high = byte_bounds(value)
    inside = byte_bounds(root)
    if not (inside[0] <= low and high <= inside[1]):
        root = value
    if type(root) is not np.ndarray:
        root = root.view(np.ndarray)
    return root if root.transpose(axes_by_stride(root)).flags.c_contiguous else root.copy()
