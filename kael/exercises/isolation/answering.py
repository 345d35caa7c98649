"""The process that imports an answer and does what the checks ask of it.

Started by `kael.exercises.isolation.checking` as ``python -m kael.exercises.isolation.answering``, in a folder of its
own that holds a copy of the answer and nothing else. It knows no check, no seed and no path of either.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import io
import os
import signal
import site
import sys
import threading
import traceback
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep
from types import ModuleType
from typing import Any, cast

import numpy as np

import kael
from chapters.ch15_graph.graph import FORWARD
from chapters.ch16_rules.registry import RULES
from kael.exercises import fence, limits
from kael.exercises.answers import load_answer
from kael.exercises.forbidden import forbidden
from kael.exercises.isolation import errors
from kael.exercises.isolation.peer import Gone, Peer
from kael.exercises.isolation.proxies import SPECIAL
from kael.exercises.output import Bounded
from kael.testing.usage import here

__all__ = ["main"]

ERRORS: Any = sys.__stderr__
HOME = Path.cwd()
FLOATING = np.geterr()
RECURSION, STACK = sys.getrecursionlimit(), threading.stack_size()
CPU = 900
"""Seconds of computing after which the system ends a process that has got away."""
PR_SET_PDEATHSIG = 1


class Answering(Peer):
    """Does what is asked of it."""

    def __init__(self, reading: Any, writing: Any) -> None:
        super().__init__(reading, writing, trusted=False)
        self.errors = sys.stderr
        self.printed: dict[str, Bounded] = {}
        self.most = 0

    def perform(self, op: str, arguments: list[Any], circumstances: Any) -> Any:
        """Do one thing that a check asks."""
        with fence.around():
            if circumstances:
                with surroundings(circumstances, self.shared.unpack):
                    return getattr(self, f"do_{op}")(*arguments)
            return getattr(self, f"do_{op}")(*arguments)

    def failed(self, error: BaseException) -> Any:
        return [vars(error).get("kael_origin"), errors.packed(error)]

    def error(self, packed: Any) -> BaseException:
        origin, told = packed
        error = errors.made(told)
        vars(error)["kael_origin"] = origin
        return error

    def do_load(self, name: str, limit: float, building: float) -> ModuleType:
        """Import the answer anew."""
        self.shared.clear()
        os.chdir(HOME)
        self.printed = {"stdout": Bounded(), "stderr": Bounded()}
        sys.stdout, sys.stderr = self.printed["stdout"], self.printed["stderr"]
        warnings.resetwarnings()
        warnings.simplefilter("error")
        np.seterr(**FLOATING)
        sys.setrecursionlimit(RECURSION)
        threading.stack_size(STACK)
        self.end_after(limit + building)
        module = load_answer(HOME / name)
        self.end_after(limit)
        return module

    def do_end(self) -> list[str]:
        """The check is over; what the answer has printed."""
        faulthandler.cancel_dump_traceback_later()
        self.light = True
        return [self.printed[name].getvalue() if name in self.printed else "" for name in ("stdout", "stderr")]

    def end_after(self, seconds: float) -> None:
        """End the process then, saying where it was, also in a loop that never lets another thread run."""
        faulthandler.dump_traceback_later(seconds, exit=True, file=ERRORS)

    def do_get(self, thing: Any, name: str) -> Any:
        """An attribute."""
        if type(thing) is ModuleType and name in vars(thing):
            self.light = True
        return getattr(thing, name)

    def do_set(self, thing: Any, name: str, value: Any) -> None:
        """Set an attribute."""
        setattr(thing, name, value)

    def do_delete(self, thing: Any, name: str) -> None:
        """Delete an attribute."""
        delattr(thing, name)

    def do_repr(self, thing: Any) -> str:
        """How it shows itself."""
        return repr(thing)[:100_000]

    def do_call(self, thing: Any, arguments: tuple[Any, ...], named: tuple[tuple[str, Any], ...]) -> Any:
        """Call it."""
        if not tracemalloc.is_tracing():
            return thing(*arguments, **dict(named))
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        try:
            return thing(*arguments, **dict(named))
        finally:
            self.most = max(self.most, tracemalloc.get_traced_memory()[1] - before)

    def do_special(self, thing: Any, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call one of the methods that Python looks for on the class."""
        assert method in SPECIAL
        return getattr(type(thing), method)(thing, *arguments)

    def do_repeat(self, rounds: int, thing: Any, arguments: tuple[Any, ...], named: tuple[tuple[str, Any], ...]) -> Any:
        """Call it many times, for whoever measures the time that takes."""
        result, options = None, dict(named)
        for _ in range(rounds):
            result = thing(*arguments, **options)
        return result

    def do_trace(self) -> None:
        """Begin to watch the memory that is in use."""
        gc.collect()
        self.most = 0
        tracemalloc.start()

    def do_traced(self) -> tuple[int, int]:
        """Bytes held since `trace`, and the most that a call took."""
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return held, self.most

    def do_depth(self) -> tuple[int, int, bool]:
        """Calls of this thread that wait for each other, the limit there is, and whether this is the first thread."""
        calls = here()
        return calls.waiting, calls.limit, calls.first_thread


@contextlib.contextmanager
def surroundings(told: dict[str, Any], unpack: Callable[[Any], Any]) -> Iterator[None]:
    """What holds around a call in the check holds here too."""
    with contextlib.ExitStack() as stack:
        if "warnings" in told:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter(told["warnings"])
        if "errors" in told:
            stack.enter_context(np.errstate(**told["errors"]))
        if "forbidden" in told:
            stack.enter_context(forbidden(*told["forbidden"]))
        if "no_grad" in told:
            from kael.autograd import no_grad

            stack.enter_context(no_grad())
        for name, key, value in told.get("tables", ()):
            stack.enter_context(replaced(TABLES[name], key, unpack(value)))
        yield


TABLES: dict[str, dict[str, Any]] = {"forward": cast("dict[str, Any]", FORWARD), "rules": RULES}


@contextlib.contextmanager
def replaced(table: dict[str, Any], key: str, value: Any) -> Iterator[None]:
    """Another entry in a table, for a while."""
    before = dict(table)
    table[key] = value
    try:
        yield
    finally:
        table.clear()
        table.update(before)


def readable() -> list[Path]:
    """What an answer may read: its folder, Python with its packages, and kael without its tests and solutions."""
    places = [sys.prefix, sys.base_prefix, *sys.path, *site.getsitepackages(), "/proc/self", "/dev", "/etc", "/sys"]
    package = Path(kael.__file__).parent
    clone = os.path.realpath(package.parent) if (package.parent / "tests" / "exercises").is_dir() else ""
    found = [Path(place) for place in places if place and os.path.realpath(place) != clone]
    return [HOME, *found, package, package.parent / "chapters"]


def end_with_parent() -> None:
    """Have the system end this process with the one that started it, or at least after some time."""
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_with_parent(parent: int) -> None:
    """End when the side of the checks is gone, also in the middle of a call, with all that the answer has started."""
    while os.getppid() == parent:
        sleep(0.5)
    if sys.platform != "win32":
        with fence.lifted():
            os.killpg(0, signal.SIGKILL)


def main() -> int:
    """Answer questions until there are no more."""
    reading, writing = (io.FileIO(os.dup(number), mode) for number, mode in ((0, "rb"), (1, "wb")))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    fence.put_up(HOME, reading=readable())
    limits.set_limits()
    end_with_parent()
    if sys.platform != "win32":  # where the limit of the check ends it
        threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    faulthandler.enable(ERRORS, all_threads=False)
    peer = Answering(reading, writing)
    try:
        while True:
            what, *rest = peer.receive()
            assert what == "?"
            peer.reply(*rest)
    except Gone:
        return 0
    except Exception:
        traceback.print_exc(file=ERRORS)
        return 1


if __name__ == "__main__":
    os._exit(main())
