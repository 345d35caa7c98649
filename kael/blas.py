"""Which products of matrices chapter 14's own kernel computes, and which NumPy's BLAS.

``KAEL_MATMUL`` chooses: ``auto`` (the own kernel, and BLAS from the size on where it is far enough ahead), ``own`` or
``blas``. It is read once, at import, and nothing is measured then: the same input gives the same bits in every run of
one installation. What BLAS computes may depend on its version, its threads and the processor.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

from kael import kernels

__all__ = ["CROSSOVER", "MARGIN", "MODES", "chosen", "in_use", "limit_threads", "mode", "said", "who"]

MODES = ("auto", "own", "blas")
PRODUCTS = ("matmul", "matmul_batch")
MARGIN = 1.25
"""How many times as fast BLAS must be to get a product: it costs bits that no number of threads changes."""
CROSSOVER: dict[str, int | None] = {"baseline": None, "v3": None, "v4": None}
"""Multiplications from which BLAS is ahead by `MARGIN`, for each instruction set; None where it is for no size.

``kael bench matmul --tune`` measures it and prints the entry.
"""


class Chosen:
    """A product that goes to BLAS from so many multiplications on, when it is one of floats."""

    def __init__(self, own: Callable[..., None], blas: Callable[..., None], least: int) -> None:
        self.own = own
        self.blas = blas
        self.least = least

    def __call__(self, a: Any, b: Any, out: Any) -> None:
        large = self.least == 0 or (a.ndim > 0 and out.size * a.shape[-1] >= self.least)
        (self.blas if large and a.dtype.kind == "f" else self.own)(a, b, out)


def mode() -> str:
    """The choice that the environment makes.

    Raises
    ------
    RuntimeError
        When it is no choice, or one that the rung of chapter 14 does not leave.
    """
    setting = os.environ.get("KAEL_MATMUL", "auto")
    if setting not in MODES:
        raise RuntimeError(f"KAEL_MATMUL={setting}: choose {', '.join(MODES[:-1])} or {MODES[-1]}")
    rung = kernels.rung_of(kernels.chapter("ch14_matmul"))
    if setting == "own" and rung == "numpy":
        raise RuntimeError("KAEL_MATMUL=own: chapter 14 runs on its NumPy rung, which is BLAS; its twin is needed")
    if setting == "blas" and rung == "python":
        raise RuntimeError("KAEL_MATMUL=blas: chapter 14 runs on its Python rung; KAEL_KERNELS=ch14=numpy leaves it")
    return setting


def least() -> int | None:
    """Multiplications from which BLAS is called in place of chapter 14's twin; None for never."""
    if MODE == "own":
        return None
    return 0 if MODE == "blas" else CROSSOVER[kernels.instruction_set(kernels.chapter("ch14_matmul"))]


def chosen(name: str, own: Callable[..., None], rung: str) -> Callable[..., None]:
    """What the library calls for a product whose kernel is `own`; other rungs than the twin stay as they are."""
    if rung != "cython" or (start := least()) is None:
        return own
    return Chosen(own, getattr(importlib.import_module("chapters.ch14_matmul.vectorized"), name), start)


def in_use() -> bool:
    """Whether any product goes to BLAS."""
    rung = kernels.rung_of(kernels.chapter("ch14_matmul"))
    return rung == "numpy" or (rung == "cython" and least() is not None)


def limit_threads(count: int) -> bool:
    """Let BLAS use so many threads, where threadpoolctl is installed; says whether it is."""
    try:
        threadpoolctl = importlib.import_module("threadpoolctl")
    except ModuleNotFoundError:
        return False
    threadpoolctl.threadpool_limits(count, user_api="blas")
    return True


def who() -> str:
    """Who computes products of matrices, in a few words."""
    rung = kernels.rung_of(kernels.chapter("ch14_matmul"))
    if rung != "cython":
        return "NumPy and its BLAS" if rung == "numpy" else "the Python rung"
    start = least()
    if start is None:
        return "the own kernel"
    return "NumPy's BLAS" if start == 0 else f"the own kernel, NumPy's BLAS from {start:,} multiplications on"


def said() -> str:
    """Who computes products of matrices and why, in a sentence."""
    return f"KAEL_MATMUL={MODE}: {who()}{threads_said()}"


def threads_said() -> str:
    """Whose the threads of BLAS are, in a clause; nothing where no product goes there."""
    if not in_use():
        return ""
    from importlib.util import find_spec  # both here, so that `import kael` does not pay for them

    from kael.extras import install_command

    if find_spec("threadpoolctl"):
        return "; BLAS follows kael.set_num_threads"
    return f"; BLAS has threads of its own, which kael sets after `{install_command('threads')}`"


MODE = mode()
