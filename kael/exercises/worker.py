"""The process that runs checks: it imports readers' code, and tells its parent what happens, one line at a time.

Started by `kael.exercises.runner` as ``python -m kael.exercises.worker``: it imports all that checks need, and waits
for its plan, one line of JSON, on standard input. Standard output is kept for the report; whatever an answer prints
goes elsewhere.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import queue
import signal
import sys
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

import numpy.random
import pytest

from kael.exercises import fence, limits, plugin
from kael.exercises.isolation.checking import IsolatedJob, Isolation
from kael.exercises.kept import Guarded
from kael.exercises.output import Bounded

__all__ = ["main"]

ARGUMENTS = [
    *("--noconftest", "-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:faulthandler", "-s"),
    *("--import-mode=importlib", "-W", "error", "-o", "python_files=test_*.py check_*.py"),
]
BUILDING = 60.0
"""Seconds that the compilers have for a Cython answer, beside the limit of the check."""
WATCHED = 1.0
"""Seconds more that this process has where the answer has its own, which ends at the limit."""
LONGEST = 20_000
"""Characters of a message that are passed on."""
PRINTED = 1_000
"""Characters of what an answer printed that stand below a message."""


class Stopped(Exception):
    """An answer raised what would end the whole run."""


class Reporter:
    """Runs the checks of a plan on each of its answers and streams the states."""

    def __init__(self, plan: dict[str, Any], stream: TextIO, errors: TextIO) -> None:
        self.token = plan["token"]
        files = len({job["file"] for job in plan["jobs"]})
        self.isolation = Isolation(plan["builds"], files, plan["one_reader"]) if plan["isolated"] else None
        self.checks = [{Path(path) for path in job.pop("checks")} for job in plan["jobs"]]
        self.jobs = [self.job(**job) for job in plan["jobs"]]
        self.limits = [job["limit"] + (0 if self.isolation is None else WATCHED) for job in plan["jobs"]]
        self.brief = {number for number, job in enumerate(plan["jobs"]) if job["brief"]}
        self.done = {(number, check) for number, check in plan["done"]}
        self.stream = stream
        self.errors = errors
        self.waiting: set[tuple[int, str]] = set()
        self.failed: set[int] = set()
        self.left_out = set(plan["left_out"])
        self.printed = {"stdout": Bounded(), "stderr": Bounded()}
        self.state = self.text = ""

    def job(self, file: str, origin: str, seed: int, limit: float, brief: bool) -> plugin.Job:
        """A job of the plan."""
        if self.isolation is None:
            return plugin.Job(Path(file), seed, Path(origin))
        return IsolatedJob(self.isolation, Path(file), seed, Path(origin), limit)

    def say(self, **line: Any) -> None:
        if line["event"] == "end":
            self.waiting.discard((line["job"], line["check"]))
        self.stream.write(f"{self.token} {json.dumps(line)}\n")
        self.stream.flush()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One run per answer and seed; a check that draws no numbers runs once per answer."""
        numbers, seen = [], set()
        for number, job in enumerate(self.jobs):
            if metafunc.definition.path not in self.checks[number]:
                continue
            if "numbers" not in metafunc.fixturenames and job.file in seen:
                continue
            seen.add(job.file)
            numbers.append(number)
        metafunc.parametrize("job", [self.jobs[k] for k in numbers], indirect=True, ids=[str(k) for k in numbers])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file of checks that cannot be imported is nobody's answer: say so and stop."""
        if report.failed:
            self.say(event="broken", text=f"{report.nodeid}\n{report.longrepr}"[:LONGEST])

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Answer by answer, without what an earlier worker did."""
        todo = [item for item in items if where(item) not in self.done]
        todo.sort(key=lambda item: where(item)[0])
        items[:] = todo
        self.waiting = {where(item) for item in todo}
        self.say(event="items", items=[where(item) for item in todo])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Say what begins, and have what is printed kept and the time measured."""
        number, check = where(item)
        self.printed = {"stdout": Bounded(), "stderr": Bounded()}
        self.state = self.text = ""
        known = plugin.exercise_of(item.path)
        self.say(
            event="start",
            job=number,
            check=check,
            read=known.read,
            again=plugin.again(known, self.jobs[number]),
            limit=self.limits[number],
        )
        self.end_after(self.limits[number])
        try:
            with (
                fence.around(),
                contextlib.redirect_stdout(self.printed["stdout"]),
                contextlib.redirect_stderr(self.printed["stderr"]),
            ):
                return (yield)
        finally:
            faulthandler.cancel_dump_traceback_later()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: pytest.FixtureRequest) -> Generator[None, Any, Any]:
        """An answer that wants to end the run while a fixture works on it fails its check."""
        try:
            if fixturedef.argname != "answer":
                with held_back():
                    return (yield)
            return (yield from self.loading(request))
        except Stopped as error:  # pytest remembers it for others, and ends the fixture, only where it sees it itself
            fixturedef.cached_result = (None, fixturedef.cache_key(request), (error, error.__traceback__))
            raise

    def loading(self, request: pytest.FixtureRequest) -> Generator[None, Any, Any]:
        """Say when the answer is being loaded and when it has been, and give it the time to."""
        number, _ = where(request.node)
        limit, file = self.limits[number], self.jobs[number].file
        building = BUILDING if file is not None and file.suffix == ".pyx" else 0.0
        self.say(event="loading", limit=limit + building)
        self.end_after(limit + building)
        with held_back():
            result = yield
        self.say(event="loaded", limit=limit)
        self.end_after(limit)
        return result

    def end_after(self, seconds: float) -> None:
        """Have the process end then, saying where it was: also in a loop that never lets another thread run."""
        faulthandler.dump_traceback_later(seconds, exit=True, file=self.errors)

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Iterator[None]:
        """An answer that wants to end the run fails its check."""
        with held_back():
            return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take down what a phase came to; the first that is no pass is what the check came to."""
        state = getattr(report, plugin.STATE, None)
        if state is None and (report.when == "call" or not report.passed):
            state = "pass" if report.passed else "fail"
        if state is not None and self.state in ("", "pass"):
            self.state, self.text = state, str(report.longrepr or "")

    def pytest_runtest_logfinish(self, nodeid: str, location: Any) -> None:
        """Say how a check ended, and what it has printed where that may help."""
        name, _, number = nodeid.rpartition("::")[2].rstrip("]").partition("[")
        if self.state != "pass":
            self.failed.add(int(number))
        printed = {stream: kept.getvalue() for stream, kept in self.printed.items()}
        text = self.text[:LONGEST]
        if self.state == "fail" and printed["stdout"].strip():
            lines = printed["stdout"][:PRINTED].rstrip().splitlines()
            text += "".join(f"\nprinted:      {line}" for line in lines[:10])
        self.say(event="end", job=int(number), check=name, state=self.state or "not run", text=text, **printed)


class Brief:
    """Leaves the rest of an answer where the first failure is enough, or where it has cost a worker."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Say that it is not run."""
        number, check = where(item)
        stopped = number in self.reporter.brief and number in self.reporter.failed
        if not stopped and number not in self.reporter.left_out:
            return None
        self.reporter.say(event="end", job=number, check=check, state="not run", text="", stderr="", stdout="")
        return True


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Turn what would end the run into an error of the answer."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit, pytest.exit.Exception) as error:
        raise Stopped(f"{type(error).__name__}({error}), which would end the run") from error


def where(item: pytest.Item) -> tuple[int, str]:
    """Number of the answer and name of the check that an item stands for."""
    name, _, number = item.name.rstrip("]").partition("[")
    return int(number), name


def run(plan: dict[str, Any], stream: TextIO, errors: TextIO) -> int:
    """Run a plan; 0 when every check has been reported, whatever came of it."""
    folder = os.getcwd()  # noqa: PTH109
    scratch, room = Path(plan["scratch"]), tempfile.mkdtemp(dir=plan["scratch"])
    os.chdir(room)
    os.environ.update(TMPDIR=room, TEMP=room, TMP=room)
    tempfile.tempdir = room
    if not plan["isolated"]:  # else no answer is here, and processes have to be started
        fence.put_up(Path(room))
    limits.set_limits()
    reporter = Reporter(plan, stream, errors)
    plugin.OWNERS.clear()
    plugin.OWNERS.update((Path(file), Path(folder)) for file, folder in plan["owners"].items())
    arguments = [*ARGUMENTS, f"--rootdir={scratch}", "-c", str(scratch / "pytest.ini"), *plan["checks"]]
    isolation = [] if reporter.isolation is None else [reporter.isolation]
    pytest.main(arguments, plugins=[plugin, Brief(reporter), reporter, *isolation])
    for own in isolation:
        own.close()
    if reporter.waiting:  # an answer has made pytest stop, with whatever exit code
        return 1
    os.chdir(folder)
    reporter.say(event="done")
    return 0


def forget(checks: Iterable[str]) -> None:
    """Have the files of checks imported anew by the next plan, since what stands in them may have been changed."""
    files = {os.path.realpath(path) for path in checks}
    names = {Path(path).name for path in files}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if Path(file).name in names and os.path.realpath(file) in files:
            del sys.modules[name]


def main() -> int:
    """Get ready, wait for a plan and run it; for another one where no answer comes into this process."""
    orders, stream, errors = os.dup(0), _private(1), _private(2)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    faulthandler.enable(errors, all_threads=False)
    numpy.random.default_rng(0)
    pytest.main([*ARGUMENTS, "--rootdir=.", "-c", os.devnull, "--collect-only", "."])
    plans: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders, plans), daemon=True).start()
    tools = Guarded()
    while True:
        plan = plans.get()
        code = run(plan, stream, errors)
        forget(plan["checks"])
        if code or not plan["isolated"] or tools.changed():
            return code


def _private(number: int) -> TextIO:
    """A stream to where a standard one goes, which an answer does not get into its hands by that number."""
    return os.fdopen(os.dup(number), "w", encoding="utf-8")


def _listen(orders: int, plans: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Pass on the plans, and end when the parent is gone, however it went, with all that an answer has started."""
    with os.fdopen(orders, "rb") as lines:
        for line in lines:
            plans.put(json.loads(line))
    with fence.lifted():
        if sys.platform != "win32":
            os.killpg(0, signal.SIGKILL)
        os._exit(1)


if __name__ == "__main__":
    os._exit(main())  # handlers and threads that an answer has left behind do not run on
