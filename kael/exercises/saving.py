"""Writing a file whole or not at all, and one writer at a time."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["UNFINISHED", "locked", "reason", "save"]

UNFINISHED = ".kael-tmp"
"""What the name of a file that is still being written ends in."""


def save(path: Path, data: bytes, *, lasting: bool = True) -> None:
    """Put bytes into a file so that it holds the old ones or the new ones at any moment, never a part.

    They go into a new file beside it, which then takes its place. A link stays a link.

    Parameters
    ----------
    path : Path
        The file; its folder exists.
    data : bytes
        All that it is to hold.
    lasting : bool
        Whether to wait until the disk has it, so that it outlives a power cut.

    Raises
    ------
    OSError
        Where they cannot be written; the file is as it was.
    """
    target = path.resolve()
    unfinished = target.with_name(f".{target.name}.{os.getpid()}{UNFINISHED}")
    try:
        with unfinished.open("wb") as stream:
            stream.write(data)
            stream.flush()
            if lasting:
                os.fsync(stream.fileno())
        _replace(unfinished, target)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise


def reason(error: OSError) -> str:
    """Which file, and why, without the number.

    Examples
    --------
    >>> reason(OSError(28, "No space left on device", "state.json"))
    'state.json: No space left on device'
    """
    return ": ".join(str(part) for part in (error.filename2 or error.filename, error.strerror) if part) or str(error)


def _replace(source: Path, target: Path) -> None:
    """Windows refuses while an editor or a scanner has the target open for a moment."""
    for wait in (0.02, 0.1, 0.5) if os.name == "nt" else ():
        try:
            source.replace(target)
        except PermissionError:
            time.sleep(wait)
        else:
            return
    source.replace(target)


@contextlib.contextmanager
def locked(path: Path, patience: float = 10.0) -> Iterator[None]:
    """Be the only one inside, among all processes that lock this file.

    The operating system holds the lock and lets go of it when its owner ends, however that ends. On a file system
    without locks everyone gets in.

    Parameters
    ----------
    path : Path
        A file for nothing else; made when it is not there.
    patience : float
        Seconds to wait for another owner.

    Raises
    ------
    TimeoutError
        When the other owner does not let go.
    """
    with path.open("ab") as stream:
        deadline = time.monotonic() + patience
        while not _taken(stream.fileno()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path}: another `kael ex` has held it for {patience:g} s; end it and try again")
            time.sleep(0.02)
        try:
            yield
        finally:
            _let_go(stream.fileno())


if sys.platform == "win32":

    def _taken(descriptor: int) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def _let_go(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def _taken(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            return True
        return True

    def _let_go(descriptor: int) -> None:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
