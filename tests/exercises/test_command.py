"""`kael ex` from a shell: what it prints, what it keeps, and its exit codes."""

import json
import re
import shutil
from pathlib import Path

import pytest

from kael.exercises import command
from kael.exercises.catalogue import catalogue, find, proof_of
from kael.exercises.workspace import Workspace, initialize
from tests.exercises.workspace import ROOT

(EXERCISE,) = find("ch17-03", ROOT / "exercises")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A fresh workspace, with the reader standing in it."""
    monkeypatch.delenv("KAEL_WORKSPACE", raising=False)
    made = initialize(tmp_path / "mine").workspace
    monkeypatch.chdir(made.root)
    return made


def solve(workspace: Workspace) -> None:
    shutil.copy(proof_of(EXERCISE) / "solution" / EXERCISE.file, workspace.answer(EXERCISE))


def answer_wrongly(workspace: Workspace) -> None:
    shutil.copy(proof_of(EXERCISE) / "wrong" / "aligns_at_the_right.py", workspace.answer(EXERCISE))


class TestCheck:
    def test_of_a_right_answer_is_0(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        solve(workspace)
        assert command.main(["check", "ch17-03"]) == 0
        assert f"{EXERCISE.points} of {EXERCISE.points} points" in capsys.readouterr().out

    def test_of_a_wrong_answer_is_1_and_says_what_to_type(
        self, workspace: Workspace, capsys: pytest.CaptureFixture[str]
    ) -> None:
        answer_wrongly(workspace)
        assert command.main(["check", "ch17-03"]) == 1
        printed = capsys.readouterr().out
        assert re.search(r"^run again: +kael ex check ch17-03$", printed, re.MULTILINE)
        assert "Traceback" not in printed

    def test_as_json(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        answer_wrongly(workspace)
        command.main(["check", "ch17-03", "--json"])
        (said,) = json.loads(capsys.readouterr().out)["exercises"]
        assert (said["id"], said["state"]) == ("ch17-03", "fail")
        assert len(said["checks"]) == EXERCISE.checks


class TestUsage:
    def test_no_workspace_is_2(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert command.main([]) == 2
        assert "`kael ex init` makes one" in capsys.readouterr().err

    def test_a_mistyped_command_is_2_and_gets_a_question(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as left:
            command.main(["chek"])
        assert left.value.code == 2
        assert "no command 'chek' (did you mean `kael ex check`?)" in capsys.readouterr().err

    def test_a_mistyped_exercise_is_2_and_gets_a_question(
        self, workspace: Workspace, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert command.main(["check", "ch17-3"]) == 2
        assert "did you mean ch17-03" in capsys.readouterr().err


class TestList:
    def test_works_anywhere(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert command.main(["list"]) == 0
        printed = capsys.readouterr().out
        assert re.findall(r"ch\d\d-\d\d", printed) == [exercise.id for exercise in catalogue()]
        assert "`kael ex init` makes one" in printed

    def test_as_json_says_how_far_each_is(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        solve(workspace)
        command.main(["check", "ch17-03"])
        capsys.readouterr()
        command.main(["list", "--json"])
        states = {entry["id"]: entry["state"] for entry in json.loads(capsys.readouterr().out)}
        assert states.pop("ch17-03") == "pass"
        assert set(states.values()) == {"not started"}
