"""What a reader has done so far, in `.kael/state.json`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kael.exercises import Refused
from kael.exercises.results import ExerciseResult
from kael.exercises.saving import locked, save

__all__ = ["FORMAT", "Progress", "State", "Store", "now"]

FORMAT = 1


@dataclass
class Progress:
    """What was done about one exercise.

    Attributes
    ----------
    tries : int
        How many different answers were checked and did not pass.
    state, sha256 : str
        What came of the last check, and the hash of the file that was checked.
    score : int
        The most points that a check gave.
    passed, passed_sha256 : str
        When it passed last, and the hash of the file that did; empty before.
    hints : int
        How many hints were opened.
    tries_at_hint : int
        How many tries there had been when the last hint was opened.
    given_up : str
        When the solution was asked for without a pass.
    skipped : bool
        Whether it was put off.
    """

    tries: int = 0
    state: str = ""
    sha256: str = ""
    score: int = 0
    passed: str = ""
    passed_sha256: str = ""
    hints: int = 0
    tries_at_hint: int = 0
    given_up: str = ""
    skipped: bool = False

    def record(self, result: ExerciseResult) -> None:
        """Enter what came of a check. The same text checked again is no new try, and a stub is none."""
        if not result.passed and result.available and result.state != "not started" and result.sha256 != self.sha256:
            self.tries += 1
        self.state, self.sha256 = result.state, result.sha256
        self.score = max(self.score, result.score)
        if result.passed:
            self.passed, self.passed_sha256, self.skipped = now(), result.sha256, False


@dataclass
class State:
    """All of it.

    Attributes
    ----------
    exercises : dict of str to Progress
        By id.
    last : str
        The exercise that was checked last, by itself.
    note : str
        Something that the reader should know about the file, once.
    """

    exercises: dict[str, Progress] = field(default_factory=dict)
    last: str = ""
    note: str = ""

    def of(self, name: str) -> Progress:
        """The progress of an exercise; a fresh one where there is none."""
        return self.exercises.setdefault(name, Progress())


class Store:
    """The file that holds a `State`, for several processes at once.

    Parameters
    ----------
    folder : Path
        The `.kael` of a workspace.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / "state.json"
        self.lock = folder / "lock"

    def read(self) -> State:
        """The state as it is now; an empty one where there is no file or a damaged one.

        Raises
        ------
        Refused
            When a newer kael wrote it.
        """
        try:
            return _parsed(self.file.read_bytes())
        except FileNotFoundError:
            return State()
        except (ValueError, IsADirectoryError):
            return State(note=f"{self.file} is damaged; the next check sets it aside and begins a new one")

    @contextlib.contextmanager
    def change(self) -> Iterator[State]:
        """The state, to be changed; it is written when the block ends without an error.

        A damaged file is set aside under another name first.
        """
        with locked(self.lock):
            state = self.read()
            if state.note:
                state.note = self._set_aside()
            yield state
            exercises = {name: asdict(progress) for name, progress in state.exercises.items()}
            text = json.dumps({"format": FORMAT, "last": state.last, "exercises": exercises}, indent=1)
            save(self.file, text.encode() + b"\n")

    def _set_aside(self) -> str:
        number = 1
        while (aside := self.file.with_name(f"state.damaged-{number}.json")).exists():
            number += 1
        self.file.rename(aside)
        return f"{self.file} was damaged and is now {aside.name}; `kael ex check --all` finds out again what passes"


def _parsed(data: bytes) -> State:
    """The state in a file; ValueError when it is not one."""
    said = json.loads(data.decode("utf-8"))
    if not isinstance(said, dict) or not isinstance(said.get("format"), int):
        raise ValueError("no state")
    if said["format"] > FORMAT:
        raise Refused(
            f"a newer kael wrote the progress here (format {said['format']}, this one knows {FORMAT}); update kael"
        )
    exercises = said.get("exercises")
    if not isinstance(exercises, dict):
        raise ValueError("no exercises")
    return State({str(name): _progress(entry) for name, entry in exercises.items()}, str(said.get("last", "")))


def _progress(entry: Any) -> Progress:
    if not isinstance(entry, dict):
        raise ValueError("no progress")
    known = {item.name: entry[item.name] for item in fields(Progress) if item.name in entry}
    plain = Progress()
    for name, value in known.items():
        if type(value) is not type(getattr(plain, name)):
            raise ValueError(f"{name} is {value!r}")
    return Progress(**known)


def now() -> str:
    """The time in UTC, to the second, as text."""
    return datetime.now(UTC).isoformat(timespec="seconds")
