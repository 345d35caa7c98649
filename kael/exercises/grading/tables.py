"""The tables that a spreadsheet opens, `grades.csv` and `items.csv`, and each student's feedback."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from kael.exercises.catalogue import Exercise
from kael.exercises.grading.statistics import Statistics, named_cause
from kael.exercises.grading.store import rewritten
from kael.exercises.grading.student import Record
from kael.exercises.results import STATES

__all__ = ["FeedbackNames", "Grades", "harmless", "percent", "state_of", "write_feedback", "write_items"]

RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
SIGNS = {"pass": "+", "not available": "~"}


def harmless(text: str) -> str:
    """A cell that no spreadsheet takes for a formula.

    Examples
    --------
    >>> harmless("=HYPERLINK(A1)"), harmless("Zoë, A.")
    ("'=HYPERLINK(A1)", 'Zoë, A.')
    """
    return f"'{text}" if text.lstrip()[:1] in FORMULA or text[:1] in ("\t", "\r", "\n") else text


def percent(rate: float | None) -> str:
    """A share in words of a table.

    Examples
    --------
    >>> percent(0.125), percent(None)
    ('12.5%', '')
    """
    return "" if rate is None else f"{100 * rate:.1f}%"


def state_of(records: Sequence[Record]) -> str:
    """How many exercises are in each state.

    Examples
    --------
    >>> state_of([{"state": "fail"}, {"state": "pass"}, {"state": "pass"}])
    '2 pass, 1 fail'
    """
    states = [record["state"] for record in records]
    return ", ".join(f"{states.count(state)} {state}" for state in STATES if state in states)


class Grades:
    """Writes `grades.csv`, a student at a time.

    Parameters
    ----------
    stream : text stream
        Opened without translation of newlines.
    exercises : sequence of Exercise
        The columns.
    """

    def __init__(self, stream: TextIO, exercises: Sequence[Exercise]) -> None:
        self.writer = csv.writer(stream, lineterminator="\n")
        self.exercises = exercises
        ids = [exercise.id for exercise in exercises]
        self.writer.writerow(["student", *ids, "total", "of", "state", "feedback", "sha256"])

    def enter(self, student: str, records: Sequence[Record], feedback: str) -> None:
        """One row; an exercise that could not be checked has an empty cell."""
        found = {record["exercise"]: record for record in records}
        earned = [found.get(each.id) for each in self.exercises]
        cells = ["" if record is None or not record["points"] else record["score"] for record in earned]
        total, points = (sum(record[key] for record in records) for key in ("score", "points"))
        hashes = " ".join(f"{record['exercise']}={record['sha256']}" for record in records if record["sha256"])
        state = state_of(records) if records else "not graded"
        self.writer.writerow([harmless(student), *cells, total, points, state, harmless(feedback), hashes])


def write_items(path: Path, statistics: Statistics) -> None:
    """Write `items.csv`: a row for each check.

    Parameters
    ----------
    path : Path
        The file.
    statistics : Statistics
        Of the whole class.
    """
    with rewritten(path, newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        head = ["exercise", "check", "points", "students", "begun", "pass rate", "pass rate of those who began"]
        writer.writerow([*head, *STATES, "discrimination", "commonest wrong answer", "its count"])
        for item in statistics.items:
            cause, count = item.commonest
            rates = ["" if rate is None else f"{rate:.4f}" for rate in (item.pass_rate, item.pass_rate_begun)]
            apart = "" if item.discrimination is None else f"{item.discrimination:.3f}"
            writer.writerow(
                [
                    *(item.exercise.id, item.check.name, item.check.points, item.students, item.begun, *rates),
                    *(item.states[state] for state in STATES),
                    *(apart, harmless(cause), count or ""),
                ]
            )


class FeedbackNames:
    """Names of files for students: such as every system can have, and no two alike.

    Examples
    --------
    >>> names = FeedbackNames()
    >>> names.of("a/Zoë: 1"), names.of("a_zoë_ 1")
    ('a_Zoë_ 1.txt', 'a_zoë_ 1-2.txt')
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, student: str) -> str:
        """The name for the next student."""
        stem = re.sub(r'[<>:"/\\|?*\x00-\x1f]', "_", student)
        while len(stem.encode()) > 150:
            stem = stem[:-1]
        stem = stem.strip(" .") or "_"
        if RESERVED.fullmatch(stem) or stem[0] in "=+-@":
            stem = f"_{stem}"
        name, number = stem, 1
        while name.casefold() in self._taken:
            number += 1
            name = f"{stem}-{number}"
        self._taken.add(name.casefold())
        return f"{name}.txt"


def write_feedback(
    path: Path, student: str, records: Sequence[Record], notes: Iterable[str], private: Mapping[str, frozenset[str]]
) -> None:
    """Write what a student may read about their answers.

    Of a private check it has the name, the state, the likely cause and errors of the student's own code: not the
    numbers that were expected, which would give it away.

    Parameters
    ----------
    path : Path
        The file.
    student : str
        The name.
    records : sequence of Record
        Of this student.
    notes : iterable of str
        What was found in the submission and not graded.
    private : mapping of str to frozenset of str
        Names of private checks by exercise.
    """
    total, points = (sum(record[key] for record in records) for key in ("score", "points"))
    lines = [f"{student}: {total} of {points} points", *(f"note: {note}" for note in notes)]
    for record in records:
        lines += ["", f"{record['exercise']}: {record['state']}, {record['score']} of {record['points']} points"]
        lines += [f"sha256 of what was graded: {record['sha256']}"] if record["sha256"] else []
        said = ""
        for check in record["results"]:
            sign = SIGNS.get(check["state"], "-")
            title = check["name"].removeprefix("test_").replace("_", " ")
            lines.append(f"  {sign} {title}: {check['state']} ({check['points']} points)")
            text = check["text"]
            if check["name"] in private.get(record["exercise"], ()) and check["state"] == "fail":
                cause = named_cause(text)
                text = f"likely cause: {cause}" if cause else text if text.startswith("called:       your ") else ""
            if text and text != said and check["state"] != "pass":
                lines += [f"      {line}" for line in text.splitlines()]
            said = text
    with rewritten(path) as stream:
        stream.write("\n".join(lines) + "\n")
