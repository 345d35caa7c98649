"""Every exercise is proven, and the gate that proves them notices a proof that does not hold."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from kael.exercises import command
from kael.exercises.catalogue import Exercise, catalogue
from kael.exercises.proof.verify import Report, verify, verify_all
from tests.exercises.workspace import ROOT, copied

EXERCISES = catalogue(ROOT / "exercises")


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    """The gate, run once on all exercises."""
    return {report.id: report for report in verify_all(EXERCISES)}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
class TestEveryExercise:
    def test_its_proof_holds(self, exercise: Exercise, reports: dict[str, Report]) -> None:
        assert reports[exercise.id].problems == []

    def test_it_was_tried(self, exercise: Exercise, reports: dict[str, Report]) -> None:
        report = reports[exercise.id]
        if report.missing:
            assert "compiler" in exercise.needs
        else:
            assert len(report.checks) >= exercise.checks
            assert len([death for death in report.deaths if death.answer.startswith("wrong/")]) >= 5
            assert report.mutants >= 4  # a rule of one line has no more


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the gate says of a copy of an exercise with a fault in each place where a proof can have one."""
    exercise = copied("ch17-03", tmp_path_factory.mktemp("faulty"))
    proof = exercise.folder.parents[2] / "tests" / "exercises" / exercise.place
    solution = proof / "solution" / exercise.file
    text = solution.read_text(encoding="utf-8")

    def wrong(name: str, key: str, check: str, answer: str) -> None:
        (proof / "wrong" / f"{name}.py").write_text(f"# misconception: {key}\n# fails: {check}\n{answer}", "utf-8")

    wrong("is_right", "first_copy", "test_bias_at_axis_1", text)
    wrong("has_no_words", "no_such_key", "test_bias_at_axis_1", "")
    wrong("names_no_check", "first_copy", "test_of_nothing", "")
    wrong("is_called_something_else", "axes_moved", "test_bias_at_axis_1", text.replace("reversed(summed)", "[]"))
    (proof / "alt" / "fails.py").write_text(text.replace("tuple(summed)", "summed"), encoding="utf-8")
    (proof / "alt" / "chatters.py").write_text(
        f"import sys\n{text}\nprint('loading', file=sys.stderr)\n", encoding="utf-8"
    )
    (proof / "slow" / "quick.py").write_text(text, encoding="utf-8")
    (proof / "hidden" / "check_nothing.py").write_text(
        "def test_that_cannot_fail(answer):\n    assert answer\n", encoding="utf-8"
    )
    (proof / "hidden" / "check_unbroadcast_shapes.py").unlink()
    for name in ("grad_is_left_as_it_was", "nothing_was_repeated", "operand_that_does_not_fit"):
        visible = exercise.visible.read_text(encoding="utf-8")
        exercise.visible.write_text(visible.replace(f"def test_{name}", f"def unused_{name}"), encoding="utf-8")
    stub = exercise.answer.read_text(encoding="utf-8")
    exercise.answer.write_text(stub.replace("raise NotStarted", "return grad, ()"), encoding="utf-8")
    return "\n".join(verify(replace(exercise, points=5)).problems)


class TestFaultyProof:
    @pytest.mark.parametrize(
        "words",
        [
            "wrong/is_right.py: test_bias_at_axis_1 is 'pass', it should fail",
            "wrong/has_no_words.py: exercise.toml has no misconception 'no_such_key'",
            "wrong/names_no_check.py: there is no check 'test_of_nothing'",
            "wrong/is_called_something_else.py: test_bias_at_axis_1 does not say",
            "alt/fails.py with seed 0: test_axes_are_reported is 'fail'",
            "alt/chatters.py with seed 19: test_bias_at_axis_1 writes to standard error: 'loading",
            "slow/quick: no check is 'timeout'",
            "test_that_cannot_fail rejects no wrong answer; it is not needed",
            "5 visible checks, exercise.toml says 8",
            "5 points for 6 checks; each needs one at least",
            "the stub: test_bias_at_axis_1 is 'fail' instead of 'not started'",
            "generated: changes its input: no check rejects it",
            "wrong/hands_grad_back.py: there is no check 'test_nothing_was_repeated'",
            "a fault that no check finds, and proof.toml gives no reason",
        ],
    )
    def test_is_reported(self, problems: str, words: str) -> None:
        assert words in problems


def test_hostile_answers_were_tried(reports: dict[str, Report]) -> None:
    """On a table and on a function; what they do to the runner does not depend on the exercise."""
    hostile = [death for report in reports.values() for death in report.deaths if death.answer.startswith("hostile")]
    assert len(hostile) == 2 * len(list((ROOT / "tests" / "exercises" / "hostile").glob("*.py"))) >= 12


class TestCommand:
    """`kael ex verify`: how it shows what the gate found out."""

    @pytest.fixture(autouse=True)
    def found_out(self, reports: dict[str, Report], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(ROOT)
        monkeypatch.setattr(
            "kael.exercises.proof.verify.verify_all", lambda chosen: [reports[exercise.id] for exercise in chosen]
        )

    def test_prints_the_kill_matrix(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.main(["verify", "ch17-01"]) == 0
        assert re.search(r"^  wrong/forward_order +x \. \. \. \.$", capsys.readouterr().out, re.MULTILINE)

    def test_prints_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        command.main(["verify", "--json", "ch17-01", "ch17-02"])
        first, second = json.loads(capsys.readouterr().out)
        assert (first["id"], second["id"]) == ("ch17-01", "ch17-02")
        assert {"answer", "key", "named", "checks", "text"} == set(first["deaths"][0])

    def test_prints_what_each_wrong_answer_is_told(self, capsys: pytest.CaptureFixture[str]) -> None:
        command.main(["verify", "--table", "e01"])
        printed = capsys.readouterr().out
        assert "ch17-01 | wrong/overwrites | test_running_totals: fail\n    called:       step 3" in printed

    def test_a_chapter_means_all_of_its_exercises(self, capsys: pytest.CaptureFixture[str]) -> None:
        command.main(["verify", "ch17"])
        ids = [e.id for e in EXERCISES if e.id.startswith("ch17")]
        assert re.findall(r"^ch\d\d-\d\d", capsys.readouterr().out, re.MULTILINE) == ids

    def test_says_that_there_is_no_such_exercise(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.main(["verify", "ch99"]) == 2
        assert "no exercise 'ch99'" in capsys.readouterr().err


def test_the_command_fails_when_a_proof_does_not_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    exercise = copied("ch17-01", tmp_path)
    shutil.rmtree(tmp_path / "tests" / "exercises" / exercise.place / "alt")
    monkeypatch.chdir(tmp_path)
    assert command.main(["verify"]) == 1
    assert "PROBLEM: no alternative right answer" in capsys.readouterr().out
