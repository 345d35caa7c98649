"""What became slower or quicker since an earlier run on the same machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from pathlib import Path
from statistics import median
from typing import NamedTuple

from kael.bench.cases import KAEL, NUMPY, TORCH, Result
from kael.bench.report import Report, about, from_json, quantity
from kael.bench.timing import Spread
from kael.config import aligned

__all__ = ["BadBaseline", "Change", "as_text", "changes", "load"]

SAME = {"machine": "processor", "instruction_set": "instruction set", "rung": "rung"}


class BadBaseline(ValueError):
    """A file that a run cannot be compared with; the text says why."""


class Change(NamedTuple):
    """A row that takes another time than before.

    Attributes
    ----------
    name : str
        Kind and name of the row.
    before, now : Spread
        Seconds a call of kael.
    """

    name: str
    before: Spread
    now: Spread

    @property
    def slower(self) -> bool:
        """Whether it takes longer now."""
        return self.now.median > self.before.median


def load(path: Path, kinds: list[str]) -> Report:
    """An earlier run, once it is clear that its times compare with those of a run here.

    Parameters
    ----------
    path : Path
        What ``--save`` or ``--json`` wrote.
    kinds : list of str
        What is about to be measured.

    Raises
    ------
    BadBaseline
        When the file is not of a run, or of a run elsewhere, or has none of these kinds.
    OSError
        When it cannot be read.
    """
    try:
        earlier = from_json(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadBaseline(f"{path}: it is not what `kael bench ... --save FILE` writes ({error})") from error
    here = about(kinds)
    differing = [
        f"its {word} is {earlier.about.get(key)!r}, here it is {here[key]!r}"
        for key, word in SAME.items()
        if earlier.about.get(key) != here[key]
    ]
    if differing:
        raise BadBaseline(f"{path}: its times do not compare with times here: {'; '.join(differing)}")
    if not {row.kind for row in earlier.rows} & set(kinds):
        raise BadBaseline(f"{path}: it has no rows of {', '.join(kinds)}")
    return earlier


def changes(earlier: Report, now: Report) -> list[Change]:
    """The rows of both runs that differ by more than the spread, those that lost most first.

    Notes
    -----
    A row counts when its quartiles then and now do not overlap, and when its time changed by more than the libraries
    beside it did, which are the same in both runs: by more than four times the median of what they strayed.
    """
    before = {(row.kind, row.name): row.times for row in earlier.rows}
    both = [(row, before[row.kind, row.name]) for row in now.rows if (row.kind, row.name) in before]
    centre, noise = drift(both)
    found = []
    for row, times in both:
        then, spread = times[KAEL], row.times[KAEL]
        apart = spread.low > then.high or spread.high < then.low
        if apart and abs(log(spread.median / then.median) - centre) > 4 * noise:
            found.append(Change(f"{row.kind}: {row.name}", then, spread))
    return sorted(found, key=lambda change: change.before.median / change.now.median)


def drift(both: Sequence[tuple[Result, Mapping[str, Spread]]]) -> tuple[float, float]:
    """By how much the other libraries' times changed: the median of the logarithms, and of the distances from it."""
    changed = [
        log(row.times[name].median / times[name].median)
        for row, times in both
        for name in (NUMPY, TORCH)
        if name in times and name in row.times
    ]
    centre = median(changed) if changed else 0.0
    return centre, median([abs(change - centre) for change in changed]) if changed else 0.0


def as_text(found: list[Change]) -> str:
    """The changes as a table."""
    if not found:
        return "beside the baseline: no row differs by more than the spread"
    lines: list[tuple[str, ...]] = [("beside the baseline", "then", "now", "now/then", "")]
    for change in found:
        ratio = f"{change.now.median / change.before.median:.2f}"
        verdict = "slower" if change.slower else "quicker"
        lines.append((change.name, quantity(change.before), quantity(change.now), ratio, verdict))
    return aligned(lines)
