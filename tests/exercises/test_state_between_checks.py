"""What an answer changes around it does not reach the next check, and does not reach the reader's files."""

import os
import random
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import kael
from kael.exercises import fence
from kael.exercises.kept import Guarded, kept
from kael.exercises.runner import Run, Workers
from kael.testing import mismatch, relations, tensors
from tests.exercises.workspace import copied, solution_of


def test_settings_are_put_back(tmp_path: Path) -> None:
    before = (Path.cwd(), np.geterr(), sys.getrecursionlimit(), list(sys.path), dict(os.environ))
    before += (random.getstate(), list(warnings.filters), sys.stdout, kael.is_grad_enabled())
    with kept():
        os.chdir(tmp_path)
        np.seterr(all="ignore")
        sys.setrecursionlimit(500)
        sys.path.clear()
        os.environ["KAEL_SEED"] = "17"
        random.seed(3)
        warnings.simplefilter("ignore")
        sys.stdout = None
        kael.set_grad_enabled(False)
    after = (Path.cwd(), np.geterr(), sys.getrecursionlimit(), list(sys.path), dict(os.environ))
    after += (random.getstate(), list(warnings.filters), sys.stdout, kael.is_grad_enabled())
    assert after == before


def test_a_debugger_s_trace_stays_and_an_answer_s_does_not() -> None:
    def watched(*arguments: object) -> None:
        return None

    before = sys.gettrace()
    try:
        sys.settrace(watched)
        with kept():
            sys.settrace(lambda *arguments: None)
        assert sys.gettrace() is watched
    finally:
        sys.settrace(before)


def test_modules_are_put_back() -> None:
    with kept():
        sys.modules["random"] = sys.modules["json"]
    assert sys.modules["random"] is random


class TestGuarded:
    @pytest.fixture
    def guarded(self) -> Guarded:
        return Guarded()

    def test_nothing_has_changed(self, guarded: Guarded) -> None:
        assert guarded.changed() == []

    def test_a_function(self, guarded: Guarded) -> None:
        real = np.isclose
        np.isclose = lambda *arguments, **keywords: True
        assert guarded.changed() == ["numpy.isclose"]
        assert np.isclose is real

    def test_a_method(self, guarded: Guarded) -> None:
        real = mismatch.Mismatch.__init__
        mismatch.Mismatch.__init__ = lambda *arguments: None
        assert guarded.changed() == ["kael.testing.mismatch.Mismatch.__init__"]
        assert mismatch.Mismatch.__init__ is real

    def test_the_code_of_a_function(self, guarded: Guarded) -> None:
        real = tensors.first_bad.__code__
        tensors.first_bad.__code__ = (lambda got, wanted: None).__code__
        assert guarded.changed() == ["kael.testing.tensors.first_bad"]
        assert tensors.first_bad.__code__ is real

    def test_a_table(self, guarded: Guarded) -> None:
        real = dict(relations.TOLERANCES)
        relations.TOLERANCES["float64"] = (1e9, 1e9)
        assert guarded.changed() == ["kael.testing.relations.TOLERANCES"]
        assert relations.TOLERANCES == real

    def test_a_name_in_front_of_a_builtin(self, guarded: Guarded) -> None:
        tensors.isinstance = lambda *arguments: True
        assert guarded.changed() == ["kael.testing.tensors.isinstance"]
        assert "isinstance" not in vars(tensors)


@pytest.fixture(scope="module")
def traps(tmp_path_factory: pytest.TempPathFactory):
    """Right answers that do something else beside, on every call: states, texts and the file that they were after."""
    exercise = copied("ch17-03", tmp_path_factory.mktemp("traps"))
    victim = tmp_path_factory.mktemp("reader") / "notes.py"
    found = {}
    right = solution_of(exercise).read_text(encoding="utf-8")
    runs = {}
    for name, deed in DEEDS.items():
        path = tmp_path_factory.mktemp("answer") / exercise.file
        text = right.replace("    end = axis", f"    {deed}\n    end = axis")
        path.write_text(
            f"import os, shutil, subprocess, sys, tempfile\n\nVICTIM = {str(victim)!r}\n{text}", encoding="utf-8"
        )
        runs[name] = Run(path)
    victim.write_text("work of an evening\n", encoding="utf-8")
    with Workers(ahead=False) as workers:
        workers.run(list(runs.values()), [exercise.visible])
    for name, run in runs.items():
        found[name] = ({outcome.state for outcome in run.outcomes.values()}, next(iter(run.outcomes.values())).text)
    return found, victim


REFUSED = {
    "writes a file": "open(VICTIM, 'w')",
    "appends to a file": "open(VICTIM, 'a')",
    "opens it below Python's streams": "os.open(VICTIM, os.O_WRONLY)",
    "deletes it": "os.remove(VICTIM)",
    "moves it": "os.replace(VICTIM, VICTIM + '.old')",
    "moves another there": "os.replace(__file__, VICTIM)",
    "cuts it short": "os.truncate(VICTIM, 0)",
    "removes its folder": "shutil.rmtree(os.path.dirname(VICTIM))",
    "makes a folder": "os.mkdir(VICTIM + '.d')",
    "writes over itself": "open(__file__, 'w')",
    "starts a process": "subprocess.run([sys.executable, '-c', ''])",
    "starts a shell": "os.system('exit')",
    "ends its parent": "os.kill(os.getppid(), 9)",
}
ALLOWED = {
    "reads a file": "os.close(os.open(VICTIM, os.O_RDONLY))",
    "writes where it runs": "open('own.txt', 'w').close()",
    "uses a temporary folder": "tempfile.TemporaryDirectory().cleanup()",
    "writes to nowhere": "open(os.devnull, 'w').close()",
    "prints": "print(axis); print(axis, file=sys.stderr)",
    "changes settings": "sys.setrecursionlimit(1100); sys.path.append('x'); os.environ.pop('PATH', None)",
}
DEEDS = REFUSED | ALLOWED


@pytest.mark.parametrize("deed", REFUSED)
def test_is_refused(traps, deed: str) -> None:
    states, text = traps[0][deed]
    assert states == {"fail"}
    assert "OutOfBounds: your file" in text
    assert "to do:        take it out" in text


@pytest.mark.parametrize("deed", ALLOWED)
def test_is_allowed(traps, deed: str) -> None:
    assert traps[0][deed][0] == {"pass"}, traps[0][deed][1]


def test_the_reader_s_file_is_what_it_was(traps) -> None:
    assert traps[1].read_text(encoding="utf-8") == "work of an evening\n"
    assert sorted(path.name for path in traps[1].parent.iterdir()) == ["notes.py"]


def test_there_is_no_fence_around_other_processes(tmp_path: Path) -> None:
    with fence.around():
        (tmp_path / "here.txt").write_text("mine", encoding="utf-8")
