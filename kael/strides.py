"""How an array lies in memory."""

from __future__ import annotations

from typing import Any


def axes_in_memory(array: Any) -> list[int]:
    """The axes from the largest stride to the smallest where elements lie without gaps, else in their order."""
    axes = list(range(array.ndim))
    if array.flags.c_contiguous:
        return axes
    sorted_axes = sorted(axes, key=lambda axis: (-array.strides[axis], axis))
    step = array.itemsize
    for axis in reversed(sorted_axes):
        if array.shape[axis] != 1:
            if array.strides[axis] != step:
                return axes
            step *= array.shape[axis]
    return sorted_axes
