"""Reads a page of the book: its cells, its directives, its labels, and the text between.

Only the portable subset is known here (`DIRECTIVES`, `ROLES`): what both engines of the book build. A page that
uses anything else is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kael.book.folders import BookError

__all__ = ["DIRECTIVES", "ROLES", "Block", "labels", "parse", "pages", "without_header"]

ADMONITIONS = ("admonition", "note", "tip", "hint", "important", "warning", "caution", "attention", "seealso")
PROOFS = tuple(f"prf:{kind}" for kind in ("theorem", "definition", "lemma", "proof", "algorithm", "example", "remark"))
DIRECTIVES = frozenset(
    {"code-cell", "code-block", "literalinclude", "include", "math", "figure", "image", "list-table"}
    | {"exercise", "solution", "glossary", "epigraph", "grid", "grid-item", "tab-set", "tab-item"}
    | {*ADMONITIONS, *PROOFS}
)
ROLES = frozenset({"ref", "term", "prf:ref", "math", "sub", "sup", "abbr"})
FENCE = re.compile(
    r"^(?P<indent> {0,3})(?P<mark>`{3,}|~{3,}|:{3,})\s*(?:\{(?P<name>[\w:.-]+)\}\s*(?P<rest>.*)|(?P<info>[^`]*))$"
)
LABEL = re.compile(r"^\(([\w:.-]+)\)=\s*$")


@dataclass
class Block:
    """One directive, one plain fence (``name`` is then empty and ``argument`` its language) or a stretch of text."""

    name: str
    argument: str
    lines: list[str]
    options: dict[str, str] = field(default_factory=dict)
    line: int = 0
    body: int = 0

    @property
    def tags(self) -> list[str]:
        """The tags of a code cell."""
        return re.findall(r"[\w-]+", self.options.get("tags", ""))


def without_header(text: str) -> str:
    """A page without the header that names its kernel; line numbers stay as they were."""
    match = re.match(r"---\n.*?\n---\n", text, re.S)
    return "\n" * match.group().count("\n") + text[match.end() :] if match else text


def parse(text: str, *, first: int = 1) -> Iterator[Block]:
    """The blocks of a text in order; text between directives comes as blocks named ``text``.

    Raises
    ------
    BookError
        When a fence is not closed or a directive is not in the portable subset.
    """
    lines = text.splitlines()
    plain: list[str] = []
    k = 0
    while k < len(lines):
        found = FENCE.match(lines[k])
        if not found:
            plain.append(lines[k])
            k += 1
            continue
        if plain:
            yield Block("text", "", plain, line=first + k - len(plain))
            plain = []
        close = re.compile(rf"^ {{0,3}}{re.escape(found['mark'][0])}{{{len(found['mark'])},}}\s*$")
        end = next((j for j in range(k + 1, len(lines)) if close.match(lines[j])), None)
        if end is None:
            raise BookError(f"line {first + k}: the fence {found['mark']} is not closed")
        name = found["name"] or ""
        if name and name not in DIRECTIVES:
            raise BookError(f"line {first + k}: {{{name}}} is not in the book's portable subset")
        body = lines[k + 1 : end]
        options = _options(body) if name else {}
        argument = (found["rest"] if name else found["info"] or "").strip()
        yield Block(name, argument, body, options, first + k, first + end - len(body))
        k = end + 1
    if plain:
        yield Block("text", "", plain, line=first + k - len(plain))


def _options(body: list[str]) -> dict[str, str]:
    """Take the ``:key: value`` lines off the head of a directive's body."""
    options: dict[str, str] = {}
    while body and (found := re.match(r"^:([\w-]+):\s*(.*)$", body[0])):
        options[found[1]] = found[2].strip().strip("\"'") if found[1] != "tags" else found[2]
        del body[0]
    while body and not body[0].strip():
        del body[0]
    return options


def pages(root: Path) -> list[Path]:
    """The pages that the table of contents names, in its order."""
    book = root / "book"
    text = (book / "_toc.yml").read_text(encoding="utf-8")
    names = re.findall(r"^\s*(?:root|- file):\s*(\S+)\s*$", text, re.M)
    return [book / f"{name}.md" for name in names]


def labels(page: Path) -> dict[str, str]:
    """What a page's labels stand for, in words: a heading, a theorem, an exercise, an equation."""
    found: dict[str, str] = {}
    _collect(without_header(page.read_text(encoding="utf-8")), found)
    return found


def _collect(text: str, found: dict[str, str]) -> None:
    for block in parse(text):
        if block.name == "text":
            for k, line in enumerate(block.lines):
                if target := LABEL.match(line):
                    heading = next((rest.lstrip("# ") for rest in block.lines[k + 1 :] if rest.strip()), "")
                    found[target[1]] = heading
                if target := re.match(r"^\$\$\s*\(([\w:.-]+)\)\s*$", line):
                    found[target[1]] = f"the equation {target[1].removeprefix('eq-').replace('-', ' ')}"
        elif block.name:
            label = block.options.get("label") or block.options.get("name")
            if label:
                found[label] = heading_of(block)
            if block.name not in ("code-cell", "code-block", "literalinclude", "math"):
                _collect("\n".join(block.lines), found)


def heading_of(block: Block) -> str:
    """A directive's kind and title in words, as in ``Theorem (Chain rule)``."""
    kind = block.name.rpartition(":")[2].capitalize()
    return f"{kind} ({block.argument})" if block.argument else kind
