"""The side of the checks: starts answering processes, ends them, and says what became of them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import types
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from chapters.ch15_graph.graph import FORWARD
from chapters.ch16_rules.registry import RULES
from kael.exercises import NotAvailable, forbidden, groups, messages, plugin, twins
from kael.exercises.isolation import errors
from kael.exercises.isolation.account import folder_to_enter, given_away
from kael.exercises.isolation.peer import Gone, Peer
from kael.exercises.isolation.proxies import Proxy, Remote, special_of
from kael.exercises.isolation.wire import Garbled
from kael.exercises.runner import how_it_ended, hurried
from kael.exercises.sources import read_source
from kael.testing.elsewhere import ANSWERS

__all__ = ["IsolatedJob", "Isolation", "Lost"]

BUILDING = 60.0
"""Seconds that the compilers have for a Cython answer, beside the limit of the check."""
LATER = 0.5
"""Seconds after its limit that a process which has not ended by itself is ended."""
KEPT = 1 << 16
PR_SET_DUMPABLE = 4
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "INCLUDE", "LIB", "LIBPATH",
             "CC", "CXX", "KAEL_ENGINE", "KAEL_KERNELS", "LANG", "LC_ALL", "NUMBER_OF_PROCESSORS")  # fmt: skip


class Lost(Exception):
    """The answering process has ended, or has sent what is no answer.

    A check that catches it has failed all the same; no `BaseException`, since pytest loses its place when a fixture
    raises one.
    """

    def __init__(self, state: str, got: str, cause: str, place: str = "") -> None:
        super().__init__(got)
        self.state = state
        self.got = got
        self.cause = cause
        self.place = place


class Checking(Peer):
    """Asks an answering process."""

    def __init__(self, process: Process) -> None:
        super().__init__(process.reading, process.writing, trusted=True)
        self.process = process
        self.repeated: int | None = None
        self.calls = 0
        self.known = tables()
        self.opened: set[int] = set()

    def ask(self, op: str, *arguments: Any) -> Any:
        """Send a question and wait for its answer.

        Raises
        ------
        Lost
            When there is none, or none that can be read.
        """
        if self.process.lost is not None:
            raise self.process.lost
        if op == "call" and self.repeated is not None and not self.waiting:
            self.calls += 1
            op, arguments = "repeat", (self.repeated, *arguments)
        try:
            return super().ask(op, *arguments)
        except Gone:
            raise self.process.ended() from None
        except Garbled as error:
            raise self.process.spoilt(str(error)) from None

    # For those who measure: see kael.testing.elsewhere

    def rounds(self, number: int | None) -> int:
        """Make each call so often from now on; how many calls there were."""
        calls, self.calls, self.repeated = self.calls, 0, number
        return calls

    def begin_tracing(self) -> None:
        """Begin to watch memory."""
        self.ask("trace")

    def end_tracing(self) -> tuple[int, int]:
        """Bytes held, and the most that a call took."""
        held, most = self.ask("traced")
        return int(held), int(most)

    def calls_waiting(self) -> tuple[int, int, bool]:
        """Calls that wait for each other there."""
        waiting, limit, first = self.ask("depth")
        return int(waiting), int(limit), first is True

    def circumstances(self) -> Any:
        """Filters of warnings, the handling of floating point errors and what is ruled out, where out of the common."""
        told: dict[str, Any] = {}
        everything = [action for action, text, kind, module, line in warnings.filters
                      if text is None and module is None and kind is Warning and not line]  # fmt: skip
        action = everything[0] if everything else "default"
        if action != "error":
            told["warnings"] = "ignore"
        if (state := np.geterr()) != COMMON:
            told["errors"] = state
        if ruled_out := forbidden.now():
            told["forbidden"] = ruled_out
        kael = sys.modules.get("kael")
        if kael is not None and not kael.is_grad_enabled():
            told["no_grad"] = True
        if changed := self.changed_tables():
            told["tables"] = changed
        return told or None

    def changed_tables(self) -> list[Any]:
        """Operations and rules that a check has put into the tables of the chapters."""
        changed = []
        for name, (table, known) in self.known.items():
            for key, value in table.items():
                if known.get(key) is not value:
                    self.opened.add(id(value))
                    changed.append([name, key, self.shared.pack(value)])
        return changed

    def perform(self, op: str, arguments: list[Any], circumstances: Any) -> Any:
        """What an answer may do with what a check has lent it."""
        thing, *rest = arguments
        if isinstance(thing, Proxy | types.ModuleType):
            raise TypeError("only what a check has lent can be asked for")
        match op, rest:
            case "call", [tuple() as given, tuple() as named]:
                return thing(*given, **dict(named))
            case "special", [str() as method, tuple() as given] if method in special_of(thing):
                return getattr(type(thing), method)(thing, *given)
            case "get", [str() as name] if self.may_see(thing, name):
                return getattr(thing, name)
            case "set", [str() as name, value] if self.may_see(thing, name):
                return setattr(thing, name, value)
            case "method", [str() as name, tuple() as given, tuple() as named]:
                return getattr(thing, self.own_method(thing, name))(*given, **dict(named))
            case "repr", []:
                return repr(thing)
        raise AttributeError(f"{type(thing).__name__!r} object cannot be asked for {op} {rest[:1]}")

    def may_see(self, thing: Any, name: str) -> bool:
        """Whether an answer may ask for that attribute: public, and not of functions, classes or frames."""
        if name.startswith("_"):
            return False
        if isinstance(thing, types.GeneratorType):
            return name in ("send", "throw", "close")
        return not isinstance(thing, CLOSED) or id(thing) in self.opened

    @staticmethod
    def own_method(thing: Any, name: str) -> str:
        """A method that the class of a check has added to one of the chapters'."""
        if not isinstance(vars(type(thing)).get(name), types.FunctionType) or name.startswith("__"):
            raise AttributeError(f"{type(thing).__name__!r} object has no method {name!r} of its own")
        return name

    def stops(self, error: BaseException) -> bool:
        return isinstance(error, Lost | KeyboardInterrupt)

    def failed(self, error: BaseException) -> Any:
        number = self.shared.number()
        self.shared.exports[number] = error
        return [number, errors.packed(error)]

    def error(self, packed: Any) -> BaseException:
        origin, told = packed
        error = errors.made(told, self.process.file)
        if isinstance(error, errors.Ended):
            self.process.stopped = self.process.stopped or error
        mine = self.shared.exports.get(origin) if isinstance(origin, int) else None
        return mine if isinstance(mine, BaseException) else error


def tables() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """The tables of the chapters that a check may add to, and what they hold now."""
    found: dict[str, dict[str, Any]] = {"forward": cast("dict[str, Any]", FORWARD), "rules": RULES}
    return {name: (table, dict(table)) for name, table in found.items()}


COMMON = np.geterr()
CLOSED = (
    type, types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.FrameType, types.CodeType,
    types.TracebackType, types.CoroutineType, types.AsyncGeneratorType, BaseException,
)  # fmt: skip


class Process:
    """An answering process in a folder of its own."""

    def __init__(self, builds: str = "") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="kael-answer-", dir=folder_to_enter()))
        self.home = self.folder / "answer"
        self.home.mkdir()
        account = given_away(self.folder, self.home)
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        root = str(Path(__file__).resolve().parents[3])
        environment |= {
            "PYTHONPATH": os.pathsep.join([root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]),
            "PYTHONUTF8": "1", "HOME": str(self.home), "USERPROFILE": str(self.home),
            "TMPDIR": str(self.home), "TEMP": str(self.home), "TMP": str(self.home),
            twins.CACHE: builds if builds and not account else str(self.folder / "twins"),
        }  # fmt: skip
        if sys.flags.dont_write_bytecode:
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
        self.popen = subprocess.Popen(
            [sys.executable, "-P", "-m", "kael.exercises.isolation.answering"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.home, env=environment,
            bufsize=0, close_fds=True, **groups.apart(), **account,
        )  # fmt: skip
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        self.reading: Any = self.popen.stdout
        self.writing: Any = self.popen.stdin
        self.beside = bytearray()
        self.lost: Lost | None = None
        self.stopped: BaseException | None = None
        self.late = False
        self.file = Path()
        self.limit = 0.0
        self.listener = threading.Thread(target=self._drain, daemon=True)
        self.listener.start()
        self.peer = Checking(self)

    def _drain(self) -> None:
        assert self.popen.stderr is not None
        with contextlib.suppress(OSError, ValueError):
            while piece := os.read(self.popen.stderr.fileno(), KEPT):
                self.beside += piece
                del self.beside[:-KEPT]

    def end(self) -> None:
        """End it, with all that it has started, and remove its folder."""
        groups.end(self.popen)
        self.listener.join(timeout=1.0)
        for stream in (self.popen.stdin, self.popen.stdout):
            with contextlib.suppress(OSError):
                assert stream is not None
                stream.close()
        if not self.listener.is_alive():
            assert self.popen.stderr is not None
            self.popen.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ended(self) -> Lost:
        """What to say of a process that has ended."""
        if self.lost is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(timeout=0.5)
            killed = self.popen.returncode is None
            groups.end(self.popen)
            self.listener.join(timeout=1.0)
            said = self.beside.decode("utf-8", "replace")
            place = self.place(said)
            if self.late or re.search(r"Timeout \(\d+:\d\d:\d\d", said):
                cause = "a loop that does not end, or work that grows much faster than what it is given"
                self.lost = Lost("timeout", f"nothing within {self.limit:g} s", cause, place)
            elif killed:
                cause = "it wrote to files that are not its own; an answer returns, and leaves the process alone"
                self.lost = Lost("crash", "the process closed its end of the conversation", cause, place)
            else:
                got, cause = how_it_ended(self.popen.returncode)
                self.lost = Lost("crash", got, cause, place)
        return self.lost

    def place(self, said: str) -> str:
        """The line of the answer that it was at, where the process could say it."""
        found = re.search(rf'^  File ".*{re.escape(self.file.name)}", line (\d+)', said, re.MULTILINE)
        if found is None:
            return ""
        lines = self.file.read_text(encoding="utf-8", errors="replace").splitlines()
        number = int(found[1])
        line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        return f"{self.file.name}, line {number}: {line}"

    def spoilt(self, why: str) -> Lost:
        """What to say of a process that has sent what is no answer; it is ended."""
        if self.lost is None:
            groups.end(self.popen)
            cause = "it wrote to files that are not its own, or gave something that no check can take"
            self.lost = Lost("crash", f"the answering process sent what is no answer ({why:.200})", cause)
        return self.lost


class Isolation:
    """Gives each check its answer, in a process that serves one file only.

    Parameters
    ----------
    builds : str
        A folder for Cython files that are built; one for each process, so for each answer, when left out.
    files : int
        How many answers there will be: while there are more to come, a process is kept at the ready.
    one_reader : bool
        Whether all of them are one reader's, so that one process may serve them all.
    """

    def __init__(self, builds: str = "", files: int = 1, one_reader: bool = False) -> None:
        if sys.platform == "linux":  # so that an answer looks neither into this memory nor through these files
            ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)
        self.builds = builds
        self.files = 1 if one_reader else files
        self.one_reader = one_reader
        self.served: set[Path] = set()
        self.process: Process | None = None
        self.spare: Process | None = None
        self.never: dict[Path, Lost] = {}
        self.late: set[Path] = set()
        self.serving = False
        self.due = float("inf")
        self.closed = False
        self.condition = threading.Condition()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        """End a process whose time is over and that has not ended by itself."""
        with self.condition:
            while not self.closed:
                wait = self.due - time.monotonic()
                if wait > 0:
                    self.condition.wait(None if wait == float("inf") else wait)
                    continue
                self.due = float("inf")
                if self.process is not None:
                    self.process.late = True
                    groups.end(self.process.popen)

    def watch(self, seconds: float) -> None:
        """Give the process so many seconds from now."""
        with self.condition:
            self.due = time.monotonic() + seconds
            self.condition.notify()

    def process_for(self, file: Path) -> Process:
        """The process that serves a file: one at the ready, or a new one; never one that has served another reader."""
        process = self.process
        if process is not None and self.one_reader and process.lost is None:
            process.file = file
        if process is None or process.file != file or process.lost is not None:
            fresh = self.spare if self.spare is not None else Process(self.builds)
            self.spare, self.process = None, fresh
            fresh.file = file
            self.served.add(file)
            if len(self.served) < self.files:
                self.spare = Process(self.builds)
            if process is not None:
                process.end()
            return fresh
        return process

    def load(self, file: Path, limit: float, origin: Path | None = None) -> Any:
        """A stand-in for the answer in a file, imported anew.

        Raises
        ------
        NotStarted, NotAvailable, Exception
            As when the file is imported here.
        Lost
            When it ends its process, or does not end.
        """
        read_source(file, origin)
        if file in self.never:
            raise self.never[file]
        text = file.read_bytes()
        limit = hurried(limit) if file in self.late else limit
        process = self.process_for(file)
        (process.home / file.name).write_bytes(text)
        building = BUILDING if file.suffix == ".pyx" else 0.0
        process.limit, process.stopped = limit, None
        self.serving = True
        ANSWERS[:] = [process.peer]
        process.peer.rounds(None)
        self.watch(limit + building + LATER)
        process.peer.shared.clear()
        try:
            module = process.peer.ask("load", file.name, limit, building)
        except Lost as lost:
            self.never[file] = lost
            raise
        except Exception as error:
            if type(error).__name__ == "NotAvailable" and twins.missing():
                raise NotAvailable(twins.missing()) from None
            raise
        self.watch(limit + LATER)
        if not isinstance(module, Remote):
            self.never[file] = process.spoilt("a module that is none")
            raise self.never[file]
        return module

    def over(self) -> Lost | None:
        """The check is over: pass on what the answer has printed; what became of the process, where that is bad."""
        if not self.serving:
            return None
        self.serving = False
        ANSWERS.clear()
        process = self.process
        assert process is not None
        if process.lost is None:
            try:
                printed = process.peer.ask("end")
                for stream, text in zip((sys.stdout, sys.stderr), printed, strict=True):
                    stream.write(text)
            except Lost as lost:
                return lost
            except Exception as error:
                return process.spoilt(f"{type(error).__name__}: {error}")
            finally:
                self.watch(float("inf"))
        process.peer.shared.clear()
        self.watch(float("inf"))
        if process.lost is not None and process.lost.state == "timeout":
            self.late.add(process.file)
        return process.lost

    def close(self) -> None:
        """End every process."""
        ANSWERS.clear()
        with self.condition:
            self.closed = True
            self.condition.notify()
        for process in (self.process, self.spare):
            if process is not None:
                process.end()
        self.process = self.spare = None

    # Hooks of pytest

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """A check whose process was lost has failed, also where it did not notice."""
        lost = None
        stopped = None if self.process is None or not self.serving else self.process.stopped
        if call.when == "call" or (call.when == "setup" and call.excinfo is not None):
            lost = self.over()
            if call.excinfo is not None and isinstance(call.excinfo.value, Lost):
                lost = call.excinfo.value
        report: Any = yield
        exercise, job = plugin.exercise_of(item.path), plugin.job_of(item)
        if lost is None and report.passed and stopped is not None and job.file is not None:
            again = plugin.again(exercise, job)
            report.longrepr = messages.raised(exercise, stopped, job.file, job.origin or job.file, again)
            report.outcome = "failed"
            setattr(report, plugin.STATE, "fail")
        if lost is not None:
            loading = ", while it was being loaded" if lost in self.never.values() else ""
            name = exercise.file if job.file is None else job.file.name
            lines = [("called", f"your {name}{loading}"), ("got", lost.got), ("at", lost.place)]
            lines += [("likely cause", lost.cause), ("read", exercise.read)]
            lines += [("run again", plugin.again(exercise, job))]
            report.longrepr = "\n".join(f"{word + ':':<14}{text}" for word, text in lines if text)
            report.outcome, report.when = "failed", "call"
            setattr(report, plugin.STATE, lost.state)
        return report


class IsolatedJob(plugin.Job):
    """A job whose answer runs in a process of its own."""

    apart = True

    def __init__(self, isolation: Isolation, file: Path, seed: int, origin: Path, limit: float) -> None:
        super().__init__(file, seed, origin)
        self.isolation = isolation
        self.limit = limit

    def load(self, path: Path) -> Any:
        """A stand-in for the answer."""
        return self.isolation.load(path, self.limit, self.origin)
