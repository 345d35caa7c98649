"""The page about a class: one file, no script, nothing fetched; read at any width, by light and in the dark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TextIO
from urllib.parse import quote

from kael.exercises.catalogue import Exercise
from kael.exercises.grading.statistics import Item, Statistics
from kael.exercises.grading.student import Record
from kael.exercises.grading.tables import percent, state_of
from kael.exercises.results import STATES

__all__ = ["About", "Row", "write_report"]

STYLE = """\
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --soft: #f1f3f6; --line: #c3c9d1; --mark: #0b5cad;
  --bar: #3d7fc4; --quiet: #505a66; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaee; --paper: #15181c; --soft: #20252b; --line: #48515c;
  --mark: #8cc1ff; --bar: #5d9fe2; --quiet: #aeb7c2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
a { color: var(--mark); }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; padding: 0; list-style: none; }
nav a { display: inline-block; padding: .25rem 0; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .15rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 4px; }
table { border-collapse: collapse; width: 100%; overflow-wrap: normal; }
caption { text-align: left; padding: .5rem .6rem; color: var(--quiet); }
th, td { padding: .35rem .6rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { background: var(--soft); border-top: 0; vertical-align: bottom; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.wide { min-width: 17rem; }
td.mid { min-width: 12rem; }
tbody th { font-weight: 400; min-width: 9rem; }
tbody th.head { background: var(--soft); font-weight: 600; }
.bar { display: block; width: 5rem; height: .5rem; margin: .2rem 0 0 auto; background: var(--soft);
  border: 1px solid var(--line); }
.bar i { display: block; height: 100%; background: var(--bar); }
svg { display: block; width: 100%; max-width: 44rem; height: auto; }
svg rect { fill: var(--bar); }
svg text { fill: var(--ink); font: 14px system-ui, sans-serif; }
svg line { stroke: var(--line); }
code { font-size: .9em; }
.quiet { color: var(--quiet); }
@media (max-width: 30rem) { svg text { font-size: 26px; } svg .seldom { display: none; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; }
  th, td { padding: .3rem .4rem; } td.wide { min-width: 12rem; } tbody th { min-width: 7rem; } }
@media print { .scroll { overflow: visible; border: 0; } nav { display: none; } }
"""
BARS = 20


@dataclass(frozen=True)
class About:
    """What the head of the report says.

    Attributes
    ----------
    exercises : sequence of Exercise
        What was graded.
    seed : int
        Of the numbers that the checks drew.
    version : str
        Of kael.
    again : str
        The command that gives the same report once more.
    checks : mapping of str to str
        By exercise, the hash of its checks.
    """

    exercises: Sequence[Exercise]
    seed: int
    version: str
    again: str
    checks: Mapping[str, str]


@dataclass(frozen=True)
class Row:
    """One student.

    Attributes
    ----------
    student : str
        The name.
    records : sequence of Record
        What came of the exercises; empty when grading itself failed.
    feedback : str
        The file for the student, beside the report.
    """

    student: str
    records: Sequence[Record]
    feedback: str


def write_report(
    stream: TextIO, about: About, statistics: Statistics, rows: Iterable[Row], notes: Mapping[str, Sequence[str]]
) -> None:
    """Write the page.

    Parameters
    ----------
    stream : text stream
        Where to.
    about : About
        The head.
    statistics : Statistics
        Of the class.
    rows : iterable of Row
        The students, in order; each is written as it comes.
    notes : mapping of str to sequence of str
        What could not be graded, by student; the empty name for what belongs to nobody.
    """
    stream.write(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        'img-src data:">\n<link rel="icon" href="data:,">\n'
        '<meta name="robots" content="noindex">\n'
        f"<title>Grades: {_count(statistics.students, 'student')}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    )
    stream.write(_head(about, statistics))
    stream.write("<main>\n")
    stream.write(_distribution(statistics))
    stream.write(_exercises(about, statistics))
    stream.write(_checks(statistics))
    for piece in _students(about, rows):
        stream.write(piece)
    stream.write(_notes(notes))
    stream.write("</main>\n</body>\n</html>\n")


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _head(about: About, statistics: Statistics) -> str:
    graded = [exercise.id for exercise in about.exercises]
    shown = graded[0] if len(graded) == 1 else f"{graded[0]} to {graded[-1]}, {len(graded)} exercises"
    facts = [
        ("students", f"{statistics.students:,}"),
        ("exercises", shown),
        ("mean total", f"{statistics.mean:.1f} of {statistics.points} points"),
        ("median total", f"{statistics.median:g}"),
        ("seed", f"{about.seed}"),
        ("kael", about.version),
    ]
    listed = "".join(f"<dt>{word}</dt><dd>{escape(said)}</dd>\n" for word, said in facts)
    parts = [("totals", "Totals"), ("exercises", "Exercises"), ("checks", "Checks"), ("students", "Students")]
    links = "".join(f'<li><a href="#{name}">{word}</a></li>' for name, word in [*parts, ("notes", "Notes")])
    return (
        f'<header>\n<h1>Grades</h1>\n<nav aria-label="Parts of this page"><ul>{links}</ul></nav>\n<dl>\n{listed}'
        f"<dt>run again</dt><dd><code>{escape(about.again)}</code></dd>\n</dl>\n</header>\n"
    )


def _distribution(statistics: Statistics) -> str:
    """How many students have how many points: a picture, and the same as a table."""
    points = max(statistics.points, 1)
    width = -(-(points + 1) // BARS)
    ranges = [(low, min(low + width - 1, points)) for low in range(0, points + 1, width)]
    counts = [sum(count for total, count in statistics.totals.items() if low <= total <= high) for low, high in ranges]
    most = max(*counts, 1)
    step, height, base = 640 / len(ranges), 160, 190
    bars = []
    for place, ((low, _), count) in enumerate(zip(ranges, counts, strict=True)):
        tall = height * count / most
        left = 30 + place * step
        middle = left + step / 2
        if count:
            bars.append(
                f'<rect x="{left + 1:.1f}" y="{base - tall:.1f}" width="{step - 2:.1f}" height="{tall:.1f}"/>'
                f'<text x="{middle:.1f}" y="{base - tall - 4:.1f}" text-anchor="middle">{count}</text>'
            )
        seldom = "" if place % 4 == 0 else ' class="seldom"'
        bars.append(f'<text{seldom} x="{middle:.1f}" y="{base + 24}" text-anchor="middle">{low}</text>')
    axis = "points" if width == 1 else f"points, {width} in a bar"
    rows = "".join(
        f'<tr><th scope="row">{low if low == high else f"{low} to {high}"}</th><td class="n">{count}</td></tr>'
        for (low, high), count in zip(ranges, counts, strict=True)
    )
    return (
        '<section aria-labelledby="totals">\n<h2 id="totals">Totals</h2>\n'
        f'<svg viewBox="0 0 700 250" role="img" aria-labelledby="picture"><title id="picture">How many students have '
        f"how many of {statistics.points} points; the table below says the same</title>\n"
        f'<line x1="30" y1="{base}" x2="670" y2="{base}"/>{"".join(bars)}'
        f'<text x="350" y="{base + 50}" text-anchor="middle">{axis}</text></svg>\n'
        "<details><summary>The same as a table</summary>\n"
        + _table("totals-table", "Students by total", [("points", ""), ("students", "n")], rows)
        + "</details>\n</section>\n"
    )


def _table(name: str, caption: str, columns: Sequence[tuple[str, str]], body: str) -> str:
    """A table that scrolls by itself where the window is narrow, by keyboard also."""
    head = "".join(
        f'<th scope="col"{f" class={kind!r}" if kind else ""}>{escape(word)}</th>'.replace("'", '"')
        for word, kind in columns
    )
    return (
        f'<div class="scroll" role="region" aria-labelledby="{name}" tabindex="0">\n<table>\n'
        f'<caption id="{name}">{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table>\n</div>\n"
    )


def _exercises(about: About, statistics: Statistics) -> str:
    rows = []
    for exercise in about.exercises:
        states = statistics.states[exercise.id]
        there = sum(states.values()) - states["not available"]
        rate = states["pass"] / there if there else None
        rows.append(
            f'<tr><th scope="row">{exercise.id} {escape(exercise.title)}</th><td class="n">{exercise.points}</td>'
            f'<td class="n">{_bar(rate)}</td><td class="mid">{escape(_listed(states))}</td>'
            f"<td><code>{about.checks[exercise.id][:12]}</code></td></tr>\n"
        )
    columns = [("exercise", ""), ("points", "n"), ("all checks pass", "n"), ("students by state", ""), ("checks", "")]
    table = _table("exercises-table", "Exercises, and the hash of the checks that graded them", columns, "".join(rows))
    return f'<section aria-labelledby="exercises">\n<h2 id="exercises">Exercises</h2>\n{table}</section>\n'


def _listed(states: Mapping[str, int]) -> str:
    return ", ".join(f"{states[state]} {state}" for state in STATES if states.get(state))


def _bar(rate: float | None) -> str:
    """A share as a number with a bar under it."""
    if rate is None:
        return "–"
    return f'{percent(rate)}<span class="bar" aria-hidden="true"><i style="width:{100 * rate:.0f}%"></i></span>'


def _checks(statistics: Statistics) -> str:
    rows = []
    before = ""
    for item in statistics.items:
        if item.exercise.id != before:
            before = item.exercise.id
            rows.append(
                f'<tr><th class="head" colspan="7" scope="rowgroup">{before} {escape(item.exercise.title)}</th></tr>\n'
            )
        rows.append(_check(item))
    columns = [("check", ""), ("points", "n"), ("pass", "n"), ("of those who began", "n"), ("tells apart", "n")]
    columns += [("students by state", ""), ("commonest wrong answer", "")]
    said = (
        "<p>“Tells apart” is the correlation between passing a check and the points for everything else: near 1 it "
        "separates those who can from those who cannot, near 0 or below it does not.</p>\n"
    )
    table = _table("checks-table", "Every check over the whole class", columns, "".join(rows))
    return f'<section aria-labelledby="checks">\n<h2 id="checks">Checks</h2>\n{said}{table}</section>\n'


def _check(item: Item) -> str:
    cause, count = item.commonest
    apart = "–" if item.discrimination is None else f"{item.discrimination:.2f}"
    wrong = f'{escape(cause)} <span class="quiet">({_count(count, "student")})</span>' if count else "–"
    return (
        f'<tr><th scope="row">{escape(item.check.title)}</th><td class="n">{item.check.points}</td>'
        f'<td class="n">{_bar(item.pass_rate)}</td><td class="n">{_bar(item.pass_rate_begun)}</td>'
        f'<td class="n">{apart}</td><td class="mid">{escape(_listed(item.states))}</td>'
        f'<td class="wide">{wrong}</td></tr>\n'
    )


def _students(about: About, rows: Iterable[Row]) -> Iterable[str]:
    ids = [exercise.id for exercise in about.exercises]
    columns = [("student", ""), *((name, "n") for name in ids), ("total", "n"), ("of", "n"), ("state", "")]
    start, end = _table("students-table", "Points by student and exercise", columns, "\0").split("\0")
    yield f'<section aria-labelledby="students">\n<h2 id="students">Students</h2>\n{start}'
    for row in rows:
        found = {record["exercise"]: record for record in row.records}
        cells = "".join(
            f'<td class="n">{found[name]["score"] if name in found and found[name]["points"] else "–"}</td>'
            for name in ids
        )
        total, points = (sum(record[key] for record in row.records) for key in ("score", "points"))
        link = f'<a href="feedback/{quote(row.feedback)}">{escape(row.student)}</a>'
        yield (
            f'<tr><th scope="row">{link}</th>{cells}<td class="n">{total}</td><td class="n">{points}</td>'
            f"<td>{escape(state_of(row.records) or 'not graded')}</td></tr>\n"
        )
    yield f"{end}</section>\n"


def _notes(notes: Mapping[str, Sequence[str]]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(student) or "no student"}</th><td class="wide">{escape(note)}</td></tr>\n'
        for student, several in notes.items()
        for note in several
    )
    table = _table("notes-table", "What was found and not graded, or taken for something else", [("student", ""),
                   ("note", "")], rows) if rows else "<p>Everything that was handed in was graded.</p>\n"  # fmt: skip
    return f'<section aria-labelledby="notes">\n<h2 id="notes">Notes</h2>\n{table}</section>\n'
