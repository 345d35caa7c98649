"""Rung 2: counting as one histogram over whole arrays; the ready stack stays a loop.

Which node is ready next depends on the one that ran before, so there is no form of the stack over whole arrays. The
loop is the plain one, over Python integers, which it reads quicker than NumPy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters.ch15_graph.checks import check_index, check_vector
from chapters.ch15_graph.vectorized import nodes_of, reachable
from chapters.ch18_define_by_run import reference

__all__ = ["count_dependencies", "ready_order"]

Array = np.ndarray[Any, Any]


def count_dependencies(offsets: Array, inputs: Array, root: int, counts: Array) -> None:
    """For each node that the root leads to, count the edges that point to it."""
    nodes = nodes_of("count_dependencies", offsets, inputs)
    check_index("count_dependencies", "root", root, nodes)
    check_vector("count_dependencies", "counts", counts, "q", nodes)
    # [counted]
    reached = np.empty(nodes, np.bool_)
    reachable(offsets, inputs, root, reached)
    used = inputs[np.repeat(reached, np.diff(offsets)) & (inputs >= 0)]
    counts[:] = np.where(reached, np.bincount(used, minlength=nodes), -1)
    # [/counted]


def ready_order(offsets: Array, inputs: Array, root: int, order: Array) -> None:
    """The order in which a backward pass runs the nodes: each one when its last contribution has arrived."""
    reference.ready_order(offsets, inputs, root, order)
