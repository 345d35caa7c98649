"""Rung 2: matrix multiplication in NumPy, which hands float32 and float64 to its BLAS."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters.ch14_matmul.checks import check

__all__ = ["matmul"]

Array = np.ndarray[Any, Any]


def matmul(a: Array, b: Array, out: Array) -> None:
    """Write the matrix product of `a` (M, K) and `b` (K, N) to `out` (M, N)."""
    check(a, b, out)
    with np.errstate(all="ignore"):
        np.matmul(a, b, out=out)
