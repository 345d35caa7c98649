"""Hints in three tiers: the idea, where to look, pseudo-code. They cost no points."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from kael.exercises.catalogue import Exercise
from kael.exercises.state import Progress

__all__ = ["TIERS", "Place", "may_open", "open_next", "where_to_read"]

TIERS = ("the idea", "where to look", "in steps")

CLONE = Path(__file__).resolve().parents[2]


def may_open(exercise: Exercise, progress: Progress) -> bool:
    """Whether there is another hint and it is time for it: the first at once, each other after another failed try.

    After a pass, or when the solution has been asked for, there is nothing to wait for.
    """
    if progress.hints >= len(exercise.hints):
        return False
    done = bool(progress.passed or progress.given_up)
    return progress.hints == 0 or progress.tries > progress.tries_at_hint or done


def open_next(exercise: Exercise, progress: Progress, *, at_once: bool = False) -> bool:
    """Open the next hint where that may be; whether one was opened.

    Parameters
    ----------
    exercise : Exercise
        Whose.
    progress : Progress
        Is changed when a hint is opened.
    at_once : bool
        Whether no other try is asked for.
    """
    if not may_open(exercise, progress) and not (at_once and progress.hints < len(exercise.hints)):
        return False
    progress.hints += 1
    progress.tries_at_hint = progress.tries
    return True


@dataclass(frozen=True)
class Place:
    """Where the book explains something.

    Attributes
    ----------
    text : str
        What to open.
    uri : str
        A link to it; empty where the book is not on this machine.
    """

    text: str
    uri: str = ""


def where_to_read(exercise: Exercise, clone: Path = CLONE) -> Place:
    """The section of the book that an exercise builds on: on the built page, else in its source, else in words.

    Parameters
    ----------
    exercise : Exercise
        Its `read` begins with the number of the section.
    clone : Path
        The folder that holds ``book``.
    """
    page = exercise.anchor.partition(".md")[0]
    number = exercise.read.split()[0].rstrip(",")
    built, source = clone / "book" / "_build" / "html" / f"{page}.html", clone / "book" / f"{page}.md"
    if built.is_file():
        heading = rf'<section[^>]* id="([^"]+)">\s*(?:<span[^>]*></span>\s*)*<h\d>{re.escape(number)} '
        found = re.search(heading, built.read_text(encoding="utf-8"))
        fragment = found[1] if found else exercise.anchor.partition("#")[2]
        return Place(str(built), f"{built.as_uri()}#{fragment}")
    if source.is_file():
        lines = source.read_text(encoding="utf-8").splitlines()
        for line, text in enumerate(lines, 1):
            if re.match(rf"#+ {re.escape(number)} ", text):
                return Place(f"{source}, line {line}", source.as_uri())
        return Place(str(source), source.as_uri())
    return Place(f"`kael book` in the clone, page {page}")
