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
        Bytes a second over arrays of a million elements, which large caches hold, and of 16 million, in the quickest of
        a triad, a sum of two arrays, a copy and a read.
    arithmetic : float
        Floating-point operations a second in products of matrices that the caches hold.
    """

    near: float
    memory: float
    arithmetic: float


def measure(rounds: int) -> Peaks:
    """The three peaks: each the best quarter of some turns, for what disturbs a probe only slows it down."""
    near, memory = traffic(ROW, rounds), traffic(FAR, max(rounds // 3, 3))
    return Peaks(near, memory, products(rounds))


def traffic(count: int, rounds: int) -> float:
    """Bytes a second that the quickest probe reads and writes.

    Which one that is differs between machines: a store may cost the read of what it overwrites, or may not.
    """
    x, y, out = numbers(count), numbers(count, seed=1), np.empty(count, np.float32)
    total = np.empty((), np.float32)
    probes = {
        "triad": (3, lambda: table.add_scaled(x, y, 3.0, out)),
        "add": (3, lambda: table.add(x, y, out)),
        "rectify": (2, lambda: table.relu(x, out)),
        "copy": (2, lambda: np.copyto(out, x)),
        "read": (1, lambda: table.sum(x, total)),
    }
    spreads = in_turns({name: probe for name, (_, probe) in probes.items()}, rounds)
    return max(arrays * FLOAT * count / spreads[name].low for name, (arrays, _) in probes.items())


def products(rounds: int, n: int = 384) -> float:
    """Floating-point operations a second of the quickest product there is, kael's or the BLAS that NumPy has."""
    a, b, out = numbers(n, n), numbers(n, n, seed=1), np.empty((n, n), np.float32)
    spreads = in_turns({"kael": lambda: table.matmul(a, b, out), "BLAS": lambda: np.matmul(a, b, out=out)}, rounds)
    return 2 * n**3 / min(spread.low for spread in spreads.values())
