"""The local rule of each operation of chapter 16, in words and with the numbers of one visit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["local_rule", "worked"]

WORDS = {
    "add": "a sum hands its gradient g to each term as it is",
    "mul": "a product hands each factor g × the other factor",
    "exp": "exp hands on g × its own output",
    "matmul": "A gets g @ Bᵀ, B gets Aᵀ @ g",
}

FACTORS: dict[str, Callable[[int, list[Any], Any], Any]] = {
    "mul": lambda position, inputs, output: inputs[1 - position],
    "exp": lambda position, inputs, output: output,
}


def local_rule(op: str) -> str:
    """What an operation does with the gradient of its output."""
    return WORDS.get(op, f"the rule registered for {op}")


def worked(op: str, position: int, gradient: Any, inputs: list[Any], output: Any, result: Any) -> str | None:
    """The multiplication behind a contribution, such as ``1.0 × 4.0``, when it gives what the engine passed on.

    Examples
    --------
    >>> from kael.tracing.rules import worked
    >>> worked("mul", 0, 1.0, [3.0, 4.0], 12.0, 4.0)
    '1.0 × 4.0'
    >>> worked("mul", 0, 1.0, [3.0, 4.0], 12.0, 5.0) is None
    True
    """
    if op not in FACTORS:
        return None
    factor = FACTORS[op](position, inputs, output)
    if not all(isinstance(number, (int, float)) for number in (gradient, factor, result)):
        return None
    return f"{gradient} × {factor}" if gradient * factor == result else None
