"""Four ways to walk a recorded graph backwards: two give wrong numbers, one is slow without bound, one is right.

Single numbers only, and only sums and products, whose slopes are known from school. The engine for tensors and all
operations is chapter 17.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from chapters.ch15_graph.graph import ComputationGraph, Handle, Tensor

__all__ = ["SLOPES", "Walk", "each_share", "each_total", "first_come", "in_order"]

# [slopes]
SLOPES: dict[str, Callable[[float, float], tuple[float, float]]] = {
    "add": lambda x, y: (1.0, 1.0),
    "mul": lambda x, y: (y, x),
}
# [/slopes]


class Walk:
    """A backward pass under way: what has arrived where, and which nodes have run.

    Parameters
    ----------
    graph : ComputationGraph
        The recorded forward pass, of single numbers.
    result : Tensor
        Where the pass begins.
    trace : object, optional
        Is told of every step.

    Attributes
    ----------
    start : int
        The node that made the result.
    arrived : dict of Handle to float
        The sum of the contributions so far.
    visits : list of int
        The nodes that have run, in order; a node that ran twice stands there twice.

    Raises
    ------
    ValueError
        When no node made the result, or it is not a single number.
    """

    def __init__(self, graph: ComputationGraph, result: Tensor, trace: Any = None) -> None:
        if result.grad_fn_index is None:
            raise ValueError("Walk: no node made the result; begin at a tensor that the graph recorded")
        if prod(result.shape) != 1:
            raise ValueError(f"Walk: the result has shape {result.shape}; walks are for single numbers")
        self.graph = graph
        self.trace = trace
        self.start = result.grad_fn_index
        self.arrived: dict[Handle, float] = {result.handle: 1.0}
        self.visits: list[int] = []
        if trace is not None:
            trace.seed(self.start, result.handle, 1.0)

    def gradient(self, tensor: Tensor) -> float | None:
        """What has arrived at a tensor; None before anything has."""
        return self.arrived.get(tensor.handle)

    def total(self, index: int) -> float | None:
        """What has arrived at the output of node `index`; None before anything has."""
        return self.arrived.get(self.graph.nodes[index].output)

    def run(self, index: int, gradient: float | None) -> list[tuple[int, float]]:
        """Run node `index` on a gradient: each operand that wants one gets its share.

        Returns
        -------
        list of (int, float)
            For each share that went to the output of a node: that node, and the share.
        """
        if gradient is None:
            raise ValueError(f"Walk: nothing has arrived at nodes[{index}]; run a node that made it first")
        op_name = self.graph.nodes[index].op_name
        if op_name not in SLOPES:
            raise ValueError(f"Walk: nodes[{index}] is {op_name}; walks know {', '.join(SLOPES)}")
        if self.trace is not None:
            self.trace.visit(index, gradient, None)
        # [run]
        self.visits.append(index)
        node = self.graph.nodes[index]
        x, y = (buffer[0] for buffer in node.saved[:2] if buffer is not None)
        passed_on = []
        slopes = SLOPES[node.op_name](x, y)
        for position, handle in enumerate(node.inputs):
            if handle.requires_grad:
                share = gradient * slopes[position]
                self.arrive(index, position, handle, share)
                if handle.grad_fn_index is not None:
                    passed_on.append((handle.grad_fn_index, share))
        # [/run]
        return passed_on

    def arrive(self, index: int, position: int, handle: Handle, share: float) -> None:
        """Add one contribution to what the receiver has."""
        action = "add" if handle in self.arrived else "assign"
        self.arrived[handle] = self.arrived.get(handle, 0.0) + share
        if self.trace is not None:
            total = self.arrived[handle]
            self.trace.contribution(index, position, handle, handle.grad_fn_index, share, total, action, None)

    def finish(self) -> Walk:
        """Report the end."""
        if self.trace is not None:
            self.trace.done()
        return self


def first_come(graph: ComputationGraph, result: Tensor, trace: Any = None) -> Walk:
    """Run each node once, in the order in which something first arrives at it."""
    # [first-come]
    walk = Walk(graph, result, trace)
    waiting, met = deque([walk.start]), {walk.start}
    while waiting:
        node = waiting.popleft()
        for source, _ in walk.run(node, walk.total(node)):
            if source not in met:
                met.add(source)
                waiting.append(source)
    # [/first-come]
    return walk.finish()


def each_total(graph: ComputationGraph, result: Tensor, trace: Any = None) -> Walk:
    """Run a node at every arrival, each time on all that has arrived so far."""
    # [each-total]
    walk = Walk(graph, result, trace)

    def follow(node: int) -> None:
        for source, _ in walk.run(node, walk.total(node)):
            follow(source)

    follow(walk.start)
    # [/each-total]
    return walk.finish()


def each_share(graph: ComputationGraph, result: Tensor, trace: Any = None) -> Walk:
    """Run a node at every arrival, each time on what has just arrived."""
    walk = Walk(graph, result, trace)

    def follow(node: int, gradient: float) -> None:
        for source, share in walk.run(node, gradient):
            follow(source, share)

    follow(walk.start, 1.0)
    return walk.finish()


def in_order(graph: ComputationGraph, result: Tensor, order: Sequence[int], trace: Any = None) -> Walk:
    """Run the nodes in a given order, each once; one at which nothing has arrived is passed over."""
    # [in-order]
    walk = Walk(graph, result, trace)
    for node in order:
        gradient = walk.total(node)
        if gradient is not None:
            walk.run(node, gradient)
    # [/in-order]
    return walk.finish()
