"""A rule for an operation that has kinks: the larger of two numbers, where a tie has no derivative.

It is not in the registry by itself: the page of the chapter adds the operation and registers the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from chapters.flat import Buffer

__all__ = ["MaximumOp"]


# [maximum-op]
class MaximumOp:
    """w = max(x, y): the larger input gets the gradient, the other zero; at a tie each gets half."""

    name: ClassVar[str] = "maximum"
    saves: ClassVar[frozenset[str]] = frozenset({"operands"})
    samples: ClassVar[Any] = (((), ()), ((2, 3), (2, 3)))

    @staticmethod
    def backward(grad: Buffer, inputs: Sequence[Any], output: Any) -> list[Buffer]:
        """grad times the share of each input: 1, 1/2 or 0."""
        x, y = inputs
        pairs = list(zip(grad, x, y, strict=True))
        for_x = [g * (0.0 if a < b else 0.5 if a == b else 1.0) for g, a, b in pairs]
        for_y = [g * (0.0 if b < a else 0.5 if a == b else 1.0) for g, a, b in pairs]
        return [Buffer(part, grad.shape, grad.typecode) for part in (for_x, for_y)]


# [/maximum-op]
