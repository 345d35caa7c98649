"""`kael doctor` and `kael.show_config()`: rungs, reasons, faults, and one command for each thing missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kael
from kael import config, doctor, kernels

ROOT = Path(__file__).parents[2]


def report(capsys) -> tuple[int, str]:
    code = doctor.main([])
    return code, capsys.readouterr().out


def elsewhere(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder that holds another copy of the packages."""
    setting = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("KAEL_", "PYTHONPATH", "PYTHONSAFEPATH"))
    }
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=setting | environment, capture_output=True, text=True,
        encoding="utf-8", check=False,
    )  # fmt: skip


@pytest.fixture
def clone(tmp_path):
    """A copy of the packages in which nothing is built."""
    for package in ("kael", "chapters"):
        ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "_built.json", "*.ipynb")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_it_names_every_chapter_and_is_content(capsys):
    code, shown = report(capsys)
    assert code == 0
    assert all(f"\n{name} " in shown for name in kernels.chapters())
    assert shown.endswith("kael is usable here\n")


def test_a_missing_extra_gets_its_command(monkeypatch, capsys):
    real = doctor.version_of
    monkeypatch.setattr(doctor, "version_of", lambda name: None if name == "tqdm" else real(name))
    code, shown = report(capsys)
    assert code == 0
    assert "- tqdm missing: pip install '.[train]'" in shown


def test_without_a_compiler_the_command_that_installs_one_is_named(monkeypatch, capsys):
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setattr(doctor.shutil, "which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)
    code, shown = report(capsys)
    assert code == 0
    assert "no-such-compiler is not installed" in shown
    assert "- no working C compiler: sudo apt-get install gcc python3-dev" in shown


@pytest.mark.skipif(os.name == "nt", reason="runs a script as the compiler")
def test_a_compiler_that_fails_is_told_from_one_that_is_missing(monkeypatch, tmp_path):
    script = tmp_path / "cc"
    script.write_text('#!/bin/sh\ntest "$1" = --version && echo cc 1.0 && exit 0\necho error: no headers >&2; exit 1\n')
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    assert doctor.find_compiler() == doctor.Compiler(
        False, f"cc 1.0 ({script}) cannot build an extension module: error: no headers"
    )


def test_an_unbuilt_tree_runs_on_numpy_and_is_told_how_to_build(clone):
    shown = elsewhere(clone, "-m", "kael.cli", "doctor")
    assert shown.returncode == 0, shown.stderr
    assert "ch12_elementwise" in shown.stdout and "its twin is not built" in shown.stdout
    assert "plain Python: it is not compiled" in shown.stdout
    assert (
        "not built: ch07_broadcasting, ch08_indexing" in shown.stdout and "the engine: pip install -e ." in shown.stdout
    )


def test_a_twin_that_does_not_load_is_broken_and_raises(clone):
    suffix = next(iter(__import__("importlib.machinery").machinery.EXTENSION_SUFFIXES))
    twin = clone / "chapters" / "ch13_reductions" / f"kernels{suffix}"
    twin.write_bytes(b"not a module")
    refused = elsewhere(clone, "-c", "import kael")
    assert refused.returncode == 1
    last = refused.stderr.strip().splitlines()[-1]
    assert last.startswith(
        "ImportError: ch13_reductions: its twin chapters.ch13_reductions.kernels is there but does not"
    )
    assert "`pip install .` in the clone" in last and "KAEL_KERNELS=numpy" in last
    shown = elsewhere(clone, "-m", "kael.cli", "doctor", KAEL_KERNELS="numpy")
    assert shown.returncode == 1
    assert "- chapters.ch13_reductions.kernels is broken (" in shown.stdout
    assert shown.stdout.endswith("kael is broken here\n")


def test_what_is_asked_for_is_given_as_the_reason(clone):
    shown = elsewhere(clone, "-c", "import kael; kael.show_config()", KAEL_KERNELS="python")
    rows = shown.stdout.splitlines()
    assert rows[0].endswith("KAEL_KERNELS=python")
    assert all("python" in row and "asked for by KAEL_KERNELS" in row for row in rows[4:])


def test_show_config_names_rung_file_and_hash_of_every_chapter(capsys):
    kael.show_config()
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].startswith(f"kael {kael.__version__}, engine ")
    assert rows[1].startswith("cache: ")
    assert [row.split(": ")[0] for row in rows[2:4]] == ["threads", "products"]
    assert [row.split()[0] for row in rows[4:]] == list(kernels.chapters())
    for row, name in zip(rows[4:], kernels.chapters(), strict=True):
        module = kernels.chapter(name)
        assert kernels.rung_of(module) in row and Path(module.__file__).name in row
        if kernels.rung_of(module) == "cython":
            entry = config.built_modules().get(module.__name__, {"hash": "left over from an earlier build"})
            assert entry["hash"] in row


def test_every_built_module_is_in_step_with_its_source():
    stale = [module for module in config.built_modules() if config.source_state(module) == "out of step"]
    assert stale == [], "build again: pip install ."


def test_a_twin_that_the_last_build_did_not_make_is_left_over(monkeypatch, capsys):
    twins = [name for name in kernels.chapters() if kernels.rung_of(kernels.chapter(name)) == "cython"]
    if not twins:
        pytest.skip("nothing is built here")
    built = {module: entry for module, entry in config.built_modules().items() if twins[0] not in module}
    monkeypatch.setattr(config, "built_modules", lambda: built)
    code, shown = report(capsys)
    assert code == 0
    assert f"left over from an earlier build: {twins[0]}" in shown and "git clean -fqX chapters kael" in shown


def test_a_changed_source_is_noticed(monkeypatch, tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    entry = {"hash": config.digest("x = 1\n", "[]"), "sources": ["a.py"], "directives": "[]"}
    monkeypatch.setattr(config, "ROOT", tmp_path)
    monkeypatch.setattr(config, "built_modules", lambda: {"a": entry})
    assert config.source_state("a") == "in step"
    assert config.source_state("b") == "not recorded"
    (tmp_path / "a.py").write_text("x = 2\n", encoding="utf-8")
    assert config.source_state("a") == "out of step"
    (tmp_path / "a.py").unlink()
    assert config.source_state("a") == "out of step"
