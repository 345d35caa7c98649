"""Comparing the time of two calls on a machine that does other things as well."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

__all__ = ["speedup"]

LEAST, MOST = 5, 25
FAR_OFF = 50
LONG = 0.25
"""Seconds; no other program holds a processor that long at a stretch."""


def speedup(yardstick: Callable[[], object], answer: Callable[[], object], enough: float) -> float:
    """How many times as fast `answer` is as `yardstick`.

    The two are called in turn and the best time of each counts, so that what slows the machine down for a moment slows
    both or is left out. After a few rounds it ends as soon as the quotient is `enough`.

    Parameters
    ----------
    yardstick, answer : callable
        What to compare; both are called without arguments.
    enough : float
        The quotient that is asked for.

    Returns
    -------
    float
        The best time of `yardstick`, divided by that of `answer`.

    Notes
    -----
    At least 5 rounds, and up to 25 while the quotient is not reached; fewer where it is out of reach by far.

    Examples
    --------
    >>> from kael.testing import speedup
    >>> speedup(lambda: sum(range(100_000)), lambda: None, enough=10) >= 10
    True
    """
    slow = fast = float("inf")
    for number in range(1, MOST + 1):
        begun = perf_counter()
        yardstick()
        between = perf_counter()
        answer()
        ended = perf_counter()
        slow, fast = min(slow, between - begun), min(fast, ended - between)
        out_of_reach = FAR_OFF * slow < enough * fast and (number >= LEAST or fast > LONG)
        if out_of_reach or (number >= LEAST and slow >= enough * fast):
            break
    return slow / max(fast, 1e-9)
