"""How many bytes a graph keeps alive, asked of weak references and not computed."""

from __future__ import annotations

import weakref

from chapters.flat import Buffer

__all__ = ["BufferWatch"]


# [buffer-watch]
class BufferWatch:
    """Watches buffers without keeping them alive.

    Examples
    --------
    >>> watch = BufferWatch()
    >>> a, b = Buffer.full(0, (500, 8), "f"), Buffer.full(0, (8,), "f")
    >>> watch.add(a, b)
    >>> watch.alive
    16032
    >>> del a
    >>> watch.alive
    32
    """

    def __init__(self) -> None:
        self._watched: list[tuple[weakref.ref[object], int]] = []

    def add(self, *buffers: Buffer) -> None:
        """Begin to watch buffers."""
        self._watched.extend((weakref.ref(buffer.data), buffer.nbytes) for buffer in buffers)

    @property
    def alive(self) -> int:
        """Bytes of the watched buffers that somebody still holds."""
        return sum(nbytes for reference, nbytes in self._watched if reference() is not None)


# [/buffer-watch]
