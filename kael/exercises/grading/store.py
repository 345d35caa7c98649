"""What has been graded, kept so that a run that was killed goes on where it was: one line per student and exercise."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TextIO

from kael.exercises.grading.student import Record

__all__ = ["Store", "rewritten"]


class _Line(NamedTuple):
    """What a record is about, and where it stands in the file."""

    key: tuple[str, str, int, str]
    start: int


class Store:
    """The folder of one class's results.

    ``results.jsonl`` is appended to and brought to the disk after each student; ``run.json`` holds the seed and what is
    known about the checks.

    Parameters
    ----------
    folder : Path
        Made when it is not there.
    seed : int, optional
        Of this run; the recorded one when left out, and a random one where none is recorded.
    fresh : bool
        Whether to put earlier results aside, as ``results.old.jsonl``.

    Raises
    ------
    FileExistsError
        When the folder holds a ``grades.csv`` that did not come from here, or is a file.
    BlockingIOError
        When another run is writing there.
    """

    def __init__(self, folder: Path, seed: int | None = None, *, fresh: bool = False) -> None:
        self.folder = folder
        if folder.exists() and not folder.is_dir():
            raise FileExistsError(f"{folder} is a file; give a folder with --out")
        folder.mkdir(parents=True, exist_ok=True)
        run, self.file = folder / "run.json", folder / "results.jsonl"
        if not run.exists() and any((folder / name).exists() for name in ("grades.csv", "results.jsonl")):
            raise FileExistsError(f"{folder} holds files that are not of `kael grade`; give another folder with --out")
        self._lock = (folder / ".lock").open("a", encoding="utf-8")
        try:
            _take(self._lock)
        except OSError:
            self._lock.close()
            raise BlockingIOError(
                f"another `kael grade` is writing to {folder}; wait for it, or give another folder with --out"
            ) from None
        try:
            recorded = {} if fresh else _recorded(run, needed=seed is None)
        except FileExistsError:
            self._lock.close()
            raise
        if fresh and self.file.exists():
            self.file.replace(folder / "results.old.jsonl")
        self.seed: int = seed if seed is not None else recorded.get("seed", secrets.randbelow(2**31))
        self.proofs: dict[str, Any] = recorded.get("proofs", {}) if self.seed == recorded.get("seed") else {}
        self.keep_proofs({})
        self.lines: dict[tuple[str, str], _Line] = {}
        self.first: dict[tuple[str, str, int, str], int] = {}
        self.damaged = 0
        self._stream = self.file.open("a+b", buffering=0)
        self._reader = self.file.open("rb")
        self._read()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reader.close()
        self._stream.close()
        self._lock.close()

    def _read(self) -> None:
        """Enter what is there, and cut off a last line that was never finished."""
        start = 0
        for line in self._reader:
            if not line.endswith(b"\n"):
                self._stream.truncate(start)
                break
            try:
                record = json.loads(line)
                self._enter(record, start)
            except (ValueError, KeyError, TypeError):
                self.damaged += 1
            start += len(line)
        self.size = start

    def _enter(self, record: Record, start: int) -> None:
        self.lines[record["student"], record["exercise"]] = _Line(_key(record), start)
        if record["sha256"]:
            self.first.setdefault((record["exercise"], record["sha256"], record["seed"], record["checks"]), start)

    def keep_proofs(self, proofs: Mapping[str, Any]) -> None:
        """Note what has been found out about the checks of exercises, with this seed."""
        self.proofs.update(proofs)
        with rewritten(self.folder / "run.json") as stream:
            json.dump({"seed": self.seed, "proofs": self.proofs}, stream, ensure_ascii=False, indent=1)

    def append(self, records: Sequence[Record]) -> None:
        """Write the records of a student and bring them to the disk: all of them, or none when that fails.

        Raises
        ------
        OSError
            When there is no room; what was written before stays as it is.
        """
        lines = [json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for record in records]
        rest = memoryview(b"".join(lines))
        try:
            while rest:
                rest = rest[self._stream.write(rest) :]
            os.fsync(self._stream.fileno())
        except OSError:
            with contextlib.suppress(OSError):  # a half line is cut off when it is read
                self._stream.truncate(self.size)
            raise
        for record, line in zip(records, lines, strict=True):
            self._enter(record, self.size)
            self.size += len(line)

    def has(self, student: str, exercise: str, *, sha256: str, reason: str, checks: str) -> bool:
        """Whether this very answer has been graded with this seed and these checks."""
        line = self.lines.get((student, exercise))
        return line is not None and line.key == (sha256, reason, self.seed, checks)

    def get(self, student: str, exercise: str) -> Record | None:
        """The last record of a student for an exercise."""
        line = self.lines.get((student, exercise))
        return None if line is None else self._at(line.start)

    def alike(self, exercise: str, *, sha256: str, checks: str) -> Record | None:
        """What came of the first answer of the same bytes, with this seed and these checks, whoever handed it in."""
        start = self.first.get((exercise, sha256, self.seed, checks))
        return None if start is None else self._at(start)

    def _at(self, start: int) -> Record:
        self._reader.seek(start)
        record: Record = json.loads(self._reader.readline())
        return record


def _key(record: Record) -> tuple[str, str, int, str]:
    return record["sha256"], record["reason"], record["seed"], record["checks"]


def _recorded(run: Path, *, needed: bool) -> dict[str, Any]:
    """What `run.json` says; nothing where it is not there, or is damaged and not needed."""
    try:
        found = json.loads(run.read_text(encoding="utf-8"))
        return {"seed": int(found["seed"]), "proofs": dict(found.get("proofs", {}))}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError) as error:
        if not needed:
            return {}
        raise FileExistsError(f"{run} is damaged; give the seed with --seed, or --fresh") from error


@contextlib.contextmanager
def rewritten(path: Path, *, newline: str | None = None) -> Iterator[TextIO]:
    """A stream whose text takes the place of a file once it is complete, and not before.

    Parameters
    ----------
    path : Path
        The file.
    newline : str, optional
        As for `open`.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", errors="replace", newline=newline) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def _take(lock: Any) -> None:
    """Hold a file for this process alone; the system lets go of it however the process ends."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
