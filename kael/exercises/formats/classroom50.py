"""Results for Classroom 50, the open successor of GitHub Classroom: the `result.json` that an autograder leaves.

The contract is that of https://github.com/foundation50/classroom50/wiki/Advanced-Autograding, and of
``schemas/result-v1.schema.json`` in that repository: whole points that add up, and exit code 0 whenever grading ran to
its end, whatever the score. The runner hands over who and what is graded in environment variables, and stamps the
owner, the kind of assignment and the time of the submission again itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from kael.exercises.formats.rows import clean, rows, summary
from kael.exercises.results import Results

__all__ = ["SCHEMA", "release_body", "render"]

SCHEMA = "classroom50/result/v1"


def render(results: Results, *, environment: Mapping[str, str] | None = None, now: datetime | None = None) -> str:
    """One test a check, with its points, its state and what the reader is told.

    The file is published where the student finds it, so of a check that readers have not got it gives the state alone.

    Parameters
    ----------
    results : Results
        What came of the checks.
    environment : mapping of str to str, optional
        Variables as the runner of Classroom 50 sets them. Without them the result is marked as local; collecting scores
        refuses such a one, since no repository has that name.
    now : datetime, optional
        When grading ended; the present when left out.

    Examples
    --------
    >>> json.loads(render(Results()))["max-score"]
    0
    """
    known = environment or {}
    commit = known.get("COMMIT_URL") or "local"
    graded = (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    said: dict[str, Any] = {
        "schema": SCHEMA,
        "classroom": known.get("CLASSROOM") or "local",
        "assignment": known.get("ASSIGNMENT") or "local",
        "assignment_type": known.get("ASSIGNMENT_TYPE") or "individual",
        "owner": known.get("OWNER") or known.get("USERNAME") or "local",
        "submission": known.get("SUBMISSION_TAG") or "submit/local",
        "commit": commit,
        "release": known.get("RELEASE_URL") or "local",
        "review": known.get("REVIEW_URL") or commit,
        "datetime": graded,
        "graded_at": graded,
        "score": results.score,
        "max-score": results.points,
        "tests": [
            {
                "test-name": row.name,
                "passed": row.passed,
                "score": row.score,
                "max-score": row.points,
                "state": row.check.state,
                "output": "" if row.hidden else row.text,
            }
            for row in rows(results)
        ],
    }
    return json.dumps(said, indent=1, ensure_ascii=False) + "\n"


def release_body(results: Results, notes: Sequence[str] = ()) -> str:
    """What students read on the page of their release, as Markdown: the points, and what to do about the rest.

    The text of a check that readers have not got is left out; its state is there.

    Parameters
    ----------
    results : Results
        What came of the checks.
    notes : sequence of str
        What is to be said about the submission as a whole, such as that a file is missing.

    Examples
    --------
    >>> print(release_body(Results()).splitlines()[0])
    **0 of 0 points**
    """
    lines = [f"**{summary(results)}**".replace(" points", " points**", 1).removesuffix("**")]
    lines += ["", *(f"- {clean(note)}\n" for note in notes), "| check | state | points |", "| --- | --- | --- |"]
    listed = list(rows(results))
    lines += [f"| {row.number} {row.check.title} | {row.check.state} | {row.score}/{row.points} |" for row in listed]
    told = [row for row in listed if row.text and not row.passed and not row.hidden]
    for row in told:
        fence = "~" * (3 + max((len(run) for run in _tildes(row.text)), default=0))
        lines += ["", f"**{row.number} {row.check.title}**", "", f"{fence}text", row.text, fence]
    return "\n".join(lines) + "\n"


def _tildes(text: str) -> list[str]:
    return [line.lstrip() for line in text.splitlines() if line.lstrip() and set(line.lstrip()) == {"~"}]
