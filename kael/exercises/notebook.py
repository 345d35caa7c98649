"""``%%exercise ch17-03`` in a notebook: writes the cell to the exercise's file and checks it.

Load it with ``%load_ext kael.exercises.notebook``. The file is the truth: what it held before is saved first, and
`kael ex check` sees the same as the notebook.
"""

from __future__ import annotations

import argparse
import html
import io
import shlex
from dataclasses import dataclass, field
from typing import Any, NoReturn

from kael.exercises import Refused
from kael.exercises.results import ExerciseResult
from kael.exercises.screen import SIGNS, Screen
from kael.exercises.session import Session
from kael.exercises.workspace import find_workspace

__all__ = ["Shown", "exercise", "load_ipython_extension"]

COLOURS = {"pass": "#1a7f37", "fail": "#b42318", "timeout": "#b42318", "crash": "#b42318"}


class _Line(argparse.ArgumentParser):
    """Says what is wrong with a line instead of leaving."""

    def error(self, message: str) -> NoReturn:
        raise Refused(f"%%exercise: {message}; write `%%exercise ch17-03`")


@dataclass(frozen=True)
class Shown:
    """What a cell shows: text where only that is possible, else HTML.

    Attributes
    ----------
    text : str
        For terminals.
    result : ExerciseResult or None
        What came of the checks; None where nothing was checked.
    notes : list of str
        What else the reader should know.
    """

    text: str
    result: ExerciseResult | None = None
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return "\n".join([self.text.rstrip("\n"), *self.notes])

    def _repr_html_(self) -> str:
        if self.result is None:
            return f"<pre>{html.escape(repr(self))}</pre>"
        exercise = self.result.exercise
        head = f"{exercise.id} {exercise.title}: {self.result.score} of {self.result.points} points"
        rows = "".join(
            f'<li><code style="color:{COLOURS.get(check.state, "inherit")}">[{SIGNS[check.state].strip() or "&nbsp;"}]'
            f"</code> {check.state}: {html.escape(check.title)}</li>"
            for check in self.result.checks
        )
        first = next((check for check in self.result.checks if check.state != "pass"), None)
        told = f"<pre>{html.escape(first.text)}</pre>" if first else ""
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f'<p><b>{html.escape(head)}</b></p><ul style="list-style:none;padding:0">{rows}</ul>{told}{notes}'


def exercise(line: str, cell: str) -> Shown:
    """Write a cell to the file of an exercise and check it.

    Parameters
    ----------
    line : str
        The exercise, then perhaps ``--dir DIR`` and ``--seed N``.
    cell : str
        What the file is to hold.
    """
    try:
        return _exercise(line, cell)
    except (Refused, OSError) as error:
        return Shown(f"%%exercise: {error}")


def _exercise(line: str, cell: str) -> Shown:
    parser = _Line(prog="%%exercise", add_help=False)
    parser.add_argument("id")
    parser.add_argument("--dir")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(shlex.split(line))
    notes: list[str] = []
    work = Session(find_workspace(given.dir), notes.append)
    asked = work.one([given.id])
    if asked.file.endswith(".pyx"):
        raise Refused(f"{asked.id} is a Cython file; write it in an editor and type `kael ex watch {asked.id}`")
    entry = work.write(asked, cell if cell.endswith("\n") else f"{cell}\n")
    if entry is not None:
        notes.append(f"what {asked.file} held before is saved as version {entry.number}; `kael ex undo` brings it back")
    text = io.StringIO()
    (result,) = work.check([asked], given.seed, Screen(text, plain=True, width=100).result)
    return Shown(text.getvalue(), result, notes)


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext kael.exercises.notebook``."""
    shell.register_magic_function(exercise, "cell", "exercise")
