"""Finding whose submission is where: a folder or a zip for each student, or the flat upload of a learning platform."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kael.exercises.catalogue import Exercise

__all__ = ["Class", "Submission", "find_submissions", "plain_name"]

CANVAS = re.compile(r"(?P<who>[^_]+(?:_LATE)?_\d+)_\d+_(?P<file>.+)")
"""How Canvas names what it packs: the student, a number of theirs, a number of the file, the file."""

MOODLE = re.compile(r"_assignsubmission_\w+?_?$")
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]")
"""Control characters, breaks of lines, and what makes text run the other way."""

SKIPPED = {"__MACOSX", "Thumbs.db", "desktop.ini"}
ARCHIVES = {".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz"}


@dataclass(frozen=True)
class Submission:
    """Where the work of one student lies.

    Attributes
    ----------
    student : str
        A name that no other submission has.
    path : Path
        The folder or zip; for files of a flat upload the folder that they lie in.
    files : tuple of (str, Path)
        Of a flat upload: each file's name without what the platform put in front, and where it is.
    """

    student: str
    path: Path
    files: tuple[tuple[str, Path], ...] = ()


@dataclass(frozen=True)
class Class:
    """The submissions that were found.

    Attributes
    ----------
    submissions : tuple of Submission
        In the order of their names.
    notes : tuple of str
        What lay between them and belongs to nobody.
    """

    submissions: tuple[Submission, ...]
    notes: tuple[str, ...] = ()


def find_submissions(places: Sequence[Path], exercises: Sequence[Exercise], leave_out: Iterable[Path] = ()) -> Class:
    """The submissions in some places, each a submission itself or a folder of them.

    A folder is one submission when answers, or the folders that the exercises have, lie right in it. Otherwise each
    folder and each zip in it is one, and loose files are given to students by what stands before the answers' names.

    Parameters
    ----------
    places : sequence of Path
        Folders and zips.
    exercises : sequence of Exercise
        All that there are, not only those that are graded.
    leave_out : iterable of Path
        Folders that are none, such as the one for the results.

    Raises
    ------
    FileNotFoundError
        When a place is not there.
    ValueError
        When a place is neither a folder nor a zip.
    """
    names = _Names(exercises)
    not_meant = {path.resolve() for path in leave_out}
    found: dict[Path, list[Submission]] = {}
    notes: list[str] = []
    for place in places:
        here = Path(place)
        if not here.exists():
            raise FileNotFoundError(f"{place} is not there; give the folder that holds the submissions")
        if here.is_dir() and not names.is_submission(here):
            inside, left = _inside(here, names, not_meant)
            notes += left
        elif here.is_dir() or _is_zip(here):
            inside = [Submission(plain_name(here.resolve().name if here.is_dir() else here.stem), here)]
        else:
            raise ValueError(f"{place} is neither a folder nor a zip; give the folder that it lies in")
        for submission in inside:
            known = found.setdefault(submission.path.resolve(), [])
            if submission not in known:
                known.append(submission)
    every = _distinct([submission for several in found.values() for submission in several])
    return Class(tuple(sorted(every, key=lambda each: (each.student.casefold(), each.student))), tuple(notes))


def plain_name(name: str) -> str:
    """A name as it can be printed: composed characters, no control characters, no bytes that are not UTF-8.

    Examples
    --------
    >>> plain_name("Zo\\u0065\\u0308\\n")
    'Zoë'
    """
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    text = unicodedata.normalize("NFC", text)
    return UNSEEN.sub(" ", text).strip() or "(no name)"


class _Names:
    """The names by which a submission is known."""

    def __init__(self, exercises: Sequence[Exercise]) -> None:
        self.answers = {exercise.file.casefold() for exercise in exercises}
        self.folders = {part for exercise in exercises for part in exercise.place.casefold().split("/")}
        self.folders |= {name for exercise in exercises for name in (exercise.id, exercise.id[:4])}
        ends = "|".join(
            rf"{re.escape(stem)}(?:[- _]?\(?\d{{1,2}}\)?)?{re.escape(suffix)}"
            for stem, suffix in sorted({(Path(name).stem, Path(name).suffix) for name in self.answers})
        )
        self.flat = re.compile(rf"(?P<who>.+?)[_-](?P<file>{ends})", re.IGNORECASE)

    def is_submission(self, folder: Path) -> bool:
        """Whether answers or the folders of exercises lie right in it, and it is not a class with some beside it."""
        children = [child for child in folder.iterdir() if not child.is_symlink()]
        if any(child.is_dir() and self._is_layout(child) for child in children):
            return True
        if not any(child.name.casefold() in self.answers and child.is_file() for child in children):
            return False
        return sum(child.is_dir() and self._shallow(child) for child in children) < 2

    def _is_layout(self, folder: Path) -> bool:
        name = folder.name.casefold()
        if name == "exercises":
            return any(child.name.casefold() in self.folders for child in folder.iterdir())
        return name in self.folders

    def _shallow(self, folder: Path) -> bool:
        return any(
            child.name.casefold() in self.answers or child.name.casefold() in {*self.folders, "exercises"}
            for child in folder.iterdir()
        )

    def owner(self, name: str) -> tuple[str, str] | None:
        """Of a file in a flat upload: whose it is, and its own name."""
        said = CANVAS.fullmatch(name) or self.flat.fullmatch(name)
        return (said["who"].replace("_LATE_", "_"), said["file"]) if said else None


def _inside(folder: Path, names: _Names, not_meant: set[Path]) -> tuple[list[Submission], list[str]]:
    """The submissions in a folder of them, and notes about what else is there."""
    found: list[Submission] = []
    notes: list[str] = []
    flat: dict[str, list[tuple[str, Path]]] = {}
    for child in sorted(folder.iterdir(), key=lambda each: each.name):
        shown = plain_name(child.name)
        if child.name in SKIPPED or child.name.startswith(".") or child.resolve() in not_meant:
            continue
        if child.is_symlink():
            notes.append(f"{shown}: a link to somewhere else, not followed")
        elif child.is_dir():
            found.append(Submission(plain_name(MOODLE.sub("", child.name)), child))
        elif owner := names.owner(child.name):
            flat.setdefault(plain_name(owner[0]), []).append((owner[1], child))
        elif _is_zip(child):
            found.append(Submission(plain_name(child.stem), child))
        elif child.suffix.casefold() in ARCHIVES:
            notes.append(f"{shown}: an archive of a kind that is not read; unpack it, or make it a zip")
        elif child.suffix.casefold() in {".py", ".pyx", ".ipynb"}:
            notes.append(f"{shown}: no student's name before it and no folder around it, so whose it is stays open")
    found += [Submission(who, folder, tuple(files)) for who, files in flat.items()]
    return found, notes


def _is_zip(path: Path) -> bool:
    return path.suffix.casefold() == ".zip" and path.is_file()


def _distinct(submissions: list[Submission]) -> list[Submission]:
    """Equal names get the folders that they lie in put in front, or become those of the files, or get a number."""
    made: dict[str, Submission] = {}
    left = submissions
    for folders, whole in ((0, False), (1, False), (2, False), (3, False), (0, True), (1, True)):
        named = [(_named(each, folders, whole), each) for each in left]
        count = Counter(name.casefold() for name, _ in named)
        left = []
        for name, each in named:
            if count[name.casefold()] == 1 and name.casefold() not in made:
                made[name.casefold()] = Submission(name, each.path, each.files)
            else:
                left.append(each)
    for number, each in enumerate(left, 1):
        name = f"{_named(each, 3, True)} ({number})"
        made[name.casefold()] = Submission(name, each.path, each.files)
    return list(made.values())


def _named(submission: Submission, folders: int, whole: bool) -> str:
    """The student's name, or the whole name of the file, with the names of so many folders in front."""
    around = submission.path.resolve() if submission.files else submission.path.resolve().parent
    above = [plain_name(part) for part in around.parts[1:][-folders:]] if folders else []
    own = plain_name(submission.path.name) if whole and not submission.files else submission.student
    return "/".join([*above, own])
