"""``kael ex pack``: handouts for students and packs for instructors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from kael.exercises.catalogue import Exercise
from kael.exercises.pack import instructor, student
from kael.exercises.pack.bundle import Grading
from kael.exercises.pack.files import deliver

__all__ = ["run"]


def run(
    exercises: Sequence[Exercise], for_students: Path | None, for_instructor: Path | None, how: Grading, as_json: bool
) -> int:
    """Make one of the two packs and say what is in it.

    Parameters
    ----------
    exercises : sequence of Exercise
        What goes into it.
    for_students, for_instructor : Path or None
        Where to; one of them is given.
    how : Grading
        How an instructor's autograders grade.
    as_json : bool
        Whether a program reads the answer.
    """
    target = for_students or for_instructor
    assert target is not None
    files = student.handout(exercises) if for_students else instructor.pack(exercises, how)
    deliver(files, target)
    if as_json:
        print(json.dumps({"target": str(target), "exercises": [e.id for e in exercises], "files": sorted(files)}))
    else:
        points = sum(exercise.points for exercise in exercises)
        print(
            f"{target}: {len(files)} files for {len(exercises)} exercises with {points} points; begin at its README.md"
        )
    return 0
