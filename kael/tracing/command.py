"""``kael trace script.py``: run a script and show the table of every backward pass it makes."""

from __future__ import annotations

import argparse
import contextlib
import runpy
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from kael.tensors import Tensor
from kael.tracing.recording import record
from kael.tracing.trace import Trace

__all__ = ["FORMATS", "main", "run"]

FORMATS = ("text", "markdown", "json", "html")


def run(
    script: str | Path, arguments: Sequence[str] = (), *, format: str = "text", out: str | Path | None = None
) -> int:
    """Run a script under a recorder and print, or write to a file, the record of its backward passes.

    Tensors take their names from the script's own variables. The passes of ``with kael.record()`` blocks inside the
    script belong to the record too, and so do those of chapter 17's engine where such a block's trace was given to it.

    Parameters
    ----------
    script : path
        The script; it runs as ``__main__``, with its own folder first on the path.
    arguments : sequence of str
        What it finds in ``sys.argv[1:]``.
    format : {"text", "markdown", "json", "html"}
        How to show the record. Where the record goes to stdout in another form than text, what the script prints goes
        to stderr.
    out : path, optional
        The file to write; stdout when left out.

    Returns
    -------
    int
        0, or what the script exits with; 1 when it raised, 2 when it could not be read.

    Raises
    ------
    ValueError
        For another format.
    """
    if format not in FORMATS:
        raise ValueError(f"trace: {format!r} is no format; choose {', '.join(FORMATS)}")
    path = Path(script)
    if not path.is_file():
        print(f"trace: there is no file {path}; give the path of a Python script", file=sys.stderr)
        return 2
    aside = contextlib.redirect_stdout(sys.stderr) if format != "text" and out is None else contextlib.nullcontext()
    with record(path.name) as trace, _as_main(path, arguments), aside:
        status, names = _execute(path)
    trace.code = path.read_text(encoding="utf-8", errors="replace").rstrip()
    trace.suggest(**{name: value for name, value in names.items() if isinstance(value, Tensor) and name[0] != "_"})
    if not trace.passes and "chapters.ch17_engine.engine" in sys.modules:
        print(
            "trace: chapter 17's engine is recorded where it gets the trace of a `with kael.record()`", file=sys.stderr
        )
    shown = _shown(trace, format)
    if out is None:
        print(shown, end="" if shown.endswith("\n") else "\n")
    else:
        Path(out).write_text(shown, encoding="utf-8")
    return status


def _shown(trace: Trace, format: str) -> str:
    if format == "html":
        return trace.to_html(page=True)
    return {"text": trace.table, "markdown": trace.to_markdown, "json": trace.to_json}[format]()


@contextlib.contextmanager
def _as_main(path: Path, arguments: Sequence[str]) -> Iterator[None]:
    """The arguments and the import path that the script would have on its own."""
    argv, search = sys.argv, list(sys.path)
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.resolve().parent))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = argv, search


def _execute(path: Path) -> tuple[int, dict[str, Any]]:
    """The script's exit status and its variables, also where it ended early."""
    try:
        return 0, runpy.run_path(str(path), run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        return status, _variables(path, end.__traceback__)
    except Exception as error:
        own = _from_script(path, error.__traceback__)
        print("".join(traceback.format_exception(type(error), error, own)), end="", file=sys.stderr)
        return 1, _variables(path, error.__traceback__)


def _from_script(path: Path, where: TracebackType | None) -> TracebackType | None:
    """The traceback from the script's first frame on: how it got there is ours and says nothing."""
    while where is not None and where.tb_frame.f_code.co_filename != str(path):
        where = where.tb_next
    return where


def _variables(path: Path, where: TracebackType | None) -> dict[str, Any]:
    frame = _from_script(path, where)
    return {} if frame is None else dict(frame.tb_frame.f_globals)


def main(arguments: Sequence[str] | None = None) -> int:
    """What ``kael trace`` does; returns the exit code."""
    parser = argparse.ArgumentParser(prog="kael trace", description="Run a script and show its backward passes.")
    parser.add_argument("script", help="a Python script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the script finds in sys.argv")
    parser.add_argument("--format", choices=FORMATS, default="text", help="text is printed where none is named")
    parser.add_argument("--out", metavar="FILE", help="write the record there")
    options = parser.parse_args(arguments)
    try:
        return run(options.script, options.arguments, format=options.format, out=options.out)
    except OSError as error:
        print(f"kael trace: {error}", file=sys.stderr)
        return 1
