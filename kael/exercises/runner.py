"""Running checks safely: this process never imports an answer; it starts workers, waits, kills and restarts them."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Outcome", "Run", "run_checks"]

STARTING = 60.0
"""Seconds that a worker may take before its first check, and from one to the next."""


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
    """

    state: str
    text: str = ""
    stderr: str = ""


@dataclass
class Run:
    """An answer to be checked with one seed, and what came of it.

    Attributes
    ----------
    file : Path
        The answer.
    seed : int
        Of the numbers that the checks draw.
    limit : float
        Seconds that one check may take.
    brief : bool
        Whether the first check that does not pass is enough.
    outcomes : dict of str to Outcome
        By check, filled in as they end.
    told : callable, optional
        Called after each outcome has been entered.
    """

    file: Path
    seed: int = 0
    limit: float = 10.0
    brief: bool = False
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    told: Callable[[], None] | None = None

    def enter(self, check: str, outcome: Outcome) -> None:
        """Take down what came of a check."""
        self.outcomes[check] = outcome
        if self.told is not None:
            self.told()

    @property
    def lost(self) -> bool:
        """Whether it has cost a worker."""
        return any(outcome.state in ("timeout", "crash") for outcome in self.outcomes.values())

    @property
    def passed(self) -> bool:
        """Whether every check passed, and there was one."""
        return bool(self.outcomes) and all(outcome.state == "pass" for outcome in self.outcomes.values())


def run_checks(
    runs: Sequence[Run],
    checks: Sequence[Path],
    scratch: Path,
    environment: Mapping[str, str] | None = None,
    owners: Mapping[Path, Path] | None = None,
) -> None:
    """Run every check on every answer, each within a time limit, and enter the outcomes.

    A check that does not end, or that takes its worker with it, is entered as such; a new worker goes on with what is
    left. An answer that has cost a worker is not run any further where it is `brief`.

    Parameters
    ----------
    runs : sequence of Run
        The answers.
    checks : sequence of Path
        Files with checks.
    scratch : Path
        An empty folder for the worker to stand in.
    environment : mapping of str to str, optional
        Variables to set for the worker.
    owners : mapping of Path to Path, optional
        The folder of the exercise, for each file of checks that lies neither in it nor in its proof.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    (scratch / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    finished = False
    while not finished:
        finished = _one_worker(runs, checks, scratch, environment or {}, owners or {})


def _one_worker(
    runs: Sequence[Run],
    checks: Sequence[Path],
    scratch: Path,
    environment: Mapping[str, str],
    owners: Mapping[Path, Path],
) -> bool:
    """Run a worker until it is done or lost; whether nothing is left."""
    plan = scratch / "plan.json"
    text = json.dumps(
        {
            "jobs": [{"file": str(run.file), "seed": run.seed, "brief": run.brief} for run in runs],
            "done": [(number, check) for number, run in enumerate(runs) for check in run.outcomes],
            "left_out": [number for number, run in enumerate(runs) if run.brief and run.lost],
            "scratch": str(scratch),
            "checks": [str(path) for path in checks],
            "owners": {str(file): str(folder) for file, folder in owners.items()},
        }
    )
    plan.write_text(text, encoding="utf-8")
    worker = _Worker(plan, scratch, environment)
    running: tuple[int, str] | None = None
    for line in worker.lines([run.limit for run in runs]):
        if line["event"] == "done":
            worker.stop()
            return True
        running = (line["job"], line["check"]) if line["event"] == "start" else None
        if line["event"] == "end":
            runs[line["job"]].enter(line["check"], Outcome(line["state"], line["text"], line["stderr"]))
    late = worker.stop()
    if running is None:
        raise RuntimeError(f"the worker ended between two checks:\n{worker.errors()}")
    number, check = running
    if late:
        outcome = Outcome("timeout", f"not done after {runs[number].limit:g} s: a loop that does not end?")
    else:
        code = worker.process.returncode
        outcome = Outcome("crash", f"the answer ended the run before the check was over (exit code {code})")
    runs[number].enter(check, outcome)
    return False


class _Worker:
    """A worker process, and the thread that listens to it so that waiting can have an end."""

    def __init__(self, plan: Path, scratch: Path, environment: Mapping[str, str]) -> None:
        self.error_file = scratch / "worker.err"
        with self.error_file.open("w", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "kael.exercises.worker", str(plan)],
                stdout=subprocess.PIPE,
                stderr=errors,
                stdin=subprocess.DEVNULL,
                cwd=scratch,
                env={**_environment(), **environment},
                encoding="utf-8",
            )
        self.said: queue.Queue[str | None] = queue.Queue()
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            for line in stream:
                self.said.put(line)
        self.said.put(None)

    def lines(self, limits: Sequence[float]) -> Iterator[dict[str, Any]]:
        """What the worker says, until it ends or says nothing for too long."""
        wait = STARTING
        while True:
            try:
                line = self.said.get(timeout=wait)
            except queue.Empty:
                return
            if line is None:
                return
            event = json.loads(line)
            wait = limits[event["job"]] if event["event"] == "start" else STARTING
            yield event

    def stop(self) -> bool:
        """End the process; whether it had to be killed."""
        late = self.listener.is_alive()
        if late:
            self.process.kill()
        self.listener.join()
        self.process.wait()
        return late

    def errors(self) -> str:
        """What the process wrote to standard error."""
        return self.error_file.read_text(encoding="utf-8", errors="replace")


def _environment() -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return {
        **kept,
        "PYTHONPATH": path,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
    }
