"""What runs inside a notebook made for nbgrader: ``%%answer`` keeps an answer, `checked` says what came of one check.

Answers do not run in the notebook's process but in the safe runner's. Nothing is written to standard error, since
nbgrader takes that for a failure.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kael.exercises import Refused
from kael.exercises.catalogue import Exercise, find
from kael.exercises.checker import check
from kael.exercises.results import CheckResult

__all__ = ["NotPassed", "answer", "checked", "hidden", "load_ipython_extension"]

REGION = re.compile(r"^### BEGIN SOLUTION\n(.*?)^### END SOLUTION$", re.MULTILINE | re.DOTALL)
LEFT_BY_NBGRADER = re.compile(r"\A\s*# YOUR CODE HERE\nraise NotImplementedError\(\)\n")


class NotPassed(Exception):
    """What a graded cell ends in when its check did not pass; shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


class _Kept:
    """An answer, and what came of its checks once they have run."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.text: str | None = None
        self.more: dict[str, str] = {}
        self.seed = 0
        self.results: dict[str, CheckResult] | None = None

    def result(self, name: str) -> CheckResult:
        if self.results is None:
            self.results = {each.name: each for each in self._run()}
        return self.results[name]

    def _run(self) -> tuple[CheckResult, ...]:
        with tempfile.TemporaryDirectory(prefix="kael-cells-", ignore_cleanup_errors=True) as folder:
            root, more = Path(folder) / "answers", Path(folder) / "checks"
            if self.text is not None:
                file = root / self.exercise.place / self.exercise.file
                file.parent.mkdir(parents=True)
                file.write_text(self.text, encoding="utf-8")
            more.mkdir()
            for name, text in self.more.items():
                (more / name).write_text(text, encoding="utf-8")
            files = [more / name for name in self.more]
            (result,) = check([self.exercise], root, seed=self.seed, hidden={self.exercise.id: files})
            return result.checks


_KEPT: dict[str, _Kept] = {}


def _of(id: str) -> _Kept:
    if id not in _KEPT:
        (exercise,) = find(id)
        _KEPT[id] = _Kept(exercise)
    return _KEPT[id]


def answer(line: str, cell: str) -> None:
    """The cell magic ``%%answer ch17-03``: keeps the cell as the answer to an exercise.

    Where the cell holds a region with a solution, that is the answer, and the rest is what students begin with.

    Parameters
    ----------
    line : str
        The id of the exercise.
    cell : str
        What its file would hold.
    """
    kept = _of(line.strip())
    region = REGION.search(cell)
    kept.text = region[1] if region else LEFT_BY_NBGRADER.sub("", cell).lstrip("\n")
    kept.results = None


def hidden(id: str, files: Mapping[str, str], seed: int = 0) -> None:
    """Add checks that students have not got.

    Parameters
    ----------
    id : str
        Of the exercise.
    files : mapping of str to str
        The text of each file, by its name.
    seed : int
        Of the numbers that all checks draw from here on.
    """
    kept = _of(id)
    if (kept.more, kept.seed) != (dict(files), seed):
        kept.more, kept.seed, kept.results = dict(files), seed, None


def checked(id: str, name: str) -> None:
    """Nothing where a check passed.

    Parameters
    ----------
    id : str
        Of the exercise.
    name : str
        Of the check.

    Raises
    ------
    NotPassed
        Where it did not, with what there is to do about it.
    Refused
        Where the exercise has no such check.
    """
    try:
        result = _of(id).result(name)
    except KeyError:
        raise Refused(f"{id} has no check {name!r}; make the notebook again with this kael") from None
    if result.state != "pass":
        raise NotPassed(result.text or result.state)


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext kael.exercises.formats.cells``."""
    shell.register_magic_function(answer, "cell", "answer")
