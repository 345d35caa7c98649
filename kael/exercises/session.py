"""What the commands do in a reader's workspace; how it looks is `kael.exercises.screen`'s."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kael.exercises import Refused, twins
from kael.exercises.catalogue import Exercise
from kael.exercises.checker import check, fingerprint
from kael.exercises.hints import open_next
from kael.exercises.history import Entry, History
from kael.exercises.results import ExerciseResult
from kael.exercises.runner import Workers
from kael.exercises.saving import reason, save
from kael.exercises.solutions import Solution, difference, solution_of
from kael.exercises.state import Progress, Store, now
from kael.exercises.workspace import Changes, Workspace, changes, chosen, holds
from kael.extras import need

__all__ = ["Hints", "Session", "Standing"]


@dataclass(frozen=True)
class Standing:
    """How far a reader is with one exercise.

    Attributes
    ----------
    exercise : Exercise
        Which.
    file : Path
        The reader's file.
    state : str
        ``pass``, ``changed`` (passed, but the file is another now), ``given up``, ``skipped``, ``begun`` (changed since
        the last check), ``missing``, or what came of the last check.
    progress : Progress
        What was done about it.
    """

    exercise: Exercise
    file: Path
    state: str
    progress: Progress

    @property
    def points(self) -> int:
        """What it counts here."""
        return 0 if self.progress.state == "not available" else self.exercise.points

    @property
    def score(self) -> int:
        """The points it has given so far."""
        return 0 if self.state in ("not started", "missing") else min(self.progress.score, self.points)

    @property
    def open(self) -> bool:
        """Whether it is still to be done."""
        return self.state not in ("pass", "changed", "given up", "skipped", "not available")

    def as_json(self) -> dict[str, Any]:
        """Everything about it that a program might want."""
        exercise = self.exercise
        return {
            "id": exercise.id, "title": exercise.title, "chapter": exercise.place.partition("/")[0],
            "kind": exercise.kind, "level": exercise.level, "minutes": exercise.minutes,
            "requires": list(exercise.requires), "needs": list(exercise.needs), "file": str(self.file),
            "state": self.state, "score": self.score, "points": self.points, "tries": self.progress.tries,
            "hints": self.progress.hints, "passed": self.progress.passed, "given_up": self.progress.given_up,
        }  # fmt: skip


BUILT = "built"
MOST_BUILT = 20
"""Versions of Cython files whose libraries stay in a workspace."""


@dataclass(frozen=True)
class Hints:
    """The hints that a reader has opened.

    Attributes
    ----------
    opened : tuple of str
        Their texts.
    new : bool
        Whether the last one has just been opened.
    all : int
        How many there are.
    done : bool
        Whether the exercise has passed or the reader gave up, so that nothing has to be waited for.
    """

    opened: tuple[str, ...]
    new: bool
    all: int
    done: bool


class Session:
    """One workspace being worked on.

    Parameters
    ----------
    workspace : Workspace
        The reader's folder.
    tell : callable
        Shows one line that is not the answer to what was asked, such as that progress could not be kept.
    workers : Workers, optional
        Where answers run, kept open by who checks often.
    """

    def __init__(self, workspace: Workspace, tell: Callable[[str], None], workers: Workers | None = None) -> None:
        self.workspace = workspace
        self.store = Store(workspace.mark)
        self.history = History(workspace)
        self.tell = tell
        self.workers = workers

    def standings(self) -> list[Standing]:
        """How far each exercise is, in their order."""
        state = self.store.read()
        if state.note:
            self.tell(state.note)
        return [self._standing(exercise, state.of(exercise.id)) for exercise in self.workspace.exercises]

    def _standing(self, exercise: Exercise, progress: Progress) -> Standing:
        file = self.workspace.answer(exercise)
        digest = fingerprint(file)
        untouched = digest == fingerprint(exercise.answer)
        if not digest:
            state = "missing"
        elif progress.passed and digest == progress.passed_sha256:
            state = "pass"
        elif progress.passed and not untouched:
            state = "changed"
        elif progress.skipped or progress.given_up:
            state = "skipped" if progress.skipped else "given up"
        elif untouched:
            state = "not started"
        else:
            state = progress.state if digest == progress.sha256 else "begun"
        return Standing(exercise, file, state, progress)

    def next(self) -> Standing | None:
        """The exercise that was checked last while it is open, else the first open one after it, else the first of all.

        A skipped one comes when no other is left, and None after all.
        """
        standings = self.standings()
        ids = [each.exercise.id for each in standings]
        last = self.store.read().last
        at = ids.index(last) if last in ids else 0
        around = standings[at:] + standings[:at]
        left = [each for each in around if each.open] or [each for each in around if each.state == "skipped"]
        return left[0] if left else None

    def last(self, names: Sequence[str]) -> Exercise:
        """The one exercise that is meant where a reader looks back: without a name, what was checked last."""
        last = self.store.read().last
        return self.one(names or ([last] if last else []))

    def chosen(self, names: Sequence[str]) -> list[Exercise]:
        """The exercises that names mean.

        Without a name it is the exercise or the first open one of the chapter in whose folder the reader stands, else
        the next one of all.
        """
        if names:
            return chosen(names, self.workspace)
        with contextlib.suppress(ValueError):
            place = Path.cwd().resolve().relative_to(self.workspace.root.resolve()).as_posix()
            around = [each for each in self.workspace.exercises if f"{place}/".startswith(f"{each.place}/")]
            if around:
                return around
            below = [each for each in self.standings() if each.exercise.place.startswith(f"{place}/") and each.open]
            if below:
                return [below[0].exercise]
        standing = self.next()
        if standing is None:
            raise Refused("every exercise is done; name the one that you mean")
        return [standing.exercise]

    def one(self, names: Sequence[str]) -> Exercise:
        """The one exercise that is meant.

        Raises
        ------
        Refused
            Where a name means several.
        """
        found = self.chosen(names)
        if len(found) > 1:
            raise Refused(f"{names[0]} may be {', '.join(exercise.id for exercise in found)}; name one")
        return found[0]

    def check(
        self,
        exercises: Sequence[Exercise],
        seed: int,
        report: Callable[[ExerciseResult], None],
        progress: Callable[[ExerciseResult], None] | None = None,
    ) -> list[ExerciseResult]:
        """Check answers and keep what came of each as soon as it is known.

        Parameters
        ----------
        exercises : sequence of Exercise
            Whose.
        seed : int
            Of the numbers that the checks draw.
        report : callable
            Is told each result.
        progress : callable, optional
            Is told after every check what is known of its exercise.
        """
        if find_spec("pytest") is None:
            need("pytest", "exercises", "checking exercises")

        def known(result: ExerciseResult) -> None:
            report(result)
            if not self.workspace.mark.is_dir():
                return
            try:
                with self.store.change() as state:
                    entry = state.of(result.exercise.id)
                    entry.record(result)
                    if len(exercises) == 1:
                        state.last = result.exercise.id
                        entry.skipped = entry.skipped and result.state == "not started"
            except OSError as error:
                self.tell(f"the result could not be kept: {reason(error)}")
                return
            if state.note:
                self.tell(state.note)

        with contextlib.ExitStack() as stack:
            workers = self.workers or stack.enter_context(Workers(self.builds(), ahead=False))
            return check(exercises, self.workspace.root, seed=seed, report=known, progress=progress, workers=workers)

    def builds(self) -> dict[str, str]:
        """Variables for workers: what was built of Cython files stays in the workspace, where it can be kept at all."""
        folder = self.workspace.mark / BUILT
        if not os.access(self.workspace.mark, os.W_OK):
            return {}
        twins.forget(folder, MOST_BUILT)
        return {twins.CACHE: str(folder.resolve())}

    def hint(self, exercise: Exercise, *, at_once: bool = False) -> Hints:
        """The hints opened so far, with the next one where it may be opened.

        Parameters
        ----------
        exercise : Exercise
            Whose.
        at_once : bool
            Whether the next one opens without another try.
        """
        progress = self.store.read().of(exercise.id)
        new = open_next(exercise, progress, at_once=at_once)
        if new:
            try:
                with self.store.change() as state:
                    open_next(exercise, state.of(exercise.id), at_once=at_once)
            except OSError as error:
                self.tell(f"that a hint was opened could not be kept: {reason(error)}")
        done = bool(progress.passed or progress.given_up)
        return Hints(exercise.hints[: progress.hints], new, len(exercise.hints), done)

    def solution(self, exercise: Exercise, *, give_up: bool = False) -> Solution:
        """The right answers, after a pass or when the reader gives up, which is kept.

        Raises
        ------
        Refused
            Before either.
        """
        progress = self.store.read().of(exercise.id)
        if not (progress.passed or progress.given_up or give_up):
            raise Refused(
                f"{exercise.id} has not passed yet; `kael ex hint {exercise.id}` helps, and "
                f"`kael ex solution {exercise.id} --give-up` shows the solution and records that"
            )
        found = solution_of(exercise)
        if give_up and not progress.passed and not progress.given_up:
            with self.store.change() as state:
                state.of(exercise.id).given_up = now()
        return found

    def difference(self, exercise: Exercise) -> tuple[str, list[str]]:
        """What sets the reader's file apart from the solution once that may be seen, before that from the stub.

        Returns
        -------
        against : str
            ``the solution`` or ``the stub``.
        lines : list of str
            A unified diff.
        """
        file = self.workspace.answer(exercise)
        yours = file.read_bytes().decode("utf-8", errors="replace")
        progress = self.store.read().of(exercise.id)
        if progress.passed or progress.given_up:
            against, other = "the solution", solution_of(exercise).text
        else:
            against, other = "the stub", exercise.answer.read_text(encoding="utf-8")
        return against, difference(yours, other, exercise.file, against)

    def skip(self, exercise: Exercise) -> None:
        """Put an exercise off until no other is left."""
        with self.store.change() as state:
            state.of(exercise.id).skipped = True

    def reset(self, exercises: Sequence[Exercise]) -> Entry | None:
        """Put the stubs back, saving the reader's files first; None where they are stubs already."""
        stubs = {f"{exercise.place}/{exercise.file}": exercise.answer.read_bytes() for exercise in exercises}
        files = {path: data for path, data in stubs.items() if not holds(self.workspace.root / path, data)}
        if not files:
            return None
        entry = self.history.replace(files, f"reset {' '.join(exercise.id for exercise in exercises)}")
        self.workspace.remember(files)
        return entry

    def write(self, exercise: Exercise, text: str) -> Entry | None:
        """Put a text into an exercise's file, saving what it held; None where that was the stub or the same text."""
        file = self.workspace.answer(exercise)
        path = f"{exercise.place}/{exercise.file}"
        if holds(file, text.encode()):
            return None
        if not file.exists() or holds(file, exercise.answer.read_bytes()):
            file.parent.mkdir(parents=True, exist_ok=True)
            save(file, text.encode())
            return None
        return self.history.replace({path: text.encode()}, f"%%exercise {exercise.id}")

    def undo(self, version: int | None = None, exercise: Exercise | None = None) -> tuple[Entry, list[str]]:
        """Bring back what a command replaced, the last one when nothing is named; see `History.undo`."""
        among = None if exercise is None else [f"{exercise.place}/{exercise.file}"]
        entry, changed = self.history.undo(version, among)
        ours = set(self.workspace.delivered()) - {f"{each.place}/{each.file}" for each in self.workspace.exercises}
        self.workspace.remember({path: (self.workspace.root / path).read_bytes() for path in changed if path in ours})
        return entry, changed

    def update(self) -> Changes:
        """Bring tasks and checks up to this kael, saving what they replace; no file of the reader's is touched."""
        found = changes(self.workspace)
        if found.files:
            self.history.replace(found.files, "update")
            self.workspace.remember(found.files)
        return found
