"""Saved versions: nothing of the reader's is overwritten before a copy of it was written and read again."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import kael
from kael.exercises import Refused, history, saving
from kael.exercises.catalogue import find
from kael.exercises.history import Entry, History
from kael.exercises.session import Session
from kael.exercises.workspace import Workspace, initialize
from tests.exercises.workspace import ROOT

(EXERCISE,) = find("ch17-03", ROOT / "exercises")
PATH = f"{EXERCISE.place}/{EXERCISE.file}"
MINE = b"mine = True\r\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = initialize(tmp_path / "mine").workspace
    made.answer(EXERCISE).write_bytes(MINE)
    return made


@pytest.fixture
def session(workspace: Workspace) -> Session:
    return Session(workspace, pytest.fail)


def stub() -> bytes:
    return EXERCISE.answer.read_bytes()


class TestReset:
    def test_puts_the_stub_back_and_keeps_what_was_there(self, workspace: Workspace, session: Session) -> None:
        entry = session.reset([EXERCISE])
        assert workspace.answer(EXERCISE).read_bytes() == stub()
        assert entry is not None
        assert entry.read(PATH) == MINE

    def test_of_a_stub_changes_nothing(self, session: Session) -> None:
        session.reset([EXERCISE])
        assert session.reset([EXERCISE]) is None
        assert len(session.history.entries()) == 1

    def test_of_two_at_the_same_moment_saves_the_readers_file_once(
        self, workspace: Workspace, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other, replace = Session(workspace, pytest.fail), session.history.replace

        def second(files: dict[str, bytes], reason: str) -> Entry | None:
            assert other.reset([EXERCISE]) is not None
            return replace(files, reason)

        with monkeypatch.context() as patched:
            patched.setattr(session.history, "replace", second)
            assert session.reset([EXERCISE]) is None
        assert [entry.read(PATH) for entry in session.history.entries()] == [MINE]
        session.undo()
        assert workspace.answer(EXERCISE).read_bytes() == MINE


class TestUndo:
    def test_brings_it_back_to_the_byte(self, workspace: Workspace, session: Session) -> None:
        session.reset([EXERCISE])
        entry, changed = session.undo()
        assert (entry.reason, changed) == ("reset ch17-03", [PATH])
        assert workspace.answer(EXERCISE).read_bytes() == MINE

    def test_takes_nobody_s_answer_for_a_stub(self, workspace: Workspace, session: Session) -> None:
        session.reset([EXERCISE])
        session.undo()
        assert session.update().stubs == []

    def test_can_be_undone(self, workspace: Workspace, session: Session) -> None:
        session.reset([EXERCISE])
        session.undo()
        session.undo()
        assert workspace.answer(EXERCISE).read_bytes() == stub()
        session.undo()
        assert workspace.answer(EXERCISE).read_bytes() == MINE

    def test_keeps_what_was_written_since(self, workspace: Workspace, session: Session) -> None:
        session.reset([EXERCISE])
        workspace.answer(EXERCISE).write_bytes(b"new = True\n")
        session.undo()
        assert session.history.entries()[-1].read(PATH) == b"new = True\n"

    def test_of_one_exercise_leaves_later_ones_alone(self, workspace: Workspace, session: Session) -> None:
        (other,) = find("ch17-04", ROOT / "exercises")
        session.reset([EXERCISE])
        workspace.answer(other).write_bytes(b"other = True\n")
        session.reset([other])
        session.undo(exercise=EXERCISE)
        assert workspace.answer(EXERCISE).read_bytes() == MINE
        assert workspace.answer(other).read_bytes() == other.answer.read_bytes()

    def test_of_a_numbered_version(self, workspace: Workspace, session: Session) -> None:
        for text in (b"a = 1\n", b"b = 1\n"):
            workspace.answer(EXERCISE).write_bytes(text)
            session.reset([EXERCISE])
        session.undo(1)
        assert workspace.answer(EXERCISE).read_bytes() == b"a = 1\n"

    def test_without_a_history_says_so(self, session: Session) -> None:
        with pytest.raises(Refused, match="nothing to undo"):
            session.undo()
        with pytest.raises(Refused, match="no saved version 7"):
            session.undo(7)

    def test_a_copy_that_was_damaged_is_not_restored(self, workspace: Workspace, session: Session) -> None:
        entry = session.reset([EXERCISE])
        assert entry is not None
        (copy,) = entry.folder.glob("*.saved")
        copy.write_bytes(b"spoiled")
        with pytest.raises(OSError, match="is not what was saved; it was left alone"):
            session.undo()
        assert workspace.answer(EXERCISE).read_bytes() == stub()


def full_disk(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def half_of_it(limit: int) -> Callable[[int], None]:
    """A disk that is full after some files."""
    written = []

    def fsync(descriptor: int) -> None:
        written.append(descriptor)
        if len(written) > limit:
            full_disk(descriptor)

    return fsync


class TestFailures:
    def test_a_full_disk_changes_nothing(
        self, workspace: Workspace, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(saving.os, "fsync", full_disk)
        with pytest.raises(OSError, match="No space left"):
            session.reset([EXERCISE])
        assert workspace.answer(EXERCISE).read_bytes() == MINE
        assert session.history.entries() == []
        assert list(session.history.folder.iterdir()) == []

    @pytest.mark.parametrize("limit", range(3))
    def test_a_disk_that_fills_up_on_the_way_loses_nothing(
        self, workspace: Workspace, session: Session, monkeypatch: pytest.MonkeyPatch, limit: int
    ) -> None:
        monkeypatch.setattr(saving.os, "fsync", half_of_it(limit))
        with pytest.raises(OSError, match="No space left"):
            session.reset([EXERCISE])
        monkeypatch.undo()
        there = workspace.answer(EXERCISE).read_bytes()
        assert there == MINE or session.history.entries()[-1].read(PATH) == MINE
        assert not list(workspace.root.rglob(f"*{saving.UNFINISHED}"))

    def test_a_copy_that_reads_back_otherwise_stops_it(
        self, workspace: Workspace, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def spoils(path: Path, data: bytes) -> None:
            path.write_bytes(data[:-1])

        monkeypatch.setattr(history, "save", spoils)
        with pytest.raises(OSError, match="is not what was saved"):
            session.reset([EXERCISE])
        assert workspace.answer(EXERCISE).read_bytes() == MINE

    def test_ctrl_c_between_two_files_leaves_both_saved(
        self, workspace: Workspace, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (other,) = find("ch17-04", ROOT / "exercises")
        workspace.answer(other).write_bytes(b"other = True\n")
        real = saving.save

        def interrupted(path: Path, data: bytes) -> None:
            if path == workspace.answer(other):
                raise KeyboardInterrupt
            real(path, data)

        monkeypatch.setattr(history, "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.reset([EXERCISE, other])
        monkeypatch.undo()
        assert workspace.answer(other).read_bytes() == b"other = True\n"
        session.undo()
        assert workspace.answer(EXERCISE).read_bytes() == MINE


DIES = """
import os, sys
from pathlib import Path
from kael.exercises import history, saving
from kael.exercises.catalogue import find
from kael.exercises.session import Session
from kael.exercises.workspace import Workspace
root, step = Path(sys.argv[1]), int(sys.argv[2])
real, count = saving._replace, []
def dying(source, target):
    count.append(target)
    if len(count) > step:
        os._exit(9)
    real(source, target)
saving._replace = dying
Session(Workspace(root), print).reset(find("ch17-03"))
"""


@pytest.mark.parametrize("step", range(3))
def test_a_process_that_is_killed_between_two_writes_loses_nothing(workspace: Workspace, step: int) -> None:
    """Copy, manifest, the file itself: after none, one or two of these."""
    killed = subprocess.run(
        [sys.executable, "-c", DIES, str(workspace.root), str(step)],
        env={**os.environ, "PYTHONPATH": str(Path(kael.__file__).parents[1])}, check=False, timeout=120,
    )  # fmt: skip
    assert killed.returncode == 9
    saved = History(workspace)
    there = workspace.answer(EXERCISE).read_bytes()
    assert there == MINE or saved.entries()[-1].read(PATH) == MINE
    assert there in (MINE, stub())
    after = Session(workspace, pytest.fail)
    after.reset([EXERCISE])
    after.undo()
    assert workspace.answer(EXERCISE).read_bytes() == MINE


class TestUpdate:
    def test_brings_a_changed_task_and_keeps_the_old_one(self, workspace: Workspace, session: Session) -> None:
        task = workspace.root / EXERCISE.place / "README.md"
        new = task.read_bytes()
        old_task(workspace, f"{EXERCISE.place}/README.md")
        assert list(session.update().files) == [f"{EXERCISE.place}/README.md"]
        assert task.read_bytes() == new
        session.undo()
        assert task.read_bytes() == b"of an older kael\n"
        assert list(session.update().files) == [f"{EXERCISE.place}/README.md"]

    def test_brings_new_exercises(self, workspace: Workspace, session: Session) -> None:
        workspace.answer(EXERCISE).unlink()
        assert list(session.update().files) == [PATH]

    def test_touches_no_answer_even_where_the_stub_is_new(self, workspace: Workspace, session: Session) -> None:
        old_task(workspace, PATH)
        workspace.answer(EXERCISE).write_bytes(MINE)
        found = session.update()
        assert (found.files, [exercise.id for exercise in found.stubs]) == ({}, ["ch17-03"])
        assert workspace.answer(EXERCISE).read_bytes() == MINE

    def test_leaves_a_task_that_the_reader_wrote_in(self, workspace: Workspace, session: Session) -> None:
        task = workspace.root / EXERCISE.place / "README.md"
        task.write_bytes(task.read_bytes() + b"my notes\n")
        assert session.update().files == {}

    def test_leaves_a_file_that_stood_there_before(self, tmp_path: Path) -> None:
        (tmp_path / "course").mkdir()
        (tmp_path / "course" / "README.md").write_text("our course\n", encoding="utf-8")
        made = initialize(tmp_path / "course").workspace
        assert Session(made, pytest.fail).update().files == {}


def old_task(workspace: Workspace, path: str) -> None:
    """Let a file be one that an older kael wrote."""
    (workspace.root / path).write_bytes(b"of an older kael\n")
    workspace.remember({path: b"of an older kael\n"})
