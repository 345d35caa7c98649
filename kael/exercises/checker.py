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
    """
    if workers is None:
        with Workers(ahead=False) as own:
            return check(exercises, root, seed=seed, hidden=hidden, report=report, progress=progress, workers=own)
    results = []
    for exercise in exercises:
        result = _check_one(exercise, root, seed, (hidden or {}).get(exercise.id, ()), progress, workers)
        results.append(result)
        if report is not None:
            report(result)
    return results


def _check_one(
    exercise: Exercise,
    root: Path,
    seed: int,
    hidden: Sequence[Path],
    progress: Callable[[ExerciseResult], None] | None,
    workers: Workers,
) -> ExerciseResult:
    answer = root / exercise.place / exercise.file
    files = [exercise.visible, *hidden]
    names = [name for path in files for name in checks_in(path)]
    run = Run(answer, seed, exercise.time_limit)

    def result() -> ExerciseResult:
        outcomes = [(name, run.outcomes.get(name, NOT_RUN)) for name in names]
        checks = [CheckResult(name, outcome.state, outcome.text) for name, outcome in outcomes]
        return ExerciseResult(exercise, with_points(exercise, checks), answer, run.sha256, seed)

    if progress is not None:
        run.told = lambda: progress(result())
    workers.run([run], files, owners=dict.fromkeys(hidden, exercise.folder))
    return result()


def checks_in(path: Path | str, text: str | None = None) -> Iterator[str]:
    """The names of the checks in a file, or in its text where it is given, in their order, read without running it."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8") if text is None else text, str(path))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name


def fingerprint(path: Path) -> str:
    """The SHA-256 of a file's bytes; empty where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
