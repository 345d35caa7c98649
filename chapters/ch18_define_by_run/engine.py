"""A define-by-run engine: tensors own nodes, nodes own nodes, and a backward pass counts what is still to come.

It computes with the kernels and rules of earlier chapters and imports nothing of kael, whose engine it is in small.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from weakref import ref

from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch15_graph.graph import FORWARD, nested
from chapters.ch16_rules.registry import RULES, chain_rule_step
from chapters.ch17_engine.engine import unbroadcast_gradient
from chapters.flat import Buffer

__all__ = [
    "AccumulateGrad", "FunctionNode", "Node", "NodeInput", "SavedTensor", "Storage", "Tensor", "apply", "backward",
    "count_dependencies", "gradient_edge", "no_grad",
]  # fmt: skip


# [tensor]
class Storage:
    """Values, and how often they have been written in place."""

    __slots__ = ("__weakref__", "buffer", "version")

    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer
        self.version = 0


class Tensor:
    """A storage and its part in differentiation.

    `x.detach()` shares the storage and has no part.
    """

    __slots__ = (
        "__weakref__", "accumulator", "grad", "grad_fn", "requires_grad", "storage",
    )  # fmt: skip

    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        if not isinstance(data, Storage | Buffer):
            data = nested(data)
        self.storage = data if isinstance(data, Storage) else Storage(data)
        self.requires_grad = requires_grad
        self.grad: Buffer | None = None
        self.grad_fn: FunctionNode | None = None
        self.accumulator: ref[AccumulateGrad] | None = None

    # [/tensor]
    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self.storage.buffer.shape

    def tolist(self) -> Any:
        """The values as nested lists; a number for shape ``()``."""
        return self.storage.buffer.tolist()

    def detach(self) -> Tensor:
        """The same storage, without history."""
        return Tensor(self.storage)

    def __add__(self, other: Any) -> Tensor:
        return apply("add", self, other)

    def __mul__(self, other: Any) -> Tensor:
        return apply("mul", self, other)

    def __matmul__(self, other: Any) -> Tensor:
        return apply("matmul", self, other)

    def exp(self) -> Tensor:
        """The exponential, element by element."""
        return apply("exp", self)

    # [in-place]
    def add_(self, other: Any) -> Tensor:
        """Add to the values where they lie.

        Raises
        ------
        RuntimeError
            While recording is on, when the tensor is a leaf that requires grad or
            has history, or `other` requires grad: a node would have to change.
        """
        other = other if isinstance(other, Tensor) else Tensor(other)
        if mode.recording and (self.requires_grad or other.requires_grad):
            what = "the source requires grad"
            if self.requires_grad:
                leaf = self.grad_fn is None
                what = f"the tensor {'is a leaf that requires grad' if leaf else 'has history'}"
            raise RuntimeError(f"add_: {what}; use +, or write under no_grad()")
        mine = self.storage.buffer
        FORWARD["add"].kernel(mine, other.storage.buffer, mine)
        self.storage.version += 1
        return self

    # [/in-place]


# [saved]
class SavedTensor:
    """A value kept for the backward pass, and the version that its storage had."""

    __slots__ = ("data", "version")

    def __init__(self, tensor: Tensor) -> None:
        self.data = tensor.detach()
        self.version = tensor.storage.version

    def get(self) -> Buffer:
        """The value, as it was.

        Raises
        ------
        RuntimeError
            When the storage has been written since.
        """
        now = self.data.storage.version
        if now != self.version:
            moved = f"it was at version {self.version}, now at {now}"
            raise RuntimeError(f"a saved tensor was written in place: {moved}")
        return self.data.storage.buffer


# [/saved]


# [node]
class NodeInput(NamedTuple):
    """An edge: where the gradient of an input goes, or None, and its shape there."""

    edge: Node | None
    shape: tuple[int, ...]


class Node:
    """Something that a gradient can arrive at. It owns the nodes behind it."""

    __slots__ = ("__weakref__", "inputs", "name")

    inputs: tuple[NodeInput, ...]
    name: str


class FunctionNode(Node):
    """One operation that was carried out."""

    __slots__ = ("op_name", "saved")

    def __init__(self, op_name: str, inputs: list[Tensor], output: Tensor) -> None:
        self.op_name, self.name = op_name, f"{op_name.capitalize()}Backward"
        edges = (gradient_edge(t) if t.requires_grad else None for t in inputs)
        self.inputs = tuple(NodeInput(edge, t.shape) for edge, t in zip(edges, inputs, strict=True))
        reads = RULES[op_name].saves
        self.saved: list[SavedTensor | None] | None = [
            *(SavedTensor(t) if "operands" in reads else None for t in inputs),
            SavedTensor(output) if "result" in reads else None,
        ]

    # [/node]
    # [apply-node]
    def apply(self, gradient: Buffer) -> list[Buffer]:
        """One gradient per input, each of its input's shape.

        Raises
        ------
        RuntimeError
            When an earlier pass has released the node.
        """
        if self.saved is None:
            advice = "give that one retain_graph=True"
            raise RuntimeError(f"{self.name} was released by an earlier pass; {advice}")
        *operands, result = (None if kept is None else kept.get() for kept in self.saved)
        gradients = chain_rule_step(self.op_name, gradient, operands, result)
        pairs = zip(gradients, self.inputs, strict=True)
        return [unbroadcast_gradient(g, link.shape) for g, link in pairs]

    def release(self) -> None:
        """Let go of what was saved; the edges stay."""
        self.saved = None

    # [/apply-node]


# [leaf]
class AccumulateGrad(Node):
    """The node of a leaf, at which all its uses meet."""

    __slots__ = ("variable",)

    def __init__(self, variable: Tensor) -> None:
        self.inputs, self.name, self.variable = (), "AccumulateGrad", variable

    def accumulate(self, gradient: Buffer) -> None:
        """Add a complete gradient to the leaf's, into a fresh buffer."""
        leaf = self.variable
        leaf.grad = gradient if leaf.grad is None else elementwise_add(leaf.grad, gradient)


def gradient_edge(tensor: Tensor) -> Node:
    """The node that the gradient of a tensor goes to."""
    if tensor.grad_fn is not None:
        return tensor.grad_fn
    node = None if tensor.accumulator is None else tensor.accumulator()
    if node is None:
        node = AccumulateGrad(tensor)
        tensor.accumulator = ref(node)
    return node


# [/leaf]


# [mode]
class Mode(threading.local):
    """Whether operations leave nodes behind, for each thread."""

    recording = True


mode = Mode()


@contextmanager
def no_grad() -> Iterator[None]:
    """Record nothing inside; afterwards do what was done before, whatever happens."""
    before = mode.recording
    mode.recording = False
    try:
        yield
    finally:
        mode.recording = before


# [/mode]


# [apply]
def apply(op_name: str, *operands: Any) -> Tensor:
    """Compute; leave a node behind if recording is on and an operand requires grad."""
    inputs = [x if isinstance(x, Tensor) else Tensor(x) for x in operands]
    forward = FORWARD[op_name]
    result = Buffer.full(0.0, forward.shape(*(t.shape for t in inputs)))
    forward.kernel(*(t.storage.buffer for t in inputs), result)
    output = Tensor(result)
    if mode.recording and any(t.requires_grad for t in inputs):
        output.requires_grad = True
        output.grad_fn = FunctionNode(op_name, inputs, output)
    return output


# [/apply]


# [count]
def count_dependencies(root: Node) -> dict[Node, int]:
    """For each node that the root leads to, how many edges point to it."""
    waiting = {root: 0}
    stack = [root]
    while stack:
        for link in stack.pop().inputs:
            if link.edge is None:
                continue
            if link.edge not in waiting:
                waiting[link.edge] = 0
                stack.append(link.edge)
            waiting[link.edge] += 1
    return waiting


# [/count]


# [backward]
def backward(root: Tensor, gradient: Any = None, retain_graph: bool = False, trace: Any = None) -> None:
    """Add to each leaf that the root depends on the gradient of the root; `gradient` seeds the pass.

    Raises
    ------
    RuntimeError
        When the root does not require grad, when it has several elements and no gradient is given, when the gradient
        has another shape, when a node was released by an earlier pass, or when a saved tensor was written in place.

    Examples
    --------
    >>> x, y = Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True)
    >>> backward(x * y + x)
    >>> x.grad.tolist(), y.grad.tolist()
    (5.0, 3.0)
    """
    # [seed]
    if not root.requires_grad:
        reason = "no operation was recorded for it"
        raise RuntimeError(f"backward: the root does not require grad; {reason}")
    if gradient is None and len(root.storage.buffer) != 1:
        advice = "give a gradient of that shape"
        raise RuntimeError(f"backward: the root has shape {root.shape}; {advice}")
    start = gradient_edge(root)
    seed = Buffer.full(1.0, root.shape) if gradient is None else nested(gradient)
    if seed.shape != root.shape:
        raise RuntimeError(f"backward: gradient has shape {seed.shape}, the root {root.shape}")
    totals = {start: seed}
    # [/seed]
    if trace is not None:
        trace.seed(start, root, seed)
    # [loop]
    waiting = count_dependencies(start)
    if trace is not None:
        for node, count in waiting.items():
            trace.dependency(node, count)
    ready = [start]
    while ready:
        node = ready.pop()
        total = totals.pop(node)
        if trace is not None:
            trace.visit(node, total, ready)
        if isinstance(node, AccumulateGrad):
            node.accumulate(total)
            continue
        assert isinstance(node, FunctionNode)
        results = node.apply(total)
        for position, (link, arriving) in enumerate(zip(node.inputs, results, strict=True)):
            edge = link.edge
            if edge is None:
                continue
            held = totals.get(edge)
            totals[edge] = arriving if held is None else elementwise_add(held, arriving)
            waiting[edge] -= 1
            if trace is not None:
                action = "assign" if held is None else "add"
                arrived = arriving, totals[edge], action, waiting[edge]
                trace.contribution(node, position, None, edge, *arrived)
            if waiting[edge] == 0:
                ready.append(edge)
        if not retain_graph:
            node.release()
    # [/loop]
    if trace is not None:
        trace.done()


# [/backward]
