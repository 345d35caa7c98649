"""What an autograder brings along: kael as source, the exercises with their hidden checks, and what else to install."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kael.exercises import Refused
from kael.exercises.catalogue import Exercise, proof_of
from kael.exercises.pack.files import below, tarred
from kael.exercises.workspace import provided

__all__ = ["SETTINGS", "bundle", "clone_of", "requirements", "source"]

SETTINGS = "autograder.json"
"""The file of a bundle that says what is graded and how."""

PACKAGES = ("kael", "chapters")
TOP = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
SUFFIXES = {".py", ".pyx", ".pxd", ".pyi", ".typed", ".md", ".json", ".css", ".mjs"}


def bundle(exercises: Sequence[Exercise], seed: int) -> dict[str, bytes]:
    """The files that `kael.exercises.pack.autograder` needs.

    Neither solutions nor wrong answers are among them.

    Parameters
    ----------
    exercises : sequence of Exercise
        What is graded.
    seed : int
        Of the numbers that the checks draw.

    Raises
    ------
    Refused
        Where kael does not run from a clone.
    """
    clone = clone_of(exercises)
    hidden = {
        file.relative_to(clone).as_posix(): file.read_bytes()
        for exercise in exercises
        for file in sorted((proof_of(exercise) / "hidden").glob("check_*.py"))
    }
    settings = {"exercises": [exercise.id for exercise in exercises], "seed": seed}
    return {
        **below("exercises", provided(exercises)),
        **hidden,
        **source(clone),
        "requirements.txt": requirements(clone).encode(),
        SETTINGS: json.dumps(settings, indent=1).encode() + b"\n",
    }


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
