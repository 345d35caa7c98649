"""Loading a reader's file afresh for each check, so that nothing is left over from the one before."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType

from kael.exercises import NotStarted, blank, twins

__all__ = ["filled", "load_answer"]


def load_answer(path: Path) -> ModuleType:
    """The module in a reader's file, run anew; a Cython file is built first, once for each text.

    Raises
    ------
    NotStarted
        When the file is not there.
    """
    if not path.exists():
        raise NotStarted(f"{path.name} is not there")
    if path.suffix == ".pyx":
        return twins.load_twin(path)
    module = ModuleType(f"answer_{path.stem}")
    module.__file__ = str(path)
    try:
        exec(_compiled(path, path.read_text(encoding="utf-8")), vars(module))
    except SystemExit as error:  # pytest loses its place when a fixture raises it
        raise RuntimeError(f"{path.name} left the interpreter: SystemExit({error.code})") from error
    return module


@lru_cache
def _compiled(path: Path, text: str) -> CodeType:
    """One text is compiled once, however many checks it meets."""
    return compile(text, str(path), "exec", dont_inherit=True)


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
        raise NotStarted(f"{name} has not been filled")
    if empty:
        raise AssertionError(f"{name}: row {empty[0][0]}, column {empty[0][1]} is still blank")
    return rows
