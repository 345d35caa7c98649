"""BroadcastSpec: how one shape repeats to fill another, and which axes a gradient is summed over on the way back."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from chapters.flat import NAMES, shape, typecode

__all__ = ["BroadcastSpec", "broadcast_shapes", "check_offsets"]


def broadcast_shapes(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that two operands share once axes of size 1, and axes that one lacks in front, repeat.

    Aligned from the right, two sizes must be equal or one of them 1.

    Parameters
    ----------
    a, b : tuple of int
        The two shapes.

    Returns
    -------
    tuple of int
        One size per axis of the longer shape.

    Raises
    ------
    ValueError
        When two sizes differ and neither is 1.

    Examples
    --------
    >>> broadcast_shapes((2, 3), (1, 3))
    (2, 3)
    >>> broadcast_shapes((4, 1), (3,))
    (4, 3)
    """
    # region [align]
    merged = []
    for back, (own, other) in enumerate(zip_longest(reversed(a), reversed(b), fillvalue=1)):
        if own != other and 1 not in (own, other):
            raise ValueError(
                f"The size of tensor a ({own}) must match the size of tensor b ({other}) "
                f"at non-singleton dimension {max(len(a), len(b)) - 1 - back}"
            )
        merged.append(other if own == 1 else own)
    return tuple(reversed(merged))
    # endregion [align]


class BroadcastSpec:
    """How an operand of one shape fills a target shape without being copied.

    Parameters
    ----------
    shape : tuple of int
        The operand's shape.
    target : tuple of int
        The shape to fill.

    Attributes
    ----------
    shape, target : tuple of int
        As given.
    repeats : tuple of bool
        Per axis of the target, whether the operand repeats along it.
    strides : tuple of int
        Per axis of the target, how many elements of the operand (row-major) one step moves; 0 where it repeats.
    reduce_axes : tuple of int
        The way back: the axes over which a gradient of the target's shape is summed to become one of the operand's.

    Raises
    ------
    ValueError
        When the operand cannot fill the target.

    Notes
    -----
    Repeating is reading the same element again, so its reverse is adding up what arrives at each copy: a sum over
    `reduce_axes` undoes in the backward pass what stride 0 did in the forward pass.

    Examples
    --------
    >>> spec = BroadcastSpec((1, 3), (2, 3))
    >>> spec.repeats, spec.strides, spec.reduce_axes
    ((True, False), (0, 1), (0,))
    """

    __slots__ = ("reduce_axes", "repeats", "shape", "strides", "target")

    def __init__(self, shape: tuple[int, ...], target: tuple[int, ...]) -> None:
        # region [may repeat]
        lead = len(target) - len(shape)
        if lead < 0:
            raise ValueError(f"BroadcastSpec: {shape} has {len(shape)} axes but the target {target} has {len(target)}")
        for axis, (own, to) in enumerate(zip(shape, target[lead:], strict=True)):
            if own not in (1, to):
                raise ValueError(
                    f"BroadcastSpec: {shape} cannot fill {target}; its axis {axis} has size {own}, not 1 or {to}"
                )
        # endregion [may repeat]
        # region [strides]
        strides, step = [0] * len(target), 1
        for axis in reversed(range(len(shape))):
            if shape[axis] != 1:
                strides[lead + axis] = step
            step *= shape[axis]
        self.shape = shape
        self.target = target
        self.repeats = tuple(axis < lead or shape[axis - lead] != to for axis, to in enumerate(target))
        self.strides = tuple(strides)
        self.reduce_axes = tuple(axis for axis, repeated in enumerate(self.repeats) if repeated)
        # endregion [strides]

    def __repr__(self) -> str:
        return f"BroadcastSpec({self.shape}, {self.target})"


def check_offsets(spec: BroadcastSpec, out: Any) -> None:
    """Raise for an `out` that cannot take the offsets of a spec.

    Raises
    ------
    TypeError
        When it is not int64.
    ValueError
        When its shape is not the target, or it cannot be written.
    """
    if typecode(out) != "q":
        raise TypeError(f"broadcast_offsets: out is {NAMES[typecode(out)]}; offsets are int64")
    if shape(out) != spec.target:
        raise ValueError(f"broadcast_offsets: out is {shape(out)} but the spec's target is {spec.target}")
    if not getattr(getattr(out, "flags", None), "writeable", True):
        raise ValueError("broadcast_offsets: out is read-only; pass a writable array")
