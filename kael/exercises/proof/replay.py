"""The path through the exercises, walked in order: with the right answers of earlier ones alone, each can be passed."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kael.exercises.catalogue import Exercise, proof_of
from kael.exercises.checker import check
from kael.exercises.runner import Workers

__all__ = ["replay"]


def replay(exercises: Sequence[Exercise]) -> dict[str, list[str]]:
    """Walk through exercises as a reader does, and say what stands in the way.

    A fresh folder gets the stubs of all of them. Then each in its turn is given its solution and checked as
    ``kael ex check`` does it; what is graded has to be that file, by its hash, with the number of checks that
    `exercise.toml` declares.

    Parameters
    ----------
    exercises : sequence of Exercise
        In the order of the index.

    Returns
    -------
    dict of str to list of str
        Problems by exercise; empty where there is none.
    """
    problems: dict[str, list[str]] = {}
    with (
        tempfile.TemporaryDirectory(prefix="kael-replay-", ignore_cleanup_errors=True) as folder,
        Workers(ahead=True) as workers,
    ):
        root = Path(folder)
        for exercise in exercises:
            shutil.copytree(exercise.folder, root / exercise.place, ignore=shutil.ignore_patterns("__pycache__"))
        for exercise in exercises:
            problems[exercise.id] = _step(exercise, root, workers)
    return problems


def _step(exercise: Exercise, root: Path, workers: Workers) -> list[str]:
    solution = proof_of(exercise) / "solution" / exercise.file
    answer = root / exercise.place / exercise.file
    (stub,) = check([exercise], root, workers=workers)
    shutil.copy(solution, answer)
    (result,) = check([exercise], root, workers=workers)
    if not result.available:
        return []
    found = []
    if stub.score:
        found.append(f"the stub has {stub.score} points")
    if not result.passed:
        worst = next(each for each in result.checks if each.state != "pass")
        found.append(
            f"with the solutions of earlier exercises alone, its own does not pass: {worst.name} is {worst.state!r}\n"
            f"{worst.text}"
        )
    elif result.score != exercise.points:
        found.append(f"its solution has {result.score} of {exercise.points} points")
    if len(result.checks) != exercise.checks:
        found.append(f"{len(result.checks)} checks were graded, exercise.toml says {exercise.checks}")
    if result.file != answer or result.sha256 != hashlib.sha256(solution.read_bytes()).hexdigest():
        found.append(f"another file than the reader's was graded: {result.file} {result.sha256}")
    return found
