"""`kael ex watch`: an answer soon after a save; keys with and without a terminal; two at once."""

import contextlib
import io
import os
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import kael
from kael.exercises.catalogue import catalogue, find, proof_of
from kael.exercises.keys import LineKeys, open_keys
from kael.exercises.results import CheckResult, ExerciseResult
from kael.exercises.screen import Screen
from kael.exercises.session import Session
from kael.exercises.state import Store
from kael.exercises.watch import KEYS, Saved, Watcher
from kael.exercises.workspace import Workspace, initialize
from tests.exercises.workspace import ROOT

(EXERCISE,) = find("ch17-03", ROOT / "exercises")
SOLUTION = proof_of(EXERCISE) / "solution" / EXERCISE.file
WRONG = proof_of(EXERCISE) / "wrong" / "aligns_at_the_right.py"
PATIENCE = 60.0


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.delenv("KAEL_WORKSPACE", raising=False)
    return initialize(tmp_path / "mine").workspace


class TestSaved:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "answer.py"
        path.write_text("a = 1\n", encoding="utf-8")
        return path

    def test_nothing_new_is_no_change(self, file: Path) -> None:
        assert not Saved(file).changed()

    def test_another_content_is_one_once(self, file: Path) -> None:
        saved = Saved(file)
        file.write_text("a = 22\n", encoding="utf-8")
        assert saved.changed()
        assert not saved.changed()

    def test_a_touch_is_none(self, file: Path) -> None:
        saved = Saved(file)
        os.utime(file, (1, 1))
        assert not saved.changed()

    def test_a_file_that_is_being_replaced_is_waited_for(self, file: Path) -> None:
        saved = Saved(file)
        file.unlink()
        assert not saved.changed()
        file.write_text("a = 3\n", encoding="utf-8")
        assert saved.changed()

    def test_a_clock_that_stands_still_is_seen_through(self, file: Path) -> None:
        """As on a network drive: the same size at the same second."""
        saved = Saved(file)
        stamp = file.stat()
        file.write_text("a = 9\n", encoding="utf-8")
        os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        assert not saved.changed()
        saved.read -= 10
        assert saved.changed()


class Script:
    """Keys that were written down; then q."""

    single = True

    def __init__(self, keys: str) -> None:
        self.keys = list(keys)

    def wait(self, seconds: float) -> str:
        return self.keys.pop(0) if self.keys else "q"


class TestKeys:
    """What each key does, with checks that need no process."""

    @pytest.fixture(autouse=True)
    def checks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def check(self: Session, exercises, seed, report, progress=None):  # type: ignore[no-untyped-def]
            results = [
                ExerciseResult(
                    exercise, (CheckResult("test_a", "fail", "told\n"),), self.workspace.answer(exercise), "ab"
                )
                for exercise in exercises
            ]
            for result in results:
                report(result)
            return results

        monkeypatch.setattr(Session, "check", check)

    def watched(self, workspace: Workspace, keys: str) -> str:
        stream = io.StringIO()
        screen = Screen(stream, width=80)
        session = Session(workspace, screen.line)
        assert Watcher(session, screen, Script(keys)).watch(EXERCISE) == 1
        return stream.getvalue()

    def test_the_menu_names_them(self, workspace: Workspace) -> None:
        assert "r run  h hint  n next  l list  d diff  x reset  q quit" in self.watched(workspace, "")

    def test_the_first_line_says_what_is_checked(self, workspace: Workspace) -> None:
        told = self.watched(workspace, "")
        assert told.index("checking ch17-03 A bias in the middle ...") < told.index("a: fail")

    def test_r_runs(self, workspace: Workspace) -> None:
        assert self.watched(workspace, "r").count("a: fail") == 2

    def test_h_shows_the_hint(self, workspace: Workspace) -> None:
        assert "ch17-03 hint 1 of 3: the idea" in self.watched(workspace, "h")

    def test_h_again_waits_for_a_try_and_a_large_one_does_not(self, workspace: Workspace) -> None:
        assert "or at once: H" in self.watched(workspace, "hh")
        assert "hint 2 of 3" in self.watched(workspace, "H")

    def test_n_goes_to_the_next(self, workspace: Workspace) -> None:
        ids = [exercise.id for exercise in catalogue()]
        following = ids[ids.index("ch17-03") + 1]
        assert f"\n{following} " in self.watched(workspace, "n")

    def test_n_goes_round_at_the_end(self, workspace: Workspace) -> None:
        with Store(workspace.mark).change() as state:
            for exercise in catalogue():
                state.of(exercise.id).skipped = exercise.id > "ch17-03"
        assert f"\n{catalogue()[0].id} " in self.watched(workspace, "n")

    def test_l_lists(self, workspace: Workspace) -> None:
        assert len(re.findall(r"^\[ \] not started", self.watched(workspace, "l"), re.MULTILINE)) == len(catalogue())

    def test_d_shows_the_difference(self, workspace: Workspace) -> None:
        workspace.answer(EXERCISE).write_text("mine = True\n", encoding="utf-8")
        assert "-mine = True" in self.watched(workspace, "d")

    def test_x_asks_once_more(self, workspace: Workspace) -> None:
        workspace.answer(EXERCISE).write_text("mine = True\n", encoding="utf-8")
        assert "x once more" in self.watched(workspace, "xl")
        assert workspace.answer(EXERCISE).read_text(encoding="utf-8") == "mine = True\n"
        assert "`kael ex undo` brings back what was there" in self.watched(workspace, "xx")
        assert workspace.answer(EXERCISE).read_bytes() == EXERCISE.answer.read_bytes()

    def test_any_other_shows_the_menu(self, workspace: Workspace) -> None:
        assert self.watched(workspace, "?").count("q quit") == 2

    def test_what_cannot_be_done_is_said_and_watching_goes_on(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(self: Session, exercises: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Session, "reset", full)
        printed = self.watched(workspace, "xxl")
        assert "No space left on device" in printed
        assert "not started" in printed

    def test_a_workspace_that_is_gone_ends_it(self, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
        class Removing(Script):
            def wait(self, seconds: float) -> str:
                shutil.rmtree(workspace.root, ignore_errors=True)
                return ""

        session = Session(workspace, print)
        watcher = Watcher(session, Screen(io.StringIO(), width=80), Removing(""))
        with pytest.raises(Exception, match="nothing is watched any more"):
            watcher.watch(EXERCISE)


class TestLineKeys:
    def test_are_the_first_of_each_line(self) -> None:
        keys = LineKeys(io.StringIO("run\n\nq\n"))
        assert [keys.wait(PATIENCE) for _ in range(3)] == ["r", "", "q"]

    def test_the_end_of_the_input_is_no_key(self) -> None:
        assert LineKeys(io.StringIO("")).wait(0.05) == ""

    def test_what_is_no_terminal_gives_lines(self) -> None:
        with open_keys(io.StringIO("h\n")) as keys:
            assert not keys.single
            assert keys.wait(PATIENCE) == "h"


def environment() -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "KAEL_WORKSPACE")},
        "PYTHONPATH": str(Path(kael.__file__).parents[1]), "PYTHONUNBUFFERED": "1", "TERM": "xterm-256color",
    }  # fmt: skip


@contextlib.contextmanager
def started(workspace: Workspace, log: Path) -> Iterator[subprocess.Popen[str]]:
    """A watcher without a terminal, whose output goes to a file."""
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "kael.cli", "ex", "watch", "ch17-03"], cwd=workspace.root, env=environment(),
            stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT, encoding="utf-8",
        )  # fmt: skip
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


def wait_for(log: Path, text: str, times: int = 1) -> None:
    deadline = time.monotonic() + PATIENCE
    while log.read_text(encoding="utf-8").count(text) < times:
        if time.monotonic() > deadline:
            pytest.fail(f"no {text!r} in {log.read_text(encoding='utf-8')}")
        time.sleep(0.05)


class TestProcesses:
    def test_two_at_once_see_every_save_and_keep_one_state(self, workspace: Workspace, tmp_path: Path) -> None:
        logs = [tmp_path / "one.log", tmp_path / "two.log"]
        with started(workspace, logs[0]) as one, started(workspace, logs[1]) as two:
            for log in logs:
                wait_for(log, "waiting for you to save")
            for answer, says in ((WRONG, "run again:"), (SOLUTION, "Passed.")):
                shutil.copy(answer, workspace.answer(EXERCISE))
                for log in logs:
                    wait_for(log, says)
            for process in (one, two):
                assert process.stdin is not None
                process.stdin.write("q\n")
                process.stdin.flush()
            assert [process.wait(PATIENCE) for process in (one, two)] == [0, 0]
        progress = Store(workspace.mark).read().of("ch17-03")
        assert (progress.state, progress.tries, progress.score) == ("pass", 1, EXERCISE.points)
        assert sorted(path.name for path in workspace.mark.iterdir()) == ["delivered.json", "lock", "state.json"]


class TestTerminal:
    def test_single_keys_a_save_and_ctrl_c(self, workspace: Workspace) -> None:
        """A key counts without Enter, and the terminal is as it was when Ctrl-C has ended it."""
        pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
        ours, theirs = pty.openpty()
        before = termios.tcgetattr(theirs)
        process = subprocess.Popen(
            [sys.executable, "-m", "kael.cli", "ex", "watch", "ch17-03"], cwd=workspace.root, env=environment(),
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            preexec_fn=lambda: __import__("fcntl").ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        shown = b""

        def until(text: bytes) -> None:
            nonlocal shown
            deadline = time.monotonic() + PATIENCE
            while text not in shown:
                assert time.monotonic() < deadline, shown
                if select.select([ours], [], [], 1.0)[0]:
                    shown += os.read(ours, 65536)
            shown = shown.partition(text)[2]

        try:
            until(b"waiting for you to save")
            os.write(ours, b"h")
            until(b"hint 1 of 3")
            os.write(ours, b"\x1b[D")
            os.write(ours, b"l")
            until(b"not started")
            shutil.copy(SOLUTION, workspace.answer(EXERCISE))
            until(b"Passed.")
            until(b"waiting for you to save")
            os.write(ours, b"\x03")
            until(b"kael ex: stopped")
            assert process.wait(PATIENCE) == 130
            assert termios.tcgetattr(theirs) == before
        finally:
            process.kill()
            process.wait()
            os.close(ours)
            os.close(theirs)


def test_every_key_has_a_word_of_its_own() -> None:
    assert len(set(KEYS.values())) == len(KEYS)
