"""An exercise as a notebook for nbgrader: the task, a cell for the answer, and one graded cell a check.

The cells' metadata keeps to version 3 of nbgrader's schema (``nbgrader/nbgraderformat/v3.json`` in
github.com/jupyter/nbgrader); how regions of solutions and hidden tests are treated is described in
https://nbgrader.readthedocs.io/en/stable/user_guide/creating_and_grading_assignments.html. A graded cell earns all its
points or none; an error, or anything on standard error, earns none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kael.exercises.catalogue import Exercise
from kael.exercises.checker import checks_in
from kael.exercises.results import shares

__all__ = ["CONFIG", "VERSION", "render"]

VERSION = 3
"""Of nbgrader's metadata; later versions of nbgrader read it as well."""

CONFIG = """\
c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "kael"
# The cell for the answer holds what students begin with, below the solution: nothing has to be put in its place.
c.ClearSolutions.code_stub = {"python": ""}
# A check may take as long as its exercise says; the runner ends it then.
c.ExecutePreprocessor.timeout = 600
"""
"""What `nbgrader_config.py` should say; without it students find two lines more above what they begin with."""

SETUP = "%load_ext kael.exercises.formats.cells\nfrom kael.exercises.formats.cells import checked"


def render(exercise: Exercise, solution: str, hidden: Mapping[str, str], seed: int = 0) -> str:
    """The source notebook, from which nbgrader makes the one for students.

    Parameters
    ----------
    exercise : Exercise
        What is asked.
    solution : str
        The solution's text.
    hidden : mapping of str to str
        The text of each file of checks that students have not got, by its name.
    seed : int
        Of the numbers that the hidden checks draw.

    Returns
    -------
    str
        Version 4.5 of the notebook format, as JSON.
    """
    task = (exercise.folder / "README.md").read_text(encoding="utf-8").strip()
    visible = list(checks_in(exercise.visible))
    more = [name for file, text in hidden.items() for name in checks_in(file, text)]
    points = shares(exercise.points, len(visible) + len(more))
    said = f"{exercise.points} points, about {exercise.minutes} minutes. Read {exercise.read}."
    begin = exercise.answer.read_text(encoding="utf-8")
    answer = f"%%answer {exercise.id}\n### BEGIN SOLUTION\n{solution.strip()}\n### END SOLUTION\n{begin.strip()}"
    cells = [
        _cell("markdown", f"{task}\n\n{said}", f"{exercise.id}-task", locked=True),
        _cell("code", SETUP, f"{exercise.id}-setup", locked=True),
        _cell("code", answer, f"{exercise.id}-answer", solution=True),
    ]
    for name, share in zip([*visible, *more], points, strict=True):
        text = f'checked("{exercise.id}", "{name}")'
        if name in more:
            add = f'hidden("{exercise.id}", {dict(hidden)!r}, seed={seed})'
            lines = ["### BEGIN HIDDEN TESTS", "from kael.exercises.formats.cells import hidden", add, text]
            text = "\n".join([*lines, "### END HIDDEN TESTS"])
        cells.append(_cell("code", text, f"{exercise.id}-{name}", locked=True, points=share))
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"{exercise.id}-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _cell(
    kind: str, text: str, name: str, *, locked: bool = False, solution: bool = False, points: int | None = None
) -> dict[str, Any]:
    said: dict[str, Any] = {
        "grade": points is not None, "grade_id": name, "locked": locked, "schema_version": VERSION,
        "solution": solution, "task": False,
    }  # fmt: skip
    if points is not None:
        said["points"] = points
    cell = {
        "cell_type": kind,
        "id": name[:64],
        "metadata": {"nbgrader": said},
        "source": text.splitlines(keepends=True),
    }
    return cell if kind == "markdown" else {**cell, "execution_count": None, "outputs": []}
