"""Where the clone's folders are, seen from the book's commands."""

from __future__ import annotations

from pathlib import Path

import kael

__all__ = ["BookError", "clone", "package_root"]


class BookError(Exception):
    """The book cannot be built or is not fit to be read; the text says what to do."""


def package_root() -> Path:
    """The folder from which the running kael was imported: the clone, or an environment's site-packages."""
    return Path(kael.__file__).resolve().parents[1]


def clone(start: Path | None = None) -> Path:
    """The clone that holds the book: the one around the working folder, else the one kael runs from.

    Raises
    ------
    BookError
        When neither holds a ``book/_config.yml``.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents, package_root()):
        if (folder / "book" / "_config.yml").is_file():
            return folder
    raise BookError(f"book: {here} is outside the clone; the book is built from its source, so `cd` there first")
