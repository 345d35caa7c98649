"""A reader's own folder: stubs to fill, tasks, visible checks, and `.kael` with what was done so far."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from kael.exercises import Refused
from kael.exercises.catalogue import Exercise, catalogue, folder_of_exercises
from kael.exercises.saving import save

__all__ = [
    "MARK", "VARIABLE", "Added", "Changes", "Workspace",
    "changes", "chosen", "find_workspace", "holds", "initialize", "provided", "quoted", "without_mark",
]  # fmt: skip

MARK = ".kael"
"""The folder that makes a folder a workspace."""

VARIABLE = "KAEL_WORKSPACE"
"""Names the workspace where no ``--dir`` does."""

HANDOUT = "handout.json"
"""Beside the progress: the ids of the exercises that a handout is for; not there where all are meant."""

SUFFIXES = {".md", ".py", ".pyx", ".toml"}

ABOUT = """\
# Your exercises

Each folder has a task (`README.md`), a file to change, and visible checks. Type

    kael ex          the next exercise, and what to type
    kael ex watch    checks again whenever you save
    kael ex list     all of them, and how far you are

Plain pytest works as well: `python -m pytest ch17_engine/e01_predict`. `.kael` keeps your progress and every version
that a command has replaced; `kael ex undo` brings the last one back.
"""


@dataclass(frozen=True)
class Workspace:
    """A folder with exercises.

    Attributes
    ----------
    root : Path
        It has the layout of `exercises`.
    """

    root: Path

    @property
    def mark(self) -> Path:
        """Where kael keeps what it knows."""
        return self.root / MARK

    def answer(self, exercise: Exercise) -> Path:
        """The reader's file of an exercise."""
        return self.root / exercise.place / exercise.file

    def brought(self, path: Path) -> bool:
        """Whether that is one of the files that a workspace begins with, or lies where kael keeps what it knows."""
        try:
            place = path.resolve().relative_to(self.root.resolve()).as_posix()
        except ValueError:
            return False
        return place in provided() or place.partition("/")[0] == MARK

    @property
    def exercises(self) -> list[Exercise]:
        """What it is for: all exercises, or those of a course's handout, in their order."""
        known = catalogue()
        try:
            said = json.loads((self.mark / HANDOUT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return known
        return [exercise for exercise in known if isinstance(said, list) and exercise.id in said] or known

    def delivered(self) -> dict[str, str]:
        """The hash of each file as kael last wrote it, by its path; empty where that is not known."""
        try:
            said = json.loads((self.mark / "delivered.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(said, dict):
            return {}
        return {path: digest for path, digest in said.items() if isinstance(digest, str)}

    def remember(self, files: dict[str, bytes]) -> None:
        """Note files as kael has written them."""
        known = self.delivered()
        hashes = known | {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
        if hashes != known:
            save(self.mark / "delivered.json", json.dumps(hashes, indent=1, sort_keys=True).encode() + b"\n")


def find_workspace(given: str | None = None) -> Workspace:
    """The workspace that is meant: the one given, else of `KAEL_WORKSPACE`, else around the current folder.

    Raises
    ------
    Refused
        Where there is none; the text says how to make one.
    """
    named = given or os.environ.get(VARIABLE)
    if named:
        root = Path(named).expanduser().absolute()
        if not (root / MARK).is_dir():
            raise Refused(f"{root} is no workspace; `kael ex init {quoted(named)}` makes it one")
        return Workspace(root)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / MARK).is_dir():
            return Workspace(folder)
    lost = without_mark(here)
    if lost is not None:
        raise Refused(f"{lost} has lost its {MARK} folder; `kael ex init` makes a new one, changing no answer")
    if any(in_clone(folder) for folder in (here, *here.parents)):
        raise Refused("these exercises are part of kael; `kael ex init ~/kael-exercises` makes a folder to work in")
    raise Refused("there is no workspace here; `kael ex init` makes one in ./kael-exercises")


def without_mark(here: Path) -> Path | None:
    """The folder around this one that is a workspace but for its `.kael`; None in a clone and where there is none."""
    for folder in (here, *here.parents):
        if in_clone(folder):
            return None
        if (folder / "index.toml").is_file() and (folder / "conftest.py").is_file():
            return folder
    return None


def quoted(path: Path | str) -> str:
    """A path as it is typed into a shell: in quotes where there is a blank in it.

    Examples
    --------
    >>> quoted("exercises"), quoted("my exercises")
    ('exercises', '"my exercises"')
    """
    text = str(path)
    return f'"{text}"' if any(sign.isspace() for sign in text) else text


def in_clone(folder: Path) -> bool:
    """Whether a folder is the `exercises` of a clone, whose files are tracked."""
    return folder.name == "exercises" and (folder.parent / "tests" / "exercises").is_dir()


def provided(exercises: Sequence[Exercise] | None = None) -> dict[str, bytes]:
    """Every file that a workspace begins with, by its path with slashes.

    Parameters
    ----------
    exercises : sequence of Exercise, optional
        What the workspace is for; all exercises when left out.
    """
    source = folder_of_exercises()
    known = catalogue(source)
    meant = known if exercises is None else exercises
    found = [
        path
        for path in sorted(source.rglob("*"))
        if path.suffix in SUFFIXES and not {"__pycache__", MARK} & set(path.relative_to(source).parts)
    ]
    files = {path.relative_to(source).as_posix(): path.read_bytes() for path in found}
    others = tuple(f"{exercise.place}/" for exercise in known if exercise not in meant)
    files = {path: data for path, data in files.items() if not path.startswith(others)}
    if others:
        files["index.toml"] = index(meant).encode()
    return {"README.md": ABOUT.encode(), **files}


def index(exercises: Sequence[Exercise]) -> str:
    """An `index.toml` of these exercises alone; what is not among them is not required."""
    ids = {exercise.id for exercise in exercises}
    blocks = []
    for exercise in exercises:
        said = {
            "id": exercise.id, "folder": exercise.place, "requires": [n for n in exercise.requires if n in ids],
            "points": exercise.points, "anchor": exercise.anchor,
        }  # fmt: skip
        lines = [f"{name} = {json.dumps(value)}" for name, value in said.items()]
        blocks.append("\n".join(["[[exercise]]", *lines, ""]))
    return "\n".join(blocks)


@dataclass(frozen=True)
class Added:
    """What `initialize` did.

    Attributes
    ----------
    workspace : Workspace
        The folder.
    new : list of str
        Files that were written, by their paths.
    kept : int
        How many were there already and were left alone.
    """

    workspace: Workspace
    new: list[str]
    kept: int


def initialize(folder: Path) -> Added:
    """Make a folder a workspace, or add what is missing of one. No file that is there is touched.

    Raises
    ------
    Refused
        For the exercises of a clone, and for a folder inside another workspace.
    """
    root = folder.expanduser().absolute()
    for parent in (root, *root.parents):
        if in_clone(parent):
            raise Refused(f"{parent} is part of kael; name another folder: `kael ex init ~/kael-exercises`")
        if parent != root and (parent / MARK).is_dir():
            mend = f"`kael ex init {quoted(parent)}` adds what it lacks"
            raise Refused(f"{root} lies inside the workspace {parent}; {mend}")
    workspace = Workspace(root)
    workspace.mark.mkdir(parents=True, exist_ok=True)
    files = provided(workspace.exercises)
    missing = {path: data for path, data in files.items() if not os.path.lexists(root / path)}
    for path, data in missing.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        save(root / path, data, lasting=False)
    workspace.remember({path: data for path, data in files.items() if path in missing or holds(root / path, data)})
    return Added(workspace, list(missing), len(files) - len(missing))


@dataclass(frozen=True)
class Changes:
    """What a newer kael brings.

    Attributes
    ----------
    files : dict of str to bytes
        Tasks, checks and new exercises, by their paths: to be written.
    stubs : list of Exercise
        Exercises whose stub is another now; the reader's file is left alone.
    """

    files: dict[str, bytes]
    stubs: list[Exercise]


def changes(workspace: Workspace) -> Changes:
    """What differs between a workspace and the exercises of this kael.

    No file that a reader writes in is among them, nor one that stood there before kael came, nor a task that the reader
    has edited while kael's stayed as it was.
    """
    delivered = workspace.delivered()
    answers = {f"{exercise.place}/{exercise.file}": exercise for exercise in workspace.exercises}
    files, stubs = {}, []
    for path, data in provided(workspace.exercises).items():
        there = os.path.lexists(workspace.root / path)
        ours = path in delivered
        news = not ours or delivered[path] != hashlib.sha256(data).hexdigest()
        if path in answers and there:
            if ours and news:
                stubs.append(answers[path])
        elif not there or (news and (ours or "/" in path) and not holds(workspace.root / path, data)):
            files[path] = data
    return Changes(files, stubs)


def holds(path: Path, data: bytes) -> bool:
    """Whether a file is there and holds these bytes."""
    try:
        return path.read_bytes() == data
    except OSError:
        return False


def chosen(names: Sequence[str], workspace: Workspace | None = None) -> list[Exercise]:
    """The exercises that names mean, in the order of the index: ids, their beginnings, folders, or paths.

    Raises
    ------
    Refused
        For a name that means none, with the nearest that does, and for names of what a handout leaves out.

    Examples
    --------
    >>> [exercise.id for exercise in chosen(["e03_unbroadcast", "ch17-02"])]
    ['ch17-02', 'ch17-03']
    """
    known = catalogue()
    wanted = {exercise.id for name in names for exercise in _meant(name, known, workspace)}
    here = known if workspace is None else workspace.exercises
    found = [exercise for exercise in here if exercise.id in wanted]
    if wanted and not found:
        raise Refused(f"{', '.join(sorted(wanted))}: not in this handout; `kael ex list` shows what is")
    return found


def _meant(name: str, known: Sequence[Exercise], workspace: Workspace | None) -> list[Exercise]:
    exact = [exercise for exercise in known if name.lower() in (exercise.id, exercise.place, exercise.title.lower())]
    if exact:
        return exact
    word = name.lower().replace("\\", "/").rstrip("/")
    found = [e for e in known if word and any(said.startswith(word) for said in (e.id, e.place, e.folder.name))]
    found = found or (_at_path(Path(name), known, workspace.root) if workspace else [])
    if not found:
        raise Refused(f"there is no exercise {name!r}{_nearest(name, known)}; `kael ex list` shows them")
    return found


def _at_path(path: Path, known: Sequence[Exercise], root: Path) -> list[Exercise]:
    """The exercises at a file or folder of the workspace; not all of them for the workspace itself."""
    try:
        place = path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return []
    return [e for e in known if f"{e.place}/".startswith(f"{place}/") or f"{place}/".startswith(f"{e.place}/")]


def _nearest(name: str, known: Sequence[Exercise]) -> str:
    said = {word: e for e in known for word in (e.id, e.folder.name, e.title.lower(), e.folder.name.partition("_")[2])}
    numbers = re.fullmatch(r"(?:ch)?(\d+)\D+(\d+)", name.lower())
    if numbers and (short := f"ch{int(numbers[1]):02}-{int(numbers[2]):02}") in said:
        return f" (did you mean {short}?)"
    close = get_close_matches(name.lower(), said, 1)
    return f" (did you mean {said[close[0]].id}, {said[close[0]].title}?)" if close else ""
