"""Rung 1, the definition: backward order and reachability over an index graph, by explicit stacks and no recursion."""

from __future__ import annotations

from typing import Any

from chapters.ch15_graph.checks import check_graph, check_index, check_vector
from chapters.flat import store, values

__all__ = ["reachable", "topological_backward_order"]


# [topological-backward-order]
def topological_backward_order(offsets: Any, inputs: Any, out: Any) -> None:
    """Write the nodes in an order in which each one comes before the nodes of its inputs.

    Parameters
    ----------
    offsets : int64, shape (nodes + 1,)
        Node i takes its inputs from ``inputs[offsets[i]:offsets[i + 1]]``.
    inputs : int64, shape (edges,)
        Numbers of the nodes that made them, -1 where no node did.
    out : int64, shape (nodes,)
        The order.

    Raises
    ------
    TypeError
        When an array is not int64.
    ValueError
        When a shape is wrong, an input is no node, or the graph has a cycle.

    Notes
    -----
    Depth first from node 0 up, read backwards; linear in nodes and edges. For a recorded graph, whose inputs have
    smaller numbers than the node itself, that is the list from its end to its start.

    Examples
    --------
    The running example: node 0 is the product of two leaves, node 1 adds a leaf to it.

    >>> order = [0, 0]
    >>> topological_backward_order([0, 2, 4], [-1, -1, 0, -1], order)
    >>> order
    [1, 0]
    """
    nodes = check_graph("topological_backward_order", offsets, inputs)
    check_vector("topological_backward_order", "out", out, "q", nodes)
    # [order-loop]
    end: list[Any] = values(offsets)[1:]
    position: list[Any] = values(offsets)[:-1]
    source: list[Any] = values(inputs)
    state = [0] * nodes  # 0 not seen, 1 on the stack, 2 done
    done = []
    for start in range(nodes):
        if state[start] != 0:
            continue
        stack = [start]
        state[start] = 1
        while stack:
            node = stack[-1]
            if position[node] == end[node]:
                stack.pop()
                state[node] = 2
                done.append(node)
                continue
            child = source[position[node]]
            position[node] += 1
            if child < 0 or state[child] == 2:
                continue
            if state[child] == 1:
                raise ValueError(f"topological_backward_order: node {child} is an input of itself, over a cycle")
            state[child] = 1
            stack.append(child)
    store(out, done[::-1])
    # [/order-loop]


# [/topological-backward-order]


# [reachable]
def reachable(offsets: Any, inputs: Any, root: int, out: Any) -> None:
    """Mark every node that the root leads to over inputs, the root included.

    Parameters
    ----------
    offsets, inputs
        The graph, as in `topological_backward_order`.
    root : int
        Where to start.
    out : bool, shape (nodes,)
        The marks.

    Raises
    ------
    TypeError
        When an array has another element type.
    ValueError
        When a shape is wrong, or `root` or an input is no node.

    Examples
    --------
    >>> marks = [False] * 3
    >>> reachable([0, 1, 2, 3], [-1, 0, 0], 1, marks)
    >>> marks
    [True, True, False]
    """
    nodes = check_graph("reachable", offsets, inputs)
    check_index("reachable", "root", root, nodes)
    check_vector("reachable", "out", out, "?", nodes)
    # [reachable-loop]
    cut: list[Any] = values(offsets)
    source: list[Any] = values(inputs)
    seen = [False] * nodes
    seen[root] = True
    stack = [root]
    while stack:
        node = stack.pop()
        for position in range(cut[node], cut[node + 1]):
            child = source[position]
            if child >= 0 and not seen[child]:
                seen[child] = True
                stack.append(child)
    store(out, seen)
    # [/reachable-loop]


# [/reachable]
