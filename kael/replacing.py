"""A file that takes another one's place when it is whole."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

__all__ = ["replaced"]


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A file to write beside another, which takes the other's place when it is whole and on the disk.

    Raises
    ------
    OSError
        When it cannot be written; the other one stays.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        partial.write_bytes(b"")
    except OSError as error:
        raise type(error)(error.errno, f"{path} cannot be written: {error.strerror}") from None
    try:
        yield partial
        with partial.open("r+b") as file:
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, partial)
        partial.replace(path)
    except OSError as error:
        kept = f"; {path.name} is the file that it was" if path.exists() else ""
        raise OSError(f"{path} is not saved: {error}{kept}") from error
    finally:
        partial.unlink(missing_ok=True)
