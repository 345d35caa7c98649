"""Rung 2: fresh arrays and an arena from NumPy's own allocator."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from chapters.ch07_broadcasting.spec import broadcast_shapes
from chapters.ch11_memory.checks import check_align, check_requests, check_sizes, no_room
from chapters.ch11_memory.reference import Allocation, cache_counts, empty_cache, limit_cache, require_shape
from chapters.ch11_memory.reference import Arena as PlainArena

__all__ = [
    "Allocation", "Arena", "bump_offsets", "cache_counts", "empty", "empty_cache", "empty_for", "heap_addresses",
    "limit_cache",
]  # fmt: skip


def empty(shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """A fresh row-major array of this shape and dtype; its elements are whatever the memory held."""
    require_shape(shape)
    return np.empty(shape, dtype)


def empty_for(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]:
    """A fresh row-major array of the shape that two operands share once they are broadcast."""
    return np.empty(broadcast_shapes(x.shape, y.shape), dtype)


def bump_offsets(sizes: np.ndarray[Any, Any], align: int, out: np.ndarray[Any, Any]) -> None:
    """Where requests lie in one block of an arena: the sum of the rounded sizes before each."""
    check_requests("bump_offsets", sizes, out)
    check_sizes("bump_offsets", sizes, least=0)
    align = index(align)
    check_align("bump_offsets", align)
    # region [bump loop]
    rounded = (sizes + align - 1) & -align
    out[:] = np.cumsum(rounded) - rounded
    # endregion [bump loop]


def heap_addresses(sizes: np.ndarray[Any, Any], out: np.ndarray[Any, Any]) -> None:
    """Ask the heap for every block in order, note in `out` at which addresses they lie, and give all of them back."""
    check_requests("heap_addresses", sizes, out)
    check_sizes("heap_addresses", sizes, least=1)
    blocks = []
    for nbytes in sizes.tolist():
        try:
            blocks.append(np.empty(nbytes, np.uint8))
        except MemoryError:
            raise no_room(nbytes) from None
    out[:] = [block.ctypes.data for block in blocks]


# region [aligned memory]
class Arena(PlainArena):
    """The arena over blocks from NumPy, which begin at addresses that 64 divides."""

    __slots__ = ()

    def _memory(self, nbytes: int) -> np.ndarray[Any, Any]:
        raw = np.empty(nbytes + 64, np.uint8)
        first = -raw.ctypes.data % 64
        return raw[first : first + nbytes]


# endregion [aligned memory]
