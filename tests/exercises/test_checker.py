"""Checking a folder of answers with kael's own copies of the checks."""

import hashlib
import shutil
from pathlib import Path

import pytest

from kael.exercises.catalogue import find, proof_of
from kael.exercises.checker import check, checks_in
from tests.exercises.workspace import ROOT

(EXERCISE,) = find("ch07-02", ROOT / "exercises")


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    """A reader's file, still the stub."""
    target = tmp_path / EXERCISE.place / EXERCISE.file
    target.parent.mkdir(parents=True)
    shutil.copy(EXERCISE.answer, target)
    return target


def test_a_stub_is_not_started(answer: Path, tmp_path: Path) -> None:
    (result,) = check([EXERCISE], tmp_path)
    assert (result.state, result.score, result.points) == ("not started", 0, EXERCISE.points)


def test_a_right_answer_earns_all_points_and_is_named_by_its_hash(answer: Path, tmp_path: Path) -> None:
    shutil.copy(proof_of(EXERCISE) / "solution" / EXERCISE.file, answer)
    (result,) = check([EXERCISE], tmp_path)
    assert (result.state, result.score) == ("pass", EXERCISE.points)
    assert result.sha256 == hashlib.sha256(answer.read_bytes()).hexdigest()


def test_the_reader_s_copy_of_the_checks_is_not_asked(answer: Path, tmp_path: Path) -> None:
    (answer.parent / EXERCISE.visible.name).write_text("def test_nothing(): pass\n", encoding="utf-8")
    (result,) = check([EXERCISE], tmp_path)
    assert [check.name for check in result.checks] == list(checks_in(EXERCISE.visible))
    assert result.score == 0


def test_an_answer_that_ends_the_run_gets_every_check_listed(answer: Path, tmp_path: Path) -> None:
    answer.write_text("import os\nos._exit(0)\n", encoding="utf-8")
    (result,) = check([EXERCISE], tmp_path)
    assert [check.name for check in result.checks] == list(checks_in(EXERCISE.visible))
    assert (result.state, result.score) == ("crash", 0)


def test_a_missing_file_is_not_started(tmp_path: Path) -> None:
    (result,) = check([EXERCISE], tmp_path)
    assert (result.state, result.sha256) == ("not started", "")


def test_more_checks_share_the_same_points(answer: Path, tmp_path: Path) -> None:
    more = tmp_path / "check_more.py"
    more.write_text("def test_more(answer, because):\n    assert answer.expanded\n", encoding="utf-8")
    (result,) = check([EXERCISE], tmp_path, hidden={EXERCISE.id: [more]})
    assert result.checks[-1].name == "test_more"
    assert sum(check.points for check in result.checks) == EXERCISE.points


def test_a_check_from_elsewhere_reads_the_exercise_s_own_misconceptions(answer: Path, tmp_path: Path) -> None:
    key, text = next(iter(EXERCISE.misconceptions.items()))
    more = tmp_path / "check_more.py"
    more.write_text(
        "from kael.testing import assert_equal\n"
        f"def test_more(answer, because):\n    assert_equal(1, 2, because=because('one', {key!r}))\n",
        encoding="utf-8",
    )
    shutil.copy(proof_of(EXERCISE) / "solution" / EXERCISE.file, answer)
    (result,) = check([EXERCISE], tmp_path, hidden={EXERCISE.id: [more]})
    assert result.checks[-1].state == "fail"
    assert text in result.checks[-1].text


def test_after_every_check_it_is_told_what_is_known_so_far(answer: Path, tmp_path: Path) -> None:
    shutil.copy(proof_of(EXERCISE) / "solution" / EXERCISE.file, answer)
    known: list[list[str]] = []
    check([EXERCISE], tmp_path, progress=lambda result: known.append([each.state for each in result.checks]))
    total = EXERCISE.checks
    assert known == [["pass"] * done + ["not run"] * (total - done) for done in range(1, total + 1)]
