"""Workers wait at the ready, serve one run each, and end with whoever started them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import gettempdir

import pytest

import kael
from kael.exercises import runner
from kael.exercises.catalogue import Exercise
from kael.exercises.output import Bounded
from kael.exercises.runner import Run, Workers
from tests.exercises.workspace import copied, solution_of

KAEL = str(Path(kael.__file__).parents[1])
HOLDS_A_WORKER = """
import sys, time
from pathlib import Path
from kael.exercises.runner import Run, Workers

with Workers() as workers:
    print(workers.spare.process.pid, flush=True)
    if len(sys.argv) > 1:
        workers.run([Run(Path(sys.argv[1]), limit=60.0)], [Path(sys.argv[2])])
    time.sleep(60)
"""


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    return copied("ch17-03", tmp_path)


def alive(process: int) -> bool:
    """Whether a process is there and is no mere entry of one that has ended."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/stat")
    return not status.exists() or status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


def gone(process: int) -> bool:
    """Whether a process ends within a few seconds."""
    for _ in range(200):
        if not alive(process):
            return True
        time.sleep(0.05)
    return False


class TestReady:
    def test_a_run_is_served_by_the_worker_that_waits(self, exercise: Exercise) -> None:
        with Workers() as workers:
            assert workers.spare is not None
            waiting = workers.spare
            run = Run(solution_of(exercise))
            workers.run([run], [exercise.visible])
            assert run.passed
            assert waiting.stopped
            assert workers.spare is not waiting

    def test_the_next_one_is_started_at_once(self, exercise: Exercise) -> None:
        with Workers() as workers:
            workers.run([Run(solution_of(exercise))], [exercise.visible])
            assert workers.spare is not None and workers.spare.process.poll() is None

    def test_none_is_started_for_a_single_run(self, exercise: Exercise) -> None:
        with Workers(ahead=False) as workers:
            workers.run([Run(solution_of(exercise))], [exercise.visible])
            assert workers.spare is None

    def test_one_that_has_ended_meanwhile_is_replaced(self, exercise: Exercise) -> None:
        with Workers() as workers:
            assert workers.spare is not None
            workers.spare.process.kill()
            run = Run(solution_of(exercise))
            workers.run([run], [exercise.visible])
            assert run.passed

    def test_it_gives_up_when_none_begins(self, exercise: Exercise) -> None:
        with (
            Workers({"PYTHONHOME": str(exercise.folder)}, ahead=False) as workers,
            pytest.raises(RuntimeError, match="3 workers ended before they could begin"),
        ):
            workers.run([Run(solution_of(exercise))], [exercise.visible])

    def test_checks_that_cannot_be_imported_are_named(self, exercise: Exercise) -> None:
        exercise.visible.write_text("import nothing_of_that_name\n", encoding="utf-8")
        with Workers(ahead=False) as workers, pytest.raises(RuntimeError, match="cannot be run(.|\n)*nothing_of_that"):
            workers.run([Run(solution_of(exercise))], [exercise.visible])

    def test_a_change_between_two_runs_is_seen(self, exercise: Exercise) -> None:
        with Workers() as workers:
            for text, passes in ((solution_of(exercise).read_text("utf-8"), True), ("unbroadcast_at = None\n", False)):
                exercise.answer.write_text(text, encoding="utf-8")
                run = Run(exercise.answer)
                workers.run([run], [exercise.visible])
                assert run.passed is passes

    def test_what_they_leave_is_removed(self, exercise: Exercise) -> None:
        with Workers() as workers:
            workers.run([Run(solution_of(exercise))], [exercise.visible])
            folder = Path(workers.folder.name)
            assert folder.exists()
        assert not folder.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups of POSIX")
class TestEnd:
    def start(self, *arguments: str, scratch: Path | None = None) -> tuple["subprocess.Popen[str]", int]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDS_A_WORKER, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": KAEL, "TMPDIR": str(scratch or gettempdir())},
        )  # fmt: skip
        assert process.stdout is not None
        return process, int(process.stdout.readline())

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
    def test_of_the_parent_is_the_end_of_a_waiting_worker(self, how: signal.Signals) -> None:
        parent, worker = self.start()
        assert alive(worker)
        parent.send_signal(how)
        parent.wait(30)
        parent.stdout.close()
        assert gone(worker)

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
    def test_of_the_parent_is_the_end_of_a_worker_in_a_loop(self, exercise: Exercise, how: signal.Signals) -> None:
        exercise.answer.write_text("open('mark', 'w').close()\nwhile True:\n    pass\n", encoding="utf-8")
        scratch = exercise.folder.parents[2] / "scratch"
        scratch.mkdir()
        parent, worker = self.start(str(exercise.answer), str(exercise.visible), scratch=scratch)
        while not any(scratch.rglob("mark")):
            assert parent.poll() is None
            time.sleep(0.05)
        assert alive(worker)
        parent.send_signal(how)
        parent.wait(30)
        parent.stdout.close()
        assert gone(worker)

    def test_takes_along_what_an_answer_has_started(self, exercise: Exercise) -> None:
        exercise.answer.write_text(
            "import ctypes, os, time\n\n"
            "libc = ctypes.CDLL(None)\n"
            "child = libc.fork()\n"
            "if child == 0:\n    time.sleep(600)\n    libc._exit(0)\n"
            "print('child', child)\nraise ValueError\n",
            encoding="utf-8",
        )
        run = Run(exercise.answer, brief=True)
        begun = time.monotonic()
        with Workers(ahead=False) as workers:
            workers.run([run], [exercise.visible])
        child = int(run.outcomes["test_bias_at_axis_1"].stdout.split()[1])
        assert gone(child)
        assert time.monotonic() - begun < 60


def staying() -> Workers:
    return Workers(ahead=False, staying=True, isolated=True)


class TestStaying:
    def test_it_takes_the_next_run_where_answers_run_apart(self, exercise: Exercise) -> None:
        with staying() as workers:
            served = set()
            for seed in range(3):
                assert workers.spare is not None
                served.add(workers.spare.process.pid)
                run = Run(solution_of(exercise), seed)
                workers.run([run], [exercise.visible])
                assert run.passed
                assert os.listdir(workers.folder.name) == ["twins"] or not os.listdir(workers.folder.name)
            assert len(served) == 1

    def test_it_does_not_where_the_answer_comes_into_it(self, exercise: Exercise) -> None:
        with Workers(ahead=False, staying=True) as workers:
            workers.run([Run(solution_of(exercise))], [exercise.visible])
            assert workers.spare is None

    def test_it_does_not_once_an_answer_has_lost_its_process(self, exercise: Exercise) -> None:
        exercise.answer.write_text("import os\nos._exit(0)\n", encoding="utf-8")
        with staying() as workers:
            workers.run([Run(exercise.answer)], [exercise.visible])
            assert workers.spare is None

    def test_it_ends_after_some_runs(self, exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(runner, "PLANS", 2)
        with staying() as workers:
            for left in (True, False):
                workers.run([Run(solution_of(exercise))], [exercise.visible])
                assert (workers.spare is not None) is left

    def test_what_an_answer_did_to_a_file_of_checks_is_gone_in_the_next_run(self, exercise: Exercise) -> None:
        check = exercise.folder / "check_what_is_lent.py"
        check.write_text(
            "LENT = [1.0]\n\n\ndef test_lent(answer):\n    answer.grow(LENT)\n    assert LENT == [1.0, 2.0]\n",
            encoding="utf-8",
        )
        exercise.answer.write_text("def grow(items):\n    items.append(2.0)\n", encoding="utf-8")
        with staying() as workers:
            for _ in range(2):
                assert workers.spare is not None
                run = Run(exercise.answer)
                workers.run([run], [check], owners={check: exercise.folder})
                assert run.passed, run.outcomes


class TestOutput:
    def test_a_flood_is_kept_to_its_beginning(self, exercise: Exercise) -> None:
        exercise.answer.write_text(
            "import os, sys\n\nfor _ in range(200):\n    print('o' * 1_000_000)\n"
            "    print('e' * 1_000_000, file=sys.stderr)\n"
            "    os.write(2, b'r' * 1_000_000)\nraise ValueError('done')\n",
            encoding="utf-8",
        )
        run = Run(exercise.answer, limit=60.0, brief=True)
        with Workers(ahead=False) as workers:
            workers.run([run], [exercise.visible])
        outcome = run.outcomes["test_bias_at_axis_1"]
        assert "ValueError: done" in outcome.text
        assert len(outcome.stdout) < 11_000 and outcome.stdout.endswith("characters more\n")
        assert len(outcome.stderr) < 11_000
        assert len(outcome.text) < 5_000

    def test_bytes_are_text(self) -> None:
        stream = Bounded()
        stream.buffer.write("grün".encode())
        assert stream.getvalue() == "grün"

    def test_what_is_no_text_is_refused_as_by_any_stream(self) -> None:
        with pytest.raises(TypeError, match="must be str, not bytes"):
            Bounded().write(b"x")  # type: ignore[arg-type]
