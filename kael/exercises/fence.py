"""What an answer's code may not do while a check runs it: write outside its folder, start or end processes.

A fence keeps mistakes from costing a reader their work. It is no prison: who wants to get round it can.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

__all__ = ["OutOfBounds", "around", "lifted", "put_up"]

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
PATHS = {
    "os.remove": 1, "os.rmdir": 1, "os.mkdir": 1, "os.truncate": 1, "os.chmod": 1, "os.chown": 1, "os.link": 2,
    "os.symlink": 2, "os.rename": 2, "shutil.rmtree": 1, "shutil.move": 2,
}  # fmt: skip
"""How many of an event's first arguments are paths that are written to."""
LOOKING = {"os.listdir", "os.scandir"}
PROCESSES = {
    "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.startfile", "os.kill",
    "os.killpg", "subprocess.Popen", "signal.pthread_kill",
}  # fmt: skip


class OutOfBounds(PermissionError):
    """An answer wanted to do what answers may not."""


class _Fence:
    def __init__(self) -> None:
        self.inside: tuple[str, ...] = ()
        self.reading: tuple[str, ...] = ()
        self.up = False


_fence = _Fence()


def put_up(*folders: Path, reading: Sequence[Path] = ()) -> None:
    """Let code between `around` and its end write below these folders alone, from now on, in this process.

    It cannot be undone, as audit hooks cannot be removed.

    Parameters
    ----------
    *folders : Path
        Where it may write.
    reading : sequence of Path
        Where it may read and look around; everywhere when left out. Solutions are out of bounds there too.
    """
    first = not _fence.inside
    _fence.inside = tuple(os.path.realpath(folder) for folder in folders)
    _fence.reading = tuple({os.path.realpath(folder) for folder in reading})
    if first:
        sys.addaudithook(_asked)


@contextlib.contextmanager
def around() -> Iterator[None]:
    """Run an answer's code inside the fence."""
    before, _fence.up = _fence.up, True
    try:
        yield
    finally:
        _fence.up = before


@contextlib.contextmanager
def lifted() -> Iterator[None]:
    """Run kael's own code for an answer, such as the compilers, outside of it."""
    before, _fence.up = _fence.up, False
    try:
        yield
    finally:
        _fence.up = before


def _asked(event: str, arguments: tuple[Any, ...]) -> None:
    if not _fence.up:
        return
    if event == "open":
        path, mode, flags = arguments
        if isinstance(path, int):
            return
        if flags & WRITING if isinstance(flags, int) else set(mode or "") & set("wax+"):
            _check(path)
        elif _fence.reading:
            _check(path, reading=True)
    elif event in LOOKING and _fence.reading:
        _check(arguments[0] if arguments[0] is not None else os.curdir, reading=True)
    elif event in PATHS:
        if event in ("os.remove", "os.rmdir", "os.mkdir") and arguments[-1] not in (-1, None):
            return  # relative to an open folder, which was looked at when its removal began
        for path in arguments[: PATHS[event]]:
            _check(path)
    elif event in PROCESSES:
        raise OutOfBounds(f"your file called {event}; an answer starts and ends no processes")


def _check(path: Any, reading: bool = False) -> None:
    if isinstance(path, int):
        return
    allowed = _fence.reading if reading else _fence.inside
    _fence.up = False  # looking at a path must not ask again
    try:
        place = os.path.realpath(os.fsdecode(path))
    finally:
        _fence.up = True
    hidden = reading and Path(place).name == "solutions.zip"
    if place == os.path.realpath(os.devnull) or (
        not hidden
        and any(os.path.commonpath([place, folder]) == folder for folder in allowed if _same_drive(place, folder))
    ):
        return
    if reading:
        raise OutOfBounds(f"your file wanted to read {place}; an answer reads what it is given")
    raise OutOfBounds(f"your file wanted to write to {place}; an answer writes only below the folder that it runs in")


def _same_drive(a: str, b: str) -> bool:
    return os.path.splitdrive(a)[0] == os.path.splitdrive(b)[0]
