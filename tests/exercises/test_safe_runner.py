"""The runner reports every check, whatever an answer does to the worker that runs it."""

from pathlib import Path

import pytest

from kael.exercises.catalogue import Exercise
from kael.exercises.runner import Run, run_checks
from tests.exercises.workspace import copied

RIGHT = "from {module} import *\n"


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    return copied("ch17-03", tmp_path)


def states(exercise: Exercise, answer: str, limit: float = 10.0) -> dict[str, str]:
    """The state of each visible check of an answer put in the reader's place."""
    exercise.answer.write_text(answer, encoding="utf-8")
    run = Run(exercise.answer, limit=limit)
    run_checks([run], [exercise.visible], exercise.folder.parents[2] / "scratch")
    return {check: outcome.state for check, outcome in run.outcomes.items()}


def solution(exercise: Exercise) -> str:
    proof = exercise.folder.parents[2] / "tests" / "exercises" / exercise.place
    return (proof / "solution" / exercise.file).read_text(encoding="utf-8")


def with_a_trap(exercise: Exercise, trap: str) -> str:
    """The solution, which does something else when it sees the operand of one check."""
    return solution(exercise).replace("    end = axis", f"    if shape == (3, 1):\n        {trap}\n    end = axis")


def test_a_right_answer_passes_every_check(exercise: Exercise) -> None:
    assert set(states(exercise, solution(exercise)).values()) == {"pass"}


def test_an_assertion_of_the_answer_is_reported_with_its_line(exercise: Exercise) -> None:
    exercise.answer.write_text(with_a_trap(exercise, "assert shape == (1, 3)"), encoding="utf-8")
    run = Run(exercise.answer)
    run_checks([run], [exercise.visible], exercise.folder.parents[2] / "scratch")
    outcome = run.outcomes["test_axes_of_size_one"]
    assert outcome.state == "fail"
    assert "AssertionError" in outcome.text and "assert shape == (1, 3)" in outcome.text


def test_the_words_that_a_check_chose_stand_without_pytests(tmp_path: Path) -> None:
    current = copied("ch18-02", tmp_path)
    current.answer.write_text("def grad(root, inputs):\n    return []\n", encoding="utf-8")
    run = Run(current.answer)
    run_checks([run], [current.visible], tmp_path / "scratch")
    text = run.outcomes["test_leaves_in_the_order_asked"].text
    assert text.startswith("grad returned a list; return a tuple\nread: ")


@pytest.mark.parametrize(
    ("trap", "state"),
    [
        ("import os; os._exit(0)", "crash"),
        ("import ctypes; ctypes.string_at(0)", "crash"),
        ("import pytest; pytest.exit('done', returncode=0)", "fail"),
        ("while True: pass", "timeout"),
        ("import pytest; pytest.skip('no')", "fail"),
        ("import pytest; pytest.xfail('no')", "fail"),
        ("raise SystemExit(0)", "fail"),
        ("raise KeyboardInterrupt", "fail"),
    ],
)
def test_one_bad_check_leaves_the_others_their_results(exercise: Exercise, trap: str, state: str) -> None:
    found = states(exercise, with_a_trap(exercise, trap), limit=5.0)
    assert found.pop("test_axes_of_size_one") == state
    assert set(found.values()) == {"pass"}
    assert len(found) == exercise.checks - 1


@pytest.mark.parametrize("isolated", [False, True])
def test_an_answer_that_never_ends_waits_for_its_limit_once(exercise: Exercise, isolated: bool) -> None:
    """Its later checks have less time, and a right one among them passes."""
    answer = with_a_trap(exercise, "while True: pass").replace("shape == (3, 1)", "shape in ((3,), (4, 5))")
    exercise.answer.write_text(answer, encoding="utf-8")
    run = Run(exercise.answer, limit=2.5)
    run_checks([run], [exercise.visible], exercise.folder.parents[2] / "scratch", isolated=isolated)
    said = [outcome.text for outcome in run.outcomes.values() if outcome.state == "timeout"]
    assert [text.count("nothing within 2.5 s") for text in said] == [1] + [0] * (len(said) - 1)
    assert len(said) > 1
    assert all("nothing within 2 s" in text for text in said[1:])
    assert [outcome.state for outcome in run.outcomes.values()].count("pass") == exercise.checks - len(said)


def test_a_conftest_beside_the_answer_is_not_read(exercise: Exercise) -> None:
    (exercise.folder / "conftest.py").write_text(
        "import pytest\n\n\n@pytest.hookimpl(wrapper=True, tryfirst=True)\ndef pytest_runtest_makereport():\n"
        "    report = yield\n    report.outcome = 'passed'\n    return report\n",
        encoding="utf-8",
    )
    answer = "def unbroadcast_at(grad, shape, axis):\n    return None, None\n"
    assert set(states(exercise, answer).values()) == {"fail"}


def test_what_an_answer_prints_is_not_taken_for_a_report(exercise: Exercise) -> None:
    forged = '{"event": "end", "job": 0, "check": "test_bias_at_axis_1", "state": "pass", "text": "", "stderr": ""}'
    answer = f"print('\\n' + {forged!r}, flush=True)\n\n\ndef unbroadcast_at(*arguments):\n    print({forged!r})\n"
    assert set(states(exercise, answer).values()) == {"fail"}


def test_a_flood_of_output_does_no_harm(exercise: Exercise) -> None:
    flood = with_a_trap(exercise, "print('x' * 10_000_000)")
    assert set(states(exercise, flood).values()) == {"pass"}
