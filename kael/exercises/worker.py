"""The process that runs checks: it imports readers' code, and tells its parent what happens, one line at a time.

Started by `kael.exercises.runner` as ``python -m kael.exercises.worker PLAN``. Standard output is kept for the report;
whatever an answer prints goes elsewhere.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

import pytest

from kael.exercises import plugin

__all__ = ["main"]


class Reporter:
    """Runs the checks of a plan on each of its answers and streams the states."""

    def __init__(self, plan: dict[str, Any], stream: TextIO) -> None:
        self.jobs = [plugin.Job(Path(job["file"]), job["seed"]) for job in plan["jobs"]]
        self.brief = {number for number, job in enumerate(plan["jobs"]) if job["brief"]}
        self.done = {(number, check) for number, check in plan["done"]}
        self.stream = stream
        self.waiting: set[tuple[int, str]] = set()
        self.failed: set[int] = set(plan["left_out"])

    def say(self, **line: Any) -> None:
        if line["event"] == "end":
            self.waiting.discard((line["job"], line["check"]))
        self.stream.write(json.dumps(line) + "\n")
        self.stream.flush()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One run per answer and seed; a check that draws no numbers runs once per answer."""
        numbers, seen = [], set()
        for number, job in enumerate(self.jobs):
            if "numbers" not in metafunc.fixturenames and job.file in seen:
                continue
            seen.add(job.file)
            numbers.append(number)
        metafunc.parametrize("job", [self.jobs[k] for k in numbers], indirect=True, ids=[str(k) for k in numbers])

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Answer by answer, without what an earlier worker did."""
        todo = [item for item in items if where(item) not in self.done]
        todo.sort(key=lambda item: where(item)[0])
        items[:] = todo
        self.waiting = {where(item) for item in todo}

    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Say what begins; where the first failure is enough, leave the rest of that answer."""
        number, check = where(item)
        if number in self.brief and number in self.failed:
            self.say(event="end", job=number, check=check, state="not run", text="", stderr="")
            return True
        self.say(event="start", job=number, check=check)
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Say how it ended."""
        state = getattr(report, plugin.STATE, None)
        if state is None and report.when == "call":
            state = "pass" if report.passed else "fail"
        elif state is None and not report.passed:
            state = "fail"
        if state is None:
            return
        name, _, number = report.nodeid.rpartition("::")[2].rstrip("]").partition("[")
        if state != "pass":
            self.failed.add(int(number))
        self.say(
            event="end", job=int(number), check=name, state=state, text=str(report.longrepr or ""),
            stderr=report.capstderr,
        )  # fmt: skip


def where(item: pytest.Item) -> tuple[int, str]:
    """Number of the answer and name of the check that an item stands for."""
    name, _, number = item.name.rstrip("]").partition("[")
    return int(number), name


def main(plan_file: str) -> int:
    """Run a plan; 0 when every check has been reported, whatever came of it."""
    plan = json.loads(Path(plan_file).read_text(encoding="utf-8"))
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    reporter = Reporter(plan, stream)
    plugin.OWNERS.update((Path(file), Path(folder)) for file, folder in plan["owners"].items())
    scratch = plan["scratch"]
    arguments = [
        *("--noconftest", f"--rootdir={scratch}", "-c", str(Path(scratch) / "pytest.ini")),
        *("-p", "no:cacheprovider", "-p", "no:terminal", "--import-mode=importlib", "-W", "error"),
        *("-o", "python_files=test_*.py check_*.py"),
        *plan["checks"],
    ]
    pytest.main(arguments, plugins=[plugin, reporter])
    if reporter.waiting:  # an answer has made pytest stop, with whatever exit code
        return 1
    reporter.say(event="done")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
