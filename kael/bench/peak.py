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
        Floating-point operations a second of multiplications and additions in registers.
    """

    near: float
    memory: float
    arithmetic: float


def measure(rounds: int) -> Peaks:
    """The three peaks: each the best quarter of some turns, for what disturbs a probe only slows it down."""
    near, memory = traffic(ROW, rounds), traffic(FAR, max(rounds // 3, 3))
    return Peaks(near, memory, multiply_adds(rounds))


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


def multiply_adds(rounds: int) -> float:
    """Floating-point operations a second of a product that moves nothing, or of NumPy's BLAS if that is quicker.

    The operands of the first are one column and one row, repeated by a stride of 0: matmul's innermost loop multiplies
    and adds in registers, and what it reads stays in the first cache. Rows and columns are multiples of every tile's.
    """
    rows, inner, columns, n = 84, 740, 32, 384
    a = np.broadcast_to(numbers(rows, 1), (rows, inner))
    b = np.broadcast_to(numbers(columns, seed=1), (inner, columns))
    x, y, out, square = numbers(n, n), numbers(n, n, seed=1), np.empty((rows, columns), np.float32), numbers(n, n)
    competitors = {"registers": lambda: table.matmul(a, b, out), "BLAS": lambda: np.matmul(x, y, out=square)}
    work = {"registers": 2 * rows * inner * columns, "BLAS": 2 * n**3}
    return max(work[name] / spread.low for name, spread in in_turns(competitors, rounds).items())
