"""`kael ex` from a shell: what it prints, what it keeps, and its exit codes."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kael
from kael.exercises import command, saving
from kael.exercises.catalogue import catalogue, find, proof_of
from kael.exercises.state import Store
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

    def test_of_several_tells_in_a_line_what_was_not_begun(
        self, workspace: Workspace, capsys: pytest.CaptureFixture[str]
    ) -> None:
        solve(workspace)
        assert command.main(["check", "ch17-03", "ch17-04"]) == 1
        printed = capsys.readouterr().out
        assert "[ ] not started    ch17-04" in printed
        assert re.search(r"^\[##########\.{10}\] 1 of 2 exercises, 12 of \d+ points$", printed, re.MULTILINE)


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


def printed_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command says to programs."""
    capsys.readouterr()
    command.main([*arguments, "--json"])
    return json.loads(capsys.readouterr().out)


class TestNext:
    def test_a_new_reader_is_told_what_to_open(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.main([]) == 0
        printed = capsys.readouterr().out
        first = catalogue()[0]
        assert f"change:       {Path(first.place) / first.file}" in printed
        assert f"then:         kael ex check {first.id}" in printed

    def test_it_is_the_first_that_is_open(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        first, second, third = catalogue()[:3]
        command.main(["skip", first.id])
        command.main(["solution", "--give-up", second.id])
        assert printed_json(capsys)["id"] == third.id

    def test_it_goes_on_where_the_reader_works(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        answer_wrongly(workspace)
        command.main(["check", "ch17-03"])
        assert printed_json(capsys)["id"] == "ch17-03"
        solve(workspace)
        assert command.main(["check"]) == 0
        assert "`kael ex` goes on with ch17-04" in capsys.readouterr().out
        assert printed_json(capsys, "solution")["id"] == "ch17-03"

    def test_a_chapter_s_folder_means_its_first_open_one(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(workspace.root / "ch17_engine")
        assert printed_json(capsys, "hint")["id"] == "ch17-01"
        monkeypatch.chdir(workspace.root / "ch17_engine" / "e03_unbroadcast")
        assert printed_json(capsys, "hint")["id"] == "ch17-03"

    def test_skipped_ones_come_back_at_the_end(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        with Store(workspace.mark).change() as state:
            for exercise in catalogue():
                state.of(exercise.id).skipped = True
        assert printed_json(capsys)["id"] == catalogue()[0].id

    def test_work_on_a_skipped_one_takes_it_up_again(
        self, workspace: Workspace, capsys: pytest.CaptureFixture[str]
    ) -> None:
        command.main(["skip", "ch17-03"])
        answer_wrongly(workspace)
        command.main(["check", "ch17-03"])
        assert printed_json(capsys)["id"] == "ch17-03"

    def test_after_the_last_there_is_none(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        with Store(workspace.mark).change() as state:
            for exercise in catalogue():
                state.of(exercise.id).given_up = "today"
        assert command.main([]) == 0
        assert "Every exercise is done" in capsys.readouterr().out
        assert printed_json(capsys) is None

    def test_one_that_was_begun_is_checked(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        first = catalogue(ROOT / "exercises")[0]
        wrong = next((proof_of(first) / "wrong").glob("*.py"))
        shutil.copy(wrong, workspace.answer(first))
        assert command.main([]) == 1
        printed = capsys.readouterr().out
        assert f"run again:    kael ex check {first.id}" in printed
        assert f"`kael ex hint {first.id}` helps" in printed


class TestStates:
    """What `list` says of one exercise, in the order of a reader's day."""

    def test_from_the_stub_to_the_pass_and_beyond(
        self, workspace: Workspace, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = workspace.answer(EXERCISE)

        def state() -> tuple[str, int]:
            (entry,) = printed_json(capsys, "list", "ch17-03")
            return entry["state"], entry["score"]

        assert state() == ("not started", 0)
        answer_wrongly(workspace)
        assert state() == ("begun", 0)
        command.main(["check", "ch17-03"])
        assert state()[0] == "fail"
        solve(workspace)
        command.main(["check", "ch17-03"])
        assert state() == ("pass", EXERCISE.points)
        file.write_text(file.read_text(encoding="utf-8") + "# done\n", encoding="utf-8")
        assert state() == ("changed", EXERCISE.points)
        command.main(["reset", "ch17-03"])
        assert state() == ("not started", 0)
        command.main(["undo"])
        assert state() == ("changed", EXERCISE.points)
        file.unlink()
        assert state() == ("missing", 0)


class TestFormats:
    @pytest.mark.parametrize("form", ["text", "json", "junit", "gradescope", "classroom50"])
    def test_are_printed(self, workspace: Workspace, capsys: pytest.CaptureFixture[str], form: str) -> None:
        solve(workspace)
        assert command.main(["check", "ch17-03", "--format", form]) == 0
        assert str(EXERCISE.points) in capsys.readouterr().out

    def test_are_written_to_a_file_beside_the_screen(
        self, workspace: Workspace, capsys: pytest.CaptureFixture[str]
    ) -> None:
        answer_wrongly(workspace)
        assert command.main(["check", "ch17-03", "--format", "gradescope", "--out", "results.json"]) == 1
        assert "run again:" in capsys.readouterr().out
        assert len(json.loads(Path("results.json").read_text(encoding="utf-8"))["tests"]) == EXERCISE.checks

    def test_classroom_50_asks_whether_grading_ran(self, workspace: Workspace) -> None:
        answer_wrongly(workspace)
        assert command.main(["check", "ch17-03", "--format", "classroom50", "--out", "result.json"]) == 0

    def test_a_folder_that_only_holds_answers_can_be_checked(
        self, workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        alone = tmp_path / "handed-in" / EXERCISE.place / EXERCISE.file
        alone.parent.mkdir(parents=True)
        shutil.copy(proof_of(EXERCISE) / "solution" / EXERCISE.file, alone)
        assert command.main(["check", "ch17-03", "--dir", str(tmp_path / "handed-in")]) == 0
        assert list((tmp_path / "handed-in").iterdir()) == [tmp_path / "handed-in" / "ch17_engine"]


class TestHistory:
    def test_reset_undo_and_their_list(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        answer_wrongly(workspace)
        mine = workspace.answer(EXERCISE).read_bytes()
        assert command.main(["reset", "ch17-03"]) == 0
        assert "version 1; `kael ex undo` brings back what was there" in capsys.readouterr().out
        assert command.main(["undo"]) == 0
        assert workspace.answer(EXERCISE).read_bytes() == mine
        assert [entry["reason"] for entry in printed_json(capsys, "undo", "--list")] == ["reset ch17-03", "undo 1"]

    def test_undo_of_a_number_names_the_option(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.main(["undo", "7"]) == 2
        assert "`kael ex undo --version 7`" in capsys.readouterr().err

    def test_undo_of_nothing_is_2(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.main(["undo"]) == 2
        assert "there is nothing to undo" in capsys.readouterr().err

    def test_reset_of_several_by_one_name_is_one_version(
        self, workspace: Workspace, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for exercise in find("ch17-0", ROOT / "exercises")[:2]:
            workspace.answer(exercise).write_text("mine = True\n", encoding="utf-8")
        command.main(["reset", "ch17-01", "ch17-02"])
        (entry,) = printed_json(capsys, "undo", "--list")
        assert len(entry["files"]) == 2


class TestInit:
    def test_without_a_name_it_mends_a_workspace_that_lost_its_mark(self, workspace: Workspace) -> None:
        solve(workspace)
        mine = workspace.answer(EXERCISE).read_bytes()
        shutil.rmtree(workspace.mark)
        assert command.main(["init"]) == 0
        assert workspace.mark.is_dir()
        assert not (workspace.root / "kael-exercises").exists()
        assert workspace.answer(EXERCISE).read_bytes() == mine

    def test_a_folder_with_a_blank_can_be_entered(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert command.main(["init", "two words"]) == 0
        assert 'cd "two words" and then kael ex' in capsys.readouterr().out


class TestRefusals:
    """The machine refuses: one clear line, exit code 1, and the reader's files as they were."""

    @pytest.mark.parametrize(
        ("number", "says"),
        [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "no right to write here"), (errno.EACCES, "kael ex doctor")],
    )
    def test_nothing_is_lost(
        self,
        workspace: Workspace,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        number: int,
        says: str,
    ) -> None:
        answer_wrongly(workspace)
        mine = workspace.answer(EXERCISE).read_bytes()
        refuse_writing(monkeypatch, number)
        assert command.main(["reset", "ch17-03"]) == 1
        error = capsys.readouterr().err
        assert says in error
        assert "your files are as they were" in error
        assert error.count("\n") == 1
        assert workspace.answer(EXERCISE).read_bytes() == mine

    def test_a_check_still_shows_its_result(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        solve(workspace)
        refuse_writing(monkeypatch, errno.EROFS)
        assert command.main(["check", "ch17-03"]) == 0
        told = capsys.readouterr()
        assert f"{EXERCISE.points} of {EXERCISE.points} points" in told.out
        assert "the result could not be kept" in told.err

    def test_a_hint_is_shown_all_the_same(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        refuse_writing(monkeypatch, errno.EROFS)
        assert command.main(["hint", "ch17-03"]) == 0
        assert "hint 1 of 3" in capsys.readouterr().out

    @pytest.mark.parametrize("name", [f"{EXERCISE.place}/{EXERCISE.file}", ".kael/state.json", "index.toml"])
    def test_results_replace_no_file_of_the_workspace(
        self, workspace: Workspace, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        solve(workspace)
        target = workspace.root / name
        before = target.read_bytes() if target.exists() else b""
        assert command.main(["check", "ch17-03", "--out", name]) == 2
        assert "is a file of the workspace" in capsys.readouterr().err
        assert (target.read_bytes() if target.exists() else b"") == before

    def test_a_folder_where_a_file_is_to_be_written_is_named(
        self, workspace: Workspace, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert command.main(["check", "ch17-03", "--out", str(workspace.root / "ch17_engine")]) == 1
        error = capsys.readouterr().err
        assert "kael-tmp" not in error
        assert "ch17_engine: " in error

    def test_init_on_a_full_disk_can_be_typed_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        with monkeypatch.context() as full:
            refuse_writing(full, errno.ENOSPC, after=5)
            assert command.main(["init", "mine"]) == 1
        assert command.main(["init", "mine"]) == 0
        assert all((tmp_path / "mine" / exercise.place / exercise.file).is_file() for exercise in catalogue())

    def test_a_damaged_state_is_set_aside(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        (workspace.mark / "state.json").write_text("{", encoding="utf-8")
        solve(workspace)
        assert command.main(["check", "ch17-03"]) == 0
        assert "is now state.damaged-1.json; `kael ex check --all`" in capsys.readouterr().err
        assert (workspace.mark / "state.damaged-1.json").read_text(encoding="utf-8") == "{"

    def test_a_folder_that_is_gone_is_one_line(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def gone() -> Path:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")

        monkeypatch.delenv("KAEL_WORKSPACE", raising=False)
        monkeypatch.setattr(Path, "cwd", gone)
        assert command.main(["check"]) == 1
        assert "the folder that you are in is gone; `cd` into another" in capsys.readouterr().err


def refuse_writing(monkeypatch: pytest.MonkeyPatch, number: int, after: int = 0) -> None:
    """Let the disk refuse whatever is written into the workspace, perhaps after some files."""
    written = []

    def refuses(source: Path, target: Path) -> None:
        written.append(target)
        if len(written) > after:
            raise OSError(number, os.strerror(number), str(target))
        source.replace(target)

    monkeypatch.setattr(saving, "_replace", refuses)


def test_every_command_says_json(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    solve(workspace)
    calls: list[list[str]] = [
        [], ["init"], ["check", "ch17-03"], ["list"], ["status"], ["hint", "ch17-03"], ["solution", "ch17-03"],
        ["diff", "ch17-03"], ["skip", "ch07-01"], ["reset", "ch17-03"], ["undo"], ["undo", "--list"], ["update"],
        ["doctor"],
    ]  # fmt: skip
    for arguments in calls:
        printed_json(capsys, *arguments)


def test_it_works_on_a_windows_code_page(workspace: Workspace) -> None:
    environment = {
        **os.environ,
        "PYTHONIOENCODING": "cp1252",
        "PYTHONPATH": str(Path(kael.__file__).parents[1]),
        "PYTHONUTF8": "0",
    }
    for arguments in (["ex"], ["ex", "list"], ["ex", "hint", "ch16-01"], ["ex", "solution", "ch16-01", "--give-up"]):
        ran = subprocess.run(
            [sys.executable, "-m", "kael.cli", *arguments], env=environment, capture_output=True, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, b"")
        ran.stdout.decode("cp1252")


def test_the_answer_comes_soon(workspace: Workspace) -> None:
    """Processor time, its workers' too, which does not depend on what else runs here."""
    times = pytest.importorskip("resource").getrusage
    solve(workspace)
    before = times(-1)
    subprocess.run(
        [sys.executable, "-m", "kael.cli", "ex", "check", "ch17-03"],
        env={**os.environ, "PYTHONPATH": str(Path(kael.__file__).parents[1])}, check=True, capture_output=True,
    )  # fmt: skip
    after = times(-1)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1.5
