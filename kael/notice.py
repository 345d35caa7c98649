"""Says once per environment that twins are missing and how to build them."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

__all__ = ["show_once"]


def show_once(missing: tuple[str, ...]) -> None:
    """Name the chapters that run on NumPy for want of a twin, on a terminal and only the first time.

    Parameters
    ----------
    missing : tuple of str
        The chapters.

    Notes
    -----
    Nothing is said where stderr is no terminal: in a notebook or a book cell the text would land in the output, and
    `kael.show_config` tells it at any time. A cache folder that cannot be written means only that it is said again.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        return
    mark = marker()
    if mark.exists():
        return
    chapters = ", ".join(name.partition("_")[0] for name in missing)
    print(
        f"kael: the compiled kernels of {chapters} are not built, so NumPy computes there; with a C compiler, "
        "`pip install .` in the clone builds them, and `kael doctor` says more (shown once)",
        file=sys.stderr,
    )
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError:
        return


def marker() -> Path:
    """The file that remembers that this environment was told."""
    return cache_folder() / f"told-{hashlib.sha256(sys.prefix.encode()).hexdigest()[:16]}"


def cache_folder() -> Path:
    """Where kael may keep files that can be made again."""
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "kael"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "kael"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kael"
