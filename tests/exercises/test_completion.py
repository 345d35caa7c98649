"""Completion in shells: the scripts, and what is offered."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import kael
from kael.exercises import command
from kael.exercises.catalogue import catalogue
from kael.exercises.completion import SHELLS, whole_parser

pytest.importorskip("argcomplete")


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_a_script_for_kael(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "kael" in script
    assert "_ARGCOMPLETE" in script


def test_another_shell_is_a_question(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["completion", "bsh"])
    assert "there is no 'bsh'; did you mean bash?" in capsys.readouterr().err


def offered(line: str, folder: Path) -> list[str]:
    """What the shell gets for a line that is not finished."""
    target = folder / "offered.txt"
    environment = {
        **os.environ, "PYTHONPATH": str(Path(kael.__file__).parents[1]), "_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_SHELL": "fish", "_ARGCOMPLETE_SUPPRESS_SPACE": "1", "COMP_LINE": line,
        "COMP_POINT": str(len(line)), "_ARGCOMPLETE_STDOUT_FILENAME": str(target),
    }  # fmt: skip
    ran = subprocess.run([sys.executable, "-m", "kael.cli"], env=environment, check=True, capture_output=True)
    assert ran.stdout + ran.stderr == b""
    return [entry.partition("\t")[0].strip() for entry in target.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("kael tr", ["train", "trace"]),
        ("kael ex ch", ["check"]),
        ("kael ex check --format j", ["json", "junit"]),
        ("kael ex hint --n", ["--now"]),
    ],
)
def test_commands_and_options_are_offered(line: str, expected: list[str], tmp_path: Path) -> None:
    assert offered(line, tmp_path) == expected


def test_exercises_are_offered(tmp_path: Path) -> None:
    assert offered("kael ex check ch17", tmp_path) == [e.id for e in catalogue() if e.id.startswith("ch17")]


def test_every_command_of_kael_is_known() -> None:
    assert whole_parser().parse_args(["ex", "check", "ch17-03"]).id == ["ch17-03"]
