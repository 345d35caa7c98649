"""The notice of missing twins: once per environment, on a terminal alone, never in the way."""

import io
import os
import sys

import pytest

from kael import kernels, notice

MISSING = ("ch12_elementwise", "ch14_matmul")


@pytest.fixture
def terminal(capsys, monkeypatch, tmp_path):
    """What a terminal shows; an environment that was told nothing yet."""
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True, raising=False)
    monkeypatch.setattr(notice, "cache_folder", lambda: tmp_path / "cache")
    return lambda: capsys.readouterr().err


def test_it_names_the_chapters_and_the_command_once(terminal):
    notice.show_once(MISSING)
    notice.show_once(MISSING)
    shown = terminal()
    assert shown.count("\n") == 1
    assert "the compiled kernels of ch12, ch14 are not built" in shown and "`pip install .` in the clone" in shown


def test_another_environment_is_told_too(terminal, monkeypatch):
    notice.show_once(MISSING)
    monkeypatch.setattr(sys, "prefix", sys.prefix + "-other")
    notice.show_once(MISSING)
    assert terminal().count("\n") == 2


def test_it_is_silent_where_stderr_is_no_terminal(monkeypatch, tmp_path):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(notice, "cache_folder", lambda: tmp_path)
    notice.show_once(MISSING)
    assert stream.getvalue() == "" and list(tmp_path.iterdir()) == []


def test_it_is_silent_without_stderr(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    notice.show_once(MISSING)


def test_a_cache_that_cannot_be_written_is_no_error(terminal, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setattr(notice, "cache_folder", lambda: tmp_path / "file" / "cache")
    notice.show_once(MISSING)
    assert terminal().count("\n") == 1


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="the folder is named by XDG on other systems")
def test_the_cache_follows_xdg(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert notice.cache_folder() == tmp_path / "kael"


def test_only_chapters_in_mode_auto_with_a_twin_to_build_count():
    for name in kernels.missing_twins():
        assert kernels.mode_of(name) == "auto" and kernels.has_twin(name)
        assert kernels.rung_of(kernels.chapter(name)) != "cython"
