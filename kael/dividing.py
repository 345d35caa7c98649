"""The door in front of a kernel: it divides large calls among threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from kael import workers
from kael.cuts import RULES, Rule, parts_of

__all__ = ["Divided", "divided"]


class Divided:
    """A kernel whose large calls are divided among threads; small ones pass after one comparison of a size."""

    def __init__(self, kernel: Callable[..., None], rules: tuple[Rule, ...], threads: int) -> None:
        self.kernel = kernel
        self.rules = rules
        self.threads = threads
        self.measured = rules[0].whole[0]
        self.smallest = rules[0].smallest()

    def __call__(self, *operands: Any, **options: Any) -> None:
        """Run the kernel, in parts where the operand that is measured is large."""
        if len(operands) > self.measured:
            array = operands[self.measured]
            if type(array) is numpy.ndarray and array.size >= self.smallest:
                self.divide(operands, options)
                return
        self.kernel(*operands, **options)

    def divide(self, operands: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Run the kernel in parts where that pays and can be, else as it is."""
        parts = self.parts(operands)
        if parts is None:
            self.kernel(*operands, **options)
            return
        try:
            workers.run(self.threads, self.kernel, parts, options)
        except (IndexError, TypeError, ValueError):
            # A kernel refuses before it writes. Of the whole it says the same as with one thread.
            self.kernel(*operands, **options)
            raise

    def parts(self, operands: tuple[Any, ...]) -> list[tuple[Any, ...]] | None:
        """The operands of each part, by the first rule that finds where to cut."""
        for rule in self.rules:
            if len(operands) < len(rule.inner):
                return None
            count = rule.worth(operands, self.threads)
            if count < 2:
                return None
            parts = parts_of(rule, operands, count)
            if parts is not None:
                return parts
        return None


def divided(name: str, kernel: Any, threads: int) -> Any:
    """The kernel behind its door; the kernel itself where nothing of it can be divided."""
    return Divided(kernel, RULES[name], threads) if name in RULES else kernel
