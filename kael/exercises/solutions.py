"""The right answers: from the clone, or from the archive that an installation brings."""

from __future__ import annotations

import difflib
import zipfile
from dataclasses import dataclass
from pathlib import Path

from kael.exercises import Refused
from kael.exercises.catalogue import Exercise, proof_of

__all__ = ["ARCHIVE", "Solution", "difference", "solution_of"]

ARCHIVE = Path(__file__).resolve().parent / "solutions.zip"


@dataclass(frozen=True)
class Solution:
    """What solves an exercise.

    Attributes
    ----------
    text : str
        The file that kael's authors wrote.
    others : dict of str to str
        Other right answers, by what their files are called.
    """

    text: str
    others: dict[str, str]


def solution_of(exercise: Exercise, archive: Path = ARCHIVE) -> Solution:
    """The solution of an exercise, and other right answers.

    Raises
    ------
    Refused
        When this kael came without them.
    """
    proof = proof_of(exercise)
    if (proof / "solution").is_dir():
        found = {
            path.relative_to(proof).as_posix(): path.read_text(encoding="utf-8")
            for kind in ("solution", "alt")
            for path in sorted((proof / kind).glob("*.py*"))
            if path.suffix in (".py", ".pyx")
        }
    elif archive.is_file():
        with zipfile.ZipFile(archive) as packed:
            names = [name for name in packed.namelist() if name.startswith(f"{exercise.place}/")]
            found = {name.removeprefix(f"{exercise.place}/"): packed.read(name).decode("utf-8") for name in names}
    else:
        found = {}
    if f"solution/{exercise.file}" not in found:
        raise Refused(f"this kael came without the solution of {exercise.id}; install it again: `pip install .`")
    others = {name.removeprefix("alt/"): text for name, text in found.items() if name.startswith("alt/")}
    return Solution(found[f"solution/{exercise.file}"], others)


def difference(yours: str, other: str, name: str, against: str) -> list[str]:
    """A unified diff from the reader's file to another text, without the ends of lines.

    Examples
    --------
    >>> difference("a = 1\\r\\n", "a = 2\\n", "a.py", "the solution")[3:]
    ['-a = 1', '+a = 2']
    """
    return list(difflib.unified_diff(yours.splitlines(), other.splitlines(), f"your {name}", against, lineterm="", n=3))
