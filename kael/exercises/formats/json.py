"""Results as JSON of kael's own, for programs: nothing that is known is left out."""

from __future__ import annotations

import json
from typing import Any

from kael.exercises.formats.rows import rows
from kael.exercises.results import Results

__all__ = ["SCHEMA", "render"]

SCHEMA = "kael/results/v1"
"""Changes when a field changes its meaning or goes; more fields may come under the same name."""


def render(results: Results) -> str:
    """Every exercise and check with its state, its text and its points.

    Parameters
    ----------
    results : Results
        What came of the checks.

    Examples
    --------
    >>> json.loads(render(Results()))["points"]
    0
    """
    listed = list(rows(results))
    exercises = [
        {
            "id": result.exercise.id,
            "title": result.exercise.title,
            "state": result.state,
            "score": result.score,
            "points": result.points,
            "file": result.file.as_posix(),
            "sha256": result.sha256,
            "seed": result.seed,
            "checks": [
                {
                    "name": row.check.name,
                    "title": row.check.title,
                    "state": row.check.state,
                    "score": row.score,
                    "points": row.points,
                    "hidden": row.hidden,
                    "text": row.text,
                }
                for row in listed
                if row.result is result
            ],
        }
        for result in results.exercises
    ]
    said: dict[str, Any] = {
        "schema": SCHEMA,
        "score": results.score,
        "points": results.points,
        "passed": results.passed,
        "states": results.states,
        "exercises": exercises,
    }
    return json.dumps(said, indent=1, ensure_ascii=False) + "\n"
