"""A rejected design: describe first, run later. Describing computes nothing; a plan is worked out once and run often.

The values are plain floats, so that the design and not the arithmetic is what one reads.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import NamedTuple

__all__ = ["OPERATIONS", "Operation", "Plan", "Symbol", "constant", "placeholder", "where"]


# [operations]
class Operation(NamedTuple):
    """How to compute, and the gradients of the inputs from that of the output, `g`.

    The second function is given `g`, the inputs, and the output `y`.
    """

    compute: Callable[..., float]
    gradients: Callable[..., tuple[float, ...]]


OPERATIONS = {
    "add": Operation(lambda a, b: a + b, lambda g, a, b, y: (g, g)),
    "mul": Operation(lambda a, b: a * b, lambda g, a, b, y: (g * b, g * a)),
    "div": Operation(lambda a, b: a / b, lambda g, a, b, y: (g / b, -g * y / b)),
    "exp": Operation(exp, lambda g, a, y: (g * y,)),
    "greater": Operation(lambda a, b: float(a > b), lambda g, a, b, y: (0.0, 0.0)),
    "where": Operation(lambda c, a, b: a if c else b, lambda g, c, a, b, y: (0.0, g if c else 0.0, 0.0 if c else g)),
}
# [/operations]


# [symbol]
class Symbol:
    """An operation on other symbols, a name to be fed, or a constant."""

    def __init__(self, op: str, inputs: tuple[Symbol, ...] = (), value: float | str = ""):
        self.op, self.inputs, self.value = op, inputs, value

    def __add__(self, other: Symbol) -> Symbol:
        return Symbol("add", (self, other))

    def __mul__(self, other: Symbol) -> Symbol:
        return Symbol("mul", (self, other))

    def __truediv__(self, other: Symbol) -> Symbol:
        return Symbol("div", (self, other))

    def __gt__(self, other: Symbol) -> Symbol:
        return Symbol("greater", (self, other))

    def exp(self) -> Symbol:
        """The exponential."""
        return Symbol("exp", (self,))

    def __bool__(self) -> bool:
        advice = "say the choice with where()"
        raise TypeError(f"{self.op!r} is a symbol: it has no value before run(); {advice}")


def placeholder(name: str) -> Symbol:
    """A number that each run is fed."""
    return Symbol("placeholder", value=name)


def constant(value: float) -> Symbol:
    """A number that is part of the description."""
    return Symbol("constant", value=value)


def where(condition: Symbol, a: Symbol, b: Symbol) -> Symbol:
    """`a` where the condition is not zero, `b` where it is; both are computed."""
    return Symbol("where", (condition, a, b))


# [/symbol]


# [plan]
class Plan:
    """The order in which to compute a symbol, worked out before a number is known."""

    def __init__(self, root: Symbol) -> None:
        self.root = root
        self.order: list[Symbol] = []
        stack, seen = [(root, False)], set()
        while stack:
            symbol, finished = stack.pop()
            if finished:
                self.order.append(symbol)
            elif symbol not in seen:
                seen.add(symbol)
                stack += [(symbol, True), *((x, False) for x in reversed(symbol.inputs))]

    def run(self, **feed: float) -> float:
        """The root's value."""
        return self.values(feed)[self.root]

    def values(self, feed: dict[str, float]) -> dict[Symbol, float]:
        """The value of every symbol."""
        found: dict[Symbol, float] = {}
        for symbol in self.order:
            if symbol.op == "placeholder":
                found[symbol] = feed[str(symbol.value)]
            elif symbol.op == "constant":
                found[symbol] = float(symbol.value)
            else:
                compute = OPERATIONS[symbol.op].compute
                found[symbol] = compute(*(found[x] for x in symbol.inputs))
        return found

    def gradients(self, wanted: list[Symbol], **feed: float) -> list[float]:
        """The gradient of the root by each wanted symbol: the order, read backwards."""
        found = self.values(feed)
        arrived = dict.fromkeys(self.order, 0.0)
        arrived[self.root] = 1.0
        for symbol in reversed(self.order):
            if symbol.inputs:
                numbers = [found[x] for x in (*symbol.inputs, symbol)]
                rule = OPERATIONS[symbol.op].gradients
                results = rule(arrived[symbol], *numbers)
                for x, gradient in zip(symbol.inputs, results, strict=True):
                    arrived[x] += gradient
        return [arrived[x] for x in wanted]


# [/plan]
