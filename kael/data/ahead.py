"""Work done ahead of its use by threads, its results in the order of the work.

The threads share a `Line` with the caller, and none of them knows the iterator that hands out its results: when nobody
holds that any more, the line is stopped and the threads end.
"""

from __future__ import annotations

import contextvars
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from kael.autograd import is_grad_enabled, set_grad_enabled

__all__ = ["Ahead"]

PATIENCE = 0.5
"""Seconds after which a waiting caller looks up: on Windows, Ctrl-C does not end a wait."""


class Line:
    """What waits to be done, what is done, and how far ahead of the caller the threads may be."""

    def __init__(self, work: Iterator[Any], load: Callable[[Any], Any], ahead: int) -> None:
        self.work = work
        self.load = load
        self.ahead = ahead
        self.taking = threading.Lock()
        # Its lock may be taken again by the thread that holds it: the collector can call `stop` anywhere.
        self.news = threading.Condition()
        self.results: dict[int, tuple[Any, BaseException | None]] = {}
        self.taken = 0
        self.given = 0
        self.last: int | None = None
        self.stopped = False

    def serve(self) -> None:
        """Take work, one item after the other, and put down what became of it."""
        while (task := self.take()) is not None:
            number, item = task
            try:
                result, failure = self.load(item), None
            except BaseException as error:
                result, failure = None, error
            self.put(number, result, failure)
            del task, item, result, failure  # or they would live until the next one comes

    def take(self) -> tuple[int, Any] | None:
        """The next item and its number; None when there is none, or nobody waits for it."""
        with self.taking:
            with self.news:
                while not self.stopped and self.taken - self.given >= self.ahead:
                    self.news.wait()
                if self.stopped or self.last is not None:
                    return None
                number, self.taken = self.taken, self.taken + 1
            try:
                return number, next(self.work)
            except StopIteration:
                self.end(number)
            except BaseException as error:
                self.end(number + 1)
                self.put(number, None, error)
            return None

    def end(self, count: int) -> None:
        """There are so many results in all."""
        with self.news:
            self.last = count
            self.news.notify_all()

    def put(self, number: int, result: Any, failure: BaseException | None) -> None:
        """Put a result down, or what was raised instead."""
        with self.news:
            if not self.stopped:
                self.results[number] = (result, failure)
            self.news.notify_all()

    def get(self) -> Any:
        """The next result in order.

        Raises
        ------
        StopIteration
            When there is none.
        BaseException
            What was raised instead, with the traceback of the thread.
        """
        with self.news:
            while self.given not in self.results:
                if self.stopped or self.given == self.last:
                    raise StopIteration
                self.news.wait(PATIENCE)
            result, failure = self.results.pop(self.given)
            self.given += 1
            self.news.notify_all()
        if failure is not None:
            try:
                raise failure
            finally:
                failure = None  # its traceback holds this frame
        return result

    def stop(self) -> None:
        """Let the threads end, each when its item is done."""
        with self.news:
            self.stopped = True
            self.results.clear()
            self.news.notify_all()


class Ahead:
    """The results of ``load(item)`` for each item of `work`, in that order, computed ahead by threads.

    Parameters
    ----------
    work : iterator
        Items; one thread at a time takes one.
    load : callable
        What is done with each, by several threads at once.
    threads : int
        How many threads.
    ahead : int
        How many results may be waiting or at work.

    Notes
    -----
    What `load` raises is raised here, in its place in the order, and ends the iteration. The threads run in a copy of
    the caller's context and in its grad mode.

    Examples
    --------
    >>> from kael.data.ahead import Ahead
    >>> list(Ahead(iter(range(5)), lambda number: number * number, threads=2, ahead=4))
    [0, 1, 4, 9, 16]
    """

    def __init__(self, work: Iterator[Any], load: Callable[[Any], Any], threads: int, ahead: int) -> None:
        self._line = line = Line(work, load, ahead)
        self._stop = weakref.finalize(self, line.stop)
        recording = is_grad_enabled()
        for number in range(threads):
            context = contextvars.copy_context()
            target = (context, line, recording)
            thread = threading.Thread(target=serve, args=target, name=f"kael-data-{number}", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                if not number:
                    raise
                break  # no more threads here: the others do the work

    def __iter__(self) -> Ahead:
        return self

    def __next__(self) -> Any:
        try:
            return self._line.get()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let the threads end."""
        self._stop()


def serve(context: contextvars.Context, line: Line, recording: bool) -> None:
    """What a thread does."""
    with set_grad_enabled(recording):
        context.run(line.serve)
