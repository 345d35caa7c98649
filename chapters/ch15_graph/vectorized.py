"""Rung 2: the same order and the same marks with NumPy, as far as they can be had without a loop over nodes.

A graph in recorded order needs no walk: its order is the list read backwards, and one comparison of whole arrays
proves that it is in that order. A walk of any other graph decides at each node where to go next; that has no form over
whole arrays, so it is left to the plain loop. Reachability goes level by level: quick for a wide graph, and for a
chain, where each level is one node, slower than the plain loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters.ch15_graph import reference
from chapters.ch15_graph.checks import check_graph, check_index, check_vector

__all__ = ["reachable", "topological_backward_order"]

Array = np.ndarray[Any, Any]


def nodes_of(op: str, offsets: Array, inputs: Array) -> int:
    """How many nodes an index graph has; what is wrong is said by `check_graph`."""
    check_vector(op, "offsets", offsets, "q")
    check_vector(op, "inputs", inputs, "q")
    nodes = len(offsets) - 1
    sound = (
        nodes >= 0
        and offsets[0] == 0
        and offsets[-1] == len(inputs)
        and bool(np.all(offsets[1:] >= offsets[:-1]))
        and bool(np.all((inputs >= -1) & (inputs < nodes)))
    )
    return nodes if sound else check_graph(op, offsets, inputs)


def topological_backward_order(offsets: Array, inputs: Array, out: Array) -> None:
    """Write the nodes in an order in which each one comes before the nodes of its inputs."""
    nodes = nodes_of("topological_backward_order", offsets, inputs)
    check_vector("topological_backward_order", "out", out, "q", nodes)
    # [order-loop]
    consumers = np.repeat(np.arange(nodes), np.diff(offsets))
    if np.all(inputs < consumers):
        out[:] = np.arange(nodes - 1, -1, -1)
    else:
        reference.topological_backward_order(offsets, inputs, out)
    # [/order-loop]


def reachable(offsets: Array, inputs: Array, root: int, out: Array) -> None:
    """Mark every node that the root leads to over inputs, the root included."""
    nodes = nodes_of("reachable", offsets, inputs)
    check_index("reachable", "root", root, nodes)
    check_vector("reachable", "out", out, "?", nodes)
    # [reachable-loop]
    out[:] = False
    out[root] = True
    level = np.array([root])
    while len(level):
        counts = offsets[level + 1] - offsets[level]
        first = np.repeat(offsets[level] - np.cumsum(counts) + counts, counts)
        children = inputs[first + np.arange(len(first))]
        children = children[children >= 0]
        level = np.unique(children[~out[children]])
        out[level] = True
    # [/reachable-loop]
