"""A course in twelve weeks and one in four: the chapters of a week are data, the rest is added up from the exercises.

A chapter that stands in several weeks has its exercises shared among them, in their order and as evenly in minutes as
they go.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from kael.exercises.catalogue import Exercise

__all__ = ["COURSES", "Week", "as_csv", "as_markdown", "plan"]

COURSES: dict[int, tuple[tuple[str, ...], ...]] = {
    12: (
        ("ch07",), ("ch11",), ("ch12",), ("ch13",), ("ch14",), ("ch14",), ("ch15",), ("ch16",), ("ch17",), ("ch17",),
        ("ch18",), ("ch18", "ch20"),
    ),
    4: (("ch07", "ch11", "ch12"), ("ch13", "ch14"), ("ch15", "ch16"), ("ch17", "ch18", "ch20")),
}  # fmt: skip
"""The chapters of each week, by the number of weeks."""

HEAD = ("week", "chapters", "exercises", "minutes", "points", "highest level")


@dataclass(frozen=True)
class Week:
    """What is done in one week.

    Attributes
    ----------
    number : int
        From 1.
    chapters : tuple of str
        What is read, such as ``ch07``.
    exercises : tuple of Exercise
        What is solved.
    """

    number: int
    chapters: tuple[str, ...]
    exercises: tuple[Exercise, ...]

    @property
    def minutes(self) -> int:
        """How long the exercises take."""
        return sum(exercise.minutes for exercise in self.exercises)

    @property
    def points(self) -> int:
        """What they count."""
        return sum(exercise.points for exercise in self.exercises)

    @property
    def cells(self) -> tuple[str, ...]:
        """The week as texts, in the order of the heading."""
        ids = ", ".join(exercise.id for exercise in self.exercises) or "none"
        level = max((exercise.level for exercise in self.exercises), default=0)
        chapters = ", ".join(str(int(chapter.removeprefix("ch"))) for chapter in self.chapters)
        return (str(self.number), chapters, ids, str(self.minutes), str(self.points), str(level or "none"))


def plan(weeks: int, exercises: Sequence[Exercise]) -> list[Week]:
    """The weeks of a course.

    Parameters
    ----------
    weeks : int
        How many; one of `COURSES`.
    exercises : sequence of Exercise
        In the order of the index. What is left out of them is left out of the course.

    Raises
    ------
    ValueError
        When there is no course of so many weeks, when an exercise is in no week, or when one would come before
        another that it needs.

    Examples
    --------
    >>> from kael.exercises.catalogue import catalogue
    >>> [week.chapters for week in plan(4, catalogue())][-1]
    ('ch17', 'ch18', 'ch20')
    """
    if weeks not in COURSES:
        raise ValueError(f"no course of {weeks} weeks; there are {', '.join(str(count) for count in COURSES)}")
    chapters = COURSES[weeks]
    given: list[list[Exercise]] = [[] for _ in chapters]
    for chapter in dict.fromkeys(exercise.id.partition("-")[0] for exercise in exercises):
        places = [place for place, listed in enumerate(chapters) if chapter in listed]
        if not places:
            raise ValueError(
                f"{chapter} is in none of the {weeks} weeks; add it to COURSES in kael/exercises/pack/plan.py"
            )
        own = [exercise for exercise in exercises if exercise.id.startswith(f"{chapter}-")]
        for place, share in zip(places, _shared(own, len(places)), strict=True):
            given[place] += share
    _keeps_order(given)
    listed = zip(chapters, given, strict=True)
    return [Week(number, chosen, tuple(asked)) for number, (chosen, asked) in enumerate(listed, 1)]


def _shared(exercises: Sequence[Exercise], weeks: int) -> list[list[Exercise]]:
    """Exercises of one chapter over its weeks: each goes where the middle of its minutes falls."""
    whole = sum(exercise.minutes for exercise in exercises)
    parts: list[list[Exercise]] = [[] for _ in range(weeks)]
    before = 0
    for exercise in exercises:
        parts[(2 * before + exercise.minutes) * weeks // (2 * whole)].append(exercise)
        before += exercise.minutes
    return parts


def _keeps_order(weeks: Sequence[Sequence[Exercise]]) -> None:
    week_of = {exercise.id: number for number, week in enumerate(weeks, 1) for exercise in week}
    for number, week in enumerate(weeks, 1):
        for exercise in week:
            for needed in exercise.requires:
                if week_of.get(needed, 0) > number:
                    raise ValueError(
                        f"{exercise.id} is in week {number} but needs {needed}, which is in week {week_of[needed]}"
                    )


def as_markdown(weeks: Sequence[Week]) -> str:
    """A Markdown table, with the sums in its last row."""
    total = ("all", "", str(sum(len(week.exercises) for week in weeks)), str(sum(week.minutes for week in weeks)),
             str(sum(week.points for week in weeks)), "")  # fmt: skip
    rows = [HEAD, ("---",) * len(HEAD), *(week.cells for week in weeks), total]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def as_csv(weeks: Sequence[Week]) -> str:
    """The plan for a spreadsheet."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEAD, *(week.cells for week in weeks)])
    return text.getvalue()
