"""Where an answer runs in a process of its own: through whom it is timed and watched there."""

from __future__ import annotations

from typing import Protocol

__all__ = ["ANSWERS", "Elsewhere"]


class Elsewhere(Protocol):
    """The process of an answer, for those who measure."""

    def rounds(self, number: int | None) -> int:
        """From now on make each call so often, or once for None; how many calls were made since the last time."""

    def begin_tracing(self) -> None:
        """Begin to watch the memory that the answer takes."""

    def end_tracing(self) -> tuple[int, int]:
        """Bytes that it has taken and not given back, and the most that a call took."""

    def calls_waiting(self) -> tuple[int, int, bool]:
        """What `kael.testing.calls_waiting` tells."""


ANSWERS: list[Elsewhere] = []
"""The process of the answer that is being checked; none where it runs in this one."""
