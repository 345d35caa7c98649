"""The pytest side of an exercise: fixtures for its checks, and reports that begin with what to do.

Loaded by ``exercises/conftest.py`` when a reader runs plain pytest, and by the worker of the safe runner.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from kael.exercises import NotAvailable, NotStarted, messages, twins
from kael.exercises.answers import load_answer
from kael.exercises.catalogue import Exercise, exercise_in
from kael.exercises.kept import Guarded, Tampered, kept
from kael.testing import Because, Mismatch

__all__ = [
    "answer", "as_it_was", "because", "exercise", "guarded", "job", "numbers", "pytest_report_teststatus",
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
    apart : bool
        Whether the answer runs in another process than its checks.
    """

    apart = False

    def __init__(self, file: Path | None = None, seed: int = 0, origin: Path | None = None) -> None:
        self.file = file
        self.seed = seed
        self.origin = origin

    def load(self, path: Path) -> ModuleType:
        """The answer, run anew."""
        return load_answer(path, self.origin)


OWNERS: dict[Path, Path] = {}
"""Folders of exercises by file of checks, for checks that lie elsewhere, such as an instructor's own."""

HERE = Job(seed=int(os.environ.get("KAEL_SEED", "0")))


@pytest.fixture(scope="session")
def guarded() -> Guarded:
    """What checks rely on, as it was before the first answer ran."""
    return Guarded()


@pytest.fixture(autouse=True)
def as_it_was(request: pytest.FixtureRequest, guarded: Guarded, job: Job) -> Iterator[None]:
    """Puts back what an answer has changed around it, and fails a check whose own tools were changed.

    The tools are not looked at where the answer runs in another process.

    Raises
    ------
    Tampered
        When a function or class that checks rely on was replaced.
    """
    if job.apart:
        with kept():
            yield
        return
    guarded.add(request.module.__name__, request.module)
    with kept():
        yield
    changed = guarded.changed()
    if changed:
        raise Tampered(f"the answer replaced {changed[0]}, which checks rely on; call it another name in your file")


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
    current, job = exercise_of(item.path), job_of(item)
    file = job.file or current.answer
    command = again(current, job)
    stop = f"read:         {current.read}\nrun again:    {command}"
    state, report.outcome = "fail", "failed"
    if isinstance(error, NotStarted) and not messages.from_elsewhere(error, file):
        state = "not started"
        answer, task = (shown(path, job) for path in (current.answer, current.folder / "README.md"))
        report.longrepr = messages.not_started(current, error, answer, task, command)
    elif isinstance(error, NotAvailable) and messages.is_own(call.excinfo.traceback[-1].path):
        state, report.longrepr, report.outcome = "not available", messages.not_available(current, error), "skipped"
    elif isinstance(error, pytest.skip.Exception | pytest.xfail.Exception):
        word = "xfail" if hasattr(report, "wasxfail") else "skip"
        report.longrepr = f"called:       your {file.name}\ngot:          pytest.{word}, which is not a pass\n{stop}"
        vars(report).pop("wasxfail", None)
    elif isinstance(error, twins.BuildFailed):
        report.longrepr = f"called:       the compiler, on your {current.file}\ngot:          {error}\n{stop}"
    elif isinstance(error, Mismatch):
        report.longrepr = str(error)
    elif isinstance(error, AssertionError) and Path(messages.frames_of(error)[-1].filename).name != file.name:
        said = str(error).partition("\nassert ")[0]  # without what pytest adds to words that a check has chosen
        report.longrepr = f"{said}\n{stop}"
    else:
        report.longrepr = messages.raised(current, error, file, job.origin or file, command)
    report.when = "call"  # a check whose fixtures hold the answer fails, it is not in error
    setattr(report, STATE, state)
    return report  # type: ignore[return-value]


def again(exercise: Exercise, job: Job) -> str:
    """The command that runs the checks once more: of the runner where it runs them, else of plain pytest."""
    if job.file is not None:
        return f"kael ex check {exercise.id}"
    return f"python -m pytest {shown(exercise.folder, job)}"


def shown(path: Path, job: Job) -> str:
    """A path as a reader sees it: from the top of a workspace in the runner, from where they are in plain pytest."""
    if job.file is not None:
        return path.relative_to(path.parents[2]).as_posix()
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)


def is_exercise(path: Path) -> bool:
    """Whether a check belongs to an exercise."""
    return path in OWNERS or path.parent.name == "hidden" or (path.parent / "exercise.toml").exists()


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
