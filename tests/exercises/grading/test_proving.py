"""What is done with exercises whose checks reject kael's own solution."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kael.exercises.catalogue import find
from kael.exercises.grading.checks import CheckFile, gather, put_together
from kael.exercises.grading.pool import Graded
from kael.exercises.grading.proving import Proof, WrongChecks, prove
from kael.exercises.grading.student import Record, Task
from tests.exercises.workspace import ROOT

EVERY = find("ch17", ROOT / "exercises")
(EXERCISE,) = find("ch17-02", ROOT / "exercises")
CHECKS = gather([EXERCISE], EVERY)


class Grading:
    """Stands for grading: a solution fails one check, in a process of its own or in both."""

    def __init__(self, *, apart: str = "", beside: str = "") -> None:
        self.fails = {False: apart, True: beside}
        self.tasks: list[Task] = []

    def __call__(self, tasks: Iterable[Task]) -> Iterator[Graded]:
        for task in tasks:
            self.tasks.append(task)
            name = self.fails[bool(task.together)]
            text = "called:       f\nlikely cause: as it is"
            results = [{"name": name or "test_x", "state": "fail" if name else "pass", "text": text, "points": 1}]
            record: Record = {"exercise": task.student, "results": results}
            yield task, [record]


def test_a_solution_that_passes_apart_is_asked_once() -> None:
    grading = Grading()
    assert prove([EXERCISE], CHECKS, 1, grading) == {"ch17-02": Proof()}
    assert len(grading.tasks) == 1


def test_one_that_passes_in_one_process_alone_has_its_exercise_graded_so_and_that_is_said() -> None:
    proof = prove([EXERCISE], CHECKS, 1, Grading(apart="test_depth"))["ch17-02"]
    assert not proof.isolated
    assert "passes test_depth only in one process with the checks" in proof.doubt


def test_one_that_passes_nowhere_leaves_a_doubt() -> None:
    proof = prove([EXERCISE], CHECKS, 1, Grading(apart="test_speed", beside="test_speed"))["ch17-02"]
    assert proof.isolated
    assert "do not rely on these points (test_speed: as it is)" in proof.doubt


def test_one_that_a_private_check_rejects_stops_the_run() -> None:
    own = put_together(EXERCISE, [CheckFile("check_own.py", "def test_own(answer): pass", True)])
    with pytest.raises(WrongChecks, match="your checks of ch17-02 reject kael's own solution"):
        prove([EXERCISE], {"ch17-02": own}, 1, Grading(apart="test_own", beside="test_own"))


def test_an_exercise_without_a_solution_is_graded_and_that_is_said(tmp_path: Path) -> None:
    lonely = replace(
        EXERCISE, folder=tmp_path / "a" / "exercises" / "ch17_engine" / "e02_mirror", place="ch00_none/e01"
    )
    proof = prove([lonely], CHECKS, 1, Grading())["ch17-02"]
    assert "without the solution of ch17-02" in proof.doubt


def test_a_grader_that_breaks_is_a_doubt() -> None:
    def breaks(tasks: Iterable[Task]) -> Iterator[Graded]:
        for task in tasks:
            yield task, RuntimeError("no room")

    assert "(grading: no room)" in prove([EXERCISE], CHECKS, 1, breaks)["ch17-02"].doubt


def test_solutions_are_those_of_the_clone() -> None:
    grading = Grading()
    prove([EXERCISE], CHECKS, 1, grading)
    expected = (ROOT / "tests" / "exercises" / EXERCISE.place / "solution" / EXERCISE.file).read_bytes()
    assert grading.tasks[0].answers == {"ch17-02": expected}
