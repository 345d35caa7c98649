"""Rung 1, the definition: count what each node waits for, then run what waits for nothing."""

from __future__ import annotations

from typing import Any

from chapters.ch15_graph.checks import check_graph, check_index, check_vector
from chapters.flat import store, values

__all__ = ["count_dependencies", "ready_order"]


# [count-dependencies]
def count_dependencies(offsets: Any, inputs: Any, root: int, counts: Any) -> None:
    """For each node that the root leads to, count the edges that point to it.

    Parameters
    ----------
    offsets : int64, shape (nodes + 1,)
        Node i takes its inputs from ``inputs[offsets[i]:offsets[i + 1]]``.
    inputs : int64, shape (edges,)
        Numbers of nodes, -1 where there is none.
    root : int
        Where a backward pass starts.
    counts : int64, shape (nodes,)
        Written: how many contributions the node waits for, -1 for a node that the root does not lead to.

    Raises
    ------
    TypeError
        When an array is not int64.
    ValueError
        When a shape is wrong, or `root` or an input is no node.

    Examples
    --------
    A diamond: node 3 adds nodes 1 and 2, which both use node 0.

    >>> counts = [0] * 4
    >>> count_dependencies([0, 0, 1, 2, 4], [0, 0, 1, 2], 3, counts)
    >>> counts
    [2, 1, 1, 0]
    """
    nodes = check_graph("count_dependencies", offsets, inputs)
    check_index("count_dependencies", "root", root, nodes)
    check_vector("count_dependencies", "counts", counts, "q", nodes)
    store(counts, counted(values(offsets), values(inputs), root))


# [/count-dependencies]


# [counted]
def counted(cut: list[Any], source: list[Any], root: int) -> list[int]:
    """The counts of a graph that is known to be sound."""
    waiting = [-1] * (len(cut) - 1)
    waiting[root] = 0
    stack = [root]
    while stack:
        node = stack.pop()
        for position in range(cut[node], cut[node + 1]):
            child = source[position]
            if child < 0:
                continue
            if waiting[child] < 0:
                waiting[child] = 0
                stack.append(child)
            waiting[child] += 1
    return waiting


# [/counted]


# [ready-order]
def ready_order(offsets: Any, inputs: Any, root: int, order: Any) -> None:
    """The order in which a backward pass runs the nodes: each one when its last contribution has arrived.

    Ready nodes wait on a stack: the one that became ready last runs first.

    Parameters
    ----------
    offsets, inputs, root
        The graph and its root, as in `count_dependencies`.
    order : int64, shape (nodes,)
        Written: the nodes as they run, then -1 for each node that the root does not lead to.

    Raises
    ------
    TypeError
        When an array is not int64.
    ValueError
        When a shape is wrong, `root` or an input is no node, or a cycle keeps nodes waiting.

    Examples
    --------
    In the diamond, node 2 is pushed last and runs before node 1; node 0 waits for both.

    >>> order = [0] * 4
    >>> ready_order([0, 0, 1, 2, 4], [0, 0, 1, 2], 3, order)
    >>> order
    [3, 2, 1, 0]
    """
    nodes = check_graph("ready_order", offsets, inputs)
    check_index("ready_order", "root", root, nodes)
    check_vector("ready_order", "order", order, "q", nodes)
    cut: list[Any] = values(offsets)
    source: list[Any] = values(inputs)
    waiting = counted(cut, source, root)
    reached = nodes - waiting.count(-1)
    ran = []
    ready = [root] if waiting[root] == 0 else []
    while ready:
        node = ready.pop()
        ran.append(node)
        for position in range(cut[node], cut[node + 1]):
            child = source[position]
            if child < 0:
                continue
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    if len(ran) < reached:
        raise ValueError(f"ready_order: the graph has a cycle; {reached - len(ran)} of {reached} nodes wait for ever")
    store(order, ran + [-1] * (nodes - reached))


# [/ready-order]
