"""Grades one submission where a service such as Gradescope or Classroom 50 runs it.

``python -m kael.exercises.pack.autograder FORMAT --bundle DIR --submission DIR --out FILE``. The file is there from the
first moment and whole at every moment: what has not been checked yet counts as not run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from kael.exercises.catalogue import Exercise, catalogue, hidden_checks_of
from kael.exercises.checker import check, checks_in
from kael.exercises.formats import classroom50, gradescope
from kael.exercises.grading.answers import find_answers
from kael.exercises.grading.submissions import Submission
from kael.exercises.pack.bundle import SETTINGS
from kael.exercises.results import CheckResult, ExerciseResult, Results, with_points
from kael.exercises.runner import Workers
from kael.exercises.saving import save

__all__ = ["gather", "grade", "main", "pending"]


def gather(exercises: Sequence[Exercise], submission: Path, root: Path) -> list[str]:
    """Lay a student's answers where the checks look for them.

    They are found as ``kael grade`` finds them: in their folders, side by side, or in a zip.

    Parameters
    ----------
    exercises : sequence of Exercise
        What is graded.
    submission : Path
        What was handed in.
    root : Path
        An empty folder, which gets the layout of a workspace.

    Returns
    -------
    list of str
        What is to be said about it, such as that an answer is missing.
    """
    answers = find_answers(Submission("", submission), exercises, exercises)
    notes = list(answers.notes)
    for exercise in exercises:
        if exercise.id in answers.files:
            target = root / exercise.place / exercise.file
            target.parent.mkdir(parents=True)
            target.write_bytes(answers.files[exercise.id])
        elif exercise.id not in answers.refused:
            notes.append(f"{exercise.id}: no {exercise.file} was handed in; it belongs into {exercise.place}")
    return notes


def pending(exercises: Sequence[Exercise], hidden: dict[str, list[Path]], said: str) -> Results:
    """Results before anything was checked."""
    found = []
    for exercise in exercises:
        names = [name for file in [exercise.visible, *hidden[exercise.id]] for name in checks_in(file)]
        checks = with_points(exercise, [CheckResult(name, "not run", said) for name in names])
        found.append(ExerciseResult(exercise, checks, Path(exercise.place) / exercise.file))
    return Results(found)


def grade(bundle: Path, submission: Path, tell: Callable[[Results, list[str]], None]) -> Results:
    """Grade one submission, its answers in processes apart from the checks.

    No exercise is begun after the minutes that the bundle gives to grading.

    Parameters
    ----------
    bundle : Path
        A folder with the files of `kael.exercises.pack.bundle.bundle`.
    submission : Path
        What was handed in.
    tell : callable
        Is told the results so far, before the first check and after every check, and what is to be said about the
        files.
    """
    begun = time.monotonic()
    settings = json.loads((bundle / SETTINGS).read_text(encoding="utf-8"))
    minutes = settings["minutes"]
    exercises = [e for e in catalogue((bundle / "exercises").resolve()) if e.id in settings["exercises"]]
    hidden = {e.id: hidden_checks_of(e) for e in exercises}
    late = f"the {minutes:g} minutes for grading were over before this check; the checks before it say why"
    results = pending(exercises, hidden, late)
    tell(results, [])
    with tempfile.TemporaryDirectory(prefix="kael-answers-", ignore_cleanup_errors=True) as folder:
        notes = gather(exercises, submission, Path(folder))

        def progress(result: ExerciseResult) -> None:
            results.exercises[:] = [result if old.exercise is result.exercise else old for old in results.exercises]
            tell(results, notes)

        with Workers(isolated=True) as workers:
            for exercise in exercises:
                if time.monotonic() - begun < 60 * minutes:
                    check(
                        [exercise], Path(folder), seed=settings["seed"], hidden=hidden, report=progress,
                        progress=progress, workers=workers,
                    )  # fmt: skip
    return results


def main(args: Sequence[str] | None = None) -> int:
    """Grade and write; 0 when grading ran to its end, whatever the score."""
    parser = argparse.ArgumentParser(prog="python -m kael.exercises.pack.autograder", description="Grade a submission.")
    parser.add_argument("format", choices=("gradescope", "classroom50"))
    parser.add_argument("--bundle", type=Path, required=True, help="what kael ex pack made")
    parser.add_argument("--submission", type=Path, required=True, help="what a student handed in")
    parser.add_argument("--out", type=Path, required=True, help="the file with the results")
    given = parser.parse_args(args)
    begun = time.monotonic()
    given.out.parent.mkdir(parents=True, exist_ok=True)

    def tell(results: Results, notes: list[str]) -> None:
        if given.format == "gradescope":
            said = gradescope.render(results, seconds=time.monotonic() - begun, notes=notes)
        else:
            said = classroom50.render(results, environment=os.environ)
            save(given.out.with_name("release-body.md"), classroom50.release_body(results, notes).encode())
        save(given.out, said.encode())

    try:
        results = grade(given.bundle, given.submission, tell)
    except Exception:
        traceback.print_exc()  # for the instructor; the results so far are in the file
        return 1
    print(f"{results.score} of {results.points} points")
    return 0


if __name__ == "__main__":
    sys.exit(main())
