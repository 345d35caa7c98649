"""Where an answer's output goes: the beginning is kept, and the rest is counted."""

from __future__ import annotations

import io

__all__ = ["Bounded"]


class Bounded(io.TextIOBase):
    """A stream of text that keeps its first characters, so that a flood of output costs no memory.

    Parameters
    ----------
    most : int
        How many characters are kept.

    Examples
    --------
    >>> stream = Bounded(most=5)
    >>> print("one two three", file=stream)
    >>> stream.getvalue()
    'one t\\n... and 9 characters more\\n'
    """

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, most: int = 10_000) -> None:
        self.most = most
        self.kept: list[str] = []
        self.length = 0
        self.buffer = _Bytes(self)

    def writable(self) -> bool:
        """A stream to write to."""
        return True

    def write(self, text: str) -> int:
        """Keep what there is room for."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        room = self.most - self.length
        if room > 0 and text:
            self.kept.append(text[:room])
        self.length += len(text)
        return len(text)

    def getvalue(self) -> str:
        """What was kept, and how much was not."""
        lost = self.length - self.most
        return "".join(self.kept) + (f"\n... and {lost} characters more\n" if lost > 0 else "")


class _Bytes(io.RawIOBase):
    """The same stream for who writes bytes."""

    def __init__(self, text: Bounded) -> None:
        self.text = text

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.text.write(bytes(data).decode("utf-8", "replace"))
        return len(data)
