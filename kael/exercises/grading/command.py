"""`kael grade`: a class from its submissions to its grades."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import json
import os
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from kael import __version__
from kael.exercises.catalogue import Exercise, catalogue, find
from kael.exercises.grading.answers import find_answers
from kael.exercises.grading.checks import Checks, gather, without_hidden
from kael.exercises.grading.pool import Graded, on_cluster, on_this_machine
from kael.exercises.grading.proving import WrongChecks, prove
from kael.exercises.grading.report import About, Row, write_report
from kael.exercises.grading.statistics import Statistics
from kael.exercises.grading.store import Store, rewritten
from kael.exercises.grading.student import Record, Task
from kael.exercises.grading.submissions import Class, Submission, find_submissions
from kael.exercises.grading.tables import FeedbackNames, Grades, write_feedback, write_items
from kael.exercises.isolation.account import VARIABLE, unusable
from kael.exercises.results import CheckResult, with_points

__all__ = ["Run", "main"]

INTERRUPTED = 130
MEASURED = "make it fast"
"""The kind of exercises whose checks measure time; each answer to one is run for itself."""
EXAMPLES = """\
examples:
  kael grade submissions --only ch17
  kael grade submissions late --only ch17-03 --checks ../private --seed 2026 --out grades/week5

DIR is a student's folder or zip, or a folder with one of them for each student, or the flat download of a learning
platform. Type the same command again to go on after an interruption, or when submissions came in or changed: only what
is new is graded.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``kael grade``; 0 when everything was graded, 1 when something could not be, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="kael grade",
        description="Grade a class: grades.csv, items.csv, report.html and feedback for each student.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("places", nargs="+", type=Path, metavar="DIR", help="submissions, or folders of them")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="an exercise or chapter; repeatable")
    parser.add_argument("--checks", type=Path, metavar="DIR", help="your own checks: DIR/ch17-03/check_*.py and so on")
    parser.add_argument("--seed", type=int, help="of the checks' numbers; a random one that is kept when left out")
    parser.add_argument("--jobs", type=int, default=_processors(), help="students at a time (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("grades"), metavar="FOLDER", help="results (%(default)s)")
    parser.add_argument("--dask", metavar="ADDRESS", help="grade on the Dask cluster of this scheduler")
    parser.add_argument("--fresh", action="store_true", help="put earlier results aside and grade all again")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error(f"--jobs {options.jobs}: at least 1 is needed")
    if options.seed is not None and options.seed < 0:
        parser.error(f"--seed {options.seed}: give a number from 0 up")
    every = catalogue()
    try:
        wanted = [exercise for name in options.only for exercise in find(name)] or every
        exercises = [exercise for exercise in every if exercise in wanted]
        checks = gather(exercises, every, options.checks)
        found = find_submissions(options.places, every, leave_out=[options.out])
    except ValueError as error:
        parser.error(str(error))
    if not found.submissions:
        print("kael grade: no submission found; a folder or a zip for each student is expected", file=sys.stderr)
        return 1
    refused = "" if options.dask else unusable()
    if refused:
        print(f"kael grade: {VARIABLE}: {refused}; no answer was run", file=sys.stderr)
        return 1
    begun = time.perf_counter()
    with Store(options.out, options.seed, fresh=options.fresh) as store:
        run = Run(store, found, exercises, every, checks)
        again = _again(options, store.seed)
        try:
            run.prove(lambda tasks: _graded(tasks, options), plain=options.json)
            run.grade(lambda tasks: _graded(tasks, options), plain=options.json)
            summary = run.write(again)
        except KeyboardInterrupt:
            print(f"\nkael grade: stopped; {run.progress()}. To go on: {again}", file=sys.stderr)
            return INTERRUPTED
        except WrongChecks as error:
            print(f"kael grade: {error}", file=sys.stderr)
            return 1
        except OSError as error:
            print(f"kael grade: {error}\n{run.progress()}. To go on once that is mended: {again}", file=sys.stderr)
            return 1
    summary["seconds"] = round(time.perf_counter() - begun, 1)
    print(json.dumps(summary, indent=1, ensure_ascii=False) if options.json else _as_text(summary))
    return int(bool(summary["failed"]))


def _processors() -> int:
    """How many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _graded(tasks: Iterable[Task], options: argparse.Namespace) -> Iterator[Graded]:
    return on_cluster(tasks, options.dask) if options.dask else on_this_machine(tasks, options.jobs)


def _again(options: argparse.Namespace, seed: int) -> str:
    """The command that goes on with this run, or repeats it."""
    words = ["kael", "grade", *map(str, options.places)]
    for name in options.only:
        words += ["--only", name]
    for word, value in (("--checks", options.checks), ("--seed", seed), ("--dask", options.dask)):
        words += [word, str(value)] if value is not None else []
    return shlex.join([*words, "--out", str(options.out)])


class Run:
    """Grading one class.

    Parameters
    ----------
    store : Store
        Where results are kept.
    found : Class
        The submissions.
    exercises, every : sequence of Exercise
        What is graded, and all that there are.
    checks : dict of str to Checks
        Of each exercise that is graded.
    """

    def __init__(
        self,
        store: Store,
        found: Class,
        exercises: Sequence[Exercise],
        every: Sequence[Exercise],
        checks: dict[str, Checks],
    ) -> None:
        self.store = store
        self.found = found
        self.exercises = exercises
        self.every = every
        self.checks = checks
        self.notes: dict[str, list[str]] = {}
        self.failed: dict[str, str] = {}
        if store.damaged:
            self._note(
                "", f"{store.file.name}: {store.damaged} damaged lines, left out; what they said is graded again"
            )
        if without_hidden(exercises):
            self._note(
                "", "the checks that students have not got are in the clone alone, so that none of them was run; type "
                "the command in its top folder"
            )  # fmt: skip
        self.together: set[str] = set()
        self.done = 0
        self.graded = 0
        self.reused = 0

    def prove(self, graded: Any, *, plain: bool = False) -> None:
        """Find out whether the checks accept kael's own solutions here, unless that is known.

        Parameters
        ----------
        graded : callable
            Turns tasks into what came of them, one by one.
        plain : bool
            Whether to say nothing on the way.

        Raises
        ------
        WrongChecks
            When a private check rejects a solution.
        """
        known = self.store.proofs
        left = [each for each in self.exercises
                if known.get(each.id, {}).get("checks") != self.checks[each.id].sha256]  # fmt: skip
        if left:
            if not plain:
                print("checking the checks: kael's own solutions have to pass", file=sys.stderr, flush=True)
            proofs = prove(left, self.checks, self.store.seed, graded)
            self.store.keep_proofs(
                {name: {"checks": self.checks[name].sha256, **asdict(proof)} for name, proof in proofs.items()}
            )
        for exercise in self.exercises:
            proof = self.store.proofs[exercise.id]
            if not proof["isolated"]:
                self.together.add(exercise.id)
            if proof["doubt"]:
                self._note("", f"{exercise.id}: {proof['doubt']}")

    def grade(self, graded: Any, *, plain: bool = False) -> None:
        """Grade what has not been graded yet.

        Parameters
        ----------
        graded : callable
            Turns tasks into what came of them, one by one.
        plain : bool
            Whether to say nothing on the way.
        """
        with contextlib.closing(graded(self._tasks())) as stream, _Progress(len(self.found.submissions), plain) as bar:
            for task, answer in stream:
                if isinstance(answer, Exception):
                    self.failed[task.student] = str(answer)
                    self._note(task.student, f"grading failed: {answer}; run the same command again")
                else:
                    self.store.append(answer)
                    self.graded += 1
                self.done += 1
                bar.show(self.done)
            bar.show(self.done)

    def _tasks(self) -> Iterator[Task]:
        """What is still to be graded, each made when there is room for it."""
        for note in self.found.notes:
            self._note("", note)
        for submission in self.found.submissions:
            task = self._task(submission)
            same = self._graded_before(task)
            if same:
                self.store.append(same)
                known = {record["exercise"] for record in same}
                task = replace(task, answers={name: it for name, it in task.answers.items() if name not in known})
            if task.answers:
                yield task
            else:
                self.graded += bool(same)
                self.reused += not same
                self.done += 1

    def _task(self, submission: Submission) -> Task:
        answers = find_answers(submission, self.exercises, self.every)
        for note in answers.notes:
            self._note(submission.student, note)
        given: dict[str, bytes | str] = {}
        for exercise in self.exercises:
            name = exercise.id
            reason = "" if name in answers.files else answers.refused.get(name, "")
            if not self.store.has(
                submission.student, name, sha256=answers.sha256(name), reason=reason, checks=self.checks[name].sha256
            ):
                given[name] = answers.files.get(name, reason)
        return Task(
            submission.student,
            given,
            self.store.seed,
            {name: self.checks[name].more for name in given},
            {name: self.checks[name].sha256 for name in given},
            frozenset(self.together & given.keys()),
        )

    def _graded_before(self, task: Task) -> list[Record]:
        """Records for answers of a student whose very bytes somebody else has handed in and is graded for."""
        found = []
        for exercise in self.exercises:
            content = task.answers.get(exercise.id)
            if isinstance(content, bytes):
                sha256 = hashlib.sha256(content).hexdigest()
                record = self.store.alike(exercise.id, sha256=sha256, checks=task.sha256[exercise.id])
                if record is not None and _settled(record, exercise):
                    found.append({**record, "student": task.student})
        return found

    def _note(self, student: str, text: str) -> None:
        """Keep a note about a student, or with an empty name about the class."""
        self.notes.setdefault(student, []).append(text)

    def progress(self) -> str:
        """How far it is."""
        return f"{self.done} of {len(self.found.submissions)} students are graded and kept in {self.store.folder}"

    def _rows(self) -> Iterator[Row]:
        """Every student with what is known of them, in order."""
        names = FeedbackNames()
        for submission in self.found.submissions:
            student = submission.student
            records: list[Record] = []
            if student not in self.failed:
                got = (self.store.get(student, exercise.id) for exercise in self.exercises)
                records = [record for record in got if record is not None]
            yield Row(student, records, names.of(student))

    def write(self, again: str) -> dict[str, Any]:
        """Write tables, report and feedback; returns the summary."""
        folder = self.store.folder
        nothing = {
            each.id: with_points(each, [CheckResult(name, "not run") for name in self.checks[each.id].names])
            for each in self.exercises
        }
        statistics = Statistics(self.exercises, nothing)
        private = {name: checks.private for name, checks in self.checks.items()}
        (folder / "feedback").mkdir(exist_ok=True)
        with rewritten(folder / "grades.csv", newline="") as stream:
            grades = Grades(stream, self.exercises)
            for row in self._rows():
                if row.records:
                    statistics.enter(row.records)
                grades.enter(row.student, row.records, row.feedback)
                about_them = self.notes.get(row.student, ())
                write_feedback(folder / "feedback" / row.feedback, row.student, row.records, about_them, private)
        write_items(folder / "items.csv", statistics)
        about = About(
            self.exercises, self.store.seed, __version__, again,
            {name: checks.sha256 for name, checks in self.checks.items()},
        )  # fmt: skip
        in_order = ["", *(submission.student for submission in self.found.submissions)]
        notes = {student: self.notes[student] for student in in_order if student in self.notes}
        with rewritten(folder / "report.html") as stream:
            write_report(stream, about, statistics, self._rows(), notes)
        return {
            "students": len(self.found.submissions),
            "graded": self.graded,
            "reused": self.reused,
            "failed": self.failed,
            "exercises": [exercise.id for exercise in self.exercises],
            "seed": self.store.seed,
            "points": statistics.points,
            "mean": round(statistics.mean, 2),
            "median": statistics.median,
            "notes": sum(map(len, self.notes.values())),
            "warnings": self.notes.get("", []),
            "out": str(folder),
            "again": again,
        }


def _settled(record: Record, exercise: Exercise) -> bool:
    """Whether another run of the same bytes would come to the same: nothing was measured, and no process was lost."""
    states = {check["state"] for check in record["results"]}
    return states == {"not started"} or (exercise.kind != MEASURED and states <= {"pass", "fail", "not started"})


class _Progress:
    """A bar where stderr is a terminal and tqdm is installed, else a line now and then."""

    def __init__(self, count: int, plain: bool) -> None:
        self.count = count
        self.plain = plain
        self.bar: Any = None
        self.said = 0

    def __enter__(self) -> _Progress:
        if not self.plain and sys.stderr.isatty():
            with contextlib.suppress(ModuleNotFoundError):
                self.bar = importlib.import_module("tqdm").tqdm(total=self.count, unit="student")
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def show(self, done: int) -> None:
        """Say how many are done."""
        if self.bar is not None:
            self.bar.update(done - self.bar.n)
        elif not self.plain and 10 * done // self.count > self.said:
            self.said = 10 * done // self.count
            print(f"{done} of {self.count} students", file=sys.stderr, flush=True)


def _as_text(summary: dict[str, Any]) -> str:
    out = Path(summary["out"])
    count = len(summary["exercises"])
    lines = [
        f"{summary['students']} students, {count} exercise{'' if count == 1 else 's'}: mean {summary['mean']:g}, "
        f"median {summary['median']:g} of {summary['points']} points",
        f"{summary['graded']} graded now in {summary['seconds']:g} s, {summary['reused']} known from before; "
        f"seed {summary['seed']}",
        f"open {out / 'report.html'}; tables {out / 'grades.csv'} and {out / 'items.csv'}; "
        f"a text for each student in {out / 'feedback'}",
    ]
    lines += [f"note: {note}" for note in summary["warnings"]]
    if summary["notes"]:
        lines.append(
            f"notes: {summary['notes']}, at the end of the report: what was not graded, or taken for something else"
        )
    if summary["failed"]:
        lines.append(f"grading failed for {', '.join(summary['failed'])}; to try them again: {summary['again']}")
    return "\n".join(lines)
