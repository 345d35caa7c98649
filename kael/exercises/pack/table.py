"""What is known of each exercise before anybody solves it: for planning, and for those who have to judge a course."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from kael.exercises.catalogue import Exercise, hidden_checks_of, proof_of
from kael.exercises.checker import checks_in

__all__ = ["Line", "as_csv", "as_markdown", "hidden_checks", "table"]

HEAD = ("exercise", "title", "kind", "level", "minutes", "points", "after", "needs", "outcome", "checked by readers",
        "only by kael grade")  # fmt: skip


@dataclass(frozen=True)
class Line:
    """One exercise in the table.

    Attributes
    ----------
    exercise : Exercise
        The exercise.
    local : tuple of str
        Names of the checks that readers have.
    graded : tuple of str or None
        Names of the hidden checks, which run in ``kael grade`` and in the autograders alone; None where they cannot be
        known, since an installation does not bring them.
    """

    exercise: Exercise
    local: tuple[str, ...]
    graded: tuple[str, ...] | None

    @property
    def cells(self) -> tuple[str, ...]:
        """The line as texts, in the order of the heading."""
        exercise = self.exercise
        graded = "known in a clone only" if self.graded is None else _words(self.graded) or "the same"
        return (
            exercise.id, exercise.title, exercise.kind, str(exercise.level), str(exercise.minutes),
            str(exercise.points), ", ".join(exercise.requires) or "none", ", ".join(exercise.needs) or "nothing",
            exercise.outcome, _words(self.local), graded,
        )  # fmt: skip


def table(exercises: Sequence[Exercise]) -> list[Line]:
    """A line for each exercise, read from its files.

    Parameters
    ----------
    exercises : sequence of Exercise
        In the order wanted.

    Examples
    --------
    >>> from kael.exercises.catalogue import find
    >>> table(find("ch17-03"))[0].cells[:6]
    ('ch17-03', 'A bias in the middle', 'write', '2', '25', '12')
    """
    return [Line(exercise, tuple(checks_in(exercise.visible)), _graded(exercise)) for exercise in exercises]


def as_markdown(lines: Sequence[Line]) -> str:
    """A Markdown table, with the sums of minutes and points in its last row."""
    minutes = sum(line.exercise.minutes for line in lines)
    points = sum(line.exercise.points for line in lines)
    total = ("all", f"{len(lines)} exercises", "", "", str(minutes), str(points), *[""] * 5)
    rows = [HEAD, ("---",) * len(HEAD), *(line.cells for line in lines), total]
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in rows)


def as_csv(lines: Sequence[Line]) -> str:
    """The table for a spreadsheet."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEAD, *(line.cells for line in lines)])
    return text.getvalue()


def hidden_checks(exercise: Exercise) -> list[str]:
    """The names of the checks that readers have not got, in their order; empty where there are none here."""
    return [name for file in hidden_checks_of(exercise) for name in checks_in(file)]


def _graded(exercise: Exercise) -> tuple[str, ...] | None:
    return tuple(hidden_checks(exercise)) if proof_of(exercise).is_dir() else None


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _words(names: Sequence[str]) -> str:
    return "; ".join(name.removeprefix("test_").replace("_", " ") for name in names)
