"""Answers under an account of their own reach neither checks nor results."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kael.exercises.catalogue import find
from kael.exercises.isolation.account import VARIABLE, folder_to_enter, given_away
from kael.exercises.runner import Run, Workers
from tests.exercises.workspace import ROOT

ACCOUNT = "nobody"
POSIX = sys.platform != "win32"
ROOT_USER = POSIX and os.geteuid() == 0


def may_run() -> bool:
    """Whether this process may use the account, and the account this interpreter and this tree."""
    if not ROOT_USER:
        return False
    try:
        done = subprocess.run(
            [sys.executable, "-c", "import numpy, kael.exercises"], user=ACCOUNT, cwd=ROOT, capture_output=True,
            check=False,
        )  # fmt: skip
    except (OSError, LookupError):
        return False
    return done.returncode == 0


def test_without_the_variable_nothing_is_given_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    before = tmp_path.stat().st_uid
    assert given_away(tmp_path) == {}
    assert (tmp_path.stat().st_uid, folder_to_enter()) == (before, None)


@pytest.mark.skipif(not ROOT_USER, reason="takes root, as a grading service has it")
def test_the_account_owns_what_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, ACCOUNT)
    arguments = given_away(tmp_path)
    assert tmp_path.stat().st_uid == arguments["user"] != 0
    assert arguments["extra_groups"] == []


@pytest.mark.skipif(not may_run(), reason="takes root, and an interpreter that every account may run")
def test_an_answer_can_neither_read_checks_nor_write_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, ACCOUNT)
    (exercise,) = find("ch17-03", ROOT / "exercises")
    secret = tmp_path / "secret"
    secret.mkdir(mode=0o700)
    (secret / "results.json").write_text("{}", encoding="utf-8")
    answer = tmp_path / exercise.file
    answer.write_text(
        "def tried(mode):\n"
        "    try:\n"
        f"        open({str(secret / 'results.json')!r}, mode).close()\n"
        "    except OSError as error:\n"
        "        return type(error).__name__\n\n\n"
        "def unbroadcast_at(grad, shape, axis):\n"
        '    raise RuntimeError(f\'reading: {tried("r")}, writing: {tried("w")}\')\n',
        encoding="utf-8",
    )
    run = Run(answer)
    with Workers(isolated=True) as workers:
        workers.run([run], [exercise.visible])
    assert "reading: PermissionError, writing: PermissionError" in run.outcomes["test_bias_at_axis_1"].text
