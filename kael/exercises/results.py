"""What came of checking answers: states, and points that add up to the same whole in every format."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from kael.exercises.catalogue import Exercise

__all__ = ["STATES", "CheckResult", "ExerciseResult", "Results", "shares"]

STATES = ("pass", "fail", "timeout", "crash", "not started", "not run", "not available")
"""What can come of a check. Only ``pass`` counts; ``not available`` leaves its exercise out of the total."""


def shares(points: int, checks: int) -> list[int]:
    """Points in whole numbers, shared among checks as evenly as they go.

    Share k of n is floor(p (k + 1) / n) - floor(p k / n), so that the shares add up to p.

    Examples
    --------
    >>> shares(10, 4)
    [2, 3, 2, 3]
    >>> sum(shares(10, 7))
    10
    """
    bounds = [points * k // checks for k in range(checks + 1)]
    return [after - before for before, after in itertools.pairwise(bounds)]


@dataclass(frozen=True)
class CheckResult:
    """One check of one answer.

    Attributes
    ----------
    name : str
        Of the function, such as ``test_axes_of_size_one``.
    state : str
        One of `STATES`.
    text : str
        What the reader is told; empty for a pass.
    points : int
        Its share of the exercise's points.
    """

    name: str
    state: str
    text: str = ""
    points: int = 0

    @property
    def title(self) -> str:
        """The name in words.

        Examples
        --------
        >>> CheckResult("test_axes_of_size_one", "pass").title
        'axes of size one'
        """
        return self.name.removeprefix("test_").replace("_", " ")

    @property
    def earned(self) -> int:
        """Its points for a pass, else none."""
        return self.points if self.state == "pass" else 0


@dataclass(frozen=True)
class ExerciseResult:
    """All checks of one exercise on one answer.

    Attributes
    ----------
    exercise : Exercise
        What was asked.
    checks : tuple of CheckResult
        In the order in which they stand in their files.
    file : Path
        The answer that was checked.
    sha256 : str
        Of its bytes, so that what was checked can be told from what is there now; empty where there is no file.
    seed : int
        Of the numbers that the checks drew.
    """

    exercise: Exercise
    checks: tuple[CheckResult, ...]
    file: Path
    sha256: str = ""
    seed: int = 0

    @property
    def state(self) -> str:
        """``pass`` when every check passed; else the first state that is there, in the order of `STATES`."""
        found = {check.state for check in self.checks}
        if found == {"not started"} or "not available" in found:
            return "not available" if "not available" in found else "not started"
        return next((state for state in STATES[1:] if state in found), "pass")

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return self.state == "pass"

    @property
    def available(self) -> bool:
        """Whether it could be checked here at all."""
        return self.state != "not available"

    @property
    def points(self) -> int:
        """What it counts; nothing where it is not available."""
        return sum(check.points for check in self.checks) if self.available else 0

    @property
    def score(self) -> int:
        """The points of the checks that passed."""
        return sum(check.earned for check in self.checks) if self.available else 0


@dataclass(frozen=True)
class Results:
    """The results of several exercises.

    Attributes
    ----------
    exercises : list of ExerciseResult
        In the order of the index.
    """

    exercises: list[ExerciseResult] = field(default_factory=list)

    @property
    def score(self) -> int:
        """Points of all checks that passed."""
        return sum(result.score for result in self.exercises)

    @property
    def points(self) -> int:
        """Points that could be had."""
        return sum(result.points for result in self.exercises)

    @property
    def passed(self) -> bool:
        """Whether every exercise that is available passed."""
        return all(result.passed for result in self.exercises if result.available)

    @property
    def states(self) -> dict[str, int]:
        """How many exercises are in each state."""
        return dict(Counter(result.state for result in self.exercises))


def with_points(exercise: Exercise, checks: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """The checks of an exercise, each with its share of the points."""
    listed = list(checks)
    return tuple(
        CheckResult(check.name, check.state, check.text, share)
        for check, share in zip(listed, shares(exercise.points, len(listed)), strict=True)
    )
