"""The gate proves exercises, and notices a proof that does not hold."""

import ast
import hashlib
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from kael.exercises import command
from kael.exercises.catalogue import Exercise, catalogue
from kael.exercises.proof import report
from kael.exercises.proof.hostile import attack_all, hostile_answers
from kael.exercises.proof.replay import replay
from kael.exercises.proof.report import SCHEMA
from kael.exercises.proof.verify import Death, Report, verify, verify_all
from kael.exercises.runner import Run, run_checks
from tests.exercises.workspace import ROOT, copied, solution_of

EXERCISES = catalogue(ROOT / "exercises")
PROVEN = [exercise for exercise in EXERCISES if exercise.id in ("ch17-01", "ch17-02", "ch17-03")]
"""A table and two functions, with the two that hostile answers are tried on; `make verify`, a stage of continuous
integration, proves all."""


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    """The gate, run once on a few exercises."""
    return {report.id: report for report in verify_all(PROVEN)}


@pytest.mark.parametrize("exercise", PROVEN, ids=lambda exercise: exercise.id)
class TestExercise:
    def test_its_proof_holds(self, exercise: Exercise, reports: dict[str, Report]) -> None:
        assert reports[exercise.id].problems == []

    def test_it_was_tried(self, exercise: Exercise, reports: dict[str, Report]) -> None:
        report = reports[exercise.id]
        assert len(report.checks) >= exercise.checks
        assert len([death for death in report.deaths if death.answer.startswith("wrong/")]) >= 5
        assert report.mutants >= 4


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


HOSTILE = hostile_answers(ROOT / "tests" / "exercises")


@pytest.fixture(scope="module")
def hostile(reports: dict[str, Report]) -> dict[str, list[Death]]:
    """On a table and on a function; what they do to the runner does not depend on the exercise."""
    deaths = [death for report in reports.values() for death in report.deaths]
    return {path.stem: [death for death in deaths if death.answer == f"hostile: {path.stem}"] for path in HOSTILE}


class TestHostileAnswers:
    @pytest.mark.parametrize("name", [path.stem for path in HOSTILE])
    def test_was_tried_twice_and_got_nothing(self, hostile: dict[str, list[Death]], name: str) -> None:
        assert len(hostile[name]) == 2
        assert all(set(death.checks.values()) <= {"fail", "timeout", "crash"} for death in hostile[name])

    @pytest.mark.parametrize("path", HOSTILE, ids=lambda path: path.stem)
    def test_says_what_it_tries(self, path: Path) -> None:
        assert (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").endswith(".")


def test_an_exercise_is_left_by_an_answer_that_gets_nothing_for_it(reports: dict[str, Report]) -> None:
    for found in reports.values():
        (death,) = [death for death in found.deaths if death.answer == "hostile: raises_SystemExit"]
        assert list(death.checks) == found.checks


def test_a_right_answer_passes_after_all_hostile_ones_in_the_same_process(tmp_path: Path) -> None:
    """Those that cost a worker are left out: after them there is another process anyway."""
    exercise = copied("ch17-03", tmp_path)
    stayed = ("changes_all_around", "deletes_what_it_finds", "forges_results", "interrupts", "patches_the_check",
              "patches_the_comparison", "rewrites_the_comparison", "skips", "swaps_modules", "ends_pytest",
              "equals_everything", "starts_processes", "registers_for_the_end", "calls_itself_unavailable")  # fmt: skip
    hostile = [Run(ROOT / "tests" / "exercises" / "hostile" / f"{name}.py") for name in stayed]
    right = Run(solution_of(exercise))
    run_checks([*hostile, right], [exercise.visible], tmp_path / "scratch")
    assert not any(run.lost or run.passed for run in hostile)
    assert {check: outcome.text for check, outcome in right.outcomes.items() if outcome.state != "pass"} == {}


class TestCommand:
    """`kael ex verify`: how it shows what the gate found out."""

    @pytest.fixture(autouse=True)
    def found_out(self, reports: dict[str, Report], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(ROOT)
        monkeypatch.setattr(
            "kael.exercises.proof.command.verify_all",
            lambda chosen, isolated: [reports.get(each.id, Report(each.id, each.place)) for each in chosen],
        )

    def test_prints_the_kill_matrix(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.main(["verify", "ch17-01"]) == 0
        assert re.search(r"^  wrong/forward_order +x \. \. \. \.$", capsys.readouterr().out, re.MULTILINE)

    def test_prints_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        command.main(["verify", "--json", "ch17-01", "ch17-02"])
        found = json.loads(capsys.readouterr().out)
        first, second = found["exercises"]
        assert found["schema"] == SCHEMA == "kael/verify/v1"
        assert (first["id"], second["id"]) == ("ch17-01", "ch17-02")
        assert {"answer", "key", "named", "checks", "text"} == set(first["deaths"][0])
        assert found["summary"]["wrong"] == len(first["deaths"]) + len(second["deaths"])
        solution = ROOT / first["file"]
        assert first["sha256"] == hashlib.sha256(solution.read_bytes()).hexdigest()

    def test_every_key_of_the_json_is_documented(self, capsys: pytest.CaptureFixture[str]) -> None:
        command.main(["verify", "--json", "ch17-01"])
        found = json.loads(capsys.readouterr().out)
        said = Path(report.__file__).read_text(encoding="utf-8").partition('"""Names the form')[2].partition('"""')[0]
        for keys in (found, found["summary"], found["exercises"][0], found["exercises"][0]["deaths"][0]):
            assert {key for key in keys if f"``{key}``" not in said} == set()

    def test_ends_with_one_line_about_all(self, capsys: pytest.CaptureFixture[str]) -> None:
        command.main(["verify", "ch17-01", "ch17-02"])
        last = capsys.readouterr().out.splitlines()[-1]
        assert re.fullmatch(
            r"2 exercises: \d+ checks accept \d+ runs of right answers, reject \d+ wrong ones and \d+ of \d+ faults; "
            "every proof holds", last
        )  # fmt: skip

    def test_writes_a_file_and_prints_the_line(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        command.main(["verify", "--json", "--out", str(tmp_path / "found.json"), "ch17-01"])
        assert capsys.readouterr().out.startswith("1 exercises: ")
        assert json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["summary"]["exercises"] == 1

    def test_prints_the_kill_matrix_in_markdown(self, capsys: pytest.CaptureFixture[str]) -> None:
        command.main(["verify", "--table", "ch17-01"])
        printed = capsys.readouterr().out
        assert "| wrong answer | misconception | nodes_are_visited_from_the_last | " in printed
        assert re.search(r"^\| wrong/forward_order \| \w+ \| \[fail\] \|  \|", printed, re.MULTILINE)

    def test_prints_what_each_wrong_answer_is_told(self, capsys: pytest.CaptureFixture[str]) -> None:
        command.main(["verify", "--messages", "e01"])
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
    exercise = copied("ch17-02", tmp_path)
    shutil.rmtree(tmp_path / "tests" / "exercises" / exercise.place / "alt")
    solution_of(exercise).write_text("one = line\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert command.main(["verify"]) == 1
    printed = capsys.readouterr().out
    assert "PROBLEM: no alternative right answer" in printed
    assert "PROBLEM: 1 faults could be put into the solution; at least 4 are needed" in printed


def test_without_proofs_it_says_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    exercise = copied("ch17-01", tmp_path)
    shutil.rmtree(tmp_path / "tests" / "exercises" / exercise.place)
    monkeypatch.chdir(tmp_path)
    assert command.main(["verify"]) != 0
    assert "the proofs are in a clone of kael" in capsys.readouterr().err


class TestHostileTable:
    def test_names_file_deed_states_and_points(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        exercise = copied("ch17-03", tmp_path)
        hostile = tmp_path / "tests" / "exercises" / "hostile"
        shutil.copy(ROOT / "tests" / "exercises" / "hostile" / "skips.py", hostile)
        monkeypatch.chdir(tmp_path)
        for options in ([], ["--isolated"]):
            assert command.main(["verify", "--hostile", *options, exercise.id]) == 0
            printed = capsys.readouterr().out.splitlines()
            assert re.fullmatch(r"skips.py +Has its checks skipped. +ch17-03 +8 (fail|timeout) +0 of \d+", printed[1])
            assert printed[-1] == "1 attacks got 0 points"

    def test_a_point_that_an_attack_gets_is_shown(self, tmp_path: Path) -> None:
        exercise = copied("ch17-03", tmp_path)
        (attack,) = attack_all([exercise], [solution_of(exercise)])
        assert attack.points == attack.of == exercise.points
        assert "1 attacks got" in report.as_attacks([attack])


class TestReplay:
    @pytest.fixture
    def exercise(self, tmp_path: Path) -> Exercise:
        return copied("ch17-03", tmp_path)

    def test_finds_nothing_wrong(self, exercise: Exercise) -> None:
        assert replay([exercise]) == {"ch17-03": []}

    def test_a_solution_that_needs_more_than_what_came_before(self, exercise: Exercise) -> None:
        solution_of(exercise).write_text("from later import unbroadcast_at\n", encoding="utf-8")
        assert "test_bias_at_axis_1 is 'fail'" in replay([exercise])["ch17-03"][0]

    def test_a_stub_with_points_and_a_wrong_number_of_checks(self, exercise: Exercise) -> None:
        shutil.copy(solution_of(exercise), exercise.answer)
        found = "\n".join(replay([replace(exercise, checks=7)])["ch17-03"])
        assert f"the stub has {exercise.points} points" in found
        assert "8 checks were graded, exercise.toml says 7" in found
