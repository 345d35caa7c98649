"""Rung 1, the definition of broadcasting: an operand repeats by not moving.

A row-major operand of shape (1, 3) fills (2, 3) without being copied: each step along axis 0 moves 0 elements on, each
step along axis 1 moves 1. `BroadcastSpec` holds these strides, and the walk below turns them into the offset that each
element of the result reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from chapters.ch07_broadcasting.spec import BroadcastSpec, broadcast_shapes, check_offsets
from chapters.flat import store

__all__ = ["BroadcastSpec", "broadcast_offsets", "broadcast_shapes"]


# region [walk]
def walk(spec: BroadcastSpec) -> list[int]:
    """Per element of the target, in row-major order, the offset of the operand's element that it reads.

    The index counts like an odometer: the last axis turns fastest, and an axis that is through goes back to its start
    and lets the one before it step.

    >>> walk(BroadcastSpec((1, 3), (2, 3)))
    [0, 1, 2, 0, 1, 2]
    """
    axes = len(spec.target)
    index = [0] * axes
    offset = 0
    found = []
    for _ in range(prod(spec.target)):
        found.append(offset)
        for axis in reversed(range(axes)):
            index[axis] += 1
            offset += spec.strides[axis]
            if index[axis] < spec.target[axis]:
                break
            offset -= index[axis] * spec.strides[axis]
            index[axis] = 0
    return found


# endregion [walk]


def merge(sizes: Sequence[int], steps: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """The same walk over fewer axes: those of size 1 dropped, and two made one where every operand allows it.

    Two neighbouring axes are one when, for each operand, a step along the first is as long as all the steps along the
    second. The walk then comes by the same offsets, and the innermost loop is longer.

    Parameters
    ----------
    sizes : sequence of int
        One size per axis, none of them 0.
    steps : sequence of sequence of int
        Per operand, how far one step along each axis moves.

    Returns
    -------
    tuple of list
        Sizes and steps of the shorter walk, which has at least one axis.

    Examples
    --------
    Two operands without gaps are one row of six; a repeated row and its partner are not.

    >>> merge((2, 3), [(3, 1), (3, 1)])
    ([6], [[1], [1]])
    >>> merge((2, 3), [(3, 1), (0, 1)])
    ([2, 3], [[3, 1], [0, 1]])
    """
    # region [merge]
    kept: list[int] = []
    moves: list[list[int]] = [[] for _ in steps]
    for axis, size in enumerate(sizes):
        if size == 1:
            continue
        joins = bool(kept) and all(move[-1] == own[axis] * size for move, own in zip(moves, steps, strict=True))
        if joins:
            kept[-1] *= size
        else:
            kept.append(size)
        for move, own in zip(moves, steps, strict=True):
            move[len(kept) - 1 :] = [own[axis]]
    # endregion [merge]
    return (kept, moves) if kept else ([1], [[0] for _ in steps])


def broadcast_offsets(spec: BroadcastSpec, out: Any) -> None:
    """Write, for each element of the target, the offset of the operand's element that it reads.

    Parameters
    ----------
    spec : BroadcastSpec
        The operand's shape and the target's.
    out : int64, shape ``spec.target``
        Receives offsets in elements of a row-major operand.

    Raises
    ------
    TypeError
        When `out` is not int64.
    ValueError
        When `out` has another shape than the target.

    Notes
    -----
    One addition per element, and one more per axis that turns over. Every rung gives the same integers.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> offsets = Buffer.full(0, (2, 3), "q")
    >>> broadcast_offsets(BroadcastSpec((2, 1), (2, 3)), offsets)
    >>> offsets.tolist()
    [[0, 0, 0], [1, 1, 1]]
    """
    check_offsets(spec, out)
    store(out, walk(spec))
