"""Which objects Python's garbage collector looks at: all of them, where the engine is not compiled."""

from __future__ import annotations

from typing import Any, TypeVar

__all__ = ["leave_out", "leave_out_record", "look_at_graphs", "take_in"]

T = TypeVar("T")


def leave_out(it: T) -> T:
    """Let the collector pass over an object of a graph, while no graph can be part of a cycle; gives the object."""
    return it


def leave_out_record(node: Any, inputs: Any, saved: Any, output: Any) -> None:
    """Let it pass over all that an operation leaves behind."""


def take_in(it: Any) -> None:
    """Let the collector look at an object that was left out."""


def look_at_graphs() -> None:
    """Let the collector look at whatever the engine makes from now on."""
