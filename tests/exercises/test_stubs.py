"""What plain pytest shows a reader: on untouched stubs, on a wrong answer, on an error in the reader's own code."""

import os
import re
import subprocess
from pathlib import Path

import pytest

import kael
from kael.exercises.catalogue import Exercise, catalogue
from tests.exercises.workspace import ROOT, copied, pytest_command

EXERCISES = catalogue(ROOT / "exercises")


def pytest_run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        pytest_command(*arguments), cwd=folder, capture_output=True, encoding="utf-8", check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": str(Path(kael.__file__).parents[1])},
    )  # fmt: skip


@pytest.fixture(scope="module")
def run() -> subprocess.CompletedProcess[str]:
    """Plain pytest on all stubs."""
    return pytest_run(ROOT, "exercises")


class TestUntouched:
    def test_nothing_counts_as_passed_or_failed(self, run: subprocess.CompletedProcess[str]) -> None:
        checks = sum(exercise.checks for exercise in EXERCISES)
        assert f"= {checks} not started in" in run.stdout
        assert run.returncode == 1

    def test_there_is_no_traceback(self, run: subprocess.CompletedProcess[str]) -> None:
        assert "Traceback" not in run.stdout + run.stderr
        assert run.stderr == ""

    @pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
    def test_each_exercise_says_what_to_do(self, run: subprocess.CompletedProcess[str], exercise: Exercise) -> None:
        block = run.stdout[run.stdout.index(f"not started:  {exercise.id}") :]
        said = dict(re.findall(r"^(open|the task|read|run again): +(.*)$", block, re.MULTILINE)[:4])
        assert (ROOT / said["open"]) == exercise.answer
        assert (ROOT / said["the task"]).exists()
        assert said["run again"] == f"python -m pytest exercises/{exercise.place}"

    def test_the_order_is_that_of_the_index(self, run: subprocess.CompletedProcess[str]) -> None:
        assert re.findall(r"not started:  (\S+)", run.stdout) == [exercise.id for exercise in EXERCISES]


def test_it_works_from_the_exercise_s_own_folder() -> None:
    run = pytest_run(EXERCISES[0].folder)
    assert f"not started:  {EXERCISES[0].id}" in run.stdout


def test_a_bare_pytest_never_collects_a_stub() -> None:
    (setting,) = re.findall(r"^testpaths = (.*)$", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert setting == '["tests"]'
    assert not list((ROOT / "tests" / "exercises").glob("ch*/**/test_*.py"))


def test_no_two_test_modules_of_exercises_share_a_name() -> None:
    names = [path.name for path in (ROOT / "exercises").rglob("test_*.py")]
    assert sorted(set(names)) == sorted(names)


class TestAnswers:
    def test_a_wrong_answer_is_told_in_five_lines(self, tmp_path: Path) -> None:
        exercise = copied("ch17-02", tmp_path)
        proof = tmp_path / "tests" / "exercises" / exercise.place
        exercise.answer.write_bytes((proof / "wrong" / "seeds_the_last_node.py").read_bytes())
        run = pytest_run(ROOT, str(exercise.folder), f"--rootdir={tmp_path}", "-q")
        body = run.stdout[run.stdout.index("called:") :].splitlines()
        assert [line.split(":")[0] for line in body[:5]] == ["called", "expected", "likely cause", "read", "run again"]
        assert "1 failed, 5 passed" in run.stdout

    def test_an_error_in_the_answer_shows_its_line(self, tmp_path: Path) -> None:
        exercise = copied("ch17-03", tmp_path)
        exercise.answer.write_text("def unbroadcast_at(grad, shape, axis):\n    return grad.summ(0)\n", "utf-8")
        run = pytest_run(ROOT, str(exercise.folder), f"--rootdir={tmp_path}", "-q")
        assert "got:          AttributeError: 'Buffer' object has no attribute 'summ'" in run.stdout
        assert "at:           unbroadcast.py, line 2: return grad.summ(0)" in run.stdout

    def test_a_half_filled_table_names_the_first_blank(self, tmp_path: Path) -> None:
        exercise = copied("ch17-01", tmp_path)
        stub = exercise.answer.read_text(encoding="utf-8")
        begun = stub.replace("(1, blank, blank)", "(1, 2, 1.0)").replace("(2, blank, blank)", "(2, 1, blank)")
        exercise.answer.write_text(begun, encoding="utf-8")
        run = pytest_run(ROOT, str(exercise.folder), f"--rootdir={tmp_path}", "-q")
        assert "VISITS: row 2, column 3 is still blank" in run.stdout

    def test_a_missing_file_is_not_started(self, tmp_path: Path) -> None:
        exercise = copied("ch17-03", tmp_path)
        exercise.answer.unlink()
        run = pytest_run(ROOT, str(exercise.folder), f"--rootdir={tmp_path}", "-q")
        assert "8 not started" in run.stdout
