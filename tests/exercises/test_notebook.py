"""`%%exercise`: the cell goes into the file, and what came of it shows as text and as HTML."""

import shutil
from pathlib import Path

import pytest

from kael.exercises import notebook
from kael.exercises.catalogue import find, proof_of
from kael.exercises.history import History
from kael.exercises.workspace import Workspace, initialize
from tests.exercises.workspace import ROOT

(EXERCISE,) = find("ch17-03", ROOT / "exercises")
SOLUTION = (proof_of(EXERCISE) / "solution" / EXERCISE.file).read_text(encoding="utf-8")
WRONG = (proof_of(EXERCISE) / "wrong" / "aligns_at_the_right.py").read_text(encoding="utf-8")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.delenv("KAEL_WORKSPACE", raising=False)
    made = initialize(tmp_path / "mine").workspace
    monkeypatch.chdir(made.root)
    return made


def test_the_cell_becomes_the_file(workspace: Workspace, capfd: pytest.CaptureFixture[str]) -> None:
    shown = notebook.exercise("ch17-03", SOLUTION)
    assert workspace.answer(EXERCISE).read_text(encoding="utf-8") == SOLUTION
    assert f"{EXERCISE.points} of {EXERCISE.points} points" in repr(shown)
    assert capfd.readouterr().err == ""


def test_what_the_file_held_is_saved_first(workspace: Workspace) -> None:
    notebook.exercise("ch17-03", WRONG)
    assert History(workspace).entries() == [], "a stub is no work of the reader's"
    shown = notebook.exercise("ch17-03", SOLUTION)
    (entry,) = History(workspace).entries()
    assert entry.read(f"{EXERCISE.place}/{EXERCISE.file}").decode() == WRONG
    assert "saved as version 1; `kael ex undo` brings it back" in repr(shown)


def test_the_same_cell_again_saves_nothing(workspace: Workspace) -> None:
    notebook.exercise("ch17-03", SOLUTION)
    notebook.exercise("ch17-03", SOLUTION)
    assert History(workspace).entries() == []


def test_html_holds_state_words_and_no_markup_of_the_answer(workspace: Workspace) -> None:
    html = notebook.exercise("ch17-03", "raise ValueError('<script>')\n")._repr_html_()
    assert "fail: bias at axis 1" in html
    assert "&lt;script&gt;" in html
    assert "<script>" not in html


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "write `%%exercise ch17-03`"),
        ("ch17-3", "did you mean ch17-03"),
        ("ch17", "name one"),
        ("ch17-05", "is a Cython file"),
        ("ch17-03 --dir nowhere", "is no workspace"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_touches_nothing(workspace: Workspace, line: str, says: str) -> None:
    shown = notebook.exercise(line, "mine = True\n")
    assert says in repr(shown)
    assert says.replace("`", "") in shown._repr_html_().replace("`", "")
    assert workspace.answer(EXERCISE).read_bytes() == EXERCISE.answer.read_bytes()


def test_ipython_knows_the_magic(workspace: Workspace, capfd: pytest.CaptureFixture[str]) -> None:
    testing = pytest.importorskip("IPython.testing.globalipapp")
    shell = testing.start_ipython() or testing.get_ipython()
    shell.run_line_magic("load_ext", "kael.exercises.notebook")
    shown = shell.run_cell_magic("exercise", "ch17-03", SOLUTION)
    assert shown.result.passed
    shutil.rmtree(workspace.mark)
    assert "has lost its .kael folder" in repr(shell.run_cell_magic("exercise", "ch17-03", SOLUTION))
    assert capfd.readouterr().err == ""
