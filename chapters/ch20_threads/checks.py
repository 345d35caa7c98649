"""What the kernels of this chapter refuse, and in which words: one text for all rungs."""

from __future__ import annotations

from typing import Any

from chapters.flat import NAMES, typecode
from chapters.flat import shape as shape_of

__all__ = ["check_affine", "check_copy", "check_count", "check_rows"]


def require_rows(name: str, **operands: Any) -> None:
    """Raise unless all operands are floats of one type that lie in memory row by row."""
    codes = {label: typecode(operand) for label, operand in operands.items()}
    for label, code in codes.items():
        if code not in "fd":
            raise TypeError(f"{name}: {label} is {NAMES[code]}; cast it to float32 or float64")
        if code != codes["x"]:
            raise TypeError(f"{name}: x is {NAMES[codes['x']]} but {label} is {NAMES[code]}; cast one of them")
        flags = getattr(operands[label], "flags", None)
        if flags is not None and not flags.c_contiguous:
            raise ValueError(f"{name}: {label} has gaps or another order; copy it row by row first")


def require_matrix(name: str, x: Any) -> tuple[int, int]:
    """The rows and columns of x; raise unless it is a matrix."""
    shape = shape_of(x)
    if len(shape) != 2:
        raise ValueError(f"{name}: x is {shape}; it needs two axes")
    return shape[0], shape[1]


def require_shape(name: str, x: Any, out: Any, wanted: tuple[int, ...]) -> None:
    """Raise unless out has the shape that x calls for."""
    if shape_of(out) != wanted:
        raise ValueError(f"{name}: x is {shape_of(x)} but out is {shape_of(out)}; make out {wanted}")


def check_affine(x: Any, out: Any) -> None:
    """Raise unless out can take relu(scale * x + shift)."""
    require_rows("affine_relu", x=x, out=out)
    require_shape("affine_relu", x, out, shape_of(x))


def check_rows(x: Any, out: Any) -> tuple[int, int]:
    """The rows and columns of x; raise unless out can take the sums of its rows."""
    rows, columns = require_matrix("row_sums", x)
    require_rows("row_sums", x=x, out=out)
    require_shape("row_sums", x, out, (rows,))
    return rows, columns


def check_copy(x: Any, out: Any, block: int) -> tuple[int, int]:
    """The rows and columns of x; raise unless out can take its transpose in blocks of this size."""
    rows, columns = require_matrix("transposed_copy", x)
    require_rows("transposed_copy", x=x, out=out)
    require_shape("transposed_copy", x, out, (columns, rows))
    if block < 1:
        raise ValueError(f"transposed_copy: block is {block}; it is at least 1")
    return rows, columns


def check_count(counters: Any, place: int, times: int) -> None:
    """Raise unless counters is a row of int64 that has the place, and times is not negative."""
    shape, code = shape_of(counters), typecode(counters)
    if code != "q":
        raise TypeError(f"count_up: counters is {NAMES[code]}; it holds int64")
    if len(shape) != 1:
        raise ValueError(f"count_up: counters is {shape}; it needs one axis")
    flags = getattr(counters, "flags", None)
    if flags is not None and not flags.c_contiguous:
        raise ValueError("count_up: counters has gaps or another order; copy it row by row first")
    if not 0 <= place < shape[0]:
        raise ValueError(f"count_up: place is {place}; there are {shape[0]} counters")
    if times < 0:
        raise ValueError(f"count_up: times is {times}; it is at least 0")
