"""What a page's source must hold before it is built: the portable subset, a header where cells are to run, cells for
the browser that a browser can run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from kael.book.browser_sources import browser_sources, not_offered
from kael.book.folders import BookError
from kael.book.pages import ROLES, Block, pages, parse, without_header

__all__ = ["findings"]

SPAN = re.compile(r"(?:\{(?P<role>[a-z][\w:-]*)\})?(?P<mark>`+)(?!`).+?(?<!`)(?P=mark)(?!`)", re.S)
NO_MARKDOWN = ("", "code-cell", "code-block", "literalinclude", "include", "math")


def findings(root: Path) -> list[str]:
    """All findings on the sources of a clone's pages, one line each."""
    book = root / "book"
    listed = set(pages(root))
    there = {page for page in book.rglob("*.md") if not {"_build", "node_modules"} & set(page.relative_to(book).parts)}
    found = [
        f"{page.name}: the table of contents names it, but there is no such page" for page in sorted(listed - there)
    ]
    found += [f"{page.name}: the table of contents does not name it" for page in sorted(there - listed)]
    modules = {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for path in browser_sources(root)
        if path.endswith(".py")
    }
    for page in sorted(listed & there):
        found += [f"{page.relative_to(book).as_posix()}: {finding}" for finding in examine(page, root, modules)]
    return found


def examine(page: Path, root: Path, modules: set[str]) -> Iterator[str]:
    """Findings on one page; `modules` are those that a browser can import."""
    text = page.read_text(encoding="utf-8")
    try:
        blocks = list(parse(without_header(text)))
        cells = [block for block in blocks if block.name == "code-cell"]
        if cells and not re.match(r"---\njupytext:\n(.*\n)*?kernelspec:\n", text):
            yield f"line {cells[0].line}: cells are not executed on a page without the jupytext and kernelspec header"
        yield from _inside(blocks, nested=False)
        for cell in cells:
            if "run-in-page" in cell.tags:
                for name in not_offered("\n".join(cell.lines), root, modules):
                    yield f"line {cell.line}: a cell for the browser imports {name}, which is not there"
    except BookError as error:
        yield str(error)


def _inside(blocks: list[Block], *, nested: bool) -> Iterator[str]:
    for block in blocks:
        if nested and block.name == "code-cell":
            yield f"line {block.line}: a code-cell inside a directive is not executed; put it below"
        if block.name == "text":
            text = "\n".join(block.lines)
            for span in SPAN.finditer(text):
                if span["role"] and span["role"] not in ROLES:
                    line = block.line + text.count("\n", 0, span.start())
                    yield f"line {line}: the role {{{span['role']}}} is not in the book's portable subset"
        elif block.name not in NO_MARKDOWN:
            yield from _inside(list(parse("\n".join(block.lines), first=block.body)), nested=True)
