"""Loading a reader's file afresh for each check, so that nothing is left over from the one before."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType

from kael.exercises import NotStarted, blank, twins
from kael.exercises.sources import Unreadable, read_source

__all__ = ["filled", "load_answer"]


def load_answer(path: Path, origin: Path | None = None) -> ModuleType:
    """The module in a reader's file, run anew; a Cython file is built first, once for each text.

    Parameters
    ----------
    path : Path
        What to run.
    origin : Path, optional
        Where the reader keeps it, when `path` is a copy.

    Raises
    ------
    NotStarted
        When the file is not there, or empty.
    Unreadable
        When it is no file of code, or Python does not understand it.
    """
    text = read_source(path, origin)
    if path.suffix == ".pyx":
        return twins.load_twin(path, text)
    module = ModuleType(f"answer_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses and pickle look for it there
    try:
        exec(_compiled(path, text), vars(module))
    except SystemExit as error:  # pytest loses its place when a fixture raises it
        raise RuntimeError(f"{path.name} left the interpreter: SystemExit({error.code})") from error
    return module


@lru_cache
def _compiled(path: Path, text: str) -> CodeType:
    """One text is compiled once, however many checks it meets."""
    try:
        return compile(text, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        line = (error.text or "").strip()
        if isinstance(error, TabError):
            mend = "indent with spaces alone: in your editor, convert the file's tabs to spaces"
        elif isinstance(error, IndentationError):
            mend = "look at how far that line and the ones before it are indented"
        else:
            mend = "look at that line, and at a bracket or quote that the lines before it leave open"
        raise Unreadable(f"{type(error).__name__}: {error.msg}", mend, error.lineno or 0, line) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise Unreadable(
            f"Python cannot compile {path.name}: {type(error).__name__}: {error}",
            "an expression in it is far too large or too deep; write it as a loop",
        ) from None


def filled(rows: object, name: str) -> list[tuple[object, ...]]:
    """The rows of a table that a reader was to fill.

    Raises
    ------
    NotStarted
        When every cell that was blank still is.
    AssertionError
        When only some are, or it is no table.
    """
    if not isinstance(rows, list) or not all(isinstance(row, tuple) for row in rows):
        raise AssertionError(f"{name} is no list of rows any more; keep its form and put values for the blanks")
    empty = [
        (number, place) for number, row in enumerate(rows, 1) for place, cell in enumerate(row, 1) if cell is blank
    ]
    given = [cell for row in rows for cell in row if isinstance(cell, int | float)]
    if empty and len(given) <= len(rows):  # the numbers of the steps
        raise NotStarted
    if empty:
        raise AssertionError(f"{name}: row {empty[0][0]}, column {empty[0][1]} is still blank")
    return rows
