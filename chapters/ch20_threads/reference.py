"""Rung 1: a fused loop, two walks over a matrix, a copy in blocks and a counter, as plain loops.

Every loop here has independent results but the counter. Which result is computed first is free, and so is which thread
computes it; the order of the additions within one result is part of the definition.
"""

from __future__ import annotations

from typing import Any

from chapters.ch20_threads.checks import check_affine, check_copy, check_count, check_rows
from chapters.flat import rounded, store, typecode, values

__all__ = ["affine_relu", "count_up", "row_sums", "transposed_copy"]


def affine_relu(x: Any, scale: float, shift: float, out: Any) -> None:
    """Write relu(scale * x + shift) in one pass: each element is read once and written once.

    Parameters
    ----------
    x, out : Buffer or numpy.ndarray
        float32 or float64 of one shape, row by row. `out` may be `x`.
    scale, shift : float
        Rounded to the element type first. The product and the sum are rounded each.

    Raises
    ------
    TypeError, ValueError
        For other element types, shapes or orders.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (3,))
    >>> affine_relu(Buffer([-1.0, 0.0, 2.0]), 2.0, 1.0, out)
    >>> out.tolist()
    [0.0, 1.0, 5.0]
    """
    check_affine(x, out)
    code = typecode(x)
    scale, shift = rounded(scale, code), rounded(shift, code)
    result = []
    # region [affine_relu]
    for value in values(x):
        moved = rounded(rounded(scale * value, code) + shift, code)
        result.append(0.0 if moved <= 0 else moved)  # a nan is not below zero, and stays
    # endregion [affine_relu]
    store(out, result)


def row_sums(x: Any, out: Any, by_columns: bool = False) -> None:
    """Sum each row of a matrix from left to right, on one of two walks that give the same bits.

    Parameters
    ----------
    x : Buffer or numpy.ndarray
        A matrix of float32 or float64, row by row.
    out : Buffer or numpy.ndarray
        One number a row, with memory of its own.
    by_columns : bool
        Whether to visit the first column of all rows, then the second, and so on.

    Raises
    ------
    TypeError, ValueError
        For other element types, shapes or orders.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (2,))
    >>> row_sums(Buffer([1, 2, 3, 4, 5, 6], (2, 3)), out)
    >>> out.tolist()
    [6.0, 15.0]
    """
    rows, columns = check_rows(x, out)
    code, elements = typecode(x), values(x)
    sums = [0.0] * rows
    # region [row_sums]
    if by_columns:
        for j in range(columns):
            for i in range(rows):
                sums[i] = rounded(sums[i] + elements[i * columns + j], code)
    else:
        for i in range(rows):
            for j in range(columns):
                sums[i] = rounded(sums[i] + elements[i * columns + j], code)
    # endregion [row_sums]
    store(out, sums)


def transposed_copy(x: Any, out: Any, block: int = 16) -> None:
    """Copy a matrix so that its columns become rows, one square block after the other.

    Parameters
    ----------
    x, out : Buffer or numpy.ndarray
        Matrices of float32 or float64, row by row; `out` has as many rows as `x` has columns, and its own memory.
    block : int
        Rows and columns of a block. 1 walks without blocks.

    Raises
    ------
    TypeError, ValueError
        For other element types, shapes or orders, or a block below 1.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (3, 2))
    >>> transposed_copy(Buffer([1, 2, 3, 4, 5, 6], (2, 3)), out)
    >>> out.tolist()
    [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """
    rows, columns = check_copy(x, out, block)
    elements = values(x)
    result = [0.0] * len(elements)
    # region [transposed_copy]
    for top in range(0, rows, block):
        for left in range(0, columns, block):
            for i in range(top, min(top + block, rows)):
                for j in range(left, min(left + block, columns)):
                    result[j * rows + i] = elements[i * columns + j]
    # endregion [transposed_copy]
    store(out, result)


def count_up(counters: Any, place: int, times: int) -> None:
    """Add 1 to a counter so many times: read, add, write. Two threads that share a counter lose counts.

    Parameters
    ----------
    counters : Buffer or numpy.ndarray
        int64, one axis, without gaps.
    place : int
        Which of them.
    times : int
        How often.

    Raises
    ------
    TypeError, ValueError
        For other element types or shapes, a place that is not there, or times below 0.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> counters = Buffer([0, 0], typecode="q")
    >>> count_up(counters, 1, 5)
    >>> counters.tolist()
    [0, 5]
    """
    check_count(counters, place, times)
    # region [count_up]
    for _ in range(times):
        counters[place] = counters[place] + 1
    # endregion [count_up]
