"""``kael bench matmul --tune``: from which size on NumPy's BLAS is far enough ahead of chapter 14's kernel, if any.

What it prints is for `kael.blas.CROSSOVER`, by hand: nothing of it is measured when products are computed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from kael import kernels
from kael.bench.alone import QUICK_ROUNDS, ROUNDS, THREADS
from kael.bench.cases import numbers
from kael.bench.timing import in_turns
from kael.blas import MARGIN

__all__ = ["Size", "as_text", "crossover", "measure", "run"]

SIZES = (64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536)
TYPES = ("float32", "float64")


class Size(NamedTuple):
    """Two squares of n rows, multiplied by both.

    Attributes
    ----------
    n : int
        Rows.
    dtype : str
        The element type.
    own, blas : float
        Seconds.
    """

    n: int
    dtype: str
    own: float
    blas: float

    @property
    def ratio(self) -> float:
        """The own kernel's time over that of BLAS."""
        return self.own / self.blas


def measure(rounds: int) -> list[Size]:
    """Both in turns, at each size and for each type."""
    return [timed(n, dtype, rounds) for dtype in TYPES for n in SIZES]


def timed(n: int, dtype: str, rounds: int) -> Size:
    """Both in turns, at one size."""
    a, b = numbers(n, n).astype(dtype), numbers(n, n, seed=1).astype(dtype)
    out = np.empty_like(a)
    own: Callable[[], object] = partial(kernels.chapter("ch14").matmul, a, b, out)
    found = in_turns({"own": own, "blas": partial(np.matmul, a, b, out=out)}, rounds)
    return Size(n, dtype, found["own"].median, found["blas"].median)


def crossover(sizes: Sequence[Size]) -> int | None:
    """Multiplications of the smallest size from which on BLAS is ahead by the margin at every one, for every type.

    Examples
    --------
    >>> crossover([Size(64, "float32", 3.0, 1.0), Size(96, "float32", 1.1, 1.0), Size(128, "float32", 2.0, 1.0)])
    2097152
    """
    near = [size.n for size in sizes if size.ratio < MARGIN]
    ahead = [size.n for size in sizes if size.n > max(near, default=0)]
    return min(ahead) ** 3 if ahead else None


def as_text(sizes: Sequence[Size], instruction_set: str) -> str:
    """The table, and the entry of `kael.blas.CROSSOVER`."""
    lines = [f"{'':>10} {'own':>8} {'BLAS':>8}  Gflop/s, own time over BLAS"]
    for size in sizes:
        work = 2 * size.n**3 / 1e9
        lines.append(f"{size.dtype} {size.n:>4} {work / size.own:8.1f} {work / size.blas:8.1f}  {size.ratio:.2f}")
    lines.append(f"\nBLAS takes over where it is {MARGIN} times as fast; for kael/blas.py:")
    return "\n".join([*lines, f'"{instruction_set}": {crossover(sizes)}'])


def run(quick: bool) -> int:
    """Measure in a fresh interpreter on one thread; returns the exit code."""
    line = [sys.executable, "-m", __name__, *(["--quick"] if quick else [])]
    return subprocess.run(line, env=os.environ | dict.fromkeys(THREADS, "1")).returncode


def main() -> int:
    """Measure here, and print what was found."""
    chapter = kernels.chapter("ch14")
    if kernels.rung_of(chapter) != "cython":
        print("kael bench matmul --tune: chapter 14 does not run on its twin, so there is nothing to compare with BLAS")
        return 1
    rounds = QUICK_ROUNDS if "--quick" in sys.argv[1:] else ROUNDS
    print(as_text(measure(rounds), kernels.instruction_set(chapter)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
