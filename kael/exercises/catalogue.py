"""The exercises on disk: `index.toml` and one folder each, with its `exercise.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Exercise", "catalogue", "exercise_in", "find", "folder_of_exercises", "hidden_checks_of", "proof_of"]


@dataclass(frozen=True)
class Exercise:
    """One exercise, as its `exercise.toml` and its line of the index say it.

    Attributes
    ----------
    folder : Path
        Where the reader meets it.
    place : str
        The folder below `exercises`, such as ``ch17_engine/e01_predict``.
    id, title, kind, file : str
        ``ch17-01``, its name, the kind of work, and the file to change.
    time_limit : float
        Seconds that one check may take.
    checks : int
        How many visible checks there are.
    concepts : tuple of str
        What it practises.
    outcome : str
        What the reader can do afterwards.
    level, minutes : int
        1 to 3, and how long it takes.
    needs : tuple of str
        ``compiler``, where one is needed.
    read : str
        The section that explains it.
    hints : tuple of str
        The idea, where to look, pseudo-code.
    misconceptions : dict of str to str
        Mistakes by key, in words.
    requires : tuple of str
        Exercises that come first.
    points : int
        What it counts.
    anchor : str
        Where the book asks it.
    """

    folder: Path
    place: str
    id: str
    title: str
    kind: str
    file: str
    time_limit: float
    checks: int
    concepts: tuple[str, ...]
    outcome: str
    level: int
    minutes: int
    needs: tuple[str, ...]
    read: str
    hints: tuple[str, ...]
    misconceptions: dict[str, str]
    requires: tuple[str, ...]
    points: int
    anchor: str

    @property
    def answer(self) -> Path:
        """The reader's file."""
        return self.folder / self.file

    @property
    def visible(self) -> Path:
        """The visible checks."""
        return next(iter(self.folder.glob("test_*.py")))

    @property
    def again(self) -> str:
        """The command that runs the checks, from the top of the clone."""
        return f"python -m pytest exercises/{self.place}"


def folder_of_exercises() -> Path:
    """The exercises themselves, with the checks that kael runs: of a clone, or as they came with an installation.

    In the top folder of a clone that clone's are meant, whichever kael runs.

    Raises
    ------
    FileNotFoundError
        When kael was installed without them.
    """
    here, package = Path.cwd(), Path(__file__).resolve()
    cloned = here / "exercises" if (here / "tests" / "exercises").is_dir() else package.parents[2] / "exercises"
    for candidate in (cloned, package.parents[2] / "exercises", package.parent / "tasks"):
        if (candidate / "index.toml").exists():
            return candidate
    raise FileNotFoundError("this kael came without its exercises; install it again from the clone: `pip install .`")


def proof_of(exercise: Exercise) -> Path:
    """The folder of a clone that holds the proof of an exercise: solutions and wrong answers."""
    return exercise.folder.parents[2] / "tests" / "exercises" / exercise.place


def hidden_checks_of(exercise: Exercise) -> list[Path]:
    """The files of checks that readers have not got; none outside a clone."""
    return sorted((proof_of(exercise) / "hidden").glob("check_*.py"))


def catalogue(root: Path | None = None) -> list[Exercise]:
    """All exercises, in the order of the index."""
    root = folder_of_exercises() if root is None else root
    return [_read(root, line) for line in _index(root)]


def find(name: str, root: Path | None = None) -> list[Exercise]:
    """The exercises that a name means: an id such as ``ch17-03``, a folder, or the beginning of either.

    Raises
    ------
    ValueError
        When there is none.
    """
    known = catalogue(root)
    found = [e for e in known if e.id.startswith(name) or e.place.startswith(name) or e.folder.name.startswith(name)]
    if not found:
        raise ValueError(f"no exercise {name!r}; there are {', '.join(e.id for e in known)}")
    return found


@cache
def exercise_in(folder: Path) -> Exercise:
    """The exercise whose folder this is."""
    root = folder.parents[1]
    return _read(root, next(line for line in _index(root) if root / line["folder"] == folder))


def _index(root: Path) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = tomllib.loads((root / "index.toml").read_text(encoding="utf-8"))["exercise"]
    return lines


def _read(root: Path, line: dict[str, Any]) -> Exercise:
    folder = root / line["folder"]
    said = tomllib.loads((folder / "exercise.toml").read_text(encoding="utf-8"))
    return Exercise(
        folder=folder,
        place=line["folder"],
        id=line["id"],
        title=said["title"],
        kind=said["kind"],
        file=said["file"],
        time_limit=float(said["time_limit"]),
        checks=said["checks"],
        concepts=tuple(said["concepts"]),
        outcome=said["outcome"],
        level=said["level"],
        minutes=said["minutes"],
        needs=tuple(said["needs"]),
        read=said["read"],
        hints=tuple(said["hints"]),
        misconceptions=dict(said["misconceptions"]),
        requires=tuple(line["requires"]),
        points=line["points"],
        anchor=line["anchor"],
    )
