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
import sys
import threading
import traceback
import tracemalloc
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from kael.exercises.answers import load_answer
from kael.exercises.forbidden import forbidden
from kael.exercises.isolation import errors
from kael.exercises.isolation.peer import Gone, Peer
from kael.exercises.isolation.proxies import SPECIAL
from kael.exercises.output import Bounded

__all__ = ["main"]

ERRORS: Any = sys.__stderr__
CPU = 900
MEMORY = 6 << 30


class Answering(Peer):
    """Does what is asked of it."""

    def __init__(self, reading: Any, writing: Any) -> None:
        super().__init__(reading, writing, trusted=False)
        self.errors = sys.stderr
        self.printed: dict[str, Bounded] = {}

    def perform(self, op: str, arguments: list[Any], circumstances: Any) -> Any:
        """Do one thing that a check asks."""
        if circumstances:
            with surroundings(circumstances):
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
        self.printed = {"stdout": Bounded(), "stderr": Bounded()}
        sys.stdout, sys.stderr = self.printed["stdout"], self.printed["stderr"]
        warnings.resetwarnings()
        warnings.simplefilter("error")
        np.seterr(all="warn")
        self.end_after(limit + building)
        module = load_answer(Path(name).absolute())
        self.end_after(limit)
        return module

    def do_end(self) -> list[str]:
        """The check is over; what the answer has printed."""
        faulthandler.cancel_dump_traceback_later()
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
        return thing(*arguments, **dict(named))

    def do_special(self, thing: Any, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call one of the methods that Python looks for on the class."""
        assert method in SPECIAL
        return getattr(type(thing), method)(thing, *arguments)

    def do_repeat(self, thing: Any, rounds: int, arguments: tuple[Any, ...]) -> None:
        """Call it many times, for whoever measures the time that takes."""
        for _ in range(rounds):
            thing(*arguments)

    def do_trace(self) -> None:
        """Begin to watch the memory that is in use."""
        gc.collect()
        tracemalloc.start()

    def do_traced(self) -> tuple[int, int]:
        """Bytes in use now and at most, since `trace`."""
        gc.collect()
        found = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return found

    def do_depth(self) -> tuple[int, int, bool]:
        """Calls of this thread that wait for each other, the limit there is, and whether this is the first thread."""
        frame, calls = sys._getframe(), 0
        while frame is not None:
            frame, calls = frame.f_back, calls + 1  # type: ignore[assignment]
        return calls, sys.getrecursionlimit(), threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def surroundings(told: dict[str, Any]) -> Iterator[None]:
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
        yield


def limited() -> None:
    """Limits that an answer cannot lift, where the system has them: so that what gets away ends by itself."""
    try:
        import resource
    except ImportError:
        return
    for what, most in (("RLIMIT_CORE", 0), ("RLIMIT_CPU", CPU), ("RLIMIT_AS", MEMORY)):
        number = getattr(resource, what, None)
        if number is not None:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(number, (most, most))


def main() -> int:
    """Answer questions until there are no more."""
    reading, writing = (io.FileIO(os.dup(number), mode) for number, mode in ((0, "rb"), (1, "wb")))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    limited()
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
