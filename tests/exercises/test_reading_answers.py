"""Whatever an editor, a tired reader or a copied file makes of an answer, the check says what it is and what to do."""

import os
import shutil
from pathlib import Path

import pytest

from kael.exercises.catalogue import Exercise
from kael.exercises.runner import Outcome, Run, Workers
from kael.exercises.sources import LARGEST, Unreadable, read_source
from tests.exercises.workspace import copied, solution_of

NAME = "unbroadcast.py"

UNREADABLE: dict[str, tuple[bytes, list[str]]] = {
    "latin-1": (
        "# crée\ndef unbroadcast_at(grad, shape, axis):\n    return None\n".encode("latin-1"),
        ["byte 0xe9, which is 'é' in Latin-1", f"at:           {NAME}, line 1: # cr", "to do:        save it as UTF-8"],
    ),
    "utf-16": ("x = 1\n".encode("utf-16"), ["saved as UTF-16", "save it as UTF-8"]),
    "nul byte": (b"x = 1\ny = '\0'\n", ["a byte of value 0", f"{NAME}, line 2"]),
    "unknown encoding": (b"# -*- coding: klingon -*-\nx = 1\n", ["an encoding that Python does not know"]),
    "tabs and spaces": (
        b"def unbroadcast_at(grad, shape, axis):\n    if axis:\n\treturn 1\n",
        ["got:          TabError", f"at:           {NAME}, line 3: return 1", "convert the file's tabs to spaces"],
    ),
    "syntax error": (
        b"def unbroadcast_at(grad, shape, axis)\n    return grad\n",
        ["got:          SyntaxError: expected ':'", f"{NAME}, line 1: def unbroadcast_at(grad, shape, axis)"],
    ),
    "open bracket": (b"x = (1,\n\ny = 2\n", ["SyntaxError: '(' was never closed", "a bracket or quote"]),
    "indentation": (b"def f():\nreturn 1\n", ["IndentationError", "how far that line"]),
    "half a merge": (b"<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> b\n", ["SyntaxError", "line 1: <<<<<<< HEAD"]),
    "huge": (b"#" * (LARGEST + 1), ["has 1.0 MB", "an answer is a page of code"]),
    "too deep": (b"x = " + b"(" * 5000 + b")" * 5000, ["to do:"]),
    "no such name": (
        b"def unbroadcast(grad, shape, axis):\n    return grad\n",
        [f"{NAME} defines no unbroadcast_at", "it defines unbroadcast: was that its name?"],
    ),
    "imports its neighbour": (b"import helper\n", ["No module named 'helper'", "move what you need from helper.py"]),
    "imports what is not there": (b"import pandas_of_mine\n", ["No module named 'pandas_of_mine'", "nothing else"]),
    "imports another exercise": (
        b"from exercises.ch17_engine.e99_mirror.mirror import *\n",
        ["No module named 'exercises", f"move what you need into {NAME}"],
    ),
    "waits for a key": (
        b"name = input('name? ')\n",
        ["got:          EOFError", f"at:           {NAME}, line 1", "take input() out of the file"],
    ),
    "never stops calling itself": (
        b"def unbroadcast_at(grad, shape, axis):\n    return unbroadcast_at(grad, shape, axis)\n",
        ["RecursionError", "deeper than 1000 calls; use a loop"],
    ),
    "too much memory": (
        b"def unbroadcast_at(grad, shape, axis):\n    return bytearray(1 << 50)\n",
        ["MemoryError", "something grows without end"],
    ),
    "prints before it fails": (
        b"def unbroadcast_at(grad, shape, axis):\n    print('axis is', axis)\n    return None, ()\n",
        ["called:       unbroadcast_at", "printed:      axis is 1"],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory):
    with Workers() as workers:
        yield workers


@pytest.fixture(scope="module")
def exercise(tmp_path_factory: pytest.TempPathFactory) -> Exercise:
    return copied("ch17-03", tmp_path_factory.mktemp("readers"))


@pytest.fixture(scope="module")
def first(workers: Workers, exercise: Exercise, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """What the first check says of each file."""
    runs = {}
    for number, (name, (text, _)) in enumerate(UNREADABLE.items()):
        path = tmp_path_factory.mktemp(f"answer{number}") / NAME
        path.write_bytes(text)
        (path.parent / "helper.py").write_text("x = 1\n", encoding="utf-8")
        runs[name] = Run(path, brief=True)
    workers.run(list(runs.values()), [exercise.visible])
    return {name: run.outcomes["test_bias_at_axis_1"] for name, run in runs.items()}


class TestUnreadable:
    @pytest.mark.parametrize("name", UNREADABLE)
    def test_fails_and_says_what_to_do(self, first: dict[str, Outcome], name: str) -> None:
        assert first[name].state == "fail"
        for words in UNREADABLE[name][1]:
            assert words in first[name].text

    @pytest.mark.parametrize("name", UNREADABLE)
    def test_ends_with_where_to_read_and_what_to_type(self, first: dict[str, Outcome], name: str) -> None:
        text = first[name].text
        assert "\nread:         17.2" in text and "\nrun again:    kael ex check ch17-03" in text
        assert "Traceback" not in text and str(Path.cwd()) not in text


def checked(workers: Workers, exercise: Exercise, path: Path) -> Run:
    run = Run(path)
    workers.run([run], [exercise.visible])
    return run


@pytest.mark.parametrize(
    "change",
    [
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: text.replace(b"\n", b"\r"),
        lambda text: text.replace(b"    ", b"\t"),
        lambda text: text.rstrip(b"\n"),
        lambda text: b"# -*- coding: latin-1 -*-\n# \xe9\n" + text,
        lambda text: text + "# 梯度\n".encode(),
        lambda text: b"from __future__ import annotations\nfrom dataclasses import dataclass\n" + text
        + b"\n\n@dataclass\nclass Mark:\n    axis: int\n",
    ],
    ids=["mark in front", "CRLF", "CR", "tabs", "no last line end", "declared", "not ASCII", "dataclass"],
)  # fmt: skip
def test_a_right_answer_is_right_however_it_was_saved(workers, exercise, tmp_path, change) -> None:
    path = tmp_path / NAME
    text = solution_of(exercise).read_bytes()
    body = text.partition(b'"""\n')[2] if b"__future__" in change(b"") else text
    path.write_bytes(change(body))
    assert checked(workers, exercise, path).passed


@pytest.mark.parametrize("name", ["numpy.py", "kael.py", "random.py", "json.py", "pytest.py", "chapters.py"])
def test_a_file_named_like_a_module_is_not_taken_for_it(workers, exercise, tmp_path, monkeypatch, name) -> None:
    (tmp_path / name).write_text("raise RuntimeError('the wrong one')\n", encoding="utf-8")
    path = tmp_path / NAME
    path.write_bytes(b"import random, json\nimport numpy\n" + solution_of(exercise).read_bytes())
    monkeypatch.chdir(tmp_path)
    assert checked(workers, exercise, path).passed


class TestNotThere:
    def text(self, workers: Workers, exercise: Exercise, path: Path) -> str:
        run = checked(workers, exercise, path)
        assert {outcome.state for outcome in run.outcomes.values()} == {"not started"}
        assert run.sha256 == "" or not path.read_bytes().strip()
        return next(iter(run.outcomes.values())).text

    def test_missing(self, workers: Workers, exercise: Exercise, tmp_path: Path) -> None:
        text = self.text(workers, exercise, tmp_path / NAME)
        assert f"because:      {NAME} is not there; `kael ex reset` brings the stub back" in text

    def test_renamed(self, workers: Workers, exercise: Exercise, tmp_path: Path) -> None:
        (tmp_path / "unbroadcast (1).py").write_text("", encoding="utf-8")
        text = self.text(workers, exercise, tmp_path / NAME)
        assert f"{NAME} is not there, but unbroadcast (1).py is; give it the name {NAME} again" in text

    @pytest.mark.parametrize("content", [b"", b"\n\n  \n"])
    def test_empty(self, workers: Workers, exercise: Exercise, tmp_path: Path, content: bytes) -> None:
        (tmp_path / NAME).write_bytes(content)
        assert f"{NAME} is empty; `kael ex reset` brings the stub back" in self.text(workers, exercise, tmp_path / NAME)


def test_a_folder(workers: Workers, exercise: Exercise, tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    outcome = checked(workers, exercise, tmp_path / NAME).outcomes["test_bias_at_axis_1"]
    assert outcome.state == "fail"
    assert f"{NAME} is a folder" in outcome.text
    assert "put your answer into a file of that name" in outcome.text


def test_a_locked_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / NAME
    path.write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: (_ for _ in ()).throw(PermissionError(13, "Permission denied"))
    )
    with pytest.raises(Unreadable, match=f"{NAME} cannot be read: Permission denied") as caught:
        read_source(path)
    assert "make" in caught.value.mend and "readable" in caught.value.mend


def test_the_stub_of_another_exercise_is_not_this_one_s(workers: Workers, exercise: Exercise, tmp_path: Path) -> None:
    other = tmp_path / "mirror.py"
    other.write_text(
        "from kael.exercises import NotStarted\n\n\ndef unbroadcast_at(*arguments):\n    raise NotStarted\n",
        encoding="utf-8",
    )
    path = tmp_path / NAME
    path.write_text(
        f"import sys\n\nsys.path.insert(0, {str(tmp_path)!r})\nfrom mirror import unbroadcast_at\n", encoding="utf-8"
    )
    outcome = checked(workers, exercise, path).outcomes["test_bias_at_axis_1"]
    assert outcome.state == "fail"
    assert "NotStarted, raised by mirror.py" in outcome.text


def test_a_file_that_an_answer_deletes_comes_back(workers: Workers, exercise: Exercise, tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_text(f"import ctypes\n\nctypes.CDLL(None).unlink({os.fsencode(path)!r})\n", encoding="utf-8")
    text = path.read_bytes()
    if os.name != "nt":
        checked(workers, exercise, path)
        assert path.read_bytes() == text


def test_the_hash_is_that_of_what_was_run(workers: Workers, exercise: Exercise, tmp_path: Path) -> None:
    import hashlib

    path = Path(shutil.copy(solution_of(exercise), tmp_path / NAME))
    assert checked(workers, exercise, path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
