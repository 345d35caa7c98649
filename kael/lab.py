"""``kael lab ch17``: a chapter's notebook in JupyterLab."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from kael.config import ROOT
from kael.extras import need

__all__ = ["main", "notebooks"]


def notebooks(start: Path | None = None) -> dict[str, Path]:
    """The chapters that have a notebook, by folder name: those of the clone around a folder, or that kael runs from.

    Parameters
    ----------
    start : Path, optional
        Where to begin; the working folder when left out.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents, ROOT):
        if found := sorted(folder.glob("chapters/ch*/notebook.ipynb")):
            return {path.parent.name: path for path in found}
    return {}


def find(chapter: str) -> Path:
    """The notebook of a chapter given as ``ch17`` or ``17`` or by its folder name.

    Raises
    ------
    ValueError
        When there is none, naming those there are.
    """
    known = notebooks()
    if not known:
        raise ValueError("there are no notebooks here; `cd` into the clone first")
    short = f"ch{int(chapter):02}" if chapter.isdecimal() else chapter
    for name, path in known.items():
        if short in (name, name.partition("_")[0]):
            return path
    listed = ", ".join(name.partition("_")[0] for name in known)
    raise ValueError(f"there is no notebook for {chapter!r}; there are: {listed}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``kael lab``; returns JupyterLab's exit code, 1 where there is no such notebook or JupyterLab is missing."""
    parser = argparse.ArgumentParser(prog="kael lab", description="Open a chapter's notebook in JupyterLab.")
    parser.add_argument("chapter", help="a chapter, such as ch17")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="what JupyterLab takes, such as --no-browser")
    options = parser.parse_args(arguments)
    try:
        path = find(options.chapter)
    except ValueError as error:
        print(f"kael lab: {error}", file=sys.stderr)
        return 1
    need("jupyterlab", "notebooks", f"the notebook {path.name} of {path.parent.name}")
    return wait_for([sys.executable, "-m", "jupyterlab", str(path), *options.options])


def wait_for(line: Sequence[str]) -> int:
    """Run a program to its own end: Ctrl-C reaches it too, and what it means there is its own affair."""
    with subprocess.Popen(line) as child:
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:
                continue
