"""Results for Gradescope: the `results.json` that an autograder leaves.

The fields are those of https://gradescope-autograders.readthedocs.io/en/latest/specs/ (the same text lies in
github.com/gradescope/autograder_samples, ``docs/specs.md``). A score at the top overrides the sum over the tests, so
both are given and equal. Tests that are not shown to students hide their total as well.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kael.exercises.formats.rows import clean, rows, summary
from kael.exercises.results import Results

__all__ = ["VISIBILITIES", "render"]

VISIBILITIES = ("visible", "after_due_date", "after_published", "hidden")
"""When students may see a test."""


def render(
    results: Results, *, hidden: str = "after_published", seconds: float | None = None, notes: Sequence[str] = ()
) -> str:
    """One test a check, with its points and what the reader is told.

    Parameters
    ----------
    results : Results
        What came of the checks so far: the file may be written after every check, and is whole each time.
    hidden : str
        When students see the checks that they have not got, one of `VISIBILITIES`. Gradescope's ``hidden`` is meant for
        tests without points.
    seconds : float, optional
        How long grading took.
    notes : sequence of str
        What is to be said about the submission as a whole, such as that a file is missing.

    Raises
    ------
    ValueError
        When `hidden` is none of `VISIBILITIES`.

    Examples
    --------
    >>> json.loads(render(Results()))["score"]
    0
    """
    if hidden not in VISIBILITIES:
        raise ValueError(f"gradescope: hidden is {hidden!r}; choose from {', '.join(VISIBILITIES)}")
    tests = [
        {
            "score": row.score,
            "max_score": row.points,
            "status": "passed" if row.passed else "failed",
            "name": row.name,
            "number": row.number,
            "output": row.text if row.text or row.passed else row.check.state,
            "visibility": hidden if row.hidden else "visible",
            "extra_data": {"state": row.check.state, "sha256": row.result.sha256},
        }
        for row in rows(results)
    ]
    said: dict[str, Any] = {
        "score": results.score,
        "output": "\n".join([summary(results), *map(clean, notes)]),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    if seconds is not None:
        said["execution_time"] = round(seconds)
    return json.dumps(said, indent=1, ensure_ascii=False) + "\n"
