"""Rung 2: sums and additions as whole arrays; the walk stays a loop.

A backward walk cannot be had as one operation over arrays: what an entry passes on depends on everything that reached
it before, entry by entry. Grouping entries by depth would do for a wide tape and not for a chain, so the walk below is
the plain one, over Python numbers, which it reads quicker than NumPy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters.ch17_engine import reference
from chapters.ch17_engine.checks import check_accumulate, check_unbroadcast

__all__ = ["accumulate_gradient", "traverse", "unbroadcast_gradient"]

Array = np.ndarray[Any, Any]


def unbroadcast_gradient(grad: Array, out: Array) -> None:
    """Sum a gradient down to the shape of an operand that was broadcast."""
    check_unbroadcast(grad, out)
    # [unbroadcast-loop]
    lead = grad.ndim - out.ndim
    axes = (*range(lead), *(lead + axis for axis, size in enumerate(out.shape) if size == 1))
    with np.errstate(all="ignore"):
        out[...] = np.sum(grad, axis=axes, dtype=grad.dtype, keepdims=True).reshape(out.shape)
    # [/unbroadcast-loop]


def accumulate_gradient(total: Array, incoming: Array, out: Array) -> None:
    """Write total + incoming to a buffer of its own; neither operand changes."""
    check_accumulate(total, incoming, out)
    # [accumulate-loop]
    with np.errstate(all="ignore"):
        np.add(total, incoming, out=out)
    # [/accumulate-loop]


def traverse(op: Array, left: Array, right: Array, value: Array, root: int, grad: Array) -> None:
    """Walk a tape of scalars backwards from its root and fill the gradient of every entry."""
    # [traverse-loop]
    reference.traverse(op, left, right, value, root, grad)
    # [/traverse-loop]
