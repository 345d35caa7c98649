"""The pytest side of an exercise: fixtures for its checks, and reports that begin with what to do.

Loaded by ``exercises/conftest.py`` when a reader runs plain pytest, and by the worker of the safe runner.
"""

from __future__ import annotations

import os
import random
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from kael.exercises import NotAvailable, NotStarted
from kael.exercises.answers import load_answer
from kael.exercises.catalogue import Exercise, exercise_in
from kael.exercises.twins import BuildFailed
from kael.testing import Because, Mismatch

__all__ = [
    "answer", "because", "exercise", "job", "numbers", "pytest_report_teststatus",
    "pytest_runtest_makereport", "pytest_terminal_summary",
]  # fmt: skip

STATE = "kael_state"


class Job:
    """Which answer a check is run on, and with which seed.

    Attributes
    ----------
    file : Path or None
        The answer; None for the file beside the check.
    seed : int
        Of the numbers that the check draws.
    origin : Path or None
        The reader's file, where `file` is a copy of it.
    """

    def __init__(self, file: Path | None = None, seed: int = 0, origin: Path | None = None) -> None:
        self.file = file
        self.seed = seed
        self.origin = origin

    def load(self, path: Path) -> ModuleType:
        """The answer, run anew."""
        return load_answer(path)


OWNERS: dict[Path, Path] = {}
"""Folders of exercises by file of checks, for checks that lie elsewhere, such as an instructor's own."""

HERE = Job(seed=int(os.environ.get("KAEL_SEED", "0")))


@pytest.fixture
def job(request: pytest.FixtureRequest) -> Job:
    """The answer and the seed: the reader's own file and `KAEL_SEED`, unless the runner says otherwise."""
    chosen: Job = getattr(request, "param", HERE)
    return chosen


@pytest.fixture
def exercise(request: pytest.FixtureRequest) -> Exercise:
    """The exercise that the check belongs to."""
    return exercise_of(request.path)


def job_of(item: pytest.Item) -> Job:
    """The answer and the seed that a check runs with."""
    callspec = getattr(item, "callspec", None)
    chosen: Job = HERE if callspec is None else callspec.params["job"]
    return chosen


def exercise_of(path: Path) -> Exercise:
    """The exercise of a check: visible, hidden or an instructor's own."""
    if path in OWNERS:
        return exercise_in(OWNERS[path])
    if path.parent.name == "hidden":
        proof = path.parent.parent
        top = next(parent for parent in proof.parents if parent.name == "tests").parent
        return exercise_in(top / "exercises" / proof.parent.name / proof.name)
    return exercise_in(path.parent)


@pytest.fixture
def answer(job: Job, exercise: Exercise) -> ModuleType:
    """The reader's file as a module, run anew for each check."""
    return job.load(job.file or exercise.answer)


@pytest.fixture
def numbers(job: Job) -> np.random.Generator:
    """Random numbers from the seed of this run."""
    random.seed(job.seed)
    return np.random.default_rng(job.seed)


@pytest.fixture
def because(exercise: Exercise, job: Job) -> Callable[..., Because]:
    """Makes the reason that a comparison prints when it fails.

    ``because(called, key, other=value)``: what was called, the misconception to name when nothing better is known, and
    for other misconceptions what they would give.
    """

    def made(called: str, key: str = "", **known: Any) -> Because:
        texts = exercise.misconceptions
        general = {name: known.pop(name) for name in ("contributions", "factors", "source") if name in known}
        return Because(
            called,
            cause=texts[key] if key else "",
            mistakes={texts[name]: value for name, value in known.items()},
            read=exercise.read,
            again=again(exercise, job),
            **general,
        )

    return made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Put first what a reader needs: not the traceback."""
    report: pytest.TestReport = yield  # type: ignore[assignment]
    if call.excinfo is None or not is_exercise(item.path):
        return report  # type: ignore[return-value]
    error = call.excinfo.value
    current = exercise_of(item.path)
    job = job_of(item)
    after = f"read:         {current.read}\nrun again:    {again(current, job)}"
    if isinstance(error, NotStarted):
        state, report.longrepr, report.outcome = "not started", not_started(current, job), "failed"
    elif isinstance(error, NotAvailable):
        state, report.longrepr, report.outcome = "not available", not_available(current, error), "skipped"
    elif isinstance(error, pytest.skip.Exception | pytest.xfail.Exception):
        state, report.outcome = "fail", "failed"
        report.longrepr = f"the answer called pytest.{'xfail' if hasattr(report, 'wasxfail') else 'skip'}: not a pass"
        vars(report).pop("wasxfail", None)
    elif isinstance(error, BuildFailed):
        lines = [f"called:       the compiler, on your {current.file}", f"got:          {error}"]
        state, report.longrepr = "fail", "\n".join([*lines, after])
    elif isinstance(error, Mismatch):
        state, report.longrepr = "fail", str(error)
    elif isinstance(error, AssertionError) and Path(frames_of(error)[-1].filename).name != current.file:
        state = "fail"
        report.longrepr = f"{error}\n{after}"
    else:
        state, report.longrepr = "fail", raised(current, job, error)
    report.when = "call"  # a check whose fixtures hold the answer fails, it is not in error
    setattr(report, STATE, state)
    return report  # type: ignore[return-value]


def again(exercise: Exercise, job: Job) -> str:
    """The command that runs the checks once more: of the runner where it runs them, else of plain pytest."""
    return f"kael ex check {exercise.id}" if job.file is not None else exercise.again


def is_exercise(path: Path) -> bool:
    """Whether a check belongs to an exercise."""
    return path in OWNERS or path.parent.name == "hidden" or (path.parent / "exercise.toml").exists()


def not_started(exercise: Exercise, job: Job) -> str:
    """What to do to begin."""
    return "\n".join(
        [
            f"not started:  {exercise.id} {exercise.title} (about {exercise.minutes} minutes)",
            f"open:         exercises/{exercise.place}/{exercise.file}",
            f"the task:     exercises/{exercise.place}/README.md",
            f"read:         {exercise.read}",
            f"run again:    {again(exercise, job)}",
        ]
    )


def not_available(exercise: Exercise, error: NotAvailable) -> str:
    """What is missing."""
    return f"not available: {exercise.id} {exercise.title}\n{error}"


def raised(exercise: Exercise, job: Job, error: BaseException) -> str:
    """An error of the reader's own code: what and where, then the way it went."""
    file = job.file or exercise.answer
    mine = [frame for frame in frames_of(error) if Path(frame.filename).name == file.name]
    lines = [f"called:       your {file.name}", f"got:          {type(error).__name__}: {error}"]
    if mine:
        lines.append(f"at:           {file.name}, line {mine[-1].lineno}: {mine[-1].line}")
    lines += [f"read:         {exercise.read}", f"run again:    {again(exercise, job)}", ""]
    return "\n".join(lines) + "".join(traceback.format_list(mine))


def frames_of(error: BaseException) -> list[traceback.FrameSummary]:
    """The lines that an error came through, also where some of them were run in another process."""
    inner = error.__cause__ or error
    return [*traceback.extract_tb(inner.__traceback__), *getattr(inner, "answer_frames", ())]


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Exercises that were not begun, or cannot run here, are counted apart from wrong answers."""
    state = getattr(report, STATE, None)
    if state == "not started":
        return "not started", "n", "NOT STARTED"
    if state == "not available":
        return "not available", "u", "NOT AVAILABLE"
    return None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say for each exercise not begun what to open, and what to do next."""
    for category in ("not started", "not available"):
        said: dict[str, int] = {}
        for report in terminalreporter.stats.get(category, []):
            said[str(report.longrepr)] = said.get(str(report.longrepr), 0) + 1
        for text in said:
            terminalreporter.write_sep("-", text.partition("\n")[0])
            terminalreporter.write_line(text.partition("\n")[2])
