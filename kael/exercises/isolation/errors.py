"""How an exception crosses: by a name that is known here, with its text and the lines of the answer it came through."""

from __future__ import annotations

import builtins
from pathlib import Path
from traceback import FrameSummary, extract_tb
from types import ModuleType
from typing import Any

import numpy as np

from kael.exercises import LibraryCalled, NotStarted
from kael.exercises.fence import OutOfBounds
from kael.exercises.sources import Unreadable
from kael.exercises.twins import BuildFailed

__all__ = ["Ended", "frames", "known_error", "made", "named", "packed"]

HERE = __file__.removesuffix("errors.py")
FRAMES = 50
NAMES = 200
LONGEST = 100_000

KNOWN: dict[str, type[BaseException]] = {
    f"builtins.{name}": found
    for name, found in vars(builtins).items()
    if isinstance(found, type) and issubclass(found, Exception) and found.__name__ == name
}
KNOWN |= {
    f"{kind.__module__}.{kind.__qualname__}": kind
    for kind in (NotStarted, BuildFailed, LibraryCalled, Unreadable, OutOfBounds)
}
KNOWN |= {"numpy.exceptions.AxisError": np.exceptions.AxisError, "numpy.linalg.LinAlgError": np.linalg.LinAlgError}
ENDS = {"builtins.SystemExit", "builtins.KeyboardInterrupt", "builtins.GeneratorExit", "_pytest.outcomes.Exit"}


class Ended(Exception):
    """The answer raised what is no ordinary error; a check that catches it has failed all the same."""


def known_error(error: BaseException) -> str:
    """The nearest class that the other process knows too."""
    for kind in type(error).__mro__:
        name = f"{kind.__module__}.{kind.__qualname__}"
        if name in KNOWN:
            return name
    return "" if not isinstance(error, Exception) else "builtins.Exception"


def packed(error: BaseException) -> list[Any]:
    """Class, nearest known class, text, plain arguments and frames of an exception."""
    kind = type(error)
    try:
        text = str(error)
    except Exception:  # the class is the answer's own
        text = f"a {kind.__name__} without a text"
    plain = all(type(value) in (str, int, float, bool, type(None)) for value in error.args)
    arguments = list(error.args) if plain else None
    passed = [
        [Path(frame.filename).name, frame.lineno, frame.name, frame.end_lineno, frame.colno, frame.end_colno]
        for frame in extract_tb(error.__traceback__, -FRAMES)
        if not frame.filename.startswith(HERE)
    ]
    name = f"{kind.__module__}.{kind.__qualname__}"
    return [name, known_error(error), text[:LONGEST], arguments, passed, details(error)]


def details(error: BaseException) -> list[Any] | None:
    """The name that an error is about, and of a module without it, what that has instead."""
    about = getattr(error, "name", None) if isinstance(error, AttributeError | ImportError | NameError) else None
    if not isinstance(about, str):
        return None
    owner = error.obj if isinstance(error, AttributeError) else None
    if not isinstance(owner, ModuleType):
        return [about, None, []]
    return [about, owner.__name__, [name for name in vars(owner) if not name.startswith("_")][:NAMES]]


def made(packed_error: list[Any], file: Path | None = None) -> BaseException:
    """The exception that was packed: of a known class, or of a new one below it with the name that was given.

    Parameters
    ----------
    packed_error : list
        As `packed` makes it.
    file : Path, optional
        The file here that a copy of its name there stands for.

    Raises
    ------
    ValueError, TypeError, KeyError
        When it is no such thing.
    """
    name, known, text, arguments, passed, about = packed_error
    if not (isinstance(name, str) and isinstance(text, str) and len(text) <= LONGEST):
        raise TypeError("an error without name or text")
    base = KNOWN[known] if known else Ended
    short = named(name.rpartition(".")[2], "Error")
    if name in ENDS:
        short, text, arguments = "Stopped", f"{short}({text}), which would end the run", None
    error = _of(base, arguments) if name == known else None
    if error is None or str(error) != text:
        kind = base if name == known else type(short, (base,), {"__module__": "answer"})
        error = _of(kind, [text])
    if error is None or str(error) != text:
        kind = type(short, (base,), {"__module__": "answer", "__str__": lambda self: text, "__init__": _plain})
        error = kind()
    if about is not None and isinstance(error, AttributeError | ImportError | NameError):
        name, owner, names = about
        error.name = name if isinstance(name, str) else None
        if isinstance(owner, str) and isinstance(error, AttributeError):
            error.obj = ModuleType(owner)
            vars(error.obj).update(dict.fromkeys(name for name in names if isinstance(name, str)))
    vars(error)["answer_frames"] = [_frame(file, *frame) for frame in passed[-FRAMES:]]
    return error


def _plain(self: BaseException) -> None:
    """No arguments: the text is told by the class."""


def _of(kind: type[BaseException], arguments: Any) -> BaseException | None:
    if not isinstance(arguments, list) or not all(type(a) in (str, int, float, bool, type(None)) for a in arguments):
        return None
    try:
        return kind(*arguments)
    except TypeError:
        return None


def _frame(file: Path | None, name: str, line: int, function: str, *places: int | None) -> FrameSummary:
    if not (type(name) is str and type(line) is int and type(function) is str):
        raise TypeError("a frame without file, line or function")
    if not all(place is None or type(place) is int for place in places):
        raise TypeError("a frame without places")
    last, begin, end = places
    if file is not None and name == file.name:
        name = str(file)
    return FrameSummary(
        name[:1000], line, function[:200], lookup_line=False, end_lineno=last, colno=begin, end_colno=end
    )


def frames(error: BaseException) -> list[FrameSummary]:
    """The lines in the answering process that an error came through; none for an error from here."""
    found: list[FrameSummary] = vars(error).get("answer_frames", [])
    return found


def named(name: Any, otherwise: str) -> str:
    """A name as it may be given to a class here."""
    return name if isinstance(name, str) and name.isidentifier() and len(name) <= 60 else otherwise
