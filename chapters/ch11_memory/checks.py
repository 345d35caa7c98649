"""What the doors over lists of requests refuse, and in which words: one place for every rung."""

from __future__ import annotations

from typing import Any

from chapters.flat import NAMES, shape, typecode, values

__all__ = ["LARGEST_ALIGNMENT", "check_align", "check_requests", "check_sizes", "no_room"]

LARGEST_ALIGNMENT = 64


def check_align(op: str, align: int) -> None:
    """Raise ValueError unless `align` is a power of two up to 64."""
    if align < 1 or align > LARGEST_ALIGNMENT or align & (align - 1):
        raise ValueError(f"{op}: align is {align}; it must be a power of two up to {LARGEST_ALIGNMENT}")


def check_requests(op: str, sizes: Any, out: Any) -> None:
    """Raise unless `sizes` is one axis of int64 and `out` has an int64 for each.

    Raises
    ------
    TypeError
        For another element type.
    ValueError
        For another shape.
    """
    for name, x in (("sizes", sizes), ("out", out)):
        if len(shape(x)) != 1:
            raise ValueError(f"{op}: {name} is {shape(x)}; it must have one axis")
        # A plain list says nothing of its type and takes whatever is stored into it.
        found = "q" if isinstance(x, list) else typecode(x)
        if found != "q":
            raise TypeError(f"{op}: {name} is {NAMES[found]}; it must be int64")
    if shape(out) != shape(sizes):
        raise ValueError(f"{op}: out has {shape(out)[0]} elements; it must have {shape(sizes)[0]}, one per request")


def check_sizes(op: str, sizes: Any, least: int) -> None:
    """Raise ValueError unless every request is for at least so many bytes."""
    for k, nbytes in enumerate(values(sizes)):
        if nbytes < least:
            raise ValueError(f"{op}: sizes[{k}] is {nbytes}; it must be at least {least}")


def no_room(nbytes: int) -> MemoryError:
    """The error for a block that the heap does not have."""
    return MemoryError(f"heap_addresses: the heap has no block of {nbytes} bytes")
