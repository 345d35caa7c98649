"""Progress on disk: whole at any moment, shared by several processes, rebuilt when it was damaged."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import kael
from kael.exercises import Refused, saving
from kael.exercises.catalogue import find
from kael.exercises.results import CheckResult, ExerciseResult
from kael.exercises.state import Progress, Store
from tests.exercises.workspace import ROOT

(EXERCISE,) = find("ch17-03", ROOT / "exercises")


def result(state: str, digest: str, earned: int = 0) -> ExerciseResult:
    checks = (CheckResult("test_a", "pass", points=earned), CheckResult("test_b", state, points=2))
    return ExerciseResult(EXERCISE, checks if state != "not started" else checks[1:], Path("answer.py"), digest)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def python(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Another process that knows this kael."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stdin=subprocess.PIPE, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(Path(kael.__file__).parents[1])},
    )  # fmt: skip


class TestProgress:
    def test_a_try_is_a_failed_check_of_another_text(self) -> None:
        progress = Progress()
        for digest in ("a", "a", "b"):
            progress.record(result("fail", digest))
        assert progress.tries == 2

    def test_a_stub_is_no_try(self) -> None:
        progress = Progress()
        progress.record(result("not started", "a"))
        assert progress.tries == 0

    def test_what_cannot_run_here_is_no_try(self) -> None:
        progress = Progress()
        progress.record(result("not available", "a"))
        assert progress.tries == 0

    def test_a_pass_keeps_time_and_hash(self) -> None:
        progress = Progress(skipped=True)
        progress.record(result("pass", "a", 3))
        assert (progress.passed_sha256, progress.score, progress.skipped) == ("a", 5, False)
        assert progress.passed.endswith("+00:00")

    def test_points_once_earned_stay(self) -> None:
        progress = Progress()
        progress.record(result("fail", "a", 3))
        progress.record(result("fail", "b", 0))
        assert progress.score == 3


class TestStore:
    def test_keeps_what_it_is_given(self, store: Store) -> None:
        with store.change() as state:
            state.of("ch17-03").hints = 2
        assert store.read().of("ch17-03").hints == 2
        assert json.loads(store.file.read_text(encoding="utf-8"))["format"] == 1

    def test_an_error_inside_changes_nothing(self, store: Store) -> None:
        with store.change() as state:
            state.of("ch17-03").hints = 1
        with pytest.raises(KeyboardInterrupt), store.change() as state:
            state.of("ch17-03").hints = 2
            raise KeyboardInterrupt
        assert store.read().of("ch17-03").hints == 1

    @pytest.mark.parametrize(
        "text",
        [
            b"",
            b"{",
            b"[]",
            b"\xff\xfe",
            b'{"format": "x"}',
            b'{"format": 1, "exercises": {"ch17-03": {"tries": "many"}}}',
        ],
    )
    def test_a_damaged_file_is_set_aside_and_a_new_one_begun(self, store: Store, text: bytes) -> None:
        store.file.write_bytes(text)
        assert "is damaged" in store.read().note
        with store.change() as state:
            state.of("ch17-03").hints = 1
        assert "state.damaged-1.json; `kael ex check --all`" in state.note
        assert store.file.with_name("state.damaged-1.json").read_bytes() == text
        assert store.read().of("ch17-03").hints == 1

    def test_a_newer_kael_s_file_is_left_alone(self, store: Store) -> None:
        store.file.write_text('{"format": 2}', encoding="utf-8")
        with pytest.raises(Refused, match="a newer kael wrote the progress here"), store.change():
            raise AssertionError
        assert store.file.read_text(encoding="utf-8") == '{"format": 2}'

    def test_a_full_disk_leaves_the_old_file(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        with store.change() as state:
            state.of("ch17-03").hints = 1
        before = store.file.read_bytes()

        def full(descriptor: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(saving.os, "fsync", full)
        with pytest.raises(OSError, match="No space left"), store.change() as state:
            state.of("ch17-03").hints = 2
        assert store.file.read_bytes() == before
        assert [path.name for path in store.file.parent.iterdir() if path.name.endswith(saving.UNFINISHED)] == []


COUNTS = """
import sys
from pathlib import Path
from kael.exercises.state import Store
store = Store(Path(sys.argv[1]))
for _ in range(20):
    with store.change() as state:
        state.of("ch17-03").tries += 1
"""
DIES_HOLDING_IT = """
import os, sys
from pathlib import Path
from kael.exercises.state import Store
with Store(Path(sys.argv[1])).change() as state:
    state.of("ch17-03").tries = 99
    print("inside", flush=True)
    sys.stdin.read()
"""
DIES_BEFORE_THE_NEW_FILE_TAKES_ITS_PLACE = """
import os, sys
from pathlib import Path
from kael.exercises import saving
from kael.exercises.state import Store
saving._replace = lambda source, target: os._exit(9)
with Store(Path(sys.argv[1])).change() as state:
    state.of("ch17-03").tries = 99
"""


class TestSeveralProcesses:
    def test_lose_no_change(self, store: Store) -> None:
        running = [python(COUNTS, str(store.file.parent)) for _ in range(3)]
        assert [process.wait(60) for process in running] == [0, 0, 0]
        for process in running:
            process.communicate()
        assert store.read().of("ch17-03").tries == 60

    def test_the_lock_of_a_killed_one_is_free(self, store: Store) -> None:
        with python(DIES_HOLDING_IT, str(store.file.parent)) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "inside\n"
            with pytest.raises(TimeoutError, match="another `kael ex` has held it"), saving.locked(store.lock, 0.1):
                raise AssertionError
            process.kill()
            process.wait()
        with store.change() as state:
            state.of("ch17-03").hints = 1
        assert store.read().of("ch17-03") == Progress(hints=1)

    def test_one_that_dies_between_two_writes_leaves_the_old_state(self, store: Store) -> None:
        with store.change() as state:
            state.of("ch17-03").hints = 1
        with python(DIES_BEFORE_THE_NEW_FILE_TAKES_ITS_PLACE, str(store.file.parent)) as process:
            assert process.wait(60) == 9
        assert store.read().of("ch17-03") == Progress(hints=1)
        with store.change() as state:
            state.of("ch17-03").hints = 2
        assert store.read().of("ch17-03") == Progress(hints=2)
