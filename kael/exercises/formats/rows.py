"""What every format says of every check: one row each, with points that add up and texts that any reader can take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kael.exercises.results import CheckResult, ExerciseResult, Results

__all__ = ["LIMIT", "Row", "clean", "rows", "summary"]

LIMIT = 10_000
"""Characters of one check's text that are passed on: an answer that prints without end fills no gradebook."""

TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
UNSPEAKABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Row:
    """One check as a gradebook lists it.

    Attributes
    ----------
    result : ExerciseResult
        Of the exercise that it belongs to.
    check : CheckResult
        The check.
    number : str
        ``ch17-03.2`` for the second check of ``ch17-03``.
    score, points : int
        What it earned and what it counts; both 0 where the exercise is not available. They add up to those of the
        results.
    hidden : bool
        Whether a reader has not got the check.
    text : str
        What the reader is told, cleaned and capped.
    """

    result: ExerciseResult
    check: CheckResult
    number: str
    score: int
    points: int
    hidden: bool
    text: str

    @property
    def name(self) -> str:
        """The exercise and the check, in words."""
        return f"{self.result.exercise.id} {clean(self.check.title)}"

    @property
    def passed(self) -> bool:
        """Whether the check passed."""
        return self.check.state == "pass"

    @property
    def headline(self) -> str:
        """The first line of the text; the state where there is none."""
        return self.text.strip().partition("\n")[0] or self.check.state


def rows(results: Results) -> Iterator[Row]:
    """Every check of some results, in order."""
    for result in results.exercises:
        counts = result.available
        for place, check in enumerate(result.checks, 1):
            yield Row(
                result,
                check,
                number=f"{result.exercise.id}.{place}",
                score=check.earned if counts else 0,
                points=check.points if counts else 0,
                hidden=place > result.exercise.checks,
                text=clean(check.text),
            )


def clean(text: str, limit: int = LIMIT) -> str:
    """A text that XML, JSON, a terminal and a browser can show.

    Colours are dropped; a control character, half of a surrogate pair, or a mark that turns the direction of writing is
    spelled out; of a text longer than `limit` the first three quarters and the last are kept.

    Examples
    --------
    >>> clean("bell \\x07, red \\x1b[31m!")
    'bell \\\\x07, red !'
    """
    text = TERMINAL.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    text = UNSPEAKABLE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
    if len(text) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    return f"{text[:head]}\n[{len(text) - head - tail} characters left out]\n{text[-tail:]}"


def summary(results: Results) -> str:
    """One line: points, and how many exercises are in each state.

    Examples
    --------
    >>> summary(Results())
    '0 of 0 points'
    """
    states = [f"{count} {state}" for state, count in results.states.items()]
    return "; ".join([f"{results.score} of {results.points} points", *states])
