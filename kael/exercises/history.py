"""Versions of a reader's files that a command has replaced, in `.kael/history`: nothing is overwritten unsaved."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kael.exercises import Refused
from kael.exercises.saving import UNFINISHED, locked, save
from kael.exercises.state import now
from kael.exercises.workspace import Workspace

__all__ = ["Entry", "History"]

MANIFEST = "manifest.json"
FORMAT = 1


@dataclass(frozen=True)
class Entry:
    """What was saved before one command.

    Attributes
    ----------
    number : int
        Counts from 1.
    reason : str
        The command, such as ``reset ch17-03``.
    time : str
        When, in UTC.
    files : dict of str to str or None
        The hash of each file by its path in the workspace; None for one that was not there.
    folder : Path
        Where the bytes are.
    """

    number: int
    reason: str
    time: str
    files: dict[str, str | None]
    folder: Path

    def read(self, path: str) -> bytes:
        """The bytes of a file as they were.

        Raises
        ------
        OSError
            When the saved copy is gone or is not what was saved.
        """
        data = (self.folder / _stored(list(self.files).index(path))).read_bytes()
        if _digest(data) != self.files[path]:
            raise OSError(f"{self.folder}: the copy of {path} is not what was saved; it was left alone")
        return data

    def as_json(self) -> dict[str, Any]:
        """All but where the bytes are."""
        return {"number": self.number, "reason": self.reason, "time": self.time, "files": self.files}


class History:
    """The saved versions of a workspace.

    Parameters
    ----------
    workspace : Workspace
        Whose.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.folder = workspace.mark / "history"
        self.lock = workspace.mark / "lock"

    def entries(self) -> list[Entry]:
        """What there is, oldest first; an entry that cannot be read is left out."""
        found = []
        for folder in self.folder.glob("[0-9]*") if self.folder.is_dir() else ():
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                said = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
                found.append(Entry(int(folder.name), said["reason"], said["time"], dict(said["files"]), folder))
        return sorted(found, key=lambda entry: entry.number)

    def replace(self, files: Mapping[str, bytes], reason: str) -> Entry | None:
        """Save files as they are, then overwrite them; None where they hold all that already.

        That is looked at inside the lock: of two commands that want the same at one moment, the second would else save
        what the first has written, as the newest version.

        Parameters
        ----------
        files : mapping of str to bytes
            What each file is to hold, by its path in the workspace with slashes.
        reason : str
            The command that asks for it.

        Raises
        ------
        OSError
            Where something could not be saved, and then no file was touched; or where a file could not be written, and
            then the saved versions say how it was.
        """
        with locked(self.lock):
            wanted = {path: data for path, data in files.items() if self._current(path) != data}
            if not wanted:
                return None
            entry = self._save(wanted, reason)
            for path, data in wanted.items():
                target = self.workspace.root / path
                target.parent.mkdir(parents=True, exist_ok=True)
                save(target, data)
        return entry

    def undo(self, number: int | None = None, among: Iterable[str] | None = None) -> tuple[Entry, list[str]]:
        """Bring back the files that an entry holds; what is there now is saved first, so that this can be undone too.

        Parameters
        ----------
        number : int, optional
            Which entry; the last one when left out.
        among : iterable of str, optional
            The last entry that holds one of these paths.

        Returns
        -------
        entry : Entry
            What was brought back.
        paths : list of str
            The files that changed by it.

        Raises
        ------
        Refused
            When there is no such entry.
        """
        wanted = None if among is None else set(among)
        fitting = [
            entry
            for entry in self.entries()
            if (number is None or entry.number == number) and (wanted is None or wanted & set(entry.files))
        ]
        if not fitting:
            raise Refused("there is nothing to undo" if number is None else f"there is no saved version {number}")
        entry = fitting[-1]
        files = {path: entry.read(path) for path, digest in entry.files.items() if digest is not None}
        changed = {path: data for path, data in files.items() if self._current(path) != data}
        if changed:
            self.replace(changed, f"undo {entry.number}")
        return entry, list(changed)

    def _current(self, path: str) -> bytes | None:
        """The bytes of a file; None where it is not there."""
        try:
            return (self.workspace.root / path).read_bytes()
        except FileNotFoundError:
            return None

    def _save(self, files: Iterable[str], reason: str) -> Entry:
        """Copy files aside, and read the copies again before anything relies on them."""
        self.folder.mkdir(exist_ok=True)
        for left in self.folder.glob(f"*{UNFINISHED}"):  # of a process that was killed while it saved
            shutil.rmtree(left, ignore_errors=True)
        numbers = [int(folder.name) for folder in self.folder.glob("[0-9]*") if folder.name.isdigit()]
        number = max(numbers, default=0) + 1
        final = self.folder / f"{number:04}"
        unfinished = final.with_name(final.name + UNFINISHED)
        contents = {path: self._current(path) for path in files}
        hashes = {path: None if data is None else _digest(data) for path, data in contents.items()}
        entry = Entry(number, reason, now(), hashes, unfinished)
        try:
            unfinished.mkdir()
            for place, (path, data) in enumerate(contents.items()):
                if data is not None:
                    save(unfinished / _stored(place), data)
                    entry.read(path)
            said = {"format": FORMAT, "reason": reason, "time": entry.time, "files": hashes}
            save(unfinished / MANIFEST, json.dumps(said, indent=1).encode() + b"\n")
            unfinished.rename(final)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        return Entry(number, reason, entry.time, hashes, final)


def _stored(place: int) -> str:
    """What the copy of a file is called, by its place in the manifest: a name of the reader's may be any."""
    return f"{place}.saved"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
