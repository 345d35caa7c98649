"""What a class's results say about each check: how many pass it, what the others got wrong, whom it tells apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

from kael.exercises.catalogue import Exercise
from kael.exercises.grading.student import Record
from kael.exercises.results import CheckResult

__all__ = ["Item", "Statistics", "likely_cause", "named_cause"]

KEPT = 2000
"""Different causes that are counted for one check; the rarest are dropped beyond, so that memory stays flat."""

ADDRESS = re.compile(r"\b0x[0-9a-f]+")


def likely_cause(text: str) -> str:
    """The line of a check's text that says what went wrong.

    Examples
    --------
    >>> likely_cause("called:       f(2)\\nexpected:     4; got 8\\nlikely cause: it was squared")
    'it was squared'
    >>> likely_cause("called:       your f.py\\ngot:          NameError: name 'x' is not defined")
    "NameError: name 'x' is not defined"
    """
    said = dict(re.findall(r"^([a-z ]+): +(.*)$", text, re.MULTILINE))
    cause = named_cause(text) or said.get("expected", "") or said.get("got", "") or text.partition("\n")[0]
    return ADDRESS.sub("0x...", cause)[:200]


def named_cause(text: str) -> str:
    """The mistake that a check recognised; empty where it knows none.

    Examples
    --------
    >>> named_cause("likely cause: it was squared")
    'it was squared'
    """
    found = re.search(r"^likely cause: +(?!no mistake that this check knows)(.*)$", text, re.MULTILINE)
    return found[1] if found else ""


@dataclass
class Item:
    """One check over the whole class.

    Attributes
    ----------
    exercise : Exercise
        What it belongs to.
    check : CheckResult
        Its name and points.
    states : Counter of str
        How many students have each state.
    causes : Counter of str
        What went wrong, for those whose answer was checked and did not pass.
    """

    exercise: Exercise
    check: CheckResult
    states: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    _sums: list[float] = field(default_factory=lambda: [0.0] * 5)

    @property
    def students(self) -> int:
        """Those for whom it could be run."""
        return sum(count for state, count in self.states.items() if state != "not available")

    @property
    def begun(self) -> int:
        """Those who handed in more than the stub."""
        return self.students - self.states["not started"]

    @property
    def pass_rate(self) -> float | None:
        """The share of all students that pass."""
        return self.states["pass"] / self.students if self.students else None

    @property
    def pass_rate_begun(self) -> float | None:
        """The share that passes of those who began."""
        return self.states["pass"] / self.begun if self.begun else None

    @property
    def commonest(self) -> tuple[str, int]:
        """The commonest cause and its count; of equals the first in the alphabet."""
        return min(self.causes.items(), key=lambda pair: (-pair[1], pair[0]), default=("", 0))

    @property
    def discrimination(self) -> float | None:
        """Correlation of passing with the points for everything else; None where nobody or everybody passes.

        Near 0 or below, the check does not tell those who can from those who cannot.
        """
        count, passes, rest, squares, both = self._sums
        spread = (count * passes - passes**2) * (count * squares - rest**2)
        return (count * both - passes * rest) / sqrt(spread) if spread > 0 else None

    def enter(self, state: str, text: str, rest: int) -> None:
        """Count one student, who has `rest` points for everything else."""
        self.states[state] += 1
        if state not in ("pass", "not started", "not available"):
            self.causes[likely_cause(text)] += 1
            if len(self.causes) > KEPT:
                self.causes = Counter(dict(self.causes.most_common(KEPT // 2)))
        if state != "not available":
            passed = float(state == "pass")
            for place, value in enumerate((1.0, passed, float(rest), float(rest**2), passed * rest)):
                self._sums[place] += value


class Statistics:
    """What is counted while the records of a class go by.

    Parameters
    ----------
    exercises : sequence of Exercise
        What was graded.
    checks : mapping of str to sequence of CheckResult
        The checks of each, by id, with their points.

    Attributes
    ----------
    items : list of Item
        In the order of the exercises and their checks.
    totals : Counter of int
        How many students have each total.
    points : int
        What could be had.
    """

    def __init__(self, exercises: Sequence[Exercise], checks: Mapping[str, Sequence[CheckResult]]) -> None:
        self.items = [Item(exercise, check) for exercise in exercises for check in checks[exercise.id]]
        self._by_name = {(item.exercise.id, item.check.name): item for item in self.items}
        self.totals: Counter[int] = Counter()
        self.points = 0
        self.states = {exercise.id: Counter[str]() for exercise in exercises}

    def enter(self, records: Sequence[Record]) -> None:
        """Count one student."""
        total = sum(record["score"] for record in records)
        self.totals[total] += 1
        self.points = max(self.points, sum(record["points"] for record in records))
        for record in records:
            self.states[record["exercise"]][record["state"]] += 1
            for check in record["results"]:
                earned = check["points"] if check["state"] == "pass" else 0
                self._by_name[record["exercise"], check["name"]].enter(check["state"], check["text"], total - earned)

    @property
    def students(self) -> int:
        """How many were counted."""
        return sum(self.totals.values())

    @property
    def mean(self) -> float:
        """The mean total."""
        return sum(total * count for total, count in self.totals.items()) / max(self.students, 1)

    @property
    def median(self) -> float:
        """The middle total."""
        ordered, seen = sorted(self.totals.items()), 0
        middle = []
        for total, count in ordered:
            for place in ((self.students - 1) // 2, self.students // 2):
                if seen <= place < seen + count:
                    middle.append(total)
            seen += count
        return sum(middle) / len(middle) if middle else 0.0
