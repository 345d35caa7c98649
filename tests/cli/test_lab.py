"""`kael lab`: the notebook it opens, and what it says when it cannot."""

import os
import sys

import pytest

from kael import cli, lab


@pytest.fixture
def chapters(monkeypatch, tmp_path):
    notebook = tmp_path / "ch17_engine" / "notebook.ipynb"
    notebook.parent.mkdir()
    notebook.touch()
    monkeypatch.setattr(lab, "notebooks", lambda: {"ch17_engine": notebook})
    return notebook


@pytest.mark.parametrize("name", ["ch17", "17", "ch17_engine"])
def test_the_chapters_notebook_is_opened(chapters, name, monkeypatch):
    seen = []

    def started(line):
        seen.append(line)
        return 0

    monkeypatch.setattr(lab, "need", lambda *_: None)
    monkeypatch.setattr(lab, "wait_for", started)
    assert cli.main(["lab", name, "--no-browser"]) == 0
    assert seen == [[sys.executable, "-m", "jupyterlab", str(chapters), "--no-browser"]]


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_ctrl_c_is_left_to_jupyterlab():
    child = (
        "import os, signal, time\n"
        "stopped = []\n"
        "signal.signal(signal.SIGINT, lambda *_: stopped.append(1))\n"
        "os.kill(os.getppid(), signal.SIGINT)\n"
        "time.sleep(0.2)\n"
        "raise SystemExit(7)\n"
    )
    assert lab.wait_for([sys.executable, "-c", child]) == 7


def test_a_chapter_without_notebook_names_those_with_one(chapters, capsys):
    assert cli.main(["lab", "ch99"]) == 1
    assert capsys.readouterr().err == "kael lab: there is no notebook for 'ch99'; there are: ch17\n"


def test_without_jupyterlab_the_command_is_named(chapters, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "jupyterlab", None)
    assert cli.main(["lab", "ch17"]) == 1
    assert "jupyterlab is not installed; run `pip install '.[notebooks]'` in the clone" in capsys.readouterr().err


def test_notebooks_are_found_from_any_folder_of_the_clone(tmp_path):
    notebook = tmp_path / "chapters" / "ch03_storage" / "notebook.ipynb"
    notebook.parent.mkdir(parents=True)
    notebook.touch()
    inside = tmp_path / "book"
    inside.mkdir()
    assert lab.notebooks(inside) == {"ch03_storage": notebook.resolve()}


def test_outside_the_clone_it_says_where_to_go(monkeypatch, capsys):
    monkeypatch.setattr(lab, "notebooks", dict)
    assert cli.main(["lab", "ch17"]) == 1
    assert capsys.readouterr().err == "kael lab: there are no notebooks here; `cd` into the clone first\n"
