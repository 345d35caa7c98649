"""Grading several students at a time: in processes of this machine, or in those of a Dask cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from kael.exercises.grading.student import Record, Task, grade_student
from kael.extras import need

__all__ = ["Graded", "on_cluster", "on_this_machine"]

Graded = tuple[Task, list[Record] | Exception]
"""A task, and its records or why there are none."""

PATIENCE = 1.0
"""Seconds that processes have to end by themselves before they are killed."""

ANEW = 2
"""Times that a task is begun whose process is lost."""


def on_this_machine(
    tasks: Iterable[Task], jobs: int, function: Callable[[Task], list[Record]] = grade_student
) -> Iterator[Graded]:
    """Grade in so many processes; each has one student at a time, and the next task is only made when one is free.

    None of these processes imports an answer. They, and what they start, end when this generator is closed and when
    this process is gone.

    Parameters
    ----------
    tasks : iterable of Task
        What to grade.
    jobs : int
        How many processes.
    function : callable
        What grades one.
    """
    todo = iter(tasks)
    idle = [_Grader(function) for _ in range(jobs)]
    busy: dict[_Grader, Task] = {}
    lost: Counter[str] = Counter()
    try:
        for task in _while_any(todo, idle, busy):
            if task is not None:
                busy[idle.pop().given(task)] = task
                continue
            ready = wait([grader.connection for grader in busy])
            for grader in [grader for grader in busy if grader.connection in ready]:
                task = busy.pop(grader)
                answer = grader.answer()
                if answer is None:
                    _end([grader])
                    grader = _Grader(function)
                    lost[task.student] += 1
                    if lost[task.student] < ANEW:
                        busy[grader.given(task)] = task
                        continue
                    answer = RuntimeError("the process that graded it was lost, twice; is there enough memory?")
                idle.append(grader)
                yield task, answer
    finally:
        _end([*idle, *busy])


def _while_any(todo: Iterator[Task], idle: list[_Grader], busy: dict[_Grader, Task]) -> Iterator[Task | None]:
    """The next task while a process is free for it, None when it is time to wait for one."""
    left = True
    while left or busy:
        if left and idle:
            task = next(todo, None)
            left = task is not None
            if task is not None:
                yield task
        elif busy:
            yield None


class _Grader:
    """A process that grades one student after the other."""

    def __init__(self, function: Callable[[Task], list[Record]]) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(target=_serve, args=(theirs, function), daemon=False)
        self.process.start()
        theirs.close()

    def given(self, task: Task) -> _Grader:
        """Itself, with a task; whether it is alive to take it shows when its answer is asked for."""
        with contextlib.suppress(OSError):
            self.connection.send(task)
        return self

    def answer(self) -> list[Record] | Exception | None:
        """What became of the task; None when the process is lost."""
        try:
            answer: list[Record] | Exception = self.connection.recv()
        except (EOFError, OSError):
            return None
        return answer


def _end(graders: Sequence[_Grader]) -> None:
    """End processes and all that they started, after a moment to clean up in."""
    for grader in graders:
        grader.connection.close()
        grader.process.terminate()
    deadline = time.monotonic() + PATIENCE
    for grader in graders:
        grader.process.join(max(0.0, deadline - time.monotonic()))
        if grader.process.pid is not None:
            _kill_family(grader.process.pid)
        grader.process.kill()
        grader.process.join()


def _serve(connection: Connection, function: Callable[[Task], list[Record]]) -> None:
    """Grade what comes until nothing more does, or the process that sends it is gone."""
    _stand_apart()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        _serve_each(connection, function)
    finally:  # now it cleans up, and is on its way out in any case
        if sys.platform != "win32":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _serve_each(connection: Connection, function: Callable[[Task], list[Record]]) -> None:
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        answer: list[Record] | Exception
        try:
            answer = function(task)
        except Exception as error:
            answer = RuntimeError(f"{type(error).__name__}: {error}")
        try:
            connection.send(answer)
        except OSError:
            return


def _stand_apart() -> None:
    """Be out of reach of a Ctrl-C in the terminal: the process that started this one decides what is to end."""
    if sys.platform == "win32":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    else:
        os.setsid()
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    _kill_family(os.getpid())


def _kill_family(leader: int) -> None:
    """Kill a process that stands apart and all that it started."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(leader)], capture_output=True, check=False)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def on_cluster(
    tasks: Iterable[Task], address: str, function: Callable[[Task], list[Record]] = grade_student
) -> Iterator[Graded]:
    """Grade on a Dask cluster: as many students are on their way as keep its threads busy.

    Parameters
    ----------
    tasks : iterable of Task
        What to grade.
    address : str
        Of the scheduler, such as ``tcp://10.0.0.1:8786``.
    function : callable
        What grades one.

    Raises
    ------
    MissingExtra
        Where ``distributed`` is not installed.
    OSError
        When no scheduler answers, or it has no workers.
    """
    distributed: Any = need("distributed", "cluster", "grading on a cluster")
    try:
        client = distributed.Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise OSError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise OSError(f"the Dask scheduler at {address} has no workers; start some, `dask worker {address}`")
        todo = iter(tasks)
        sent: dict[Any, Task] = {}
        done = distributed.as_completed()
        try:
            while True:
                while len(sent) < 2 * threads and (task := next(todo, None)) is not None:
                    future = client.submit(function, task, pure=False)
                    sent[future] = task
                    done.add(future)
                if not sent:
                    return
                future = next(done)
                answer = future.exception() or future.result()
                yield sent.pop(future), answer
        finally:
            client.cancel(list(sent))
