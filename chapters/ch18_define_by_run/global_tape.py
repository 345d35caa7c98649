"""A rejected design: one list for everything. Each operation appends an entry, and a pass reads the list backwards."""

from __future__ import annotations

from typing import Any, NamedTuple

from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch15_graph.graph import FORWARD, nested
from chapters.ch16_rules.registry import chain_rule_step
from chapters.ch17_engine.engine import unbroadcast_gradient
from chapters.flat import Buffer

__all__ = ["TAPE", "Entry", "Value", "clear", "gradients", "record"]


# [value]
class Value:
    """Numbers, and nothing about where they came from: the tape knows."""

    __slots__ = ("__weakref__", "buffer")

    def __init__(self, data: Any) -> None:
        self.buffer = data if isinstance(data, Buffer) else nested(data)

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self.buffer.shape

    def __add__(self, other: Value) -> Value:
        return record("add", self, other)

    def __mul__(self, other: Value) -> Value:
        return record("mul", self, other)

    def exp(self) -> Value:
        """The exponential, element by element."""
        return record("exp", self)


class Entry(NamedTuple):
    """One operation: what it was, what went in, what came out."""

    op_name: str
    inputs: tuple[Value, ...]
    output: Value


TAPE: list[Entry] = []
# [/value]


# [record]
def record(op_name: str, *inputs: Value) -> Value:
    """Compute, and append to the tape."""
    forward = FORWARD[op_name]
    result = Buffer.full(0.0, forward.shape(*(x.shape for x in inputs)))
    forward.kernel(*(x.buffer for x in inputs), result)
    output = Value(result)
    TAPE.append(Entry(op_name, inputs, output))
    return output


def clear() -> None:
    """Forget everything, whoever needs it."""
    TAPE.clear()


# [/record]


# [gradients]
def gradients(root: Value, wanted: list[Value]) -> list[Buffer | None]:
    """Read the whole tape from its end; None where the root does not depend."""
    arrived = {root: Buffer.full(1.0, root.shape)}
    for entry in reversed(TAPE):
        if entry.output not in arrived:
            continue
        operands, y = [x.buffer for x in entry.inputs], entry.output
        results = chain_rule_step(entry.op_name, arrived[y], operands, y.buffer)
        for x, gradient in zip(entry.inputs, results, strict=True):
            gradient = unbroadcast_gradient(gradient, x.shape)
            if x in arrived:
                gradient = elementwise_add(arrived[x], gradient)
            arrived[x] = gradient
    return [arrived.get(x) for x in wanted]


# [/gradients]
