"""What the autograd tests are made of: float64 leaves, and a recorder that keeps what the engine reports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import kael
from kael.autograd.op import Op, registry
from kael.autograd.recorder import recorder
from kael.autograd.recording import record


def leaf(data: Any, dtype: Any = kael.float64) -> kael.Tensor:
    """A tensor that requires grad."""
    return kael.tensor(data, dtype=dtype, requires_grad=True)


def plain(data: Any, dtype: Any = kael.float64) -> kael.Tensor:
    """A tensor that does not."""
    return kael.tensor(data, dtype=dtype)


def recorded(gradient: Any, x: kael.Tensor, y: kael.Tensor) -> kael.Tensor:
    """The product of two tensors, recorded with a gradient function of the test's own in place of the product's."""
    kept = registry["mul"]
    try:
        op = Op("mul", "x * y", gradient, needs=((1,), (0,)))
    finally:
        registry["mul"] = kept
    return record((x * y).detach(), op, (x, y))


class Events:
    """The engine's reports in order, each as a tuple whose first element is the kind."""

    def __init__(self) -> None:
        self.list: list[tuple[Any, ...]] = []

    def dependency(self, node: Any, count: int) -> None:
        self.list.append(("dependency", node, count))

    def seed(self, node: Any, tensor: Any, gradient: Any) -> None:
        self.list.append(("seed", node, gradient.tolist(), gradient.shape))

    def visit(self, node: Any, gradient: Any, ready: Any) -> None:
        self.list.append(("visit", node, gradient.tolist()))

    def contribution(
        self, node: Any, position: int, tensor: Any, target: Any, gradient: Any, total: Any, action: str, pending: int
    ) -> None:
        self.list.append(("contribution", node, target, gradient.tolist(), total.tolist(), action, pending))

    def done(self) -> None:
        self.list.append(("done",))

    def of(self, kind: str) -> list[tuple[Any, ...]]:
        """The reports of one kind, without it."""
        return [event[1:] for event in self.list if event[0] == kind]


@contextmanager
def watched() -> Iterator[Events]:
    """Collects the engine's reports inside the block."""
    events = Events()
    before = recorder.get()
    recorder.set(events)
    try:
        yield events
    finally:
        recorder.set(before)
