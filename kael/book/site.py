"""What a built site must hold: links that lead somewhere, rendered formulas, clean cells, images with words, and no
request to anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["CHECKS", "Page", "check", "read"]

HEAVY = 1_000_000
LOADED = {"object": "data"} | dict.fromkeys(("script", "img", "iframe", "source", "video", "audio"), "src")
FETCHING = ("preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch")
LOADING_RELATIONS = {"stylesheet", "icon", "manifest", *FETCHING}
STYLE_LOADS = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]+)")
SCRIPT_LOADS = re.compile(r"import\s*(?:\(|[^'\";]*from)?\s*['\"]((?:https?:)?//[^'\"]+)")


class Page(HTMLParser):
    """What the checks look at in one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.unnamed: list[str] = []
        self.failed_cells = 0
        self.stderr = 0
        self._open: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of one element."""
        attributes = {name: value or "" for name, value in attrs}
        self.ids.update(value for name, value in attributes.items() if name in ("id", "name") and value)
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if tag in LOADED and attributes.get(LOADED[tag]):
            self.loads.append(attributes[LOADED[tag]])
        if tag == "link" and set(attributes.get("rel", "").split()) & LOADING_RELATIONS:
            self.loads.append(attributes.get("href", ""))
        if tag == "img" and not _has_words(attributes.get("alt", "")) and attributes.get("role") != "presentation":
            self.unnamed.append(f"img {attributes.get('src', '')[:60]}")
        if tag == "svg" and attributes.get("role") == "img" and not attributes.get("aria-label", "").strip():
            self.unnamed.append("svg")
        classes = attributes.get("class", "")
        if tag == "div":
            self._open.append((tag, classes))
            if "output" in classes.split():
                self.stderr += "stderr" in classes.split()
                expected = any("tag_raises-exception" in outer for _, outer in self._open)
                self.failed_cells += "traceback" in classes.split() and not expected

    def handle_endtag(self, tag: str) -> None:
        """Leave a ``div``: only these nest cells and outputs."""
        if tag == "div" and self._open:
            self._open.pop()


def _has_words(alternative: str) -> bool:
    """Whether a text alternative is one: Sphinx puts the file's path where a page gives none."""
    return bool(alternative.strip()) and not re.fullmatch(r"\S+\.(png|svg|jpe?g|gif|webp)", alternative.strip())


def read(root: Path) -> dict[Path, Page]:
    """All pages of a site by path."""
    pages = sorted(path for path in root.rglob("*.html") if "_static" not in path.relative_to(root).parts)
    return {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in pages}


def broken_links(root: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Links and loads inside the site whose file or anchor is missing."""
    for path, page in pages.items():
        for link in [*page.links, *page.loads]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                yield f"{_name(root, path)}: link to a file that is not there: {link}"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                yield f"{_name(root, path)}: link to an anchor that is not there: {link}"


def broken_formulas(root: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Formulas that KaTeX could not set (it prints them in red instead of failing)."""
    for path, page in pages.items():
        for mark in ("katex-error", "#cc0000"):
            # In a tag: a source that is shown on a page may speak of the mark.
            for found in re.finditer(rf"<\w[^<>]*{mark}[^<>]*>([^<]{{0,60}})", page.text):
                yield f"{_name(root, path)}: broken formula ({mark}): {found.group(1)}"


def failed_cells(root: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Cells that raised without being tagged ``raises-exception``, or that wrote to stderr."""
    for path, page in pages.items():
        if page.failed_cells:
            yield f"{_name(root, path)}: {page.failed_cells} cell(s) raised without the tag raises-exception"
        if page.stderr:
            yield f"{_name(root, path)}: {page.stderr} cell(s) wrote to stderr"


def unnamed_images(root: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Images without a text alternative."""
    for path, page in pages.items():
        yield from (f"{_name(root, path)}: no text alternative: {image}" for image in page.unnamed)


def outside_requests(root: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """What a reader's browser would load from elsewhere: scripts, styles, images, fonts."""
    for path, page in pages.items():
        for link in page.loads:
            if urlsplit(link).netloc:
                yield f"{_name(root, path)}: loads {link}"
        for script in re.findall(r"<script[^>]*>(.*?)</script>", page.text, re.S):
            yield from (f"{_name(root, path)}: a script imports {url}" for url in SCRIPT_LOADS.findall(script))
    for style in root.rglob("*.css"):
        for url in STYLE_LOADS.findall(style.read_text(encoding="utf-8")):
            yield f"{_name(root, style)}: loads {url}"


def _name(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def heavy_pages(root: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Pages that take too long to arrive over a slow line, without the scripts that they share."""
    for path, page in pages.items():
        size = len(page.text.encode("utf-8"))
        if size > HEAVY:
            yield f"{_name(root, path)}: {size:,} bytes; a page has at most {HEAVY:,}"


CHECKS: tuple[Callable[[Path, dict[Path, Page]], Iterator[str]], ...] = (
    broken_links,
    broken_formulas,
    failed_cells,
    unnamed_images,
    outside_requests,
    heavy_pages,
)


def check(root: Path) -> list[str]:
    """All findings on a site, one line each; an empty list for a site that is fit to be read."""
    root = root.resolve()
    pages = read(root)
    return [finding for examine in CHECKS for finding in examine(root, pages)]
