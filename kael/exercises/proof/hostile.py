"""Answers that attack whoever checks them: what each tries, and what it gets for it."""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from kael.exercises.catalogue import Exercise
from kael.exercises.results import shares
from kael.exercises.runner import Run, Workers

__all__ = ["Attack", "attack_all", "hostile_answers"]

LIMIT = 1.0
"""Seconds that a check of a hostile answer has; many of them never end."""


@dataclass(frozen=True)
class Attack:
    """A hostile answer to one exercise.

    Attributes
    ----------
    file : str
        Name of the answer.
    tries : str
        What it tries, as the first line of its text says it.
    exercise : str
        Id of the exercise that it pretends to answer.
    states : dict of str to str
        By check.
    points, of : int
        What it got, and what there was to get.
    """

    file: str
    tries: str
    exercise: str
    states: dict[str, str]
    points: int
    of: int

    @property
    def summary(self) -> str:
        """How many checks came to which state.

        Examples
        --------
        >>> Attack("a.py", "", "ch17-03", {"one": "fail", "two": "crash", "three": "fail"}, 0, 6).summary
        '2 fail, 1 crash'
        """
        return ", ".join(f"{count} {state}" for state, count in Counter(self.states.values()).most_common())


def hostile_answers(tests: Path) -> list[Path]:
    """The hostile answers beside the proofs."""
    return sorted((tests / "hostile").glob("*.py"))


def attack_all(exercises: Sequence[Exercise], answers: Sequence[Path], *, isolated: bool = False) -> list[Attack]:
    """Check every hostile answer on each exercise, every check of it, as a reader's answer is checked.

    With `isolated` it is checked as a class's answers are: in a process apart from its checks.
    """
    pairs = [(exercise, answer) for answer in answers for exercise in exercises]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda pair: _attack(pair[0], pair[1], isolated), pairs))


def _attack(exercise: Exercise, answer: Path, isolated: bool) -> Attack:
    run = Run(answer, limit=LIMIT)
    with Workers(ahead=False, isolated=isolated) as workers:
        workers.run([run], [exercise.visible])
    states = {check: outcome.state for check, outcome in run.outcomes.items()}
    worth = shares(exercise.points, exercise.checks)
    points = sum(share for share, state in zip(worth, states.values(), strict=False) if state == "pass")
    tries = ast.get_docstring(ast.parse(answer.read_text(encoding="utf-8"))) or ""
    return Attack(answer.name, tries.partition("\n")[0], exercise.id, states, points, exercise.points)
