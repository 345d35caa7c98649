"""Checks run in a process that never imports the answer, and tell the same as when they do."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kael.exercises.catalogue import Exercise, find, proof_of
from kael.exercises.runner import Outcome, Workers
from kael.exercises.runner import Run as Checked
from tests.exercises.workspace import ROOT, copied


def outcomes(workers: Workers, name: str, answer: Path, limit: float = 10.0) -> dict[str, Outcome]:
    """What comes of an answer to an exercise."""
    (exercise,) = find(name, ROOT / "exercises")
    run = Checked(answer, limit=limit)
    workers.run([run], [exercise.visible, *sorted((proof_of(exercise) / "hidden").glob("check_*.py"))])
    return run.outcomes


WRITES_EVERYWHERE = """
    import os
    for number in range(1, 50):
        try:
            os.write(number, b"x" * 1000)
        except OSError:
            pass
"""


def no_folders(text: str) -> str:
    """A text without the folder that an answer was copied to."""
    return re.sub(r'File ".*/', 'File "', text)


@pytest.fixture(scope="module")
def isolated() -> Iterator[Workers]:
    """Workers whose answers run apart."""
    with Workers(isolated=True) as workers:
        yield workers


@pytest.mark.parametrize("name", ["ch07-03", "ch11-02", "ch17-04", "ch18-02"])
def test_solutions_pass(isolated: Workers, name: str) -> None:
    (exercise,) = find(name, ROOT / "exercises")
    found = outcomes(isolated, name, proof_of(exercise) / "solution" / exercise.file)
    assert {check: outcome.text for check, outcome in found.items() if outcome.state != "pass"} == {}


@pytest.mark.parametrize("name", ["ch07-03", "ch17-04"])
def test_wrong_answers_are_told_the_same(isolated: Workers, name: str) -> None:
    (exercise,) = find(name, ROOT / "exercises")
    files = sorted((proof_of(exercise) / "wrong").glob("*.py"))
    with Workers() as plain:
        for file in files[:4]:
            apart, together = outcomes(isolated, name, file), outcomes(plain, name, file)
            assert {check: (o.state, no_folders(o.text)) for check, o in apart.items()} == {
                check: (o.state, no_folders(o.text)) for check, o in together.items()
            }


class TestHostileAnswers:
    """What reaches a check where the answer is imported beside it reaches nothing here."""

    @pytest.fixture
    def exercise(self, tmp_path: Path) -> Exercise:
        return copied("ch17-03", tmp_path)

    @pytest.mark.parametrize(
        "trick",
        [
            "import kael.testing as t; t.assert_tensor = t.assert_equal = lambda *a, **k: None",
            "import numpy; numpy.argwhere = numpy.allclose = lambda *a, **k: numpy.empty((0, 1))",
            "import _pytest.runner as r; r.CallInfo.from_call = lambda *a, **k: None",
            "import sys; sys.modules['kael.testing'] = sys.modules['pytest'] = sys",
            "from chapters.flat import Buffer; Buffer.__eq__ = lambda *a: True; Buffer.__iter__ = lambda s: iter(())",
        ],
    )
    def test_patched_helpers_do_not_help(self, isolated: Workers, exercise: Exercise, trick: str) -> None:
        wrong = "def unbroadcast_at(grad, shape, axis):\n    return grad, ()\n"
        exercise.answer.write_text(f"{trick}\n\n\n{wrong}", encoding="utf-8")
        run = Checked(exercise.answer)
        isolated.run([run], [exercise.visible])
        assert "pass" not in {o.state for o in run.outcomes.values()}

    @pytest.mark.parametrize(
        ("trick", "state"),
        [
            ("import os; os._exit(0)", "crash"),
            ("while True: pass", "timeout"),
            ("import ctypes, os; ctypes.CDLL(None).kill(os.getppid(), 9)", "crash"),
            (WRITES_EVERYWHERE, "crash"),
            ("raise SystemExit", "fail"),
        ],
    )
    def test_ending_the_process_fails_the_check(
        self, isolated: Workers, exercise: Exercise, trick: str, state: str
    ) -> None:
        exercise.answer.write_text(f"def unbroadcast_at(grad, shape, axis):\n    {trick}\n", encoding="utf-8")
        run = Checked(exercise.answer, limit=1.0 if state == "timeout" else 10.0, brief=True)
        isolated.run([run], [exercise.visible])
        assert next(iter(run.outcomes.values())).state == state
