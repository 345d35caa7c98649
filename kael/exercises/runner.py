"""Running checks safely: this process never imports an answer; it starts workers, waits, kills and restarts them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import linecache
import os
import queue
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from kael.exercises import groups
from kael.exercises.sources import LARGEST
from kael.exercises.twins import CACHE

__all__ = ["Outcome", "Run", "Workers", "hurried", "run_checks"]

STARTING = 60.0
"""Seconds that a worker may take before its first check, and from one to the next."""
GRACE = 2.0
"""Seconds that a worker has to end by itself when a check's time is over, before it is killed."""
FAILURES = 2
"""Workers that may end before their first check, killed from outside, until it is given up."""
PLANS = 50
"""Runs that a worker takes at most, so that what they leave in its memory has an end."""
HURRIED = 5
"""Once a check of an answer has taken too long, each later one has this part of the limit."""
LEAST = 2.0
"""Seconds that every check has, where the limit is not less."""
KEPT = 1 << 16
"""Bytes that are kept of what a worker writes beside its report, from the end."""


@dataclass(frozen=True)
class Outcome:
    """What came of one check.

    Attributes
    ----------
    state : str
        ``pass``, ``fail``, ``timeout``, ``crash``, ``not started``, ``not available`` or ``not run``.
    text : str
        What the reader is told.
    stderr : str
        What the answer wrote to standard error.
    stdout : str
        What the answer printed.
    """

    state: str
    text: str = ""
    stderr: str = ""
    stdout: str = ""


@dataclass
class Run:
    """An answer to be checked with one seed, and what came of it.

    Attributes
    ----------
    file : Path
        The answer. A copy of it is run, made when the run begins.
    seed : int
        Of the numbers that the checks draw.
    limit : float
        Seconds that one check may take.
    brief : bool
        Whether the first check that does not pass is enough.
    patient : bool
        Whether the checks go on with an answer that has cost a worker.
    outcomes : dict of str to Outcome
        By check, filled in as they end.
    sha256 : str
        Of the bytes that were run; empty where there were none to read.
    told : callable, optional
        Called after each outcome has been entered.
    checks : sequence of Path
        Those files of checks that are for this answer; every file of the run when left out.
    """

    file: Path
    seed: int = 0
    limit: float = 10.0
    brief: bool = False
    patient: bool = True
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    sha256: str = ""
    told: Callable[[], None] | None = None
    checks: Sequence[Path] = ()

    def enter(self, check: str, outcome: Outcome) -> None:
        """Take down what came of a check."""
        self.outcomes[check] = outcome
        if self.told is not None:
            self.told()

    @property
    def time(self) -> float:
        """Seconds that its next check may take: `hurried` after one that took too long."""
        late = any(outcome.state == "timeout" for outcome in self.outcomes.values())
        return hurried(self.limit) if late else self.limit

    @property
    def lost(self) -> bool:
        """Whether it has cost a worker."""
        return any(outcome.state in ("timeout", "crash") for outcome in self.outcomes.values())

    @property
    def passed(self) -> bool:
        """Whether every check passed, and there was one."""
        return bool(self.outcomes) and all(outcome.state == "pass" for outcome in self.outcomes.values())


def hurried(limit: float) -> float:
    """Seconds for a check of an answer of which another check took too long.

    A right answer takes milliseconds, and the limit is there for slow machines; an answer that never ends would else
    take it as often as there are checks.

    Examples
    --------
    >>> hurried(20.0), hurried(10.0), hurried(1.0)
    (4.0, 2.0, 1.0)
    """
    return min(limit, max(LEAST, limit / HURRIED))


class Workers:
    """Processes that run checks, one of them always at the ready: it has imported everything and waits for a plan.

    A worker runs one plan and is then replaced, so that nothing of one run is left over in the next. Starting one takes
    about a third of a second; who holds `Workers` open while a reader types waits for none of it. Where answers run
    apart, and who holds `Workers` open asks for it, a worker goes on with the next plan: what has come from an answer
    was data, and the files of checks are imported anew.

    Parameters
    ----------
    environment : mapping of str to str, optional
        Variables to set for the workers.
    ahead : bool
        Whether a fresh worker is started as soon as a run is over.
    staying : bool
        Whether a worker whose answers run apart takes up to `PLANS` runs, one that lost none of their processes.
    isolated : bool
        Whether answers are imported in a process beside the worker, so that checks run where no answer can reach them.

    Examples
    --------
    >>> from kael.exercises.catalogue import find
    >>> exercise = find("ch17-03")[0]
    >>> with Workers() as workers:  # the first worker starts here
    ...     run = Run(exercise.answer)
    ...     workers.run([run], [exercise.visible])
    >>> run.outcomes["test_bias_at_axis_1"].state
    'not started'
    """

    def __init__(
        self,
        environment: Mapping[str, str] | None = None,
        *,
        ahead: bool = True,
        staying: bool = False,
        isolated: bool = False,
    ) -> None:
        self.ahead = ahead
        self.staying = staying and isolated
        self.isolated = isolated
        self.builds = (environment or {}).get(CACHE, "")
        self.folder = tempfile.TemporaryDirectory(prefix="kael-checks-", ignore_cleanup_errors=True)
        self.environment = {CACHE: str(Path(self.folder.name) / "twins"), **(environment or {})}
        self.count = 0
        self.spare: _Worker | None = None

    def __enter__(self) -> Workers:
        self.warm()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def warm(self) -> None:
        """Start a worker unless one is waiting already."""
        if self.spare is not None and self.spare.process.poll() is not None:
            self.spare.stop()
            self.spare = None
        if self.spare is None:
            self.spare = _Worker(Path(self.folder.name), self.environment)

    def close(self) -> None:
        """End the worker that waits, and remove what the runs left."""
        if self.spare is not None:
            self.spare.stop()
            self.spare = None
        self.folder.cleanup()

    def run(
        self,
        runs: Sequence[Run],
        checks: Sequence[Path],
        scratch: Path | None = None,
        owners: Mapping[Path, Path] | None = None,
        *,
        one_reader: bool = False,
        builds: Path | None = None,
    ) -> None:
        """Run every check on every answer, each within a time limit, and enter the outcomes.

        A check that does not end, or that takes its worker with it, is entered as such; a new worker goes on with what
        is left. An answer that has cost a worker is not run any further where it is `brief`; one that does so while
        it is being loaded would do it again, so that its other checks are entered as well.

        Parameters
        ----------
        runs : sequence of Run
            The answers.
        checks : sequence of Path
            Files with checks.
        scratch : Path, optional
            An empty folder for the workers to stand in; one of their own when left out.
        owners : mapping of Path to Path, optional
            The folder of the exercise, for each file of checks that lies neither in it nor in its proof.
        one_reader : bool
            Whether all answers are one reader's, so that one process apart from the checks may import them all.
        builds : Path, optional
            Where answers that run apart find and keep what Cython files become; each for itself when left out.
        """
        if scratch is None:
            self.count += 1
            own = Path(self.folder.name) / f"run{self.count}"
            try:
                self.run(runs, checks, own, owners, one_reader=one_reader, builds=builds)
            finally:
                shutil.rmtree(own, ignore_errors=True)
            return
        scratch.mkdir(parents=True, exist_ok=True)
        (scratch / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        told = {"isolated": self.isolated, "builds": str(builds or self.builds), "one_reader": one_reader}
        plan = _Plan(runs, checks, scratch, owners or {}, told)
        try:
            while not plan.finished:
                self.warm()
                assert self.spare is not None
                worker, self.spare = self.spare, None
                try:
                    plan.carry_out(worker)
                    worker.plans += 1
                    if self.staying and plan.finished and worker.plans < PLANS and not any(run.lost for run in runs):
                        self.spare = worker
                finally:
                    if worker is not self.spare:
                        worker.stop()
        finally:
            plan.put_back()
        if self.ahead:
            self.warm()


def run_checks(
    runs: Sequence[Run],
    checks: Sequence[Path],
    scratch: Path,
    environment: Mapping[str, str] | None = None,
    owners: Mapping[Path, Path] | None = None,
    *,
    isolated: bool = False,
) -> None:
    """`Workers.run`, once, with workers that are started for it and ended after it."""
    with Workers(environment, ahead=False, isolated=isolated) as workers:
        workers.run(runs, checks, scratch, owners)


class _Plan:
    """What is to be run, how far it has got, and the copies of the answers that are run."""

    def __init__(
        self,
        runs: Sequence[Run],
        checks: Sequence[Path],
        scratch: Path,
        owners: Mapping[Path, Path],
        isolated: Mapping[str, Any],
    ) -> None:
        self.isolated = isolated
        self.runs = runs
        self.checks = checks
        self.scratch = scratch
        self.owners = owners
        self.finished = False
        self.failures = 0
        self.copies: list[Path] = []
        self.kept: dict[Path, bytes] = {}
        self.left: list[tuple[int, str]] = []
        self.times: list[float] = []
        self.known: dict[str, dict[str, str]] = {}
        copied: dict[Path, Path] = {}
        for run in runs:
            if run.file not in copied:
                copied[run.file] = self.copy(run.file, len(copied))
            self.copies.append(copied[run.file])
            if run.file in self.kept:
                run.sha256 = hashlib.sha256(self.kept[run.file]).hexdigest()

    def copy(self, file: Path, number: int) -> Path:
        """A copy of an answer, which runs in its place; the file itself where it cannot be read."""
        try:
            if not file.is_file() or file.stat().st_size > LARGEST:
                return file
            text = file.read_bytes()
        except OSError:  # the worker says what is the matter with it
            return file
        copy = self.scratch / "answers" / str(number) / file.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(text)
        self.kept[file] = text
        return copy

    def put_back(self) -> None:
        """Write a reader's file again where it has gone while it ran; never over one that is there."""
        for file, text in self.kept.items():
            with contextlib.suppress(OSError):
                if file.parent.is_dir() and not file.exists():
                    with file.open("xb") as stream:
                        stream.write(text)

    def order(self, token: str) -> dict[str, Any]:
        """What a worker is told."""
        self.times = [run.time for run in self.runs]
        return {
            "token": token,
            "jobs": [
                {
                    "file": str(copy),
                    "origin": str(run.file),
                    "seed": run.seed,
                    "brief": run.brief,
                    "limit": time,
                    "checks": [str(path) for path in run.checks or self.checks],
                }
                for run, copy, time in zip(self.runs, self.copies, self.times, strict=True)
            ],
            "done": [(number, check) for number, run in enumerate(self.runs) for check in run.outcomes],
            "left_out": [number for number, run in enumerate(self.runs) if run.lost and (run.brief or not run.patient)],
            "scratch": str(self.scratch),
            "checks": [str(path) for path in self.checks],
            **self.isolated,
            "owners": {str(file): str(folder) for file, folder in self.owners.items()},
        }

    def carry_out(self, worker: _Worker) -> None:
        """Have a worker run what is left, until it is done or lost."""
        token = secrets.token_hex(8)
        worker.tell(self.order(token))
        running: tuple[int, str] | None = None
        before = sum(len(run.outcomes) for run in self.runs)
        loading = False
        self.left = []
        for line in worker.lines(token):
            match line["event"]:
                case "done":
                    self.finished = True
                    return
                case "broken":
                    raise RuntimeError(f"these checks cannot be run: {line['text']}")
                case "items":
                    self.left = [(number, check) for number, check in line["items"]]
                case "start":
                    running, loading = (line["job"], line["check"]), False
                    self.known[line["check"]] = {word: line[word] for word in ("read", "again")}
                case "loading" | "loaded":
                    loading = line["event"] == "loading"
                case "end":
                    running, loading = None, False
                    outcome = Outcome(line["state"], line["text"], line["stderr"], line["stdout"])
                    self.runs[line["job"]].enter(line["check"], outcome)
        worker.stop()
        left = [(number, check) for number, check in self.left if check not in self.runs[number].outcomes]
        if running is None and left and before == sum(len(run.outcomes) for run in self.runs):
            running = left[0]  # so that every worker brings the run further
        if running is None:
            self.failures += not self.left
            if self.failures > FAILURES:
                raise RuntimeError(f"{self.failures} workers ended before they could begin:\n{worker.errors()}")
            return
        number, check = running
        self.runs[number].enter(check, self.lost(worker, number, check, loading))
        if loading:
            for other, name in left:
                if self.runs[other].file == self.runs[number].file and name not in self.runs[other].outcomes:
                    self.runs[other].enter(name, self.lost(worker, other, name, loading))

    def lost(self, worker: _Worker, number: int, check: str, loading: bool) -> Outcome:
        """What to say of a check that has cost its worker."""
        run, copy = self.runs[number], self.copies[number]
        said = worker.errors()
        state = "timeout" if worker.late or re.search(r"Timeout \(\d+:\d\d:\d\d", said) else "crash"
        lines = [("called", f"your {run.file.name}" + (", while it was being loaded" if loading else ""))]
        if state == "timeout":
            lines.append(("got", f"nothing within {self.times[number]:g} s"))
            cause = "a loop that does not end, or work that grows much faster than what it is given"
        else:
            ended, cause = how_it_ended(worker.process.returncode)
            lines.append(("got", ended))
        place = re.search(rf'^  File "{re.escape(str(copy))}", line (\d+)', said, re.MULTILINE)
        if place:
            line = linecache.getline(str(copy), int(place[1])).strip()
            lines.append(("at", f"{run.file.name}, line {place[1]}: {line}"))
        lines.append(("likely cause", cause))
        known = self.known.get(check) or next(iter(self.known.values()), {})
        lines += [("read", known.get("read", "")), ("run again", known.get("again", ""))]
        return Outcome(state, "\n".join(f"{word + ':':<14}{text}" for word, text in lines if text))


def how_it_ended(code: int) -> tuple[str, str]:
    """How a process ended, in words, and what most likely did it."""
    if code in (-getattr(signal, "SIGSEGV", 0), -getattr(signal, "SIGBUS", 0), 0xC0000005):
        return (
            "the process died: it touched memory that is not its own",
            "an index beyond the end of an array in C or Cython, or a wrong address given to ctypes",
        )
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return f"the process was ended by {name}", "it took more memory than there is, or it ended itself"
    return (
        f"the process ended with exit code {code} before the check was over",
        "os._exit or something like it; an answer returns, and leaves the process alone",
    )


class _Worker:
    """A worker process, and the threads that listen to it so that waiting can have an end."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "kael.exercises.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**_environment(), **environment},
            **groups.apart(),
        )
        self.said: queue.Queue[str | None] = queue.Queue()
        self.beside = bytearray()
        self.late = False
        self.stopped = False
        self.plans = 0
        self.threads = [
            threading.Thread(target=self._listen, args=(self.process.stdout,), daemon=True),
            threading.Thread(target=self._drain, args=(self.process.stderr,), daemon=True),
        ]
        for thread in self.threads:
            thread.start()

    def _listen(self, stream: IO[bytes]) -> None:
        for line in stream:
            self.said.put(line.decode("utf-8", "replace"))
        self.said.put(None)

    def _drain(self, stream: IO[bytes]) -> None:
        while piece := os.read(stream.fileno(), KEPT):
            self.beside += piece
            del self.beside[:-KEPT]

    def tell(self, order: dict[str, Any]) -> None:
        """Send the plan; a worker that has ended is found out by who listens."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.write(json.dumps(order).encode() + b"\n")
            self.process.stdin.flush()

    def lines(self, token: str) -> Iterator[dict[str, Any]]:
        """What the worker says, until it ends or says nothing for too long; lines without its token are not its own."""
        wait = STARTING
        while True:
            try:
                line = self.said.get(timeout=wait)
            except queue.Empty:
                self.late = True
                return
            if line is None:
                return
            head, _, rest = line.partition(" ")
            if head != token:
                continue
            event = json.loads(rest)
            wait = event["limit"] + GRACE if "limit" in event else STARTING
            yield event

    def stop(self) -> None:
        """End the process and every process that it has started."""
        if self.stopped:
            return
        self.stopped = True
        groups.end(self.process)
        for thread in self.threads:
            thread.join(timeout=GRACE)  # a process that left the group may hold the other end
        with contextlib.suppress(OSError):
            assert self.process.stdin is not None
            self.process.stdin.close()
        if not any(thread.is_alive() for thread in self.threads):
            for stream in (self.process.stdout, self.process.stderr):
                assert stream is not None
                stream.close()

    def errors(self) -> str:
        """The end of what the process wrote beside its report."""
        return self.beside.decode("utf-8", "replace")


def _environment() -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return {
        **kept,
        "PYTHONPATH": path,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONUTF8": "1",
    }
