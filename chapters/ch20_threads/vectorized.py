"""Rung 2: the same in NumPy, which makes one pass for each operation and leaves the walks to itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters.ch20_threads.checks import check_affine, check_copy, check_count, check_rows

__all__ = ["affine_relu", "count_up", "row_sums", "transposed_copy"]

Array = np.ndarray[Any, Any]


def affine_relu(x: Array, scale: float, shift: float, out: Array) -> None:
    """Write relu(scale * x + shift) in three passes."""
    check_affine(x, out)
    # region [affine_relu]
    np.multiply(x, x.dtype.type(scale), out=out)
    np.add(out, x.dtype.type(shift), out=out)
    np.maximum(out, x.dtype.type(0), out=out)
    # endregion [affine_relu]
    np.add(out, x.dtype.type(0), out=out)  # the maximum may keep -0


def row_sums(x: Array, out: Array, by_columns: bool = False) -> None:
    """Sum each row of a matrix, column by column in one order, in NumPy's own order otherwise."""
    _, columns = check_rows(x, out)
    if by_columns:
        out[...] = 0
        for j in range(columns):
            out += x[:, j]
    else:
        np.sum(x, axis=1, out=out)


def transposed_copy(x: Array, out: Array, block: int = 16) -> None:
    """Copy a matrix so that its columns become rows, one square block after the other."""
    rows, columns = check_copy(x, out, block)
    if block == 1:
        out[...] = x.T
        return
    for top in range(0, rows, block):
        for left in range(0, columns, block):
            out[left : left + block, top : top + block] = x[top : top + block, left : left + block].T


def count_up(counters: Array, place: int, times: int) -> None:
    """Add to a counter so many times 1, at once."""
    check_count(counters, place, times)
    counters[place] += times
