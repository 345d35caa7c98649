"""Checking a reader's answers with kael's own copies of the checks."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from kael.exercises.catalogue import Exercise
from kael.exercises.results import CheckResult, ExerciseResult, with_points
from kael.exercises.runner import Outcome, Run, Workers

__all__ = ["check", "checks_in", "fingerprint"]

NOT_RUN = Outcome("not run", "the run ended before this check; the checks before it say why")


def check(
    exercises: Sequence[Exercise],
    root: Path,
    *,
    seed: int = 0,
    hidden: Mapping[str, Sequence[Path]] | None = None,
    report: Callable[[ExerciseResult], None] | None = None,
    progress: Callable[[ExerciseResult], None] | None = None,
    workers: Workers | None = None,
    together: bool = False,
    builds: Path | None = None,
) -> list[ExerciseResult]:
    """Check the answers below a folder.

    The checks are the copies that came with kael, whatever the folder holds, and a check that did not report counts as
    not run, never as passed.

    Parameters
    ----------
    exercises : sequence of Exercise
        What to check.
    root : Path
        A workspace: the answer of an exercise lies at ``root / exercise.place / exercise.file``.
    seed : int
        Of the numbers that the checks draw.
    hidden : mapping of str to sequence of Path, optional
        More files of checks by exercise id, such as an instructor's own.
    report : callable, optional
        Is told each result as it is known.
    progress : callable, optional
        Is told after every check what is known of its exercise so far; checks still to come count as not run.
    workers : Workers, optional
        Where the answers run; who checks often keeps them open, and a worker at the ready. Left out, they are started
        for this call.
    together : bool
        Whether one worker takes all exercises: sooner done, but each result is known at the end only.
    builds : Path, optional
        As for `Workers.run`.
    """
    if workers is None:
        with Workers(ahead=False) as own:
            return check(exercises, root, seed=seed, hidden=hidden, report=report, progress=progress, workers=own,
                         together=together, builds=builds)  # fmt: skip
    asked = [_Asked(exercise, root, seed, (hidden or {}).get(exercise.id, ()), progress) for exercise in exercises]
    results = []
    for several in [asked] if together and asked else [[one] for one in asked]:
        owners = {path: one.exercise.folder for one in several for path in one.hidden}
        files = [path for one in several for path in one.run.checks]
        workers.run([one.run for one in several], files, owners=owners, one_reader=not together, builds=builds)
        for one in several:
            results.append(one.result())
            if report is not None:
                report(results[-1])
    return results


class _Asked:
    """One exercise that is being checked."""

    def __init__(
        self,
        exercise: Exercise,
        root: Path,
        seed: int,
        hidden: Sequence[Path],
        progress: Callable[[ExerciseResult], None] | None,
    ) -> None:
        self.exercise = exercise
        self.hidden = hidden
        files = [exercise.visible, *hidden]
        self.names = [name for path in files for name in checks_in(path)]
        answer = root / exercise.place / exercise.file
        self.run = Run(answer, seed, exercise.time_limit, checks=files)
        if progress is not None:
            self.run.told = lambda: progress(self.result())

    def result(self) -> ExerciseResult:
        """What is known so far."""
        outcomes = [(name, self.run.outcomes.get(name, NOT_RUN)) for name in self.names]
        checks = [CheckResult(name, outcome.state, outcome.text) for name, outcome in outcomes]
        points = with_points(self.exercise, checks)
        return ExerciseResult(self.exercise, points, self.run.file, self.run.sha256, self.run.seed)


def checks_in(path: Path | str, text: str | None = None) -> Iterator[str]:
    """The names of the checks in a file, or in its text where it is given, in their order, read without running it."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8") if text is None else text, str(path))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name


def fingerprint(path: Path) -> str:
    """The SHA-256 of a file's bytes; empty where there is none."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return ""
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
