"""What an autograder brings along: kael as source, the exercises with their hidden checks, and what else to install."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kael.exercises import Refused
from kael.exercises.catalogue import Exercise, catalogue
from kael.exercises.grading.checks import gather
from kael.exercises.pack.files import below, tarred
from kael.exercises.workspace import provided

__all__ = ["SETTINGS", "Grading", "bundle", "clone_of", "hidden_files", "requirements", "source"]

SETTINGS = "autograder.json"
"""The file of a bundle that says what is graded and how."""

PACKAGES = ("kael", "chapters")
TOP = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
SUFFIXES = {".py", ".pyx", ".pxd", ".pyi", ".typed", ".md", ".json", ".css", ".mjs"}


@dataclass(frozen=True)
class Grading:
    """How the autograders of a pack grade.

    Attributes
    ----------
    seed : int
        Of the numbers that the checks draw; readers' own runs use 0.
    checks : Path or None
        A folder with an instructor's own checks, laid out as ``kael grade --checks`` wants it.
    minutes : float
        After which no exercise is begun any more. Gradescope ends grading after ten unless told otherwise, and the last
        exercise may take more than one.
    """

    seed: int = 1
    checks: Path | None = None
    minutes: float = 7


def bundle(exercises: Sequence[Exercise], how: Grading) -> dict[str, bytes]:
    """The files that `kael.exercises.pack.autograder` needs.

    Neither solutions nor wrong answers are among them.

    Parameters
    ----------
    exercises : sequence of Exercise
        What is graded.
    how : Grading
        How it is graded.

    Raises
    ------
    Refused
        Where kael does not run from a clone.
    """
    clone = clone_of(exercises)
    hidden = {
        f"tests/exercises/{exercise.place}/hidden/{name}": text.encode()
        for exercise, files in zip(exercises, hidden_files(exercises, how), strict=True)
        for name, text in files.items()
    }
    settings = {"exercises": [exercise.id for exercise in exercises], "seed": how.seed, "minutes": how.minutes}
    return {
        **below("exercises", provided(exercises)),
        **hidden,
        **source(clone),
        "requirements.txt": requirements(clone).encode(),
        SETTINGS: json.dumps(settings, indent=1).encode() + b"\n",
    }


def hidden_files(exercises: Sequence[Exercise], how: Grading) -> list[dict[str, str]]:
    """For each exercise the texts of the files of checks that students have not got, by name.

    Raises
    ------
    Refused
        For checks of the instructor's own that cannot be used.
    """
    try:
        known = gather(exercises, catalogue(), how.checks)
    except ValueError as error:
        raise Refused(str(error)) from error
    listed = [known[exercise.id].more for exercise in exercises]
    for exercise, files in zip(exercises, listed, strict=True):
        names = [file.name for file in files]
        if len(set(names)) < len(names):
            raise Refused(f"--checks: {exercise.id} has a {max(names, key=names.count)} already; name yours otherwise")
    return [{file.name: file.text for file in files} for files in listed]


def clone_of(exercises: Sequence[Exercise]) -> Path:
    """The clone that exercises lie in.

    Raises
    ------
    Refused
        Where they came with an installation, which brings neither proofs nor kael's source.
    """
    clone = exercises[0].folder.parents[2]
    if not (clone / "tests" / "exercises").is_dir() or not (clone / "pyproject.toml").is_file():
        raise Refused(
            "an instructor's pack is made from solutions, wrong answers and hidden checks, which an installation does "
            "not bring; `cd` into a clone of kael and type the command again (`--student` works here as well)"
        )
    return clone


def source(clone: Path) -> dict[str, bytes]:
    """kael as a source archive for pip, without the exercises and their solutions; by its name."""
    files = [clone / name for name in TOP]
    files += [
        path
        for package in PACKAGES
        for path in (clone / package).rglob("*")
        if path.suffix in SUFFIXES and path.name != "_built.json" and "__pycache__" not in path.parts
    ]
    name = f"kael-{_project(clone)['version']}"
    return {f"{name}.tar.gz": tarred({f"{name}/{p.relative_to(clone).as_posix()}": p.read_bytes() for p in files})}


def requirements(clone: Path) -> str:
    """What an autograder installs beside kael, as pip reads it: to build kael, to run it, and to run its checks."""
    project = _project(clone)
    said = tomllib.loads((clone / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    listed = {*said, *project["dependencies"], *project["optional-dependencies"]["exercises"]}
    return "".join(f"{line}\n" for line in sorted(listed))


def _project(clone: Path) -> Any:
    return tomllib.loads((clone / "pyproject.toml").read_text(encoding="utf-8"))["project"]
