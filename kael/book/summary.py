"""What the pages hold, counted: words, executed cells, assertions, traps, worked examples, exercises, bytes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kael.book.pages import Block, pages, parse, without_header

__all__ = ["Counts", "count", "table"]

PROSE = ("text", "admonition", "solution", "epigraph", "grid", "grid-item", "exercise", "glossary")
MARKUP = re.compile(r"\{[\w:-]+\}|\]\([^)]*\)|^\(.*\)=$|[|`*#$\[\]:]+", re.M)


class Counts(NamedTuple):
    """What one page holds.

    Attributes
    ----------
    words : int
        Words of running text, headings and boxes; no code, no output.
    cells : int
        Cells that are executed.
    asserted : int
        Comparisons in ``assert`` statements: each a sentence or a number that the build holds the page to.
    traps : int
        Boxes of the kind *Common trap*.
    examples : int
        Worked examples.
    browser : int
        Cells that also run in the page.
    exercises : int
        Exercises that are set on the page.
    """

    words: int
    cells: int
    asserted: int
    traps: int
    examples: int
    browser: int
    exercises: int


def count(text: str) -> Counts:
    """Count what the source of one page holds.

    Examples
    --------
    >>> count("# Two words\\n\\n```{code-cell} ipython3\\nassert 1 < 2\\n```\\n")[:3]
    (2, 1, 1)
    """
    blocks = list(everything(parse(without_header(text))))
    cells = [block for block in blocks if block.name == "code-cell"]
    prose = " ".join(_own_text(block) for block in blocks if block.name in PROSE)
    return Counts(
        words=len(re.findall(r"\S*\w\S*", MARKUP.sub(" ", prose))),
        cells=len(cells),
        asserted=sum(_comparisons("\n".join(cell.lines)) for cell in cells),
        traps=sum(block.name == "admonition" and "trap" in block.argument.lower() for block in blocks),
        examples=len(set(re.findall(r"Worked Example (\d+\.\d+\.\d+)", text))),
        browser=sum("run-in-page" in cell.tags for cell in cells),
        exercises=sum(block.name == "exercise" for block in blocks),
    )


def everything(blocks: Iterator[Block]) -> Iterator[Block]:
    """The blocks, each followed by those inside it."""
    for block in blocks:
        yield block
        if block.name in PROSE and block.name != "text":
            yield from everything(parse("\n".join(block.lines)))


def _own_text(block: Block) -> str:
    """The words of a text, or of a directive's title; what stands inside a directive is a block of its own."""
    return "\n".join(block.lines) if block.name == "text" else block.argument


def _comparisons(source: str) -> int:
    """How many comparisons the assertions of a cell make; an assertion without any counts as one."""
    code = "\n".join(line for line in source.splitlines() if not line.startswith(("%", "!")))
    asserts = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Assert)]
    return sum(max(sum(isinstance(part, ast.Compare) for part in ast.walk(node.test)), 1) for node in asserts)


def table(root: Path) -> str:
    """One line for each page of a clone's book, and their sum; with the size of the built page where there is one."""
    site = root / "book" / "_build" / "html"
    lines: list[tuple[str, ...]] = [("page", *Counts._fields, "kB built")]
    totals = [0] * len(Counts._fields)
    for page in pages(root):
        counts = count(page.read_text(encoding="utf-8"))
        totals = [total + own for total, own in zip(totals, counts, strict=True)]
        name = page.relative_to(root / "book").with_suffix("")
        built = site / name.with_suffix(".html")
        size = f"{built.stat().st_size / 1000:.0f}" if built.is_file() else "-"
        lines.append((name.as_posix(), *map(str, counts), size))
    lines.append(("in all", *map(str, totals), ""))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    )
