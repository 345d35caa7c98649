"""Building a reader's Cython file in a scratch folder."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from kael.exercises.mutants import Mutant


def load_twin(path: Path) -> ModuleType:
    """Build and import."""
    raise NotImplementedError


def missing() -> str:
    return ""


def mutant_files(text: str, folder: Path) -> dict[Path, Mutant]:
    return {}
