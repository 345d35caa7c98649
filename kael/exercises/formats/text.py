"""Results for a person at a terminal or in a mail: words and signs, no colour, ASCII signs for any code page."""

from __future__ import annotations

from itertools import groupby

from kael.exercises.formats.rows import Row, rows, summary
from kael.exercises.results import Results

__all__ = ["SIGNS", "render"]

SIGNS = {
    "pass": "+", "fail": "x", "timeout": "t", "crash": "!", "not started": "-", "not run": "?", "not available": "u",
}  # fmt: skip
"""A sign for each state, beside its word."""


def render(results: Results) -> str:
    """Exercise by exercise: state, points, which file was checked, and what to do about each check that did not pass.

    Parameters
    ----------
    results : Results
        What came of the checks.

    Examples
    --------
    >>> print(render(Results()), end="")
    total: 0 of 0 points
    """
    lines: list[str] = []
    for _, group in groupby(rows(results), key=lambda row: id(row.result)):
        lines += _exercise(list(group))
    return "\n".join([*lines, f"total: {summary(results)}", ""])


def _exercise(listed: list[Row]) -> list[str]:
    result = listed[0].result
    exercise = result.exercise
    counted = f"{result.score} of {result.points} points" if result.available else "not counted"
    checked = f"{result.file.as_posix()} (sha256 {result.sha256[:12]})" if result.sha256 else "no file"
    lines = [
        f"{SIGNS[result.state]} {exercise.id} {exercise.title}: {result.state}, {counted}",
        f"  checked: {checked}",
    ]
    width = max(len(row.check.title) for row in listed)
    told = ""
    for row in listed:
        state = row.check.state
        lines.append(f"  {SIGNS[state]} {row.check.title:<{width}}  {state:<13} {row.score}/{row.points}")
        if row.text and row.text != told:
            lines += [f"      {line}".rstrip() for line in row.text.splitlines()]
        told = row.text
    return [*lines, ""]
