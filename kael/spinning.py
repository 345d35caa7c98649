"""Waiting for another thread: where this is not compiled, it goes to sleep at once."""

from __future__ import annotations

__all__ = ["Count"]


class Count:
    """A number that one thread raises and others watch."""

    def __init__(self) -> None:
        self.value = 0

    def add(self) -> None:
        """Raise it by one."""
        self.value += 1

    def part_ways(self) -> None:
        """Leave it to the system where threads run."""

    def watch(self, seen: int, seconds: float) -> bool:
        """Whether the number is another than `seen`."""
        return self.value != seen
