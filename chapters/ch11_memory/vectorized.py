"""Rung 2: fresh arrays and an arena from NumPy's own allocator."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters.ch07_broadcasting.spec import broadcast_shapes
from chapters.ch11_memory.reference import Allocation, require_shape
from chapters.ch11_memory.reference import Arena as PlainArena

__all__ = ["Allocation", "Arena", "empty", "empty_for"]


def empty(shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """A fresh row-major array of this shape and dtype; its elements are whatever the memory held."""
    require_shape(shape)
    return np.empty(shape, dtype)


def empty_for(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]:
    """A fresh row-major array of the shape that two operands share once they are broadcast."""
    return np.empty(broadcast_shapes(x.shape, y.shape), dtype)


class Arena(PlainArena):
    """The arena over blocks from NumPy, which begin at addresses that 64 divides."""

    __slots__ = ()

    def _memory(self, nbytes: int) -> np.ndarray[Any, Any]:
        raw = np.empty(nbytes + 64, np.uint8)
        first = -raw.ctypes.data % 64
        return raw[first : first + nbytes]
