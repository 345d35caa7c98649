"""What the commands do in a reader's workspace; how it looks is `kael.exercises.screen`'s."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kael.exercises import Refused
from kael.exercises.catalogue import Exercise, catalogue
from kael.exercises.checker import check, fingerprint
from kael.exercises.results import ExerciseResult
from kael.exercises.state import Progress, Store
from kael.exercises.workspace import Workspace, chosen

__all__ = ["Session", "Standing"]


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
        return 0 if self.state == "not available" else self.exercise.points

    @property
    def score(self) -> int:
        """The points it has given so far."""
        return min(self.progress.score, self.points)

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


class Session:
    """One workspace being worked on.

    Parameters
    ----------
    workspace : Workspace
        The reader's folder.
    tell : callable
        Shows one line that is not the answer to what was asked, such as that progress could not be kept.
    """

    def __init__(self, workspace: Workspace, tell: Callable[[str], None]) -> None:
        self.workspace = workspace
        self.store = Store(workspace.mark)
        self.tell = tell

    def standings(self) -> list[Standing]:
        """How far each exercise is, in their order."""
        state = self.store.read()
        if state.note:
            self.tell(state.note)
        return [self._standing(exercise, state.of(exercise.id)) for exercise in catalogue()]

    def _standing(self, exercise: Exercise, progress: Progress) -> Standing:
        file = self.workspace.answer(exercise)
        digest = fingerprint(file)
        if not digest:
            state = "missing"
        elif progress.passed:
            state = "pass" if digest == progress.passed_sha256 else "changed"
        elif progress.given_up:
            state = "given up"
        elif progress.skipped:
            state = "skipped"
        elif digest == progress.sha256:
            state = progress.state
        else:
            state = "not started" if digest == fingerprint(exercise.answer) else "begun"
        return Standing(exercise, file, state, progress)

    def next(self) -> Standing | None:
        """The first exercise that is still to be done; a skipped one when no other is left, and None after all."""
        standings = self.standings()
        left = [each for each in standings if each.open] or [each for each in standings if each.state == "skipped"]
        return left[0] if left else None

    def chosen(self, names: Sequence[str]) -> list[Exercise]:
        """The exercises that names mean; without a name that of the current folder, else the next one."""
        if names:
            return chosen(names, self.workspace)
        with contextlib.suppress(ValueError):
            place = Path.cwd().resolve().relative_to(self.workspace.root.resolve()).as_posix()
            here = [exercise for exercise in catalogue() if f"{place}/".startswith(f"{exercise.place}/")]
            if here:
                return here
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
        self, exercises: Sequence[Exercise], seed: int, report: Callable[[ExerciseResult], None]
    ) -> list[ExerciseResult]:
        """Check answers and keep what came of each as soon as it is known."""

        def known(result: ExerciseResult) -> None:
            report(result)
            try:
                with self.store.change() as state:
                    state.of(result.exercise.id).record(result)
            except OSError as error:
                self.tell(f"the result could not be kept: {error}")
                return
            if state.note:
                self.tell(state.note)

        return check(exercises, self.workspace.root, seed=seed, report=known)
