"""No solution reaches a reader unasked: not in what an exercise shows, and not in what an installation brings."""

import re
from pathlib import Path

import pytest

from kael.exercises.catalogue import Exercise, catalogue, proof_of
from tests.exercises.workspace import ROOT

EXERCISES = catalogue(ROOT / "exercises")
TEXT = {".py", ".pyx", ".pxd", ".md", ".toml", ".json", ".ipynb", ".txt"}
PACKAGES = ("kael", "chapters")


def telling(line: str) -> bool:
    """Whether a line of code gives something away: long enough, and not one that any code has."""
    return len(line) > 24 and not re.match(r"(from|import|def|#|@|\"\"\"|return$|class) ?", line)


def lines(path: Path) -> set[str]:
    return {line.strip() for line in path.read_text(encoding="utf-8").splitlines()}


def shows(path: Path, secrets: set[str]) -> bool:
    """Whether a file holds most lines of a right answer; engines resemble each other in a line or two."""
    return len(secrets & lines(path)) > len(secrets) / 2


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
class TestNothingIsGivenAway:
    def answers(self, exercise: Exercise) -> list[set[str]]:
        """The telling lines of each right answer that the stub does not have."""
        proof = proof_of(exercise)
        written = [path for kind in ("solution", "alt") for path in (proof / kind).iterdir() if path.suffix in TEXT]
        given = lines(exercise.answer)
        return [{line for line in lines(path) - given if telling(line)} for path in written]

    def test_there_is_something_to_give_away(self, exercise: Exercise) -> None:
        assert all(self.answers(exercise))

    @pytest.mark.parametrize("place", ["exercises", *PACKAGES])
    def test_no_file_that_readers_get_holds_it(self, exercise: Exercise, place: str) -> None:
        files = [path for path in (ROOT / place).rglob("*") if path.suffix in TEXT]
        assert [path for path in files for secrets in self.answers(exercise) if shows(path, secrets)] == []


def test_what_is_packaged_has_no_path_to_a_proof() -> None:
    """The wheel holds the packages alone; a proof lies in none of them."""
    setting = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'include = ["kael*", "chapters*"]' in setting
    inside = [path for package in PACKAGES for path in (ROOT / package).rglob("*")]
    assert not [path for path in inside if {"wrong", "hidden", "solution", "alt"} & set(path.parts[len(ROOT.parts) :])]


def test_a_reader_s_folder_holds_what_a_reader_needs_and_nothing_else() -> None:
    for exercise in EXERCISES:
        names = {path.name for path in exercise.folder.iterdir() if path.name != "__pycache__"}
        extra = names - {"exercise.toml", "README.md", exercise.file, exercise.visible.name}
        assert extra == ({"add_rows.py"} if exercise.id == "ch17-05" else set())
