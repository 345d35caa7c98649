"""Building a reader's Cython file: complaints at the reader's lines, and machines without a compiler."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kael.exercises import NotStarted, twins
from kael.exercises.proof.bundle import bundled
from kael.exercises.proof.mutants import twin_mutants
from tests.exercises.workspace import ROOT, copied, pytest_command

needs_compiler = pytest.mark.skipif(bool(twins.missing()), reason=twins.missing())

ASKED_AT_ONCE = """\
import sys
from threading import Barrier, Thread

from kael.exercises import twins

COUNT = 8
ready, made = Barrier(COUNT), []


def ask():
    ready.wait()
    made.append(twins._commands("probe", "probe.c"))


sys.setswitchinterval(1e-6)
threads = [Thread(target=ask) for _ in range(COUNT)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert made == [made[0]] * COUNT, made
"""


@pytest.mark.skipif(twins.WINDOWS, reason="there, setuptools makes the commands")
def test_threads_that_ask_at_once_are_told_the_same_compiler() -> None:
    subprocess.run([sys.executable, "-c", ASKED_AT_ONCE], cwd=ROOT, check=True)


def test_a_stub_is_not_built(tmp_path: Path) -> None:
    path = tmp_path / "stub.pyx"
    path.write_text("def f():\n    raise NotStarted\n", encoding="utf-8")
    with pytest.raises(NotStarted):
        twins.load_twin(path)


@needs_compiler
def test_complaints_are_at_the_reader_s_lines(tmp_path: Path) -> None:
    path = tmp_path / "mistaken.pyx"
    path.write_text("def f(long n):\n    cdef long total = 0\n    return totl + n\n", encoding="utf-8")
    with pytest.raises(twins.BuildFailed) as caught:
        twins.load_twin(path)
    assert str(caught.value).splitlines()[:2] == [
        "mistaken.pyx, line 3, column 11: undeclared name not builtin: totl",
        "    return totl + n",
    ]


@needs_compiler
def test_what_cython_files_share_is_built_once_for_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(twins.CACHE, str(tmp_path / "built"))
    path = tmp_path / "total.pyx"
    path.write_text("def total(const double[:] x):\n    cdef double t = 0\n    for k in range(x.shape[0]):\n"
                    "        t += x[k]\n    return t\n", encoding="utf-8")  # fmt: skip
    assert twins.load_twin(path).total(np.arange(5.0)[::2]) == 6.0
    if twins.share(tmp_path / "built") is None:
        pytest.skip("this Cython cannot share")
    (source,) = (tmp_path / "built").glob("*/total.c")
    assert source.stat().st_size < 0.5 * (tmp_path / "built" / twins.SHARED / f"{twins.SHARED}.c").stat().st_size


@needs_compiler
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "cdef extern from *:\n    int missing_in_c\n\n\ndef f():\n    return missing_in_c + 1\n",
            "mistaken.pyx, line 6: ",
        ),
        ('cdef extern from "not_there.h":\n    int g()\n\n\ndef f():\n    return g()\n', "not_there.h"),
    ],
    ids=["a name", "a header"],
)
def test_complaints_of_the_c_compiler_are_at_the_reader_s_lines_where_they_can_be(
    tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "mistaken.pyx"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(twins.BuildFailed) as caught:
        twins.load_twin(path)
    first, *rest = str(caught.value).splitlines()
    assert first == "the C compiler refuses what Cython made of mistaken.pyx:"
    assert words in "\n".join(rest)
    assert len(rest) <= 10


@needs_compiler
def test_a_file_with_a_mark_and_other_line_ends_is_built(tmp_path: Path) -> None:
    path = tmp_path / "saved_elsewhere.pyx"
    path.write_bytes(b"\xef\xbb\xbfdef f(long n):\r\n    return n + 1\r\n")
    assert twins.load_twin(path).f(1) == 2


@needs_compiler
def test_a_folder_of_built_files_holds_whole_ones_only(tmp_path: Path) -> None:
    cache, path = tmp_path / "built", tmp_path / "mistaken.pyx"
    path.write_text("def f(x):\n    return y\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(twins.BuildFailed, match="line 2, column 11: undeclared name not builtin: y"):
            twins.build(path, cache)
    path.write_text("def f(x):\n    return x\n", encoding="utf-8")
    assert twins.build(path, cache) == twins.build(path, cache)
    assert all(re.fullmatch(rf"[0-9a-f]{{16}}|{twins.SHARED}", folder.name) for folder in cache.iterdir())


def test_the_oldest_built_files_are_forgotten(tmp_path: Path) -> None:
    for age in range(5):
        (tmp_path / f"{age}").mkdir()
        os.utime(tmp_path / f"{age}", (1000 - age, 1000 - age))
    (tmp_path / twins.SHARED).mkdir()
    twins.forget(tmp_path, 2)
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["0", "1", twins.SHARED]
    twins.forget(tmp_path / "never_there", 2)


@needs_compiler
def test_the_reader_is_told_what_the_compiler_said(tmp_path: Path) -> None:
    exercise = copied("ch17-05", tmp_path)
    exercise.answer.write_text("def add_rows(grad, index, out):\n    cdef int i = \n", encoding="utf-8")
    run = subprocess.run(
        pytest_command(str(exercise.folder), f"--rootdir={tmp_path}", "-q"),
        cwd=ROOT, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert "called:       the compiler, on your add_rows_twin.pyx" in run.stdout
    assert "add_rows_twin.pyx, line 2, column" in run.stdout
    assert "6 failed" in run.stdout


def test_without_a_compiler_it_is_not_available_and_never_a_pass(tmp_path: Path) -> None:
    exercise = copied("ch17-05", tmp_path)
    exercise.answer.write_text("def add_rows(grad, index, out):\n    pass\n", encoding="utf-8")
    run = subprocess.run(
        pytest_command(str(exercise.folder), f"--rootdir={tmp_path}", "-q"),
        cwd=ROOT, capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, "CC": "no-such-compiler", "KAEL_EXERCISE_TWINS": str(tmp_path / "twins")},
    )  # fmt: skip
    assert "6 not available" in run.stdout
    assert "it needs a C compiler" in run.stdout or "it needs Cython" in run.stdout
    assert "passed" not in run.stdout


class TestFaults:
    def test_operators_and_numbers(self) -> None:
        text = "def f(n):\n    for i in range(0, n):\n        if i < n:\n            t += i\n"
        assert [mutant.name for mutant in twin_mutants(text)] == [
            "for i in range(0, n): -> for i in range(1, n):",
            "if i < n: -> if i <= n:",
            "t += i -> t = i",
        ]

    def test_declarations_and_errors_stay(self) -> None:
        text = "def f(double[:, ::1] x, int n=0):\n    raise ValueError(f'{1 + 1}')\n"
        assert twin_mutants(text) == []

    @needs_compiler
    def test_several_files_become_one_module(self, tmp_path: Path) -> None:
        from kael.exercises.answers import load_answer

        texts = ["cdef long g(long n):\n    return n + 1\n\n\ndef f(n):\n    return g(n)\n"]
        texts.append(texts[0].replace("+ 1", "+ 2"))
        answers = [load_answer(path) for path in bundled(texts, tmp_path / "bundle")]
        assert [answer.f(1) for answer in answers] == [2, 3]
