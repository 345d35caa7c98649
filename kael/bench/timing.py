"""Timing that survives a busy machine: CPU time, competitors in turns, and the median of many short rounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from statistics import quantiles
from typing import NamedTuple

__all__ = ["CLOCK", "Spread", "in_turns", "spread_of"]

ROUND_SECONDS = 0.004
# What this process spent, not what passed while others ran; where that clock is coarse (Windows), what passed.
CLOCK = "process_time" if time.get_clock_info("process_time").resolution < 1e-6 else "perf_counter"
clock: Callable[[], float] = getattr(time, CLOCK)


class Spread(NamedTuple):
    """The middle of many measurements and the quarters below and above it."""

    median: float
    low: float
    high: float


def spread_of(measured: list[float]) -> Spread:
    """The median and the quartiles of at least two measurements.

    Examples
    --------
    >>> spread_of([3.0, 1.0, 2.0, 4.0, 5.0])
    Spread(median=3.0, low=2.0, high=4.0)
    """
    low, median, high = quantiles(measured, n=4, method="inclusive")
    return Spread(median, low, high)


def in_turns(
    competitors: Mapping[str, Callable[[], object]],
    rounds: int,
    around: Mapping[str, Callable[[], AbstractContextManager[None]]] | None = None,
    now: Callable[[], float] = clock,
    length: float = ROUND_SECONDS,
) -> dict[str, Spread]:
    """Seconds a call of each competitor, measured in turns.

    Parameters
    ----------
    competitors : dict of str to callable
        What to call.
    rounds : int
        How many turns each gets.
    around : dict of str to callable, optional
        Makes the context that the turns of a competitor run in; entering and leaving it is not timed.
    now : callable, optional
        The clock: the CPU's unless another is given, such as that of time that passes for work on several threads.
    length : float, optional
        About how many seconds a turn takes.

    Notes
    -----
    The garbage collector stays on: what an engine leaves to it is part of its cost.
    """
    contexts = {name: (around or {}).get(name, nullcontext) for name in competitors}
    calls = {}
    for name, function in competitors.items():
        with contexts[name]():
            calls[name] = calls_in_a_round(function, now, length)
    measured: dict[str, list[float]] = {name: [] for name in competitors}
    for _ in range(rounds):
        for name, function in competitors.items():
            with contexts[name]():
                measured[name].append(seconds(function, calls[name], now) / calls[name])
    return {name: spread_of(times) for name, times in measured.items()}


def calls_in_a_round(
    function: Callable[[], object], now: Callable[[], float] = clock, length: float = ROUND_SECONDS
) -> int:
    """How many calls take about as long as a round, once those are over that pay for a first time."""
    calls = 1
    while (taken := min(seconds(function, calls, now) for _ in range(3))) < length:
        calls = max(2 * calls, int(calls * length / max(taken, 1e-9)) // 2)
    return calls


def seconds(function: Callable[[], object], calls: int, now: Callable[[], float] = clock) -> float:
    """How long so many calls take."""
    repeat = range(calls)
    start = now()
    for _ in repeat:
        function()
    return now() - start
