"""No solution reaches a reader unasked: not in what an exercise shows, and not in what an installation brings."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kael.exercises import command
from kael.exercises.catalogue import Exercise, catalogue, proof_of
from tests.exercises.workspace import ROOT

EXERCISES = catalogue(ROOT / "exercises")
TEXT = {".py", ".pyx", ".pxd", ".md", ".toml", ".json", ".ipynb", ".txt"}
PACKAGES = ("kael", "chapters")
GIVEN = {
    "ch12-03": {"normalize.py", "normalize_passes.pyx"},
    "ch13-04": {"running_total.pyx", "total.py"},
    "ch14-03": {"product.py", "product_ijk.pyx"},
    "ch17-05": {"add_rows.py"},
}
"""What a reader is given beside the stub, to compare with."""


def telling(line: str) -> bool:
    """Whether a line of code gives something away: long enough, and not one that any code has."""
    return len(line) > 24 and not re.match(r"(from|import|def|#|@|\"\"\"|return$|class) ?", line)


def lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines()}


def shows(text: str, secrets: set[str]) -> bool:
    """Whether a text holds most lines of a right answer; engines resemble each other in a line or two."""
    return len(secrets & lines(text)) > len(secrets) / 2


def telling_lines(exercise: Exercise) -> list[set[str]]:
    """The telling lines of each right answer that the reader has not been given."""
    proof = proof_of(exercise)
    written = [path for kind in ("solution", "alt") for path in (proof / kind).iterdir() if path.suffix in TEXT]
    beside = [exercise.folder / name for name in GIVEN.get(exercise.id, ())]
    given = set().union(*(lines(path.read_text(encoding="utf-8")) for path in (exercise.answer, *beside)))
    return [{line for line in lines(path.read_text(encoding="utf-8")) - given if telling(line)} for path in written]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
class TestNothingIsGivenAway:
    def test_there_is_something_to_give_away(self, exercise: Exercise) -> None:
        assert all(telling_lines(exercise))

    def test_no_exercise_shows_it(self, exercise: Exercise) -> None:
        texts = {
            path: path.read_text(encoding="utf-8") for path in (ROOT / "exercises").rglob("*") if path.suffix in TEXT
        }
        for secrets in telling_lines(exercise):
            assert [path for path, text in texts.items() if shows(text, secrets)] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The text files of a wheel, built from a copy of what it is made of."""
    tree = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "exercises", tree / "exercises")
    shutil.copytree(ROOT / "tests" / "exercises", tree / "tests" / "exercises")
    for package in PACKAGES:
        skipped = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
        shutil.copytree(ROOT / package, tree / package, ignore=skipped)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    subprocess.run(
        [sys.executable, "setup.py", "-q", "bdist_wheel"],
        cwd=tree, env={**os.environ, "KAEL_BUILD": "python"}, check=True, capture_output=True,
    )  # fmt: skip
    (made,) = (tree / "dist").glob("*.whl")
    with zipfile.ZipFile(made) as archive:
        names = [name for name in archive.namelist() if Path(name).suffix in TEXT]
        return {name: archive.read(name).decode("utf-8") for name in names}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every file of a fresh workspace, whatever its name ends in."""
    folder = tmp_path_factory.mktemp("workspace") / "mine"
    assert command.main(["init", str(folder)]) == 0
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in folder.rglob("*") if path.is_file()
    }  # fmt: skip


class TestWorkspace:
    def test_no_path_leads_to_a_proof(self, workspace: dict[str, str]) -> None:
        assert "ch17_engine/e03_unbroadcast/unbroadcast.py" in workspace
        assert [name for name in workspace if {"wrong", "hidden", "solution", "alt"} & set(Path(name).parts)] == []

    @pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
    def test_no_file_holds_a_solution(self, workspace: dict[str, str], exercise: Exercise) -> None:
        for secrets in telling_lines(exercise):
            assert [name for name, text in workspace.items() if shows(text, secrets)] == []


class TestWheel:
    def test_no_path_leads_to_a_proof(self, wheel: dict[str, str]) -> None:
        assert "kael/exercises/proof/verify.py" in wheel
        assert [name for name in wheel if {"wrong", "hidden", "solution", "alt"} & set(Path(name).parts)] == []

    @pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
    def test_no_file_holds_a_solution(self, wheel: dict[str, str], exercise: Exercise) -> None:
        for secrets in telling_lines(exercise):
            assert [name for name, text in wheel.items() if shows(text, secrets)] == []


def test_a_reader_s_folder_holds_what_a_reader_needs_and_nothing_else() -> None:
    for exercise in EXERCISES:
        names = {path.name for path in exercise.folder.iterdir() if path.name != "__pycache__"}
        extra = names - {"exercise.toml", "README.md", exercise.file, exercise.visible.name}
        assert extra == GIVEN.get(exercise.id, set())
