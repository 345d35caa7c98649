"""`kael ex doctor`: each thing that can be wrong with a workspace, with what to do about it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kael.exercises import doctor
from kael.exercises.catalogue import find
from kael.exercises.doctor import examine
from kael.exercises.session import Session
from kael.exercises.workspace import Workspace, initialize
from tests.exercises.workspace import ROOT

(EXERCISE,) = find("ch17-03", ROOT / "exercises")
NAME = f"ch17-03 {EXERCISE.place}/{EXERCISE.file}"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return initialize(tmp_path / "mine").workspace


def found(workspace: Workspace, state: str) -> list[str]:
    return [finding.text for finding in examine(workspace) if finding.state == state]


def test_a_fresh_workspace_has_no_problem(workspace: Workspace) -> None:
    problems = found(workspace, "problem")
    assert [text for text in problems if not text.startswith("not installed:")] == []


def renamed(workspace: Workspace) -> None:
    workspace.answer(EXERCISE).rename(workspace.answer(EXERCISE).with_name("unbroadcast (1).py"))


def write(data: bytes) -> Callable[[Workspace], None]:
    def written(workspace: Workspace) -> None:
        workspace.answer(EXERCISE).write_bytes(data)

    return written


def own_numpy(workspace: Workspace) -> None:
    workspace.answer(EXERCISE).with_name("numpy.py").write_text("", encoding="utf-8")


def a_folder_instead(workspace: Workspace) -> None:
    workspace.answer(EXERCISE).unlink()
    workspace.answer(EXERCISE).mkdir()


def half_deleted(workspace: Workspace) -> None:
    for name in ("README.md", EXERCISE.visible.name):
        (workspace.root / EXERCISE.place / name).unlink()


def damaged_state(workspace: Workspace) -> None:
    (workspace.mark / "state.json").write_text("[", encoding="utf-8")


def damaged_history(workspace: Workspace) -> None:
    write(b"mine = True\n")(workspace)
    entry = Session(workspace, pytest.fail).reset([EXERCISE])
    assert entry is not None
    next(entry.folder.glob("*.saved")).unlink()


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (lambda workspace: workspace.answer(EXERCISE).unlink(), "is missing; `kael ex init"),
        (renamed, "is missing; is unbroadcast (1).py it? Rename it to unbroadcast.py"),
        (write(b"x = 1\n# caf\xe9\n"), f"{NAME}, line 2: not UTF-8; save it as UTF-8"),
        (write(b"def f(:\n"), f"{NAME}, line 1: invalid syntax"),
        (write(b"if 1:\n\tx = 1\n        y = 2\n"), f"{NAME}, line 3: inconsistent use of tabs"),
        (own_numpy, "numpy.py takes the place of the library numpy beside it; rename it"),
        (a_folder_instead, "is a folder; give it another name, then `kael ex init"),
        (half_deleted, "2 tasks and checks are missing or old; `kael ex update` brings them"),
        (damaged_state, "state.json is damaged"),
        (damaged_history, "1 of 1 saved versions are damaged"),
    ],
)
def test_each_problem_is_named_with_what_to_do(
    workspace: Workspace, harm: Callable[[Workspace], None], says: str
) -> None:
    harm(workspace)
    assert any(says in text for text in found(workspace, "problem")), found(workspace, "problem")


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (write(b"\xef\xbb\xbfx = 1\n"), "begins with a byte order mark"),
        (write(b"x = 1\r\n"), "has Windows line ends, which do no harm"),
    ],
)
def test_what_does_no_harm_is_a_note(workspace: Workspace, harm: Callable[[Workspace], None], says: str) -> None:
    harm(workspace)
    assert any(says in text for text in found(workspace, "note"))
    assert not any(says in text for text in found(workspace, "problem"))


def test_an_encoding_that_is_declared_does_no_harm(workspace: Workspace) -> None:
    workspace.answer(EXERCISE).write_bytes(b"# -*- coding: latin-1 -*-\nx = 1  # caf\xe9\n")
    assert not any(NAME in text for text in found(workspace, "problem"))


def test_an_answer_that_is_gone_is_no_task_that_is_missing(workspace: Workspace) -> None:
    renamed(workspace)
    assert not any("kael ex update" in text for text in found(workspace, "problem"))


def test_what_a_killed_command_left_is_a_note(workspace: Workspace) -> None:
    (workspace.root / ".index.toml.1.kael-tmp").write_text("", encoding="utf-8")
    assert any("may be deleted: .index.toml.1.kael-tmp" in text for text in found(workspace, "note"))


def test_a_missing_compiler_names_the_exercises_it_costs(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.twins, "missing", lambda: "it needs a C compiler; install one")
    (note,) = [text for text in found(workspace, "note") if "not available" in text]
    assert re.fullmatch(r"(ch\d\d-\d\d, )*ch17-05: not available; it needs a C compiler; install one", note)


def test_a_folder_that_cannot_be_written_to_is_a_problem(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)
    assert "cannot be written to: progress is not kept" in found(workspace, "problem")[0]


def test_nothing_is_changed_by_looking(workspace: Workspace) -> None:
    damaged_state(workspace)
    before = {path: path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()}
    examine(workspace)
    assert {path: path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()} == before
