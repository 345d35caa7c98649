"""Comparing the time of two calls on a machine that does other things as well."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from kael.testing.elsewhere import ANSWERS, Elsewhere

__all__ = ["speedup"]

LEAST, MOST = 5, 25
FAR_OFF = 50
ENOUGH_TO_SEE = 0.002
"""Seconds that calls in another process take together; more where the way there and back takes more. Longer ones would
be interrupted by other programs, and no best of several could leave that out."""
MOST_CALLS = 100_000
LONG = 0.25
"""Seconds; no other program takes the processor away for that long, so one round tells enough."""
PATIENCE = 15.0
"""Seconds after which no further round begins: on a machine with much else to do an answer that is too slow is to be
told so, and not that it did not come to an end."""


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
    At least 5 rounds, and up to 25 while the quotient is not reached; fewer where a round takes long, where the
    quotient is out of reach by far, or where 15 seconds are over.

    A call that goes to a process of the answer's own is made there many times in a row; the clock is on this side, and
    the time of making none is taken off.

    Examples
    --------
    >>> from kael.testing import speedup
    >>> speedup(lambda: sum(range(100_000)), lambda: None, enough=10) >= 10
    True
    """
    slow = fast = float("inf")
    first, second = _Clock(yardstick), _Clock(answer)
    start = perf_counter()
    for number in range(1, MOST + 1):
        slow, fast = min(slow, first.seconds()), min(fast, second.seconds())
        settled = number >= LEAST or slow + fast > LONG
        if settled and (slow >= enough * fast or FAR_OFF * slow < enough * fast):
            break
        if perf_counter() - start > PATIENCE:
            break
    return slow / max(fast, 1e-9)


class _Clock:
    """Times one call again and again.

    Parameters
    ----------
    call : callable
        What to time.
    """

    def __init__(self, call: Callable[[], object]) -> None:
        self.call = call
        self.rounds = 1
        self.empty = float("inf")

    def seconds(self) -> float:
        """The time of one call."""
        if not ANSWERS:
            return self.taken()
        other = ANSWERS[-1]
        for _ in range(3):
            empty = self.elsewhere(other, 0)
            if empty is None:  # it is a call in this process
                return self.taken()
            self.empty = min(self.empty, empty)
        while True:
            taken = self.elsewhere(other, self.rounds) or 0.0
            net = taken - self.empty
            if net >= max(ENOUGH_TO_SEE, self.empty) or self.rounds >= MOST_CALLS:
                return max(net, 0.0) / self.rounds
            self.rounds = min(MOST_CALLS, self.rounds * 4)

    def elsewhere(self, other: Elsewhere, rounds: int) -> float | None:
        """The time of so many calls there; None when none went there."""
        other.rounds(rounds)
        try:
            taken = self.taken()
        finally:
            gone = other.rounds(None)
        return taken if gone else None

    def taken(self) -> float:
        begun = perf_counter()
        self.call()
        return perf_counter() - begun
