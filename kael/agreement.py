"""Whether arrays agree in shape and strides."""

from __future__ import annotations

from typing import Any

__all__ = ["has_shape", "same_strides"]


def has_shape(array: Any, shape: tuple[int, ...]) -> bool:
    """Whether an array has a shape."""
    return bool(array.shape == shape)


def same_strides(x: Any, y: Any) -> bool:
    """Whether two arrays step alike along every axis."""
    return bool(x.strides == y.strides)
