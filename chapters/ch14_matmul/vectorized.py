"""Rung 2: matrix multiplication in NumPy, which hands float32 and float64 to its BLAS."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from chapters.ch14_matmul.checks import check, check_batch, check_block, check_order

__all__ = ["matmul", "matmul_batch", "matmul_in_blocks", "matmul_in_order"]

Array = np.ndarray[Any, Any]


# region [matmul]
def matmul(a: Array, b: Array, out: Array) -> None:
    """Write the matrix product of `a` (M, K) and `b` (K, N) to `out` (M, N)."""
    check(a, b, out)
    with np.errstate(all="ignore"):
        np.matmul(a, b, out=out)


# endregion [matmul]


def matmul_batch(a: Array, b: Array, out: Array) -> None:
    """Write the products of two stacks of matrices to `out`; leading axes broadcast to those of `out`."""
    check_batch(a, b, out)
    with np.errstate(all="ignore"):
        np.matmul(a, b, out=out)


def matmul_in_order(a: Array, b: Array, out: Array, order: str = "ijk") -> None:
    """The product by two plain loops in a given order; the innermost third is one operation on a row or column."""
    check(a, b, out, "matmul_in_order")
    check_order(order)
    # region [in_order]
    sizes = {"i": a.shape[0], "j": b.shape[1], "k": a.shape[1]}
    outer, middle, innermost = list(order)
    out[...] = 0
    with np.errstate(all="ignore"):
        for first in range(sizes[outer]):
            for second in range(sizes[middle]):
                at = {outer: first, middle: second}
                if innermost == "k":
                    out[at["i"], at["j"]] = np.dot(a[at["i"]], b[:, at["j"]])
                elif innermost == "j":
                    out[at["i"]] += a[at["i"], at["k"]] * b[at["k"]]
                else:
                    out[:, at["j"]] += a[:, at["k"]] * b[at["k"], at["j"]]
    # endregion [in_order]


def matmul_in_blocks(a: Array, b: Array, out: Array, block: int = 64) -> None:
    """The product block by block; each product of two blocks is one call."""
    block = index(block)
    check(a, b, out, "matmul_in_blocks")
    check_block(block)
    # region [in_blocks]
    out[...] = 0
    with np.errstate(all="ignore"):
        for i in range(0, a.shape[0], block):
            for k in range(0, a.shape[1], block):
                for j in range(0, b.shape[1], block):
                    left, right = a[i : i + block, k : k + block], b[k : k + block, j : j + block]
                    out[i : i + block, j : j + block] += left @ right
    # endregion [in_blocks]
