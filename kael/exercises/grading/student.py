"""Grading one student, in a folder that nobody else's answers ever see."""

from __future__ import annotations

import atexit
import contextlib
import functools
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kael.exercises import twins
from kael.exercises.catalogue import Exercise, catalogue
from kael.exercises.checker import check
from kael.exercises.grading.checks import CheckFile, put_together
from kael.exercises.isolation.account import VARIABLE, folder_to_enter
from kael.exercises.results import CheckResult, ExerciseResult, with_points
from kael.exercises.runner import Workers

__all__ = ["Record", "Task", "grade_student"]

Record = dict[str, Any]
"""A line of the results: what one student has for one exercise."""

LONGEST = 4000
"""Signs that are kept of what a check says."""

_OWN = threading.local()


@dataclass(frozen=True)
class Task:
    """One student's answers and all that is needed to grade them, also on another machine.

    Attributes
    ----------
    student : str
        Whose they are.
    answers : mapping of str to bytes or str
        By exercise: the answer, or why there is none.
    seed : int
        Of the numbers that the checks draw.
    checks : mapping of str to sequence of CheckFile
        The files of checks beside the visible ones.
    sha256 : mapping of str to str
        Of the checks of each exercise.
    together : set of str
        Exercises whose answers run in one process with their checks.
    """

    student: str
    answers: Mapping[str, bytes | str]
    seed: int
    checks: Mapping[str, Sequence[CheckFile]]
    sha256: Mapping[str, str]
    together: frozenset[str] = frozenset()


def grade_student(task: Task) -> list[Record]:
    """Grade one student; one record for each exercise.

    Raises
    ------
    RuntimeError
        When this kael has other checks than the one that sent the task.
    """
    known = _known()
    exercises = [known[name] for name in task.answers if name in known]
    for name in task.answers:
        here = put_together(known[name], task.checks[name]).sha256 if name in known else ""
        if here != task.sha256[name]:
            raise RuntimeError(f"{name}: the kael that grades has other checks; install the same one everywhere")
    given = [exercise for exercise in exercises if isinstance(task.answers[exercise.id], bytes)]
    results = {result.exercise.id: result for result in _checked(given, task)}
    return [_record(results.get(exercise.id) or _without(exercise, task), task) for exercise in exercises]


@functools.cache
def _known() -> dict[str, Exercise]:
    """The exercises by id, read once in this process."""
    return {exercise.id: exercise for exercise in catalogue()}


def _checked(exercises: Sequence[Exercise], task: Task) -> list[ExerciseResult]:
    with tempfile.TemporaryDirectory(prefix="kael-grade-", ignore_cleanup_errors=True) as folder:
        root = Path(folder) / "answers"
        for exercise in exercises:
            answer, content = root / exercise.place / exercise.file, task.answers[exercise.id]
            assert isinstance(content, bytes)
            answer.parent.mkdir(parents=True)
            answer.write_bytes(content)
        hidden = {exercise.id: [_written(exercise.id, file) for file in task.checks[exercise.id]]
                  for exercise in exercises}  # fmt: skip
        builds = Path(folder) / "builds"
        if any(exercise.answer.suffix == ".pyx" for exercise in exercises):
            _bring_shared(builds)
        results = []
        for isolated in (True, False):
            several = [exercise for exercise in exercises if (exercise.id not in task.together) is isolated]
            if not several:
                continue
            if not isolated and folder_to_enter() is not None:  # who names an account wants no answer under another
                names = ", ".join(exercise.id for exercise in several)
                raise RuntimeError(f"{names}: answers run under the account of {VARIABLE}, so never with their checks")
            with contextlib.ExitStack() as stack:
                if isolated:
                    workers = _workers()
                else:
                    workers = stack.enter_context(Workers({twins.CACHE: str(builds)}, ahead=False))
                results += check(several, root, seed=task.seed, hidden=hidden, workers=workers, together=True,
                                 builds=builds)  # fmt: skip
        return results


@functools.cache
def _written(exercise: str, file: CheckFile) -> Path:
    """A file of checks of an exercise on the disk of this machine, for as long as this process grades."""
    folder = tempfile.TemporaryDirectory(prefix="kael-grade-", ignore_cleanup_errors=True)
    atexit.register(folder.cleanup)
    path = Path(folder.name) / file.name
    path.write_text(file.text, encoding="utf-8")
    return path


def _workers() -> Workers:
    """Where answers run apart from their checks, for as long as this thread grades."""
    if not hasattr(_OWN, "workers"):
        _OWN.workers = Workers(ahead=False, staying=True, isolated=True)
        atexit.register(_OWN.workers.close)
    found: Workers = _OWN.workers
    return found


def _bring_shared(builds: Path) -> None:
    """Copy what Cython files share to where this student's are built, so that no student can touch another's."""
    name, content = _shared()
    if content:
        target = builds / twins.SHARED / name
        target.parent.mkdir(parents=True)
        target.write_bytes(content)


@functools.cache
def _shared() -> tuple[str, bytes]:
    """Name and bytes of that module, built once in this process and held where no answer can change it."""
    with tempfile.TemporaryDirectory(prefix="kael-grade-", ignore_cleanup_errors=True) as folder:
        library = twins.share(Path(folder))
        return (library.name, library.read_bytes()) if library else ("", b"")


def _without(exercise: Exercise, task: Task) -> ExerciseResult:
    """The result where there is no answer to check."""
    missing = twins.missing() if "compiler" in exercise.needs else ""
    reason = task.answers[exercise.id]
    assert isinstance(reason, str)
    state = "not available" if missing else "not run" if reason else "not started"
    text = missing or reason or f"no {exercise.file} was handed in"
    names = put_together(exercise, task.checks[exercise.id]).names
    checks = with_points(exercise, [CheckResult(name, state, text) for name in names])
    return ExerciseResult(exercise, checks, Path(exercise.file), seed=task.seed)


def _record(result: ExerciseResult, task: Task) -> Record:
    name = result.exercise.id
    given = task.answers[name]
    return {
        "student": task.student,
        "exercise": name,
        "sha256": result.sha256,
        "reason": given if isinstance(given, str) else "",
        "seed": task.seed,
        "checks": task.sha256[name],
        "state": result.state,
        "score": result.score,
        "points": result.points,
        "results": [
            {"name": each.name, "state": each.state, "points": each.points, "text": each.text[:LONGEST]}
            for each in result.checks
        ],
    }
