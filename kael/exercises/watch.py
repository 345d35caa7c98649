"""`kael ex watch`: checks an exercise again whenever its file is saved."""

from __future__ import annotations

import time
from pathlib import Path

from kael.exercises import Refused
from kael.exercises.catalogue import Exercise
from kael.exercises.checker import fingerprint
from kael.exercises.keys import Keys
from kael.exercises.results import ExerciseResult
from kael.exercises.saving import reason
from kael.exercises.screen import Screen
from kael.exercises.session import Session

__all__ = ["KEYS", "Saved", "Watcher"]

KEYS = {"r": "run", "h": "hint", "n": "next", "l": "list", "d": "diff", "x": "reset", "q": "quit"}
POLL = 0.1
"""Seconds between two looks at a file."""
SURE = 2.0
"""Seconds after which the content is read although time and size are the same: clocks of network drives are coarse."""


class Saved:
    """Notices that a file has another content, by looking at it: that works on network drives and in containers too.

    Parameters
    ----------
    file : Path
        The file.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.stamp = self._stamp()
        self.digest = fingerprint(file)
        self.read = time.monotonic()

    def changed(self) -> bool:
        """Whether the content is another than at the last call that said so; a file that is being replaced is not."""
        stamp = self._stamp()
        if stamp is None or (stamp == self.stamp and time.monotonic() - self.read < SURE):
            return False
        digest = fingerprint(self.file)
        if digest and self._stamp() == stamp:  # else it is being written
            self.stamp, self.read = stamp, time.monotonic()
            if digest != self.digest:
                self.digest = digest
                return True
        return False

    def _stamp(self) -> tuple[int, int] | None:
        try:
            status = self.file.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size


class Watcher:
    """One exercise at a time, checked at the start, on every save and on request.

    Parameters
    ----------
    session : Session
        The reader's workspace; with workers at the ready an answer comes soon after a save.
    screen : Screen
        Where results go.
    keys : Keys
        Where keys come from.
    seed : int
        Of the numbers that the checks draw.
    """

    def __init__(self, session: Session, screen: Screen, keys: Keys, seed: int = 0) -> None:
        self.session = session
        self.screen = screen
        self.keys = keys
        self.seed = seed
        self.passed = False
        self.asked = ""

    def watch(self, exercise: Exercise) -> int:
        """Go on until the reader quits; 0 when the exercise on the screen has passed by then, else 1."""
        self.turn_to(exercise)
        while True:
            key = self.keys.wait(POLL)
            if key in ("q", "Q"):
                return int(not self.passed)
            if key:
                self.pressed(key)
            elif self.saved.changed():
                self.run()
            elif not self.session.workspace.mark.is_dir():
                raise Refused(f"{self.session.workspace.root} is gone, or its .kael is; nothing is watched any more")

    def turn_to(self, exercise: Exercise) -> None:
        """Watch this exercise from now on."""
        self.exercise = exercise
        self.saved = Saved(self.session.workspace.answer(exercise))
        self.run()

    def run(self) -> None:
        """Check it now."""
        self.screen.clear()
        with self.screen.busy(f"checking {self.exercise.id} {self.exercise.title}", lasting=True):
            (result,) = self.session.check([self.exercise], self.seed, self.show)
        self.passed = result.passed
        self.saved.digest = result.sha256 or self.saved.digest
        self.menu()

    def show(self, result: ExerciseResult) -> None:
        """A result, with the task where it was not begun."""
        if result.state == "not started":
            self.screen.task(self.exercise)
        self.screen.result(result, then="save it; the checks run by themselves")
        if result.passed:
            self.screen.line()
            self.screen.line(f"Passed. n goes on; `kael ex solution {self.exercise.id}` shows how others did it.")

    def menu(self) -> None:
        """The keys, and that saving is enough."""
        enter = "" if self.keys.single else ", then Enter"
        keys = "  ".join(f"{key} {word}" for key, word in KEYS.items())
        self.screen.line()
        self.screen.line(f"{time.strftime('%H:%M:%S')} waiting for you to save {self.exercise.file}", style="dim")
        self.screen.line(f"{keys}{enter}", style="dim")

    def pressed(self, key: str) -> None:
        """Do what a key stands for, and go on watching where that cannot be done."""
        try:
            self.act(key)
        except (Refused, OSError) as error:
            self.screen.line(reason(error) if isinstance(error, OSError) else str(error))
            self.menu()

    def act(self, key: str) -> None:
        """Do what a key stands for."""
        at_once, key = key == "H", key.lower()
        asked, self.asked = self.asked, key
        if key == "r":
            self.run()
        elif key == "h":
            self.screen.hints(self.exercise, self.session.hint(self.exercise, at_once=at_once), "H")
        elif key == "n":
            self.turn_to(self.following())
        elif key == "l":
            self.screen.listing(self.session.standings())
        elif key == "d":
            self.screen.difference(*self.session.difference(self.exercise))
        elif key == "x" and asked != "x":
            self.screen.line(f"x once more puts the stub of {self.exercise.id} back; your file is saved first")
            return
        elif key == "x":
            self.asked = ""
            entry = self.session.reset([self.exercise])
            self.run()
            self.screen.reset(entry)
            return
        if key not in "rn":
            self.menu()

    def following(self) -> Exercise:
        """The next exercise that is still to be done after this one, else the one that follows it in the list."""
        standings = self.session.standings()
        here = [each.exercise.id for each in standings].index(self.exercise.id)
        later = [each for each in standings[here + 1 :] if each.open] or [
            each for each in standings[:here] if each.open
        ]
        return (later[0] if later else standings[(here + 1) % len(standings)]).exercise
