"""Threads that help with one call: whoever is free takes the next part, and the caller takes parts as well.

A helper is asked, never waited for: the caller returns when no part is left and those that others began are done. So
calls from several threads share the helpers without a deadlock, a helper that starts late finds nothing left, and
where no thread can be started the caller does everything. Parts run a kernel of a twin, which gives up the
interpreter's lock for large operands and calls nothing of kael: calls do not nest.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from kael.spinning import Count

__all__ = ["run"]

PATIENCE = 0.004
"""Seconds of the process's time that a thread stays awake for the next job, or for the end of one."""


class Job:
    """The parts of one call that nobody has taken yet, and who is at work on the others."""

    def __init__(self, kernel: Callable[..., None], parts: list[tuple[Any, ...]], options: dict[str, Any]) -> None:
        self.kernel = kernel
        self.options = options
        self.parts = deque(parts)
        self.begun = Count()
        self.ended = Count()
        self.failures: list[BaseException] = []
        self.news: SimpleQueue[None] = SimpleQueue()

    def work(self) -> None:
        """Take parts until none is left."""
        while self.parts:
            try:
                part = self.parts.popleft()
            except IndexError:
                return  # somebody else was quicker
            self.kernel(*part, **self.options)

    def help(self) -> None:
        """Work as another thread than the caller's; what a part raises is kept for the caller."""
        self.begun.add()
        try:
            self.work()
        except BaseException as error:
            self.parts.clear()
            self.failures.append(error)
        finally:
            self.ended.add()
            self.news.put(None)

    def wait(self) -> None:
        """Return when no helper is at work; who begins from now on finds no parts."""
        while (ended := self.ended.value) < self.begun.value:
            if not self.ended.watch(ended, PATIENCE):
                self.news.get()

    def give_up(self) -> None:
        """Leave the parts that nobody has taken, and wait for the others, whatever interrupts the waiting."""
        self.parts.clear()
        while self.ended.value < self.begun.value:
            try:
                time.sleep(0.001)
            except KeyboardInterrupt:
                continue  # one is on its way to the caller already


class Helpers:
    """The threads of this process beside the callers', started when they are first needed."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[Job | None] = SimpleQueue()
        self.posted = Count()
        self.threads: list[threading.Thread] = []
        self.lock = threading.Lock()
        self.open = True

    def ask(self, count: int, job: Job) -> None:
        """Offer a job to so many helpers."""
        if len(self.threads) < count:
            self.start(count)
        for _ in range(min(count, len(self.threads))):
            self.jobs.put(job)
        self.posted.add()

    def start(self, count: int) -> None:
        """Have so many helpers, or as many as can be started."""
        with self.lock:
            while self.open and len(self.threads) < count:
                thread = threading.Thread(target=serve, args=(self.jobs, self.posted), name="kael", daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    return  # no more threads here: the caller does what they would have done
                self.threads.append(thread)

    def stop(self) -> None:
        """End all helpers; from now on callers work alone."""
        with self.lock:
            self.open = False
            ending, self.threads = self.threads, []
        for _ in ending:
            self.jobs.put(None)
        for thread in ending:
            thread.join()


def serve(jobs: SimpleQueue[Job | None], posted: Count) -> None:
    """What a helper does: one job after the other, until it is told to end."""
    while (job := jobs.get()) is not None:
        posted.part_ways()
        job.help()
        del job  # or the operands would live until the next one comes
        posts = posted.value
        if jobs.empty():
            posted.watch(posts, PATIENCE)


def run(threads: int, kernel: Callable[..., None], parts: list[tuple[Any, ...]], options: dict[str, Any]) -> None:
    """Call a kernel once for each part, on up to so many threads, this one among them.

    Returns, or raises what a part has raised or interrupted the wait, when all parts that were begun are done.
    """
    first, *others = parts
    job = Job(kernel, others, options)
    try:
        helpers.ask(min(threads, len(parts)) - 1, job)
        kernel(*first, **options)
        job.work()
        job.wait()
    except BaseException:
        job.give_up()
        raise
    if job.failures:
        raise job.failures[0]


def begin_anew() -> None:
    """Forget the threads of the process that this one was forked from: they are not here."""
    global helpers
    helpers = Helpers()


def stop() -> None:
    """End the helpers of this process."""
    helpers.stop()


helpers = Helpers()
atexit.register(stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=begin_anew)
