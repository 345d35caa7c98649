"""What the machine can do at most on one thread: bytes a second, and floating-point operations a second."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kael.bench.cases import numbers
from kael.bench.timing import in_turns
from kael.kernels import table

__all__ = ["Peaks", "measure"]

FLOAT = 4  # bytes
ROW = 1024 * 1024  # elements, as the rows of the tables have them
FAR = 16 * ROW  # beyond every cache


class Peaks(NamedTuple):
    """What was measured.

    Attributes
    ----------
    near, memory : float
        Bytes a second of a triad over arrays of a million elements, which large caches hold, and of 16 million.
    arithmetic : float
        Floating-point operations a second in products of matrices that the caches hold.
    """

    near: float
    memory: float
    arithmetic: float


def measure(rounds: int) -> Peaks:
    """The three peaks: each the best quarter of some turns, for what disturbs a probe only slows it down."""
    near, memory = triad(ROW, rounds), triad(FAR, max(rounds // 3, 3))
    return Peaks(near, memory, products(rounds))


def triad(count: int, rounds: int) -> float:
    """Bytes a second of ``out = x + alpha * y``: two operands read, one result written."""
    x, y, out = numbers(count), numbers(count, seed=1), np.empty(count, np.float32)
    spread = in_turns({"triad": lambda: table.add_scaled(x, y, 3.0, out)}, rounds)["triad"]
    return 3 * FLOAT * count / spread.low


def products(rounds: int, n: int = 384) -> float:
    """Floating-point operations a second of the quickest product there is, kael's or the BLAS that NumPy has."""
    a, b, out = numbers(n, n), numbers(n, n, seed=1), np.empty((n, n), np.float32)
    spreads = in_turns({"kael": lambda: table.matmul(a, b, out), "BLAS": lambda: np.matmul(a, b, out=out)}, rounds)
    return 2 * n**3 / min(spread.low for spread in spreads.values())
