"""One wheel, built once and installed everywhere; then every check there is, as many stages at a time as processors.

Each stage is a piece of bash that runs in a clone of its own, so that no two of them write into one folder; what one
takes from another it says in `after`. A stage's output is printed whole when it ends, and seconds per stage at the end.
Every stage is run, also after one that failed: one run then shows all that is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parents[1]
STEP = 0.1
"""Seconds between two looks at the running stages."""
GRACE = 15.0
"""Seconds that an interrupted stage has to end what it started."""
RECALLED = 12
"""Lines of a failed stage that are shown again at the end."""


@dataclass(frozen=True)
class Stage:
    """A piece of work.

    Attributes
    ----------
    key : str
        Its word on the command line, and the name of its clone.
    name : str
        What the log calls it.
    script : str
        Bash; the first command that fails ends it.
    after : tuple of str
        Keys of the stages whose products it takes.
    alone : bool
        Whether it has the machine to itself: it measures, or uses every processor by itself.
    """

    key: str
    name: str
    script: str
    after: tuple[str, ...] = ()
    alone: bool = False


# Scripts find PYTHON, the interpreter that environments are made of; WORK, the folder that holds the clones; and, after
# the stage `wheel`, WHEEL and SDIST. After the stage `everything`, python and pytest in TOOLS see every extra but the
# book's. Of the stages that may begin the first does: the long ones stand first, and those that run alone last.
STAGES = (
    Stage(
        "wheel",
        "wheel and sdist",
        """
        "$PYTHON" -m venv "$WORK/build-venv"
        "$WORK/build-venv/bin/python" -m pip install -q -c .ci/constraints.txt build
        KAEL_BUILD=cython "$WORK/build-venv/bin/python" -m build --quiet --outdir "$WORK/dist" .
        ls -l "$WORK/dist"
        """,
    ),
    Stage("suite", "suite, compiled (make test)", 'make test KAEL="$WHEEL"', after=("wheel",)),
    # Its environment lacks PyTorch, as a contributor's does: types must not depend on what happens to be installed.
    Stage("lint", "lint and types", 'make lint VENV="$TOOLS" KAEL="$WHEEL"', after=("wheel",)),
    Stage(
        "everything",
        "environment with every extra, and PyTorch",
        """
        "$TOOLS/bin/python" -m pip install -q torch==2.13.0
        "$TOOLS/bin/python" -m pip install -q -c .ci/constraints.txt distributed
        """,
        after=("lint",),
    ),
    Stage(
        "plain",
        "no compiler",
        """
        "$PYTHON" -m venv "$WORK/plain-venv"
        KAEL_BUILD=python "$WORK/plain-venv/bin/python" -m pip install -q -c .ci/constraints.txt '.[test]'
        "$WORK/plain-venv/bin/python" -m pytest -q tests/autograd tests/ops tests/chapters tests/kernels
        """,
    ),
    Stage(
        "debug",
        "kernels' tests, KAEL_DEBUG=1",
        """
        export KAEL_DEBUG=1 PYTHONSAFEPATH=
        "$PYTHON" -m venv "$WORK/debug-venv"
        python="$WORK/debug-venv/bin/python"
        "$python" -m pip install -q -c .ci/constraints.txt numpy cython setuptools pytest hypothesis
        KAEL_BUILD=cython KAEL_BUILD_SETS=baseline "$python" setup.py -q build_ext --inplace
        "$python" -m pytest -q tests/kernels
        """,
    ),
    Stage(
        "book",
        "book",
        """
        make book KAEL="$WHEEL"
        .venv/bin/python -m kael.book notebooks --check
        .venv/bin/python -m kael.book summary
        """,
        after=("wheel",),
    ),
    Stage(
        "notebooks",
        "notebooks",
        """
        for rung in cython numpy; do
            KAEL_KERNELS=$rung "$WORK/book/.venv/bin/python" -m kael.book notebooks --run
        done
        # Where a chapter runs on small numbers alone, on the definitions as well.
        KAEL_KERNELS=python "$WORK/book/.venv/bin/python" -m kael.book notebooks --run ch15 ch16 ch17
        """,
        after=("book",),
    ),
    Stage(
        "browser",
        "browser",
        """
        if ! command -v chromium >/dev/null; then
            apt-get -qq update && apt-get -qq install -y chromium >/dev/null
        fi
        cd "$WORK/book"
        .venv/bin/python tests/book/browser/run.py
        """,
        after=("book",),
    ),
    Stage(
        "torch",
        "beside PyTorch",
        """
        "$TOOLS/bin/python" -m pytest -q tests/ops tests/nn tests/optim
        module tests.compare_torch
        """,
        after=("everything",),
    ),
    Stage(
        "rungs",
        "chapters on NumPy beside chapters on twins",
        """
        mixtures=$("$TOOLS/bin/python" .ci/mixed_rungs.py)
        for rungs in $mixtures; do
            echo "$rungs, the others on their twins"
            KAEL_KERNELS=$rungs "$TOOLS/bin/python" -m pytest -q tests/autograd -m "not slow" -p no:warnings
        done
        """,
        after=("everything",),
    ),
    Stage(
        "sets",
        "each instruction set",
        """
        sets=$("$TOOLS/bin/python" -c 'from kael.kernels import instruction_sets; print(*instruction_sets()[1:])')
        for set in $sets; do
            echo "forced to $set"
            KAEL_CPU=$set "$TOOLS/bin/python" -m pytest -q -m "not slow" tests/autograd \\
                tests/kernels/test_ch13_reductions.py
        done
        """,
        after=("everything",),
    ),
    Stage("promises", "promises", "module tests.promises", after=("everything",)),
    Stage(
        "installs",
        "installs and the README's commands",
        'KAEL_TEST_INSTALLS=1 "$TOOLS/bin/python" -m pytest -q tests/packaging',
        after=("everything",),
    ),
    Stage(
        "pure",
        "engine's tests, pure",
        'KAEL_ENGINE=python "$TOOLS/bin/python" -m pytest -q tests/autograd tests/ops',
        after=("everything",),
    ),
    Stage(
        "loops",
        "engine's tests on plain loops",
        'KAEL_KERNELS=python "$TOOLS/bin/python" -m pytest -q tests/autograd',
        after=("everything",),
    ),
    Stage(
        "cluster",
        "grading on a Dask cluster",
        '"$TOOLS/bin/python" -m pytest -q tests/exercises/grading -k cluster',
        after=("everything",),
    ),
    Stage(
        "sdist",
        "sdist in an empty directory",
        """
        "$PYTHON" -m venv "$WORK/sdist-venv"
        mkdir "$WORK/empty"
        cd "$WORK/empty"
        # The wheel was built from this archive, with every instruction set: one is enough here.
        KAEL_BUILD_SETS=baseline "$WORK/sdist-venv/bin/python" -m pip install -q "$SDIST"
        "$WORK/sdist-venv/bin/python" -m kael
        "$WORK/sdist-venv/bin/python" -c 'import kael; kael.show_config()'
        """,
        after=("wheel",),
    ),
    Stage("proofs", "exercises proven", '"$TOOLS/bin/python" -m kael.cli ex verify', after=("everything",), alone=True),
    Stage(
        "overhead",
        "cost per operation beside PyTorch",
        '"$TOOLS/bin/python" -m kael.cli bench overhead',
        after=("everything",),
        alone=True,
    ),
)

PRELUDE = """\
set -euo pipefail
# Runs a module of the clone, which is not on the path, beside the kael that is installed.
module() {
    local code="import runpy, sys; sys.path.append('.'); runpy.run_module('$1', run_name='__main__')"
    "$TOOLS/bin/python" -c "$code"
}
"""


class Ended(NamedTuple):
    """What became of a stage: its exit status, and seconds on the clock and of all processors."""

    status: int
    elapsed: float
    worked: float


class Lanes:
    """Runs stages beside each other.

    Parameters
    ----------
    stages : sequence of Stage
        All that is to be run, with all that they need.
    count : int
        How many at a time.
    work : Path
        An empty folder for clones, products and logs.
    tree : Path
        The repository that is cloned.
    """

    def __init__(self, stages: Sequence[Stage], count: int, work: Path, tree: Path) -> None:
        self.waiting = list(stages)
        self.count = count
        self.work = work
        self.tree = tree
        self.running: dict[Stage, tuple[subprocess.Popen[bytes], float]] = {}
        self.ended: dict[str, Ended] = {}

    def run(self) -> None:
        """Run them all, and leave none running when interrupted."""
        try:
            while self.waiting or self.running:
                while (stage := self.next()) is not None:
                    self.begin(stage)
                time.sleep(STEP)
                for stage, (process, _) in list(self.running.items()):
                    before = worked()
                    if process.poll() is not None:
                        self.end(stage, worked() - before)
        finally:
            self.stop()

    def next(self) -> Stage | None:
        """The first waiting stage that may begin now."""
        if len(self.running) >= self.count or any(stage.alone for stage in self.running):
            return None
        for stage in self.waiting:
            if all(key in self.ended for key in stage.after) and not (stage.alone and self.running):
                return stage
        return None

    def begin(self, stage: Stage) -> None:
        """Clone, and start the script there as the leader of a group of processes."""
        print(f"--- {stage.name} begins", flush=True)
        self.waiting.remove(stage)
        clone = self.work / stage.key
        with self.log(stage).open("wb") as log:
            subprocess.run(["git", "clone", "-q", str(self.tree), str(clone)], stdout=log, stderr=log, check=True)
            process = subprocess.Popen(
                ["bash", "-c", PRELUDE + stage.script],
                cwd=clone,
                env=environment(self.work),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.running[stage] = process, time.monotonic()

    def end(self, stage: Stage, worked: float, note: str = "") -> None:
        """Print what it said, and count it."""
        process, began = self.running.pop(stage)
        ended = self.ended[stage.key] = Ended(process.returncode, time.monotonic() - began, worked)
        said = self.log(stage).read_text(encoding="utf-8", errors="replace")
        spent = f"--- {ended.elapsed:.0f} s, {worked:.0f} s of processors"
        print(f"\n=== {stage.name}{note}", said.rstrip("\n"), spent, sep="\n", flush=True)

    def stop(self) -> None:
        """Interrupt what still runs, as Ctrl-C does, and end what has not ended soon."""
        started = descendants([process.pid for process, _ in self.running.values()])
        for process, _ in self.running.values():
            os.killpg(process.pid, signal.SIGINT)
        deadline = time.monotonic() + GRACE
        for stage, (process, _) in list(self.running.items()):
            before = worked()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            self.end(stage, worked() - before, ", interrupted")
        for number in started:  # also in groups of their own, as tests of Ctrl-C start them
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)

    def log(self, stage: Stage) -> Path:
        """Where its output is kept."""
        return self.work / f"{stage.key}.log"

    def failed(self, stage: Stage) -> bool:
        """Whether it ended, and not well."""
        return stage.key in self.ended and self.ended[stage.key].status != 0


def descendants(roots: Sequence[int]) -> set[int]:
    """The numbers of all processes that these have started, they and theirs."""
    if not roots:
        return set()
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, encoding="ascii", check=True).stdout
    parents = {int(number): int(parent) for number, parent in map(str.split, listed.splitlines())}
    found = set(roots)
    while more := {number for number, parent in parents.items() if parent in found} - found:
        found |= more
    return found - set(roots)


def worked() -> float:
    """Seconds of processors that the processes took which have been waited for, with all that these waited for."""
    times = os.times()
    return times.children_user + times.children_system


def environment(work: Path) -> dict[str, str]:
    """What every script sees: the installed kael alone, one thread a process, and where things are."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH" and not name.startswith("KAEL_")}
    products = {"WHEEL": "kael-*.whl", "SDIST": "kael-*.tar.gz"}
    found = {name: str(path) for name, pattern in products.items() for path in (work / "dist").glob(pattern)}
    return {
        **kept,
        **found,
        "PYTHON": os.environ.get("PYTHON", sys.executable),
        "WORK": str(work),
        "TOOLS": str(work / "tools"),
        # The installed kael is what is tested, also by processes that the tests start in the clone.
        "PYTHONSAFEPATH": "1",
        "PYTHONUTF8": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def chosen(keys: Sequence[str], stages: Sequence[Stage]) -> list[Stage]:
    """The stages of these names and all that they need, in their order; all when none is named."""
    known = {stage.key: stage for stage in stages}
    wanted: set[str] = set()
    open_ = list(keys or known)
    while open_:
        key = open_.pop()
        if key not in known:
            raise SystemExit(f".ci/run: there is no stage {key!r}; choose from {', '.join(known)}")
        wanted.add(key)
        open_ += set(known[key].after) - wanted
    return [stage for stage in stages if stage.key in wanted]


def summary(stages: Sequence[Stage], lanes: Lanes, seconds: float) -> str:
    """The last lines of each stage that failed; then a line for each stage, and one for all."""
    lines = []
    for stage in filter(lanes.failed, stages):
        said = lanes.log(stage).read_text(encoding="utf-8", errors="replace").splitlines()
        lines += ["", f"FAILED: {stage.name}, which ended with", *said[-RECALLED:]]
    lines += ["", " elapsed  processors"]
    for stage in stages:
        if stage.key in lanes.ended:
            _, elapsed, worked = lanes.ended[stage.key]
            lines.append(f"{elapsed:6.0f} s  {worked:8.0f} s  {stage.name}{'  FAILED' if lanes.failed(stage) else ''}")
        else:
            lines.append(f"{'-':>6}    {'-':>8}    {stage.name}  NOT RUN")
    total = sum(ended.worked for ended in lanes.ended.values())
    lines.append(f"{seconds:6.0f} s  {total:8.0f} s  in all, {lanes.count} at a time")
    return "\n".join(lines)


def terminated(_number: int, _frame: FrameType | None) -> NoReturn:
    """End as after Ctrl-C."""
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None, stages: Sequence[Stage] = STAGES, tree: Path = ROOT) -> int:
    """Run stages on what is committed in a tree; 0 when none failed."""
    parser = argparse.ArgumentParser(prog=".ci/run", description="Continuous integration: all of it, or some stages.")
    parser.add_argument("stage", nargs="*", help=", ".join(stage.key for stage in stages))
    parser.add_argument("--lanes", type=int, default=os.cpu_count() or 1, help="stages at a time (%(default)s)")
    options = parser.parse_args(arguments)
    wanted = chosen(options.stage, stages)
    # In the background a shell has Ctrl-C ignored, and so would the stages.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, terminated)
    began = time.monotonic()
    work = tree / "build" / "ci"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    changed = subprocess.run(["git", "status", "--short"], cwd=tree, capture_output=True, encoding="utf-8", check=True)
    if changed.stdout:
        print(f"Not committed, and so not tested:\n{changed.stdout}")
    lanes = Lanes(wanted, options.lanes, work, tree)
    interrupted = False
    try:
        lanes.run()
    except KeyboardInterrupt:
        interrupted = True
    print(summary(wanted, lanes, time.monotonic() - began))
    return 130 if interrupted else int(any(map(lanes.failed, wanted)))


if __name__ == "__main__":
    sys.exit(main())
