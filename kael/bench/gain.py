"""What a second thread gains in large cases, in time that passes: the cases of ``kael bench threads``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import kael
from kael.bench import attending, convolution, elementwise, products, reductions
from kael.bench.cases import KAEL, ONE, TORCH, Case, Result, tell
from kael.bench.overhead import OTHER, libraries
from kael.bench.timing import in_turns

__all__ = ["GROUP", "THREADS", "measure"]

KIND = "threads"
GROUP = "two threads over one"
THREADS = 2
TURN = 0.15  # seconds: a system takes some to move a thread that woke to a core of its own
REST = 0.03  # seconds: PyTorch's helpers go round and round for some milliseconds before they sleep
LARGE = {
    "elementwise": ("exp, 1M", "tanh, 1M", "gelu, 1M"),
    "reductions": ("softmax of each row", "layer_norm of each row", "cross_entropy, 1024x1000"),
    "matmul": ("512x512 @ 512x512", "1024x1024 @ 1024x1024", "A @ B.T, 512x512"),
    "conv": ("conv2d 32 to 64 channels, 16x32x32",),
    "attention": ("long, 4 of 1024x64", "long, 4 of 1024x64, causal"),
}


def cases() -> list[Case]:
    """Those of the other kinds in which there is enough to divide."""
    kinds = (elementwise, reductions, products, convolution, attending)
    return [case for module in kinds for case in module.cases() if case.name in LARGE[case.kind]]


def measure(rounds: int) -> list[Result]:
    """Each case on one thread and on two, in kael and, on two, in PyTorch."""
    found = []
    present = libraries()
    chosen = cases()
    for number, case in enumerate(chosen, 1):
        tell(f"{number} of {len(chosen)}: {KIND}, {case.name}")
        assert case.prepare is not None
        call = case.prepare(kael)
        competitors = {KAEL: call, ONE: call}
        around = {KAEL: partial(threads, kael)}
        if OTHER in present:
            competitors[TORCH] = case.prepare(present[OTHER])
            around[TORCH] = partial(threads, present[OTHER])
        times = in_turns(competitors, max(rounds // 3, 2), around, time.perf_counter, TURN)
        found.append(Result(KIND, case.name, GROUP, ONE, case.traffic, case.work, times))
    tell("")
    return found


@contextmanager
def threads(library: Any) -> Iterator[None]:
    """A library on two threads."""
    before = library.get_num_threads()
    library.set_num_threads(THREADS)
    try:
        yield
    finally:
        library.set_num_threads(before)
        time.sleep(REST)
