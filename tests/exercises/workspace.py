"""A copy of one exercise and its proof, to plant answers and faults in."""

import shutil
import sys
from pathlib import Path

from kael.exercises.catalogue import Exercise, catalogue, exercise_in, find, proof_of

__all__ = ["ROOT", "copied", "pytest_command", "solution_of"]

ROOT = Path(__file__).resolve().parents[2]


def copied(name: str, folder: Path) -> Exercise:
    """Copy an exercise with its index, its proof and the hostile answers below a folder."""
    (exercise,) = find(name, ROOT / "exercises")
    place = Path("exercises") / exercise.place
    proof = Path("tests") / place
    shutil.copytree(ROOT / place, folder / place, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / proof, folder / proof, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tests" / "exercises" / "hostile").mkdir()
    shutil.copy(ROOT / "exercises" / "conftest.py", folder / "exercises")
    index = (ROOT / "exercises" / "index.toml").read_text(encoding="utf-8").split("[[exercise]]")
    kept = next(part for part in index if f'"{exercise.id}"\n' in part.partition("folder")[0])
    (folder / "exercises" / "index.toml").write_text("[[exercise]]" + kept, encoding="utf-8")
    exercise_in.cache_clear()
    (only,) = catalogue(folder / "exercises")
    return only


def solution_of(exercise: Exercise) -> Path:
    """The right answer in the proof of an exercise."""
    return proof_of(exercise) / "solution" / exercise.file


def pytest_command(*arguments: str) -> list[str]:
    """Plain pytest, as a reader types it."""
    return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
