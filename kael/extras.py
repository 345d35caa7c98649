"""Packages that kael runs without: asked for by the extra that brings them."""

from __future__ import annotations

import importlib
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = ["MissingExtra", "extras", "install_command", "need"]

ROOT = Path(__file__).resolve().parents[1]


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


def extras(root: Path = ROOT) -> dict[str, tuple[str, ...]]:
    """The packages of each extra, as pyproject.toml has them in a clone and the metadata in an installation.

    Parameters
    ----------
    root : Path
        The folder that holds the package; with a ``pyproject.toml`` beside it, it is a clone.
    """
    declared: dict[str, list[str]] = {}
    if (root / "pyproject.toml").is_file():
        text = (root / "pyproject.toml").read_text(encoding="utf-8")
        declared = tomllib.loads(text)["project"]["optional-dependencies"]
    else:
        for line in metadata.requires("kael") or ():
            requirement, _, marker = line.partition(";")
            if extra := re.search(r"extra == ['\"]([\w-]+)", marker):
                declared.setdefault(extra[1], []).append(requirement)
    return {extra: tuple(re.split(r"[^\w.-]", line)[0] for line in lines) for extra, lines in declared.items()}


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
