"""The indexing kernels in NumPy: the same functions as `reference`.

NumPy counts a negative place from the end and broadcasts; the kernels do neither, so the operands are checked first.
`np.add.at` adds one element after the other, in the order of a flat index: `+=` would keep one of two additions to the
same place. An assignment to a flat index goes through it in the same order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chapters.ch08_indexing.checks import check_along, check_bounds, check_coordinates, check_rows

__all__ = ["gather", "gather_rows", "scatter", "scatter_add", "scatter_add_rows", "scatter_rows"]

Array = NDArray[Any]

quiet = np.errstate(all="ignore")


def check_arrays(op: str, **operands: Array) -> None:
    """Raise TypeError for an operand that is not a NumPy array."""
    for name, operand in operands.items():
        if not isinstance(operand, np.ndarray):
            raise TypeError(f"{op}: {name} is a {type(operand).__name__}; this rung takes NumPy arrays")


def outside(index: Array, size: int) -> bool:
    """Whether a place is below 0 or not below `size`."""
    return bool(index.size) and bool(index.min() < 0 or index.max() >= size)


def places_along(index: Array, axis: int) -> tuple[Any, ...]:
    """An index along one axis as one array per axis, which broadcast together."""
    places: list[Any] = list(np.ogrid[tuple([slice(size) for size in index.shape])])
    places[axis] = index
    return tuple(places)


def in_order(index: Array, axis: int) -> tuple[Array, ...]:
    """The same as flat arrays in row-major order: NumPy goes through others in the order that suits their memory."""
    return tuple([places.ravel() for places in np.broadcast_arrays(*places_along(index, axis))])


def rows_in_order(index: Array, src: Array, out: Array) -> tuple[tuple[Array, ...], Array]:
    """Coordinates as flat arrays, and the rows that belong to them."""
    count = math.prod(index.shape[1:])
    places = np.ascontiguousarray(index.reshape(len(index), count))
    return tuple(places), np.ascontiguousarray(src.reshape(count, *out.shape[len(index) :]))


def gather(x: Array, index: Array, axis: int, out: Array) -> None:
    """Read along one axis: ``out[i, j] = x[index[i, j], j]`` for axis 0 of two, and so on for others."""
    check_arrays("gather", x=x, index=index, out=out)
    check_along("gather", x, index, axis, out, out, ("x", "out"))
    if outside(index, x.shape[axis]):
        check_bounds("gather", index, axis, x.shape[axis])
    out[...] = x[places_along(index, axis)]


@quiet
def scatter_add(index: Array, src: Array, axis: int, out: Array) -> None:
    """Add along one axis, the adjoint of `gather`: ``out[index[i, j], j] += src[i, j]`` for axis 0 of two."""
    check_arrays("scatter_add", index=index, src=src, out=out)
    check_along("scatter_add", out, index, axis, src, out, ("out", "src"))
    if outside(index, out.shape[axis]):
        check_bounds("scatter_add", index, axis, out.shape[axis])
    np.add.at(out, in_order(index, axis), src.ravel())


def gather_rows(x: Array, index: Array, out: Array) -> None:
    """Read rows: ``out[k] = x[index[0, k], index[1, k], ...]``, where the first axes of `x` are indexed."""
    check_arrays("gather_rows", x=x, index=index, out=out)
    check_rows("gather_rows", x, index, out, out, ("x", "out"))
    if any(map(outside, index, x.shape)):
        check_coordinates("gather_rows", index, x.shape)
    out[...] = x[tuple(index)]


@quiet
def scatter_add_rows(index: Array, src: Array, out: Array) -> None:
    """Add rows, the adjoint of `gather_rows`: ``out[index[0, k], index[1, k], ...] += src[k]``, in the order of k."""
    check_arrays("scatter_add_rows", index=index, src=src, out=out)
    check_rows("scatter_add_rows", out, index, src, out, ("out", "src"))
    if any(map(outside, index, out.shape)):
        check_coordinates("scatter_add_rows", index, out.shape)
    np.add.at(out, *rows_in_order(index, src, out))


def scatter(index: Array, src: Array, axis: int, out: Array) -> None:
    """Write along one axis: ``out[index[i, j], j] = src[i, j]`` for axis 0 of two; the last one stays."""
    check_arrays("scatter", index=index, src=src, out=out)
    check_along("scatter", out, index, axis, src, out, ("out", "src"))
    if outside(index, out.shape[axis]):
        check_bounds("scatter", index, axis, out.shape[axis])
    out[in_order(index, axis)] = src.ravel()


def scatter_rows(index: Array, src: Array, out: Array) -> None:
    """Write rows: ``out[index[0, k], index[1, k], ...] = src[k]``, in the order of k, so that the last one stays."""
    check_arrays("scatter_rows", index=index, src=src, out=out)
    check_rows("scatter_rows", out, index, src, out, ("out", "src"))
    if any(map(outside, index, out.shape)):
        check_coordinates("scatter_rows", index, out.shape)
    places, rows = rows_in_order(index, src, out)
    out[places] = rows
