"""The table of the exercises and the plans of courses say what the exercises' files say."""

import csv
import dataclasses
import io
import shutil
from pathlib import Path

import pytest

from kael.exercises.catalogue import catalogue, proof_of
from kael.exercises.pack import plan, table
from tests.exercises.workspace import ROOT

EXERCISES = catalogue(ROOT / "exercises")


def test_there_is_a_line_for_each_exercise_and_its_checks() -> None:
    lines = table.table(EXERCISES)
    assert [line.exercise.id for line in lines] == [exercise.id for exercise in EXERCISES]
    assert [len(line.local) for line in lines] == [exercise.checks for exercise in EXERCISES]


def test_hidden_checks_are_those_of_the_proof() -> None:
    for line in table.table(EXERCISES):
        assert bool(line.graded) == (proof_of(line.exercise) / "hidden").is_dir()


def test_an_installation_says_that_it_does_not_know_the_hidden_checks(tmp_path: Path) -> None:
    tasks = tmp_path / "kael" / "exercises" / "tasks"
    shutil.copytree(ROOT / "exercises", tasks, ignore=shutil.ignore_patterns("__pycache__"))
    (line, *_) = table.table(catalogue(tasks))
    assert line.graded is None
    assert line.cells[-1] == "known in a clone only"


def test_spreadsheet_and_page_have_the_same_lines() -> None:
    lines = table.table(EXERCISES)
    read = list(csv.reader(io.StringIO(table.as_csv(lines))))
    assert [tuple(row) for row in read[1:]] == [line.cells for line in lines]
    assert [row.count(" | ") for row in table.as_markdown(lines).splitlines()] == [len(read[0]) - 1] * (len(lines) + 3)


@pytest.mark.parametrize("weeks", plan.COURSES)
class TestPlan:
    def test_every_exercise_has_one_week(self, weeks: int) -> None:
        made = plan.plan(weeks, EXERCISES)
        assert len(made) == weeks
        assert [exercise.id for week in made for exercise in week.exercises] == [exercise.id for exercise in EXERCISES]

    def test_an_exercise_is_in_a_week_of_its_chapter(self, weeks: int) -> None:
        for week in plan.plan(weeks, EXERCISES):
            assert {exercise.id.partition("-")[0] for exercise in week.exercises} <= set(week.chapters)

    def test_no_week_is_without_exercises(self, weeks: int) -> None:
        assert all(week.exercises for week in plan.plan(weeks, EXERCISES))

    def test_minutes_and_points_are_those_of_the_exercises(self, weeks: int) -> None:
        made = plan.plan(weeks, EXERCISES)
        assert sum(week.minutes for week in made) == sum(exercise.minutes for exercise in EXERCISES)
        assert plan.as_markdown(made).splitlines()[-1].split(" | ")[4] == str(sum(e.points for e in EXERCISES))
        assert len(list(csv.reader(io.StringIO(plan.as_csv(made))))) == weeks + 1


def test_an_exercise_before_what_it_needs_is_refused() -> None:
    first, *rest = EXERCISES
    with pytest.raises(ValueError, match=f"{first.id} is in week 1 but needs {rest[-1].id}, which is in week 4"):
        plan.plan(4, [dataclasses.replace(first, requires=(rest[-1].id,)), *rest])


def test_an_unknown_length_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no course of 7 weeks; there are 12, 4"):
        plan.plan(7, EXERCISES)


def test_a_chapter_in_no_week_says_where_to_add_it() -> None:
    stray = dataclasses.replace(EXERCISES[0], id="ch99-01")
    with pytest.raises(ValueError, match="ch99 is in none of the 4 weeks; add it to COURSES"):
        plan.plan(4, [*EXERCISES, stray])
