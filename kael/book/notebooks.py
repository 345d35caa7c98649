"""A chapter's page as a notebook: every directive becomes Markdown that any notebook program shows.

``book/chNN_topic.md`` makes ``chapters/chNN_topic/notebook.ipynb``. The notebooks are derived files, kept in the clone
without outputs; a test compares them with their pages.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kael.book.folders import BookError, package_root
from kael.book.pages import ADMONITIONS, PROOFS, Block, heading_of, labels, pages, parse, without_header

__all__ = ["convert", "out_of_step", "run", "run_each", "write"]

FIRST_CELL = """\
try:
    import kael
except ModuleNotFoundError:
    raise SystemExit("kael is not installed here: run `python -m pip install .` in the clone, then restart the kernel")
kael.__version__\
"""
LANGUAGES = {".py": "python", ".pyx": "cython", ".pxd": "cython", ".toml": "toml"}
ROLE = re.compile(r"\{(?P<role>[\w:-]+)\}`(?P<text>[^`]+)`")


class Converter:
    """Turns one page into cells.

    Parameters
    ----------
    page : Path
        The page.
    folder : Path
        Where the notebook will stand; links are made relative to it.
    targets : dict
        Per label of the book: the page that holds it, relative to ``book/`` and without suffix, and its words.
    """

    def __init__(self, page: Path, folder: Path, targets: dict[str, tuple[str, str]]) -> None:
        self.page = page
        self.folder = folder
        self.targets = targets
        self.book = next(parent for parent in page.parents if (parent / "_toc.yml").is_file())
        self.site = os.path.relpath(self.book / "_build" / "html", folder).replace(os.sep, "/") + "/"

    def cells(self) -> list[tuple[str, str, list[str]]]:
        """Kind, source and tags of each cell; neighbouring stretches of text stand in one."""
        cells: list[tuple[str, str, list[str]]] = []
        text: list[str] = []

        def flush() -> None:
            source = re.sub(r"\n{3,}", "\n\n", "\n".join(text)).strip()
            if source:
                cells.append(("markdown", source, []))
            text.clear()

        for block in parse(without_header(self.page.read_text(encoding="utf-8"))):
            if block.name == "code-cell":
                flush()
                cells.append(("code", "\n".join(block.lines).strip(), block.tags))
            else:
                text += ["", *self.markdown(block), ""]
        flush()
        return cells

    def markdown(self, block: Block) -> list[str]:
        """The lines of plain Markdown for one block that is no code cell."""
        name, title = block.name, self.roles(block.argument)
        if name == "text":
            return self.text(block.lines)
        if name in ("", "code-block"):
            return [f"```{block.argument}", *block.lines, "```"]
        if name == "literalinclude":
            return self.quoted(block)
        if name == "include":
            return self.nested(self.selected(block))
        if name == "math":
            return ["$$", *block.lines, "$$"]
        if name in ("figure", "image"):
            path = os.path.relpath(self.page.parent / block.argument, self.folder).replace(os.sep, "/")
            return [f"![{block.options.get('alt', '')}]({path})", "", *self.nested(block.lines)]
        if name in ADMONITIONS:
            words = title if name == "admonition" else " ".join(filter(None, [name.capitalize(), title]))
            if "dropdown" in block.options.get("class", ""):
                return folded(words, self.nested(block.lines))
            return [f"> **{words}**", ">", *(f"> {line}".rstrip() for line in self.nested(block.lines))]
        if name in PROOFS or name == "exercise":
            return [*anchor(block), f"**{heading_of(block)}.**", "", *self.nested(block.lines)]
        if name == "solution":
            return folded("Solution", self.nested(block.lines))
        if name == "epigraph":
            return [f"> *{line}*" if line else ">" for line in self.nested(block.lines)]
        if name == "glossary":
            return [line.strip() if line[:1] == " " else f"**{line}**  " if line else "" for line in block.lines]
        if name == "list-table":
            return table(self.nested(block.lines), title)
        return ([f"**{title}**", ""] if title else []) + self.nested(block.lines)

    def nested(self, lines: list[str]) -> list[str]:
        """Plain Markdown for the body of a directive."""
        out: list[str] = []
        for block in parse("\n".join(lines)):
            if block.name == "code-cell":
                raise BookError(f"{self.page.name}: a code-cell inside a directive is not executed; put it below")
            out += self.markdown(block)
        return out

    def text(self, lines: list[str]) -> list[str]:
        """Running text with labels, roles and links to pages made plain."""
        out: list[str] = []
        for line in lines:
            if target := re.match(r"^\(([\w:.-]+)\)=\s*$", line):
                out += [f'<a id="{target[1]}"></a>', ""]
            elif target := re.match(r"^\$\$\s*\(([\w:.-]+)\)\s*$", line):
                out += ["$$"]
            else:
                out.append(self.links(self.roles(line)))
        return out

    def roles(self, line: str) -> str:
        """Roles as links or plain words."""

        def plain(match: re.Match[str]) -> str:
            role, text = match["role"], match["text"]
            named = re.match(r"^(.*?)\s*<([^>]+)>$", text)
            words, target = (named[1], named[2]) if named else (text, text)
            if role == "term":
                return f"[{words}]({self.site}glossary.html#term-{slug(target)})"
            if role in ("ref", "prf:ref"):
                return self.reference(target, words if named else "")
            if role == "math":
                return f"${text}$"
            return words

        return ROLE.sub(plain, line)

    def links(self, line: str) -> str:
        """Links to labels and to other pages as links into the built book."""

        def built(match: re.Match[str]) -> str:
            words, target = match[1], match[2]
            if target.startswith("#"):
                return self.reference(target[1:], words)
            page, _, part = target.partition("#")
            if not page.endswith(".md"):
                return match[0]
            where = os.path.relpath(self.page.parent / page, self.book).replace(os.sep, "/").removesuffix(".md")
            words = words or title_of(self.book / f"{where}.md")
            return f"[{words}]({self.site}{where}.html{'#' + part if part else ''})"

        return re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", built, line)

    def reference(self, label: str, words: str) -> str:
        """A link to a label of the book."""
        if label not in self.targets:
            own = self.page.relative_to(self.book).with_suffix("").as_posix()
            return f"[{words or label}]({self.site}{own}.html#{label})"
        page, named = self.targets[label]
        return f"[{words or named}]({self.site}{page}.html#{label})"

    def quoted(self, block: Block) -> list[str]:
        """The region of a source file that a page quotes."""
        source = Path(block.argument)
        language = block.options.get("language") or LANGUAGES.get(source.suffix, "")
        words = [f"*{self.roles(block.options['caption'])}*", ""] if "caption" in block.options else []
        return [*words, f"```{language}", *self.selected(block), "```"]

    def selected(self, block: Block) -> list[str]:
        """The lines of another file that a directive asks for.

        Raises
        ------
        BookError
            When the file has no such region.
        """
        path = self.page.parent / block.argument
        lines = path.read_text(encoding="utf-8").splitlines()
        start, stop = int(block.options.get("start-line", 0)), len(lines)
        if after := block.options.get("start-after"):
            start = 1 + next((k for k, line in enumerate(lines) if after in line), -2)
            if start < 0:
                raise BookError(f"{self.page.name}: {block.argument} has no line with {after!r}")
        if before := block.options.get("end-before"):
            stop = next((k for k, line in enumerate(lines) if k >= start and before in line), -1)
            if stop < 0:
                raise BookError(f"{self.page.name}: {block.argument} has no line with {before!r}")
        chosen = lines[start:stop]
        if "dedent" in block.options:
            margin = min((len(line) - len(line.lstrip()) for line in chosen if line.strip()), default=0)
            chosen = [line[margin:] for line in chosen]
        while chosen and not chosen[0].strip():
            del chosen[0]
        while chosen and not chosen[-1].strip():
            del chosen[-1]
        return chosen


def anchor(block: Block) -> list[str]:
    """A target for links to a labelled directive."""
    label = block.options.get("label")
    return [f'<a id="{label}"></a>', ""] if label else []


def folded(title: str, lines: list[str]) -> list[str]:
    """Lines under a title that opens on a click."""
    return [f"<details><summary>{title}</summary>", "", *lines, "", "</details>"]


def table(lines: list[str], title: str) -> list[str]:
    """A list of lists as a table with its first row as the head."""
    rows: list[list[str]] = []
    for line in lines:
        if cell := re.match(r"^(\* )?\s*- ?(.*)$", line):
            if cell[1]:
                rows.append([])
            rows[-1].append(cell[2])
        elif line.strip():
            rows[-1][-1] += " " + line.strip()
    drawn = [f"| {' | '.join(row)} |" for row in rows]
    return [*([f"**{title}**", ""] if title else []), drawn[0], "|" + "---|" * len(rows[0]), *drawn[1:]]


def slug(term: str) -> str:
    """A glossary term as the built page spells its anchor."""
    return term.strip().replace(" ", "-")


def title_of(page: Path) -> str:
    """A page's first heading."""
    match = re.search(r"^# (.+)$", page.read_text(encoding="utf-8"), re.M)
    if not match:
        raise BookError(f"{page.name}: a page begins with a heading")
    return match[1]


def convert(page: Path, folder: Path, targets: dict[str, tuple[str, str]]) -> str:
    """The notebook of a page as text: without outputs, the same for the same page on any machine."""
    cells = [("code", FIRST_CELL, []), *Converter(page, folder, targets).cells()]
    made = [_cell(page, k, *cell) for k, cell in enumerate(cells)]
    notebook = {
        "cells": made,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _cell(page: Path, position: int, kind: str, source: str, tags: list[str]) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": hashlib.sha256(f"{page.stem} {position}".encode()).hexdigest()[:12],
        "metadata": {"tags": tags} if tags else {},
        "source": source.splitlines(keepends=True),
    }
    if {"remove-cell", "hide-cell", "hide-input"} & set(tags):
        cell["metadata"]["jupyter"] = {"source_hidden": True}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def made(root: Path) -> dict[Path, str]:
    """The notebooks that the pages make, by where they stand in the clone."""
    book = root / "book"
    targets = {
        label: (page.relative_to(book).with_suffix("").as_posix(), words)
        for page in pages(root)
        for label, words in labels(page).items()
    }
    folders = {page: root / "chapters" / page.stem for page in pages(root)}
    return {
        folder / "notebook.ipynb": convert(page, folder, targets) for page, folder in folders.items() if folder.is_dir()
    }


def write(root: Path) -> list[str]:
    """Write all notebooks; returns their paths."""
    for path, text in (found := made(root)).items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return [path.relative_to(root).as_posix() for path in found]


def out_of_step(root: Path) -> list[str]:
    """One line for each notebook that is not what its page makes, and for each that no page makes."""
    found = made(root)
    stale = [
        f"{path.relative_to(root).as_posix()}: not in step with its page; run `python -m kael.book notebooks`"
        for path, text in found.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    orphans = [path for path in root.glob("chapters/*/notebook.ipynb") if path not in found]
    return stale + [f"{path.relative_to(root).as_posix()}: no page makes it; delete it" for path in orphans]


def run_each(root: Path, chapters: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Run notebooks one after the other; yields each chapter with its number of cells.

    Parameters
    ----------
    root : Path
        The clone.
    chapters : sequence of str
        As ``ch17`` or ``ch17_engine``; every chapter that has a notebook when empty.

    Raises
    ------
    BookError
        As `run` does, at the first notebook that fails.

    Notes
    -----
    Not side by side: kernels that start together may choose the same port.
    """
    wanted = chapters or sorted(path.parent.name for path in root.glob("chapters/*/notebook.ipynb"))
    for chapter in wanted:
        yield chapter, run(root, chapter)


def run(root: Path, chapter: str, kernels: str | None = None) -> int:
    """Run a chapter's notebook top to bottom in a fresh kernel; returns the number of code cells.

    Parameters
    ----------
    root : Path
        The clone.
    chapter : str
        As ``ch17`` or ``ch17_engine``.
    kernels : str, optional
        The value of ``KAEL_KERNELS`` in that kernel; the one of this process when left out.

    Raises
    ------
    BookError
        When there is no such notebook, when a cell fails, or when one writes to stderr.
    """
    found = [
        path
        for path in root.glob("chapters/*/notebook.ipynb")
        if chapter in (path.parent.name, path.parent.name.partition("_")[0])
    ]
    if not found:
        raise BookError(f"notebooks: no notebook for {chapter!r} in {root / 'chapters'}")
    path = found[0]
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.read(path, as_version=4)
    environment = os.environ | {"PYTHONPATH": str(package_root()), "PYTHONUTF8": "1"}
    if kernels:
        environment["KAEL_KERNELS"] = kernels
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    )
    try:
        client.execute(env=environment)
    except CellExecutionError as error:
        raise BookError(f"{path.parent.name}: {error}") from None
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    noise = [output.text for cell in cells for output in cell.outputs if output.get("name") == "stderr"]
    if noise:
        raise BookError(f"{path.parent.name}: a cell wrote to stderr: {noise[0]}")
    return len(cells)
