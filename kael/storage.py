"""The bytes of a tensor and the counter of writes to them."""

from __future__ import annotations

from typing import Any


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
