"""The author's gate: right answers pass, wrong ones die in the check made for them, and every check is needed."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
import tomllib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from kael.exercises import twins
from kael.exercises.catalogue import Exercise, hidden_checks_of, proof_of
from kael.exercises.checker import checks_in
from kael.exercises.proof import generated
from kael.exercises.proof.bundle import BUNDLE, bundled
from kael.exercises.proof.hostile import LIMIT as HOSTILE_LIMIT
from kael.exercises.proof.hostile import hostile_answers
from kael.exercises.proof.mutants import Mutant, mutants, twin_mutants
from kael.exercises.proof.replay import replay
from kael.exercises.runner import Run, run_checks

__all__ = ["Death", "Report", "verify", "verify_all"]

SEEDS = 20
WRONG_SEEDS = 2
NEEDED_WRONG = 5
NEEDED_GENERATED = 10
NEEDED_FAULTS = 4
"""Faults that can be put into a solution; a rule of one line has no more."""
NEEDED_DEAD = 0.9
DOOMED_LIMIT = 2.0
MOST_FAULTS = 48
"""Faults that are tried in one solution; of more, as many spread evenly."""


@dataclass(frozen=True)
class Death:
    """How one wrong answer ended.

    Attributes
    ----------
    answer : str
        Its name: of a file in ``wrong``, ``slow`` or ``crash``, or ``generated: zeros``, ``hostile: exit``.
    key : str
        The misconception that its file names.
    named : str
        The check that its file names.
    checks : dict of str to str
        Every check that it did not pass, with what came instead.
    text : str
        What the reader is told by the named check, or by the first that it did not pass.
    """

    answer: str
    key: str
    named: str
    checks: dict[str, str]
    text: str


@dataclass
class Report:
    """What the gate found out about one exercise.

    Attributes
    ----------
    id, place : str
        The exercise.
    problems : list of str
        Why the proof does not hold; empty when it does.
    checks : list of str
        Every graded check.
    right : int
        How many runs of right answers passed.
    deaths : list of Death
        The wrong answers.
    mutants : int
        How many faults were put into the solution.
    survivors : list of str
        The faults that no check found.
    missing : str
        What keeps the exercise from running here; empty when nothing does.
    left_out : int
        How many more faults there are than were tried.
    seconds : float
        How long it took.
    file, sha256 : str
        The solution that was proven, below the top of the clone, and the hash of the bytes that were run.
    """

    id: str
    place: str
    problems: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)
    right: int = 0
    deaths: list[Death] = field(default_factory=list)
    mutants: int = 0
    survivors: list[str] = field(default_factory=list)
    missing: str = ""
    left_out: int = 0
    seconds: float = 0.0
    file: str = ""
    sha256: str = ""


def verify_all(exercises: Sequence[Exercise], *, isolated: bool = False) -> list[Report]:
    """Verify several exercises, as many at a time as there are processors, and walk through them in their order.

    With `isolated`, every answer runs in a process apart from its checks, as when a class is graded.
    """
    longest_first = sorted(exercises, key=lambda exercise: "compiler" not in exercise.needs)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        begun = {exercise.id: pool.submit(verify, exercise, isolated=isolated) for exercise in longest_first}
        walked = pool.submit(replay, exercises)
        reports = [begun[exercise.id].result() for exercise in exercises]
        for report in reports:
            report.problems += walked.result()[report.id]
        return reports


def verify(exercise: Exercise, *, isolated: bool = False) -> Report:
    """Prove one exercise; with `isolated`, answers run in a process apart from their checks."""
    begun = time.perf_counter()
    report = Report(exercise.id, exercise.place)
    with tempfile.TemporaryDirectory(prefix="kael-verify-") as folder:
        _Proof(exercise, report, Path(folder), isolated).run()
    report.seconds = time.perf_counter() - begun
    return report


class _Proof:
    """The files of one proof, and the runs made of them."""

    def __init__(self, exercise: Exercise, report: Report, scratch: Path, isolated: bool) -> None:
        self.exercise = exercise
        self.isolated = isolated
        self.report = report
        self.scratch = scratch
        self.folder = proof_of(exercise)
        self.settings = tomllib.loads((self.folder / "proof.toml").read_text(encoding="utf-8"))
        self.twins = scratch / "twins"
        self.solution = self.folder / "solution" / exercise.file
        self.runs: dict[Path, Path] = {}
        self.faulty: list[Path] = []
        self.graded = [exercise.visible, *hidden_checks_of(exercise)]

    def run(self) -> None:
        missing = twins.missing() if "compiler" in self.exercise.needs else ""
        if missing:
            self.report.missing = missing
            return
        text = self.solution.read_text(encoding="utf-8")
        cython = self.solution.suffix == ".pyx"
        faults = self.chosen(twin_mutants(text) if cython else mutants(text))
        self.build(faults, cython)
        patience = self.exercise.time_limit
        stub = Run(self.exercise.answer, limit=patience)
        right = [Run(path, seed, patience) for path in [self.solution, *self.files("alt")] for seed in range(SEEDS)]
        wrong = {
            source: [Run(path, seed, patience) for seed in range(WRONG_SEEDS)]
            for source, path in zip(self.answers("wrong"), self.files("wrong"), strict=True)
        }
        faulty = [[self.doomed(path, seed) for seed in range(WRONG_SEEDS)] for path in self.faulty]
        spoiled = [self.doomed(path) for path in self.spoiled()]
        ending = {kind: [self.doomed(path) for path in self.files(kind)] for kind in ("slow", "crash")}
        hostile = [Run(path, limit=HOSTILE_LIMIT, patient=False) for path in self.hostile()]
        leaving = Run(self.leaving(), limit=patience)
        runs = [stub, leaving, *right, *chain(*wrong.values()), *chain(*faulty), *spoiled]
        run_checks(
            [*runs, *ending["slow"], *ending["crash"], *hostile], self.graded, self.scratch / "work",
            {twins.CACHE: str(self.twins)}, isolated=self.isolated,
        )  # fmt: skip

        self.judge_form()
        self.judge_stub(stub)
        self.judge_right(right)
        self.judge_wrong(wrong)
        for kind, state in (("slow", "timeout"), ("crash", "crash")):
            self.judge_ending(ending[kind], kind, state)
        self.judge_dead(spoiled, "generated")
        self.judge_dead([leaving, *hostile], "hostile")
        self.report.file = self.solution.relative_to(self.folder.parents[3]).as_posix()
        self.report.sha256 = right[0].sha256
        if right[0].sha256 != hashlib.sha256(self.solution.read_bytes()).hexdigest():
            self.problem(f"another file was run than {self.report.file}")
        self.judge_faults(faults, faulty)

    def chosen(self, faults: list[Mutant]) -> list[Mutant]:
        """At most `MOST_FAULTS` of them, spread evenly, with all that proof.toml gives a reason for."""
        if len(faults) <= MOST_FAULTS:
            return faults
        explained = self.settings.get("survivors", {})
        kept = {len(faults) * k // MOST_FAULTS for k in range(MOST_FAULTS)}
        kept |= {k for k, fault in enumerate(faults) if fault.name in explained}
        self.report.left_out = len(faults) - len(kept)
        return [fault for k, fault in enumerate(faults) if k in kept]

    def leaving(self) -> Path:
        """An answer that leaves the interpreter where any exercise's is loaded."""
        path = self.scratch / "leaving" / "raises_SystemExit.py"
        path.parent.mkdir()
        path.write_text("raise SystemExit\n", encoding="utf-8")
        return path

    def doomed(self, path: Path, seed: int = 0) -> Run:
        """A run of an answer that some check has to reject: the first that does is enough, and soon."""
        return Run(path, seed, min(self.exercise.time_limit, DOOMED_LIMIT), brief=True)

    def answers(self, kind: str) -> list[Path]:
        """The answers of one kind as they were written."""
        suffix = self.exercise.answer.suffix
        return sorted(path for path in (self.folder / kind).glob("*") if path.suffix == suffix)

    def files(self, kind: str) -> list[Path]:
        """The files that run these answers."""
        return [self.runs[path] for path in self.answers(kind)]

    def build(self, faults: Sequence[Mutant], cython: bool) -> None:
        """Make files that run: every answer its own, or for Cython one module of all but the solution."""
        written = [path for kind in ("alt", "wrong", "slow", "crash") for path in self.answers(kind)]
        folder = self.scratch / "answers"
        if cython:
            texts = [path.read_text(encoding="utf-8") for path in written] + [mutant.text for mutant in faults]
            made = bundled(texts, folder)
            beside = [path for path in self.exercise.folder.glob("*.pyx") if path != self.exercise.answer]
            for path in (self.solution, folder / BUNDLE, *beside):
                twins.build(path, self.twins)
            self.runs = dict(zip(written, made, strict=False))
            self.faulty = made[len(written) :]
            return
        self.runs = {path: path for path in written}
        self.faulty = [folder / f"fault{number}" / self.exercise.file for number in range(len(faults))]
        for path, mutant in zip(self.faulty, faults, strict=True):
            path.parent.mkdir(parents=True)
            path.write_text(mutant.text, encoding="utf-8")

    def hostile(self) -> list[Path]:
        return hostile_answers(self.folder.parents[1]) if self.settings["hostile"] else []

    def spoiled(self) -> list[Path]:
        kind, entry = self.settings["result"], self.settings["entry"]
        paths = []
        equal = self.settings.get("equal", {})
        for how in (how for how in generated.HOW[kind] if how not in equal):
            path = self.scratch / "generated" / f"{how.replace(' ', '_')}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(generated.source(self.solution, kind, entry, how), encoding="utf-8")
            paths.append(path)
        return paths

    def problem(self, text: str) -> None:
        self.report.problems.append(text)

    def judge_form(self) -> None:
        """What has to hold before anything runs."""
        exercise = self.exercise
        said = tomllib.loads((exercise.folder / "exercise.toml").read_text(encoding="utf-8"))
        if said["id"] != exercise.id:
            self.problem(f"exercise.toml says {said['id']}, the index {exercise.id}")
        if len(exercise.hints) != 3:
            self.problem(f"{len(exercise.hints)} hints instead of three")
        if not 1 <= exercise.level <= 3:
            self.problem(f"level {exercise.level} is not 1, 2 or 3")
        if len(self.answers("wrong")) < NEEDED_WRONG:
            self.problem(f"{len(self.answers('wrong'))} wrong answers; at least {NEEDED_WRONG} are needed")
        kind = self.settings["result"]
        spoiled = [how for how in generated.HOW[kind] if how not in self.settings.get("equal", {})]
        if len(spoiled) < NEEDED_GENERATED:
            self.problem(f"{len(spoiled)} generated wrong answers; at least {NEEDED_GENERATED} are needed")
        if not self.answers("alt"):
            self.problem("no alternative right answer")
        unused = set(exercise.misconceptions) - {_header(path)["misconception"] for path in self.answers("wrong")}
        for key in sorted(unused):
            self.problem(f"misconception {key} has no wrong answer")

    def judge_stub(self, run: Run) -> None:
        self.report.checks = list(run.outcomes)
        visible = len(list(checks_in(self.exercise.visible)))
        written = [name for path in self.graded for name in checks_in(path)]
        if sorted(written) != sorted(run.outcomes):
            self.problem(f"{len(written)} checks are written, {len(run.outcomes)} were run")
        if visible != self.exercise.checks:
            self.problem(f"{visible} visible checks, exercise.toml says {self.exercise.checks}")
        if self.exercise.points < len(run.outcomes):
            self.problem(f"{self.exercise.points} points for {len(run.outcomes)} checks; each needs one at least")
        for check, outcome in run.outcomes.items():
            if outcome.state != "not started":
                self.problem(f"the stub: {check} is {outcome.state!r} instead of 'not started'")

    def judge_right(self, runs: Iterable[Run]) -> None:
        for run in runs:
            name = f"{run.file.parent.name}/{run.file.name} with seed {run.seed}"
            for check, outcome in run.outcomes.items():
                if outcome.state != "pass":
                    self.problem(f"{name}: {check} is {outcome.state!r}\n{outcome.text}")
                elif outcome.stderr:
                    self.problem(f"{name}: {check} writes to standard error: {outcome.stderr!r}")
            self.report.right += run.passed

    def judge_wrong(self, wrong: dict[Path, list[Run]]) -> None:
        for source, runs in wrong.items():
            header = _header(source)
            named, key = header["fails"], header["misconception"]
            text = self.exercise.misconceptions.get(key)
            if text is None:
                self.problem(f"wrong/{source.name}: exercise.toml has no misconception {key!r}")
                continue
            outcomes = [run.outcomes[named] for run in runs if named in run.outcomes]
            if not outcomes:
                self.problem(f"wrong/{source.name}: there is no check {named!r}")
            for outcome in outcomes:
                if outcome.state != "fail":
                    self.problem(f"wrong/{source.name}: {named} is {outcome.state!r}, it should fail")
                elif text not in outcome.text:
                    self.problem(f"wrong/{source.name}: {named} does not say {text!r}:\n{outcome.text}")
            self.enter(runs[0], f"wrong/{source.stem}", key, named)
        for check in self.report.checks:
            if not any(check in death.checks for death in self.report.deaths):
                self.problem(f"{check} rejects no wrong answer; it is not needed")

    def judge_ending(self, runs: Iterable[Run], kind: str, state: str) -> None:
        sources = {path: source.stem for source, path in self.runs.items()}
        for run in runs:
            states = [outcome.state for outcome in run.outcomes.values()]
            if state not in states or "pass" in states[states.index(state) :]:
                self.problem(f"{kind}/{sources[run.file]}: no check is {state!r}: {states}")
            self.enter(run, f"{kind}/{sources[run.file]}")

    def judge_dead(self, runs: Iterable[Run], kind: str) -> None:
        for run in runs:
            name = f"{kind}: {run.file.stem.replace('_', ' ')}"
            if kind == "hostile":
                name = f"{kind}: {run.file.stem}"
                for check, outcome in run.outcomes.items():
                    if outcome.state not in ("fail", "timeout", "crash", "not run"):
                        self.problem(f"{name}: {check} is {outcome.state!r}")
            if all(outcome.state == "pass" for outcome in run.outcomes.values()):
                self.problem(f"{name}: no check rejects it")
            self.enter(run, name)

    def judge_faults(self, faults: Sequence[Mutant], runs: Sequence[Sequence[Run]]) -> None:
        survivors = [
            fault.name
            for fault, tried in zip(faults, runs, strict=True)
            if all(outcome.state == "pass" for run in tried for outcome in run.outcomes.values())
        ]
        reasons: dict[str, Any] = self.settings.get("survivors", {})
        self.report.mutants, self.report.survivors = len(faults), survivors
        if len(faults) < NEEDED_FAULTS:
            self.problem(f"{len(faults)} faults could be put into the solution; at least {NEEDED_FAULTS} are needed")
        if len(survivors) > (1 - NEEDED_DEAD) * len(faults):
            self.problem(f"{len(survivors)} of {len(faults)} faults put into the solution pass every check")
        for name in survivors:
            if name not in reasons:
                self.problem(f"a fault that no check finds, and proof.toml gives no reason: {name}")
        if self.isolated:  # what an answer keeps in memory is measured more closely there, which finds a fault more
            return
        for name in set(reasons) - set(survivors):
            self.problem(f"proof.toml explains a survivor that there is not: {name}")

    def enter(self, run: Run, name: str, key: str = "", named: str = "") -> None:
        bad = {check: o for check, o in run.outcomes.items() if o.state not in ("pass", "not run")}
        shown = bad.get(named) or next(iter(bad.values()), None)
        states = {check: outcome.state for check, outcome in bad.items()}
        self.report.deaths.append(Death(name, key, named, states, shown.text if shown else ""))


def _header(path: Path) -> dict[str, str]:
    """The lines that say which misconception a wrong answer has, and which check is there for it."""
    found = dict(re.findall(r"^# (misconception|fails): (\w+)$", path.read_text(encoding="utf-8"), re.MULTILINE))
    if len(found) != 2:
        raise ValueError(f"{path}: begin with '# misconception: key' and '# fails: test_name'")
    return found
