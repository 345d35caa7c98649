"""Measures in an interpreter of its own, where every library was told before its import to use one thread."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Sequence

from kael import kernels
from kael.bench import attending, convolution, elementwise, gain, peak, products, reductions, report, steps
from kael.bench.cases import Case, measure, small_graphs

__all__ = ["KINDS", "OVERHEAD", "THREADED", "Stopped", "refuse_plain_loops", "run", "run_here"]

OVERHEAD, THREADED = "overhead", "threads"
KINDS: dict[str, Callable[[], list[Case]]] = {
    "elementwise": elementwise.cases,
    "reductions": reductions.cases,
    "matmul": products.cases,
    "conv": convolution.cases,
    "attention": attending.cases,
    "train": steps.cases,
}
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "KAEL_NUM_THREADS")
ROUNDS, QUICK_ROUNDS = 15, 3


class Stopped(RuntimeError):
    """The interpreter that measured did not finish."""


def refuse_plain_loops() -> None:
    """Raise ValueError where a kernel of the library runs as a plain Python loop, by its ``KAEL_KERNELS``."""
    slow = [name for name in kernels.LIBRARY if kernels.rung_of(kernels.chapter(name)) == "python"]
    slow = [name for name in slow if "numpy" in kernels.available(name)]
    if slow:
        raise ValueError(
            f"KAEL_KERNELS runs {', '.join(slow)} as plain loops, for which a million elements are too many"
        )


def run(kinds: Sequence[str], quick: bool) -> report.Report:
    """Measure kinds in a fresh interpreter on one thread.

    Raises
    ------
    Stopped
        When that interpreter fails; what it said of it stands on stderr.
    """
    line = [sys.executable, "-m", __name__, *kinds, *(["--quick"] if quick else [])]
    environment = os.environ | dict.fromkeys(THREADS, "1")
    done = subprocess.run(line, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environment)
    if done.returncode:
        raise Stopped(f"measuring {', '.join(kinds)} ended with code {done.returncode}")
    return report.from_json(done.stdout)


def run_here(kinds: Sequence[str], quick: bool) -> report.Report:
    """Measure kinds in this interpreter: the peaks, then every case."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    peaks = peak.measure(rounds)
    rows = small_graphs(rounds) if OVERHEAD in kinds else []
    rows += measure([case for kind in kinds if kind in KINDS for case in KINDS[kind]()], rounds)
    if THREADED in kinds:
        rows += gain.measure(rounds)
    return report.Report(report.about(kinds), peaks, rows)


def main() -> None:
    """Print what was measured as JSON."""
    options = argparse.ArgumentParser()
    options.add_argument("kinds", nargs="+", choices=[OVERHEAD, *KINDS, THREADED])
    options.add_argument("--quick", action="store_true")
    chosen = options.parse_args()
    try:
        print(report.to_json(run_here(chosen.kinds, chosen.quick)))
    except KeyboardInterrupt:  # the interpreter that waits for this one says so
        sys.exit(130)


if __name__ == "__main__":
    main()
