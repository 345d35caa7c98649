"""Which checks a class is graded with: kael's own, the hidden ones of a clone, and an instructor's private ones."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kael import __version__
from kael.exercises.catalogue import Exercise, hidden_checks_of, proof_of
from kael.exercises.checker import checks_in

__all__ = ["CheckFile", "Checks", "gather", "without_hidden"]


@dataclass(frozen=True)
class CheckFile:
    """A file of checks that is not the visible one.

    Attributes
    ----------
    name : str
        Of the file.
    text : str
        Its contents, so that it can be sent to where it runs.
    private : bool
        Whether it is the instructor's own: students then learn a check's name and the likely cause, not the numbers.
    """

    name: str
    text: str
    private: bool


@dataclass(frozen=True)
class Checks:
    """The checks of one exercise.

    Attributes
    ----------
    names : tuple of str
        Of all, in their order.
    more : tuple of CheckFile
        The files beside the visible one.
    sha256 : str
        Of all that decides what an answer earns: results with another one are not used again.
    """

    names: tuple[str, ...]
    more: tuple[CheckFile, ...]
    sha256: str

    @property
    def private(self) -> frozenset[str]:
        """The names of the instructor's own."""
        return frozenset(name for file in self.more if file.private for name in _names(file.name, file.text))


def gather(exercises: Sequence[Exercise], every: Sequence[Exercise], private: Path | None = None) -> dict[str, Checks]:
    """The checks of some exercises, by id.

    Parameters
    ----------
    exercises : sequence of Exercise
        What is graded.
    every : sequence of Exercise
        All exercises, to find out which a folder of private checks is for.
    private : Path, optional
        A folder with ``ch17-03/check_*.py`` or ``ch17_engine/e03_unbroadcast/check_*.py``.

    Raises
    ------
    ValueError
        When a private file belongs to no exercise, cannot be parsed, holds no check, or one of a name that is taken.
    """
    own = _private_files(private, every) if private else {}
    made = {}
    for exercise in exercises:
        hidden = [CheckFile(path.name, path.read_text(encoding="utf-8"), False)
                  for path in hidden_checks_of(exercise)]  # fmt: skip
        made[exercise.id] = put_together(exercise, [*hidden, *own.get(exercise.id, ())])
    return made


def without_hidden(exercises: Sequence[Exercise]) -> bool:
    """Whether kael's own hidden checks are out of reach: they lie in a clone, and an installation brings none."""
    return not any(proof_of(exercise).is_dir() for exercise in exercises)


def put_together(exercise: Exercise, more: Sequence[CheckFile]) -> Checks:
    """The checks of one exercise from its visible file and more."""
    names = [*checks_in(exercise.visible), *(name for file in more for name in _names(file.name, file.text))]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{exercise.id} has two checks named {', '.join(twice)}; give one another name")
    said = hashlib.sha256(repr((__version__, exercise.points, exercise.time_limit)).encode())
    said.update(exercise.visible.read_bytes())
    for file in more:
        said.update(f"\0{file.name}\0{file.text}".encode())
    return Checks(tuple(names), tuple(more), said.hexdigest())


def _names(name: str, text: str) -> list[str]:
    """The checks in a file of which only the text is here."""
    return list(checks_in(name, text))


def _private_files(folder: Path, every: Sequence[Exercise]) -> dict[str, list[CheckFile]]:
    if not folder.is_dir():
        raise ValueError(f"--checks {folder}: no such folder; it should hold ch17-03/check_*.py and the like")
    owners = {name: exercise for exercise in every for name in (exercise.id, exercise.place)}
    found: dict[str, list[CheckFile]] = {}
    for path in sorted(folder.rglob("*.py")):
        place = path.parent.relative_to(folder).as_posix()
        if not path.name.startswith("check_"):
            raise ValueError(f"--checks: {path} is not named check_*.py; name it so, or take it out of the folder")
        if place not in owners:
            raise ValueError(f"--checks: {path} belongs to no exercise; put it in {folder / 'ch17-03'} or the like")
        try:
            text = path.read_text(encoding="utf-8")
            names = _names(path.name, text)
        except (SyntaxError, UnicodeDecodeError) as error:
            raise ValueError(f"--checks: {path} cannot be read as Python: {error}") from error
        if not names:
            raise ValueError(f"--checks: {path} holds no function named test_*; nothing in it would be run")
        found.setdefault(owners[place].id, []).append(CheckFile(path.name, text, True))
    if not found:
        raise ValueError(f"--checks {folder}: no check_*.py in it; it should hold ch17-03/check_*.py and the like")
    return found
