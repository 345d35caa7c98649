"""What the doors of this chapter refuse, and in which words: one place, so that every rung raises the same error.

A reference checks before it computes. The twin tests the same things faster in C, and comes here only when something
is wrong, to say what.
"""

from __future__ import annotations

from typing import Any

from chapters.flat import NAMES, shape, typecode, values

__all__ = ["check_along", "check_bounds", "check_coordinates", "check_rows"]


def check_types(op: str, table: Any, index: Any, lined: Any, out: Any, names: tuple[str, str]) -> None:
    """Raise TypeError for element types that do not go together, ValueError where `out` cannot be written."""
    if typecode(index) != "q":
        raise TypeError(f"{op}: index is {NAMES[typecode(index)]}; it must be int64")
    if typecode(table) != typecode(lined):
        raise TypeError(
            f"{op}: {names[0]} is {NAMES[typecode(table)]} but {names[1]} is {NAMES[typecode(lined)]}; cast one first"
        )
    for name, operand in ((names[0], table), ("index", index), (names[1], lined)):
        if not getattr(getattr(operand, "flags", None), "aligned", True):
            raise ValueError(f"{op}: {name} is not aligned to its element size; pass a copy")
    if not getattr(getattr(out, "flags", None), "writeable", True):
        raise ValueError(f"{op}: out is read-only; pass a writable array")


def check_bounds(op: str, index: Any, axis: int, size: int) -> None:
    """Raise IndexError for the first place, in row-major order, that is below 0 or not below `size`."""
    for place in values(index):
        if not 0 <= place < size:
            raise IndexError(f"{op}: index {place} is out of bounds for axis {axis} with size {size}")


def check_along(op: str, table: Any, index: Any, axis: int, lined: Any, out: Any, names: tuple[str, str]) -> None:
    """Raise for operands that a kernel along one axis does not take.

    Parameters
    ----------
    op : str
        The kernel's name, which every error begins with.
    table : array or flat sequence
        What the index points into.
    index : array or flat sequence
        The places along `axis`.
    axis : int
        The axis they count along.
    lined : array or flat sequence
        What has one element per place.
    out : array or flat sequence
        The one of the two that is written.
    names : tuple of str
        What the kernel calls `table` and `lined`.

    Raises
    ------
    TypeError
        For an index that is not int64, or two element types.
    ValueError
        For shapes that do not go together, an axis that is not there, or an `out` that cannot be written.
    """
    check_types(op, table, index, lined, out, names)
    have, wanted = shape(table), shape(index)
    if not 0 <= axis < len(have):
        raise ValueError(f"{op}: axis is {axis} but {names[0]} has {len(have)} axes, counted from 0")
    if shape(lined) != wanted:
        raise ValueError(f"{op}: index is {wanted} but {names[1]} is {shape(lined)}; they must have one shape")
    others = [(own, size) for d, (own, size) in enumerate(zip(wanted, have, strict=False)) if d != axis]
    if len(wanted) != len(have) or any(own > size for own, size in others):
        raise ValueError(
            f"{op}: index is {wanted} but {names[0]} is {have}; it must have as many axes, and no size above that of "
            f"{names[0]} except along axis {axis}"
        )


def check_rows(op: str, table: Any, index: Any, lined: Any, out: Any, names: tuple[str, str]) -> None:
    """Raise for operands that a kernel over rows does not take; parameters and errors as `check_along`."""
    check_types(op, table, index, lined, out, names)
    have, places = shape(table), shape(index)
    if not places or not 1 <= places[0] <= len(have):
        raise ValueError(
            f"{op}: index is {places} but {names[0]} is {have}; its first axis holds one coordinate per indexed axis, "
            f"1 to {len(have)}"
        )
    wanted = (*places[1:], *have[places[0] :])
    if shape(lined) != wanted:
        raise ValueError(
            f"{op}: index {places} into {names[0]} {have} makes {wanted}, but {names[1]} is {shape(lined)}"
        )


def check_coordinates(op: str, index: Any, sizes: tuple[int, ...]) -> None:
    """As `check_bounds`, for one row of coordinates per axis."""
    coordinates, axes = values(index), shape(index)[0]
    count = len(coordinates) // axes
    for axis in range(axes):
        check_bounds(op, coordinates[axis * count : (axis + 1) * count], axis, sizes[axis])
