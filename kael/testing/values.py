"""How a check sees a value: its type, shape, element type and numbers, whichever tensor holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chapters.flat import Buffer
from kael.tensors import Tensor

__all__ = ["Seen", "memory", "seen"]

BUFFER_TYPES = {"f": np.float32, "d": np.float64, "q": np.int64, "?": np.bool_}


@dataclass(frozen=True)
class Seen:
    """A value as a check sees it.

    Attributes
    ----------
    kind : str
        Name of its type.
    array : ndarray
        Its numbers, a copy.
    """

    kind: str
    array: NDArray[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self.array.shape

    @property
    def dtype(self) -> str:
        """Name of the element type."""
        return self.array.dtype.name

    def described(self) -> str:
        """The value in words: whole where it is small."""
        if self.kind in ("bool", "int", "float"):
            return str(self.array.item())
        head = f"{self.dtype} of shape {self.shape}" if self.shape else self.dtype
        if self.array.size <= 12:
            return f"{self.array.tolist()} ({head})"
        return f"a {head}"


def seen(value: Any) -> Seen | None:
    """A number, array, Buffer or tensor as the checks see it; None for anything else."""
    kind = type(value).__name__
    if isinstance(value, Buffer):
        array: NDArray[Any] = np.array(list(value), BUFFER_TYPES[value.typecode])
        return Seen(kind, array.reshape(value.shape)) if array.size == np.prod(value.shape, dtype=int) else None
    if isinstance(value, Tensor):
        return Seen(kind, np.array(value.detach().numpy()))
    if isinstance(value, np.ndarray | np.generic):
        return Seen(kind, np.array(value))
    if isinstance(value, bool | int | float):
        return Seen(kind, np.array(value))
    held = getattr(value, "data", None)
    return seen(held) if isinstance(held, Buffer) else None


def memory(value: Any) -> Any:
    """What holds a value's elements, for asking whether two values share them."""
    if isinstance(value, Buffer):
        return value.data
    if isinstance(value, Tensor):
        return value.detach().numpy()
    held = getattr(value, "data", None)
    return held.data if isinstance(held, Buffer) else value
