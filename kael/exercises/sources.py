"""Reading the text of a reader's file, whatever an editor has made of it."""

from __future__ import annotations

from importlib.util import decode_source
from pathlib import Path

from kael.exercises import NotStarted

__all__ = ["LARGEST", "Unreadable", "read_source"]

LARGEST = 1_000_000
"""Bytes that an answer may have; a larger file is no answer, and is not read."""


class Unreadable(Exception):
    """A reader's file cannot be run as it is.

    Parameters
    ----------
    what : str
        What is the matter.
    mend : str
        What to do about it.
    line : int
        Where; 0 when no line is meant.
    text : str
        What stands there.
    """

    def __init__(self, what: str, mend: str, line: int = 0, text: str = "") -> None:
        super().__init__(what, mend, line, text)
        self.what = what
        self.mend = mend
        self.line = line
        self.text = text

    def __str__(self) -> str:
        return self.what


def read_source(path: Path, origin: Path | None = None) -> str:
    """The text of a file of code: any line ends, with or without a byte order mark, in the encoding that it declares.

    Parameters
    ----------
    path : Path
        What to read.
    origin : Path, optional
        Where the reader keeps it, when `path` is a copy.

    Raises
    ------
    NotStarted
        When it is not there, or empty.
    Unreadable
        When it is a folder, too large, locked, or no text that Python reads.
    """
    data = _bytes(path, origin or path)
    if not data.strip():
        raise NotStarted(f"{path.name} is empty; `kael ex reset` brings the stub back")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable(f"{path.name} is saved as UTF-16", "save it as UTF-8 in your editor")
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise Unreadable(
            f"{path.name} holds a byte of value 0, so that Python does not read it",
            "delete that character, or copy the text into a new file; a save that was cut short can leave such bytes",
            line,
        )
    try:
        return decode_source(data)
    except (SyntaxError, UnicodeDecodeError):
        raise _misencoded(path, data) from None


def _bytes(path: Path, origin: Path) -> bytes:
    if path.is_dir():
        raise Unreadable(f"{path.name} is a folder", f"put your answer into a file of that name, {origin}")
    if not path.exists():
        raise NotStarted(_absent(origin))
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise Unreadable(
                f"{path.name} has {size / 1e6:.1f} MB",
                "an answer is a page of code; move data out of the file, or start again with `kael ex reset`",
            )
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(
            f"{path.name} cannot be read: {error.strerror}",
            f"make {origin} readable for yourself, and close what locks it",
        ) from error


def _absent(path: Path) -> str:
    """What to say of a file that is not there, with the one that it may have become."""
    others = [other.name for other in path.parent.glob(f"*{path.suffix}") if not other.name.startswith("test_")]
    import difflib

    close = difflib.get_close_matches(path.name, others, 1, 0.5)
    if close:
        return f"{path.name} is not there, but {close[0]} is; give it the name {path.name} again"
    return f"{path.name} is not there; `kael ex reset` brings the stub back"


def _misencoded(path: Path, data: bytes) -> Unreadable:
    mend = "save it as UTF-8 in your editor, or write the character in ASCII"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        byte = data[error.start]
        shown = bytes([byte]).decode("latin-1")
        said = f", which is {shown!r} in Latin-1" if shown.isprintable() else ""
        text = data.splitlines()[line - 1].decode("utf-8", "replace").strip()
        return Unreadable(f"{path.name} is not UTF-8: there is a byte 0x{byte:02x}{said}", mend, line, text)
    return Unreadable(
        f"{path.name} declares an encoding that Python does not know", "delete that line; UTF-8 needs none", 1
    )
