"""What an answer uses of the machine while it runs: memory, and calls that wait for each other."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from kael.testing.elsewhere import ANSWERS

__all__ = ["Calls", "Memory", "calls_waiting", "traced"]


class Memory:
    """Bytes of Python objects and arrays.

    Attributes
    ----------
    held : int
        Taken inside the `with` block and not given back when it ended.
    most : int
        The most that was in use at a time, beyond what was there before.
    """

    held = 0
    most = 0


@contextmanager
def traced() -> Iterator[Memory]:
    """Watch the memory that an answer takes, in whichever process it runs.

    Examples
    --------
    >>> with traced() as memory:
    ...     zeros = bytes(1_000_000)
    ...     del zeros
    >>> memory.most > 1_000_000, memory.held < 10_000
    (True, True)
    """
    memory = Memory()
    gc.collect()
    if ANSWERS:
        ANSWERS[-1].begin_tracing()
        yield memory
        gc.collect()
        memory.held, memory.most = ANSWERS[-1].end_tracing()
        return
    tracemalloc.start()
    try:
        yield memory
        memory.held, memory.most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


class Calls(NamedTuple):
    """Calls of an answer that wait for each other.

    Attributes
    ----------
    waiting : int
        How many there are, and some of the check's own.
    limit : int
        `sys.getrecursionlimit()`.
    first_thread : bool
        Whether they are in the thread that the answer was called in.
    """

    waiting: int
    limit: int
    first_thread: bool


def calls_waiting() -> Calls:
    """How deep the answer's calls are nested when it calls back, in whichever process it runs.

    Examples
    --------
    >>> def nested(depth):
    ...     return nested(depth - 1) if depth else calls_waiting().waiting
    >>> nested(10) - nested(0)
    10
    """
    if ANSWERS:
        return Calls(*ANSWERS[-1].calls_waiting())
    return here()


def here() -> Calls:
    """The calls of this process."""
    frame, calls = sys._getframe(1), 0
    while frame.f_back is not None:
        frame, calls = frame.f_back, calls + 1
    return Calls(calls, sys.getrecursionlimit(), threading.current_thread() is threading.main_thread())
