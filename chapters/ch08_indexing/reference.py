"""Rung 1, the definition of the indexing kernels: one plain loop each.

An index names places. `gather` and `gather_rows` read them, `scatter` and `scatter_rows` write them; `scatter_add` and
`scatter_add_rows` add to them, which is what the gradient of reading does. Along one axis, every element of the result
has a place of its own; over rows, one place stands for all that lies below it.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

from chapters.ch08_indexing.checks import check_along, check_bounds, check_coordinates, check_rows
from chapters.flat import element, shape, store, typecode, values

__all__ = ["gather", "gather_rows", "scatter", "scatter_add", "scatter_add_rows", "scatter_rows"]


def offsets_along(sizes: tuple[int, ...], index: Any, axis: int) -> list[int]:
    """The offset, in a row-major buffer of these sizes, of the place that each element of an index names."""
    steps = [prod(sizes[d + 1 :]) for d in range(len(sizes))]
    found = []
    for position, place in zip(product(*map(range, shape(index))), values(index), strict=True):
        offset = int(place) * steps[axis]
        for d, coordinate in enumerate(position):
            if d != axis:
                offset += coordinate * steps[d]
        found.append(offset)
    return found


def row_offsets(sizes: tuple[int, ...], index: Any) -> list[int]:
    """The offset of the row that each column of coordinates names."""
    coordinates = values(index)
    axes, *rest = shape(index)
    count = prod(rest)
    found = []
    for k in range(count):
        row = 0
        for axis in range(axes):
            row = row * sizes[axis] + int(coordinates[axis * count + k])
        found.append(row * prod(sizes[axes:]))
    return found


# region [gather]
def gather(x: Any, index: Any, axis: int, out: Any) -> None:
    """Read along one axis: ``out[i, j] = x[index[i, j], j]`` for axis 0 of two, and so on for others.

    Parameters
    ----------
    x : float32, float64, int64 or bool
        What is read.
    index : int64, of as many axes as `x`
        Places along `axis`, counted from the front. Along the other axes it may be shorter than `x`.
    axis : int
        The axis, counted from the front.
    out : of the type of `x` and the shape of `index`
        Receives the elements.

    Raises
    ------
    TypeError
        For an index that is not int64, or two element types.
    ValueError
        For shapes that do not go together, an axis that is not there, or an `out` that cannot be written.
    IndexError
        For a place outside of `x`.

    Notes
    -----
    Exact: every rung gives the same bits. The other kernels raise the same errors; where one is raised, `out` is as it
    was.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (2, 2))
    >>> gather(Buffer([1, 2, 3, 4], (2, 2)), Buffer([1, 1, 0, 1], (2, 2), "q"), 1, out)
    >>> out.tolist()
    [[2.0, 2.0], [3.0, 4.0]]
    """
    check_along("gather", x, index, axis, out, out, ("x", "out"))
    check_bounds("gather", index, axis, shape(x)[axis])
    given = values(x)
    results = []
    for offset in offsets_along(shape(x), index, axis):
        results.append(given[offset])
    store(out, results)


# endregion [gather]


# region [scatter-add]
def scatter_add(index: Any, src: Any, axis: int, out: Any) -> None:
    """Add along one axis, the adjoint of `gather`: ``out[index[i, j], j] += src[i, j]`` for axis 0 of two.

    Places that are named twice receive both, one after the other in row-major order of the index: that order is part
    of the definition, and int64 wraps. Of bools the sum is *or*.

    Parameters
    ----------
    index : int64, of as many axes as `out`
        Places along `axis`, counted from the front. Along the other axes it may be shorter than `out`.
    src : of the type of `out` and the shape of `index`
        What is added.
    axis : int
        The axis, counted from the front.
    out : float32, float64, int64 or bool
        What is added to.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (3,))
    >>> scatter_add(Buffer([0, 2, 0], (3,), "q"), Buffer([1, 2, 3]), 0, out)
    >>> out.tolist()
    [4.0, 0.0, 2.0]
    """
    check_along("scatter_add", out, index, axis, src, out, ("out", "src"))
    check_bounds("scatter_add", index, axis, shape(out)[axis])
    totals, code = values(out), typecode(out)
    for offset, value in zip(offsets_along(shape(out), index, axis), values(src), strict=True):
        totals[offset] = element(totals[offset] + value, code)
    store(out, totals)


# endregion [scatter-add]


def scatter(index: Any, src: Any, axis: int, out: Any) -> None:
    """Write along one axis: ``out[index[i, j], j] = src[i, j]`` for axis 0 of two; the last one stays.

    Operands and errors are those of `scatter_add`. Of several elements with one place, the last in row-major order of
    the index is what the place holds in the end.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (3,))
    >>> scatter(Buffer([0, 2, 0], (3,), "q"), Buffer([1, 2, 3]), 0, out)
    >>> out.tolist()
    [3.0, 0.0, 2.0]
    """
    check_along("scatter", out, index, axis, src, out, ("out", "src"))
    check_bounds("scatter", index, axis, shape(out)[axis])
    held = values(out)
    for offset, value in zip(offsets_along(shape(out), index, axis), values(src), strict=True):
        held[offset] = value
    store(out, held)


# region [gather-rows]
def gather_rows(x: Any, index: Any, out: Any) -> None:
    """Read rows: ``out[k] = x[index[0, k], index[1, k], ...]``, where the first axes of `x` are indexed.

    With one row of coordinates this is the lookup of an embedding: ``out[k] = x[index[0, k]]``.

    Parameters
    ----------
    x : float32, float64, int64 or bool
        What is read.
    index : int64, of shape (m, ...)
        Per place, its coordinates on the first m axes of `x`, counted from the front.
    out : of the type of `x` and the shape ``index.shape[1:] + x.shape[m:]``
        Receives the rows.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (3, 2))
    >>> gather_rows(Buffer([1, 2, 3, 4], (2, 2)), Buffer([1, 0, 1], (1, 3), "q"), out)
    >>> out.tolist()
    [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]
    """
    check_rows("gather_rows", x, index, out, out, ("x", "out"))
    check_coordinates("gather_rows", index, shape(x))
    given, length = values(x), prod(shape(x)[shape(index)[0] :])
    results = []
    for offset in row_offsets(shape(x), index):
        results.extend(given[offset : offset + length])
    store(out, results)


# endregion [gather-rows]


# region [scatter-add-rows]
def scatter_add_rows(index: Any, src: Any, out: Any) -> None:
    """Add rows, the adjoint of `gather_rows`: ``out[index[0, k], index[1, k], ...] += src[k]``, one k after the other.

    Parameters
    ----------
    index : int64, of shape (m, ...)
        Per row, its coordinates on the first m axes of `out`, counted from the front.
    src : of the type of `out` and the shape ``index.shape[1:] + out.shape[m:]``
        The rows.
    out : float32, float64, int64 or bool
        What is added to.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (2, 2))
    >>> scatter_add_rows(Buffer([1, 1], (1, 2), "q"), Buffer([1, 2, 3, 4], (2, 2)), out)
    >>> out.tolist()
    [[0.0, 0.0], [4.0, 6.0]]
    """
    check_rows("scatter_add_rows", out, index, src, out, ("out", "src"))
    check_coordinates("scatter_add_rows", index, shape(out))
    totals, given, code = values(out), values(src), typecode(out)
    length = prod(shape(out)[shape(index)[0] :])
    for k, offset in enumerate(row_offsets(shape(out), index)):
        for j in range(length):
            totals[offset + j] = element(totals[offset + j] + given[k * length + j], code)
    store(out, totals)


# endregion [scatter-add-rows]


def scatter_rows(index: Any, src: Any, out: Any) -> None:
    """Write rows: ``out[index[0, k], index[1, k], ...] = src[k]``, in the order of k, so that the last one stays.

    Operands and errors are those of `scatter_add_rows`.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (2, 2))
    >>> scatter_rows(Buffer([1, 1], (1, 2), "q"), Buffer([1, 2, 3, 4], (2, 2)), out)
    >>> out.tolist()
    [[0.0, 0.0], [3.0, 4.0]]
    """
    check_rows("scatter_rows", out, index, src, out, ("out", "src"))
    check_coordinates("scatter_rows", index, shape(out))
    held, given = values(out), values(src)
    length = prod(shape(out)[shape(index)[0] :])
    for k, offset in enumerate(row_offsets(shape(out), index)):
        held[offset : offset + length] = given[k * length : (k + 1) * length]
    store(out, held)
