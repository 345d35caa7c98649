"""How results look: plain text anywhere, colours and links where rich is installed and a terminal shows them."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

from kael.exercises.catalogue import Exercise
from kael.exercises.hints import TIERS, where_to_read
from kael.exercises.history import Entry
from kael.exercises.results import CheckResult, ExerciseResult
from kael.exercises.session import Hints, Standing

__all__ = ["SIGNS", "Screen"]

SIGNS = {
    "pass": "+", "changed": "+", "fail": "x", "timeout": "t", "crash": "!", "missing": "!", "begun": ">",
    "not started": " ", "not run": "-", "not available": "/", "skipped": "-", "given up": "?",
    "ok": "+", "note": "-", "problem": "x",
}  # fmt: skip
"""A sign beside each word, so that colour is never needed; ASCII, so that every terminal has it."""

STYLES = {
    "pass": "green", "changed": "green", "fail": "red", "timeout": "red", "crash": "red", "missing": "red",
    "begun": "yellow", "given up": "yellow", "not run": "yellow", "skipped": "dim", "not available": "dim",
    "not started": "dim", "ok": "green", "note": "yellow", "problem": "red",
}  # fmt: skip
LABEL = 14
"""Where the text stands in the lines of a failure: `called:       ...`."""
NO_BREAK = "\N{NO-BREAK SPACE}"
WORDS = {"infty": "inf", "bmod": "mod"}
"""How the commands of formulas are spelled on a terminal; the others are words already."""

ON_HONOUR = "Checks on your own machine are on honour: they help you, and prove nothing to others."


class Screen:
    """A place to print to.

    Parameters
    ----------
    stream : text stream, optional
        Standard output when left out.
    plain : bool
        Whether colours and links stay away, also from a terminal.
    width : int, optional
        Columns; those of the terminal when left out.
    """

    def __init__(self, stream: TextIO | None = None, *, plain: bool = False, width: int | None = None) -> None:
        self.stream = sys.stdout if stream is None else stream
        self.given = width
        self.console: Any = None
        if not plain and self.stream.isatty() and not os.environ.get("NO_COLOR") and find_spec("rich"):
            from rich.console import Console

            self.console = Console(file=self.stream, highlight=False, markup=False, emoji=False, width=width)

    @property
    def width(self) -> int:
        """Columns; a terminal may get others while it is watched."""
        return self.given or shutil.get_terminal_size((100, 24)).columns

    def line(self, text: str = "", *, style: str = "", indent: int = 0, hang: int = 0, link: Path | str = "") -> None:
        """Print a text, wrapped at the width; what goes on begins `hang` columns further in.

        A word that is longer than the width, such as a path, is left whole, and so is code between backticks.
        """
        wrapped = wrap(text, max(self.width - 1, 20), indent, indent + hang)
        if self.console is None:
            self.stream.write("".join(f"{each}\n" for each in wrapped))
            self.stream.flush()
            return
        from rich.style import Style
        from rich.text import Text

        look = Style.parse(style) + (
            Style(link=link if isinstance(link, str) else link.absolute().as_uri()) if link else Style()
        )
        for each in wrapped:
            self.console.print(Text(each, look), soft_wrap=True)

    def block(self, text: str, *, indent: int = 0) -> None:
        """Print lines that are laid out already; long ones go on below their text."""
        for each in text.splitlines():
            head = each[:LABEL]
            hang = LABEL if head.rstrip().endswith(":") and head != head.rstrip() else len(each) - len(each.lstrip())
            if len(each) + indent < self.width:
                self._whole(" " * indent + each)
            else:
                self.line(each.lstrip(), indent=indent + len(each) - len(each.lstrip()), hang=hang)

    def _whole(self, text: str) -> None:
        if self.console is None:
            self.stream.write(f"{text}\n")
        else:
            self.console.print(text, soft_wrap=True)

    def state(self, state: str, text: str, *, indent: int = 0, width: int = 0) -> None:
        """A state as sign and word, then a text."""
        head = f"[{SIGNS[state]}] {state:<{width}}  "
        wrapped = wrap(text, max(self.width - 1 - indent - len(head), 20))
        for number, each in enumerate(wrapped):
            lead = head if number == 0 else " " * len(head)
            if self.console is None:
                self.stream.write(f"{' ' * indent}{lead}{each}\n")
            else:
                from rich.text import Text

                self.console.print(Text(" " * indent).append(lead, STYLES[state]).append(each), soft_wrap=True)

    def bar(self, done: int, whole: int, text: str) -> None:
        """A progress bar with what it means in words."""
        cells = 20
        full = -(-cells * done // whole) if whole else cells
        self.line(f"[{'#' * full}{'.' * (cells - full)}] {text}", hang=cells + 3)

    def result(self, result: ExerciseResult, then: str = "") -> None:
        """One exercise's checks, and the first that did not pass in full."""
        exercise = result.exercise
        self.line(f"{exercise.id} {exercise.title}: {result.score} of {result.points} points", style="bold")
        self.line(f"checked {shown(result.file)} ({result.sha256[:12] or 'no content'})", style="dim", link=result.file)
        if not result.sha256:
            self.state("missing", f"{shown(result.file)} cannot be read; `kael ex doctor` says what to do")
            return
        if result.state == "not started":
            self.state("not started", f"all {len(result.checks)} checks")
            self.what_to_open(exercise, result.file, then or f"kael ex check {exercise.id}")
            return
        width = max(len(check.state) for check in result.checks)
        for check in result.checks:
            self.state(check.state, check.title, width=width)
        first = next((check for check in result.checks if check.state != "pass"), None)
        if first is not None:
            self.line()
            self.failure(exercise, first)

    def failure(self, exercise: Exercise, check: CheckResult) -> None:
        """What a check that did not pass tells the reader."""
        self.line(f"{check.title}: {check.state}", style="bold")
        self.block(check.text)

    def what_to_open(self, exercise: Exercise, file: Path, then: str) -> None:
        """The files of an exercise that was not begun, and what comes after changing them."""
        self.line(f"task:         {shown(file.parent / 'README.md')}", hang=LABEL, link=file.parent / "README.md")
        self.line(f"change:       {shown(file)}", hang=LABEL, link=file)
        self.line(f"read:         {exercise.read}", hang=LABEL)
        self.line(f"then:         {then}", hang=LABEL)

    def task(self, exercise: Exercise) -> None:
        """What an exercise asks, in short."""
        about = f"level {exercise.level}, about {exercise.minutes} minutes, {exercise.points} points"
        if exercise.requires:
            about += f"; builds on {', '.join(exercise.requires)}"
        self.line(f"{exercise.id} {exercise.title}", style="bold")
        self.line(about, style="dim")
        self.line()
        parts = in_short(exercise)
        if self.console is not None and self.console.encoding.startswith("utf"):
            from rich.markdown import Markdown

            self.console.print(Markdown("\n\n".join(parts), code_theme="ansi_dark"))
            self.line()
            return
        for before, part in itertools.pairwise(["", *parts]):
            if before and not (part.startswith("- ") and before.startswith("- ")):
                self.line()
            if part.startswith("```"):
                self.block("\n".join(part.splitlines()[1:-1]), indent=4)
            elif part.startswith("|"):
                self.block(part)
            else:
                self.line(" ".join(part.replace("\n> ", "\n").split()), hang=2 * part.startswith(("- ", "> ")))
        self.line()

    def busy(self, text: str, *, lasting: bool = False) -> contextlib.AbstractContextManager[object]:
        """Say what takes a moment, on a terminal, for as long as it does; elsewhere only what is `lasting`."""
        if self.console is not None:
            return self.console.status(text)  # type: ignore[no-any-return]
        if lasting:
            self.line(f"{text} ...")
        return contextlib.nullcontext()

    def hints(self, exercise: Exercise, hints: Hints, at_once: str = "") -> None:
        """The hints opened so far, and how to get the next one."""
        for number, text in enumerate(hints.opened, 1):
            self.line(f"{exercise.id} hint {number} of {hints.all}: {TIERS[number - 1]}", style="bold")
            self.line(text, indent=2)
            if TIERS[number - 1] == "where to look":
                self.read(exercise)
            self.line()
        if len(hints.opened) == hints.all:
            flag = "" if hints.done else " --give-up"
            self.line(f"That was the last one. `kael ex solution {exercise.id}{flag}` shows the solution.")
        elif hints.done:
            self.line(f"`kael ex hint {exercise.id}` opens the next one.")
        else:
            at_once = at_once or f"kael ex hint {exercise.id} --now"
            self.line(f"The next hint opens after another failed try, or at once: {at_once}")

    def read(self, exercise: Exercise) -> None:
        """Where the book explains it."""
        place = where_to_read(exercise)
        self.line(f"read:  {exercise.read}", indent=2, hang=7)
        self.line(f"at:    {place.text}", indent=2, hang=7, link=place.uri)

    def code(self, text: str, name: str = "python") -> None:
        """A listing."""
        if self.console is None:
            self.stream.write(text if text.endswith("\n") else f"{text}\n")
        else:
            from rich.syntax import Syntax

            self.console.print(
                Syntax(text.rstrip("\n"), name, theme="ansi_dark", background_color="default", word_wrap=True)
            )

    def difference(self, against: str, lines: Sequence[str]) -> None:
        """A diff from the reader's file to something else."""
        if lines:
            self.code("\n".join(lines), "diff")
        else:
            self.line(f"your file and {against} are the same")

    def reset(self, entry: Entry | None) -> None:
        """That the stub is back, and how to get the own file back."""
        if entry is None:
            self.line("the stub is there already; nothing was changed")
        elif not any(entry.files.values()):
            self.line("the stub is back; there was no file of yours")
        else:
            count = sum(digest is not None for digest in entry.files.values())
            yours = "your file is" if count == 1 else f"your {count} files are"
            self.line(f"{yours} saved as version {entry.number}; `kael ex undo` brings back what was there")

    def clear(self) -> None:
        """Begin a new page on a terminal with colours; elsewhere a line that separates."""
        if self.console is None:
            self.line("-" * min(self.width - 1, 60))
        else:
            self.console.clear()

    def listing(self, standings: Iterable[Standing]) -> None:
        """One line for each exercise."""
        for standing in standings:
            exercise = standing.exercise
            points = f"{standing.score}/{standing.points}"
            self.state(standing.state, f"{exercise.id}  {points:>5}  {exercise.title}", width=13)

    def status(self, standings: Sequence[Standing]) -> None:
        """How far the reader is: as a whole, then by chapter."""
        self.total(standings)
        self.line()
        for chapter in dict.fromkeys(standing.exercise.place.partition("/")[0] for standing in standings):
            part = [each for each in standings if each.exercise.place.startswith(f"{chapter}/")]
            done = sum(each.state in ("pass", "changed") for each in part)
            score, points = sum(each.score for each in part), sum(each.points for each in part)
            self.line(f"{chapter:<20} {done:>2} of {len(part):>2} passed, {score:>3} of {points:>3} points")
        self.line()
        self.line(ON_HONOUR, style="dim")

    def total(self, standings: Sequence[Standing]) -> None:
        """The bar over all exercises."""
        counted = [each for each in standings if each.state != "not available"]
        done = sum(each.state in ("pass", "changed") for each in counted)
        score, points = sum(each.score for each in counted), sum(each.points for each in counted)
        self.bar(done, len(counted), f"{done} of {len(counted)} exercises, {score} of {points} points")


def wrap(text: str, width: int, first: int = 0, later: int = 0) -> list[str]:
    """The lines of a text, indented by `first` and `later`; code between backticks is kept on one where it fits."""

    def joined(code: re.Match[str]) -> str:
        return code[0].replace(" ", NO_BREAK) if len(code[0]) <= width - max(first, later) else code[0]

    lines = textwrap.wrap(
        re.sub(r"`[^`]+`", joined, text), width, initial_indent=" " * first, subsequent_indent=" " * later,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return [line.replace(NO_BREAK, " ") for line in lines] or [""]


def without_math(text: str) -> str:
    r"""A paragraph as a terminal can show it: ``$-\infty$`` becomes ``-inf``; code between backticks stays."""

    def spelled(formula: re.Match[str]) -> str:
        return re.sub(r"\\(\w+)", lambda word: WORDS.get(word[1], word[1]), formula[1]) if formula[1] else formula[0]

    return re.sub(r"`[^`]+`|\$([^$]+)\$", spelled, text)


def in_short(exercise: Exercise) -> list[str]:
    """The first paragraph of a task, with what it announces by a colon: a paragraph, a point of a list, or code."""
    text = (exercise.folder / "README.md").read_text(encoding="utf-8")
    parts = [
        part.strip("\n")
        for part in re.split(r"(^```.*?^```$)|\n\n|\n(?=- )", text, flags=re.DOTALL | re.MULTILINE)
        if part
    ]
    told = [part for part in parts if part.strip() and not part.startswith("#")]
    first = [told[0]]
    for before, part in itertools.pairwise(told):
        if not before.endswith((":", ",")) and not (part.startswith(("- ", "> ")) and part[0] == before[0]):
            break
        first.append(part)
    return [part if part.startswith("```") else without_math(part) for part in first]


def shown(path: Path) -> str:
    """A path as short as it can be said from here."""
    try:
        return min(os.path.relpath(path), str(path), key=len)
    except ValueError:  # another drive
        return str(path)
