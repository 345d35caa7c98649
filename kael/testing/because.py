"""What a check knows about its own question, so that it can name the mistake behind a wrong answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Because"]


@dataclass(frozen=True)
class Because:
    """The question that a check asked, and what wrong answers to it would mean.

    Attributes
    ----------
    called : str
        What was called, with its arguments.
    cause : str
        The likely cause when no known mistake gives the answer that came.
    mistakes : mapping of str to value
        A mistake in words, and what it gives.
    contributions : sequence of tensors
        What the expected value is the sum of.
    factors : mapping of str to tensor
        Factors of the expected value by name, such as the upstream gradient.
    source : tensor, optional
        What the expected value is a sum of along axes.
    read : str
        The section that explains it.
    again : str
        The command that runs the check once more.
    """

    called: str
    cause: str = ""
    mistakes: Mapping[str, Any] = field(default_factory=dict)
    contributions: Sequence[Any] = ()
    factors: Mapping[str, Any] = field(default_factory=dict)
    source: Any = None
    read: str = ""
    again: str = ""
