"""``python -m kael.book``: build, check and show the book; make and check its notebooks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from kael.book.folders import BookError, clone

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the book's commands; returns the exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        ``build``, ``serve``, ``check``, ``notebooks`` or ``summary`` with their options; the
        command line when left out.
    """
    parser = argparse.ArgumentParser(prog="python -m kael.book", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    build_parser = commands.add_parser("build", help="execute and build all pages strictly, then check the site")
    build_parser.add_argument("--clean", action="store_true", help="execute every page again")
    build_parser.add_argument("--quiet", action="store_true", help="print only what is wrong")
    serve_parser = commands.add_parser("serve", help="build what is out of date, then show the book on this machine")
    serve_parser.add_argument("--port", type=int, default=8000)
    serve_parser.add_argument("--build-only", action="store_true", help="build what is out of date and stop")
    commands.add_parser("check", help="check the site that is already built")
    notebooks_parser = commands.add_parser("notebooks", help="write the chapters' notebooks from their pages")
    either = notebooks_parser.add_mutually_exclusive_group()
    either.add_argument("--check", action="store_true", help="only say which are not in step")
    either.add_argument(
        "--run", nargs="*", metavar="CHAPTER", help="run these notebooks, or all, each in a fresh kernel"
    )
    commands.add_parser("summary", help="count what the pages hold: words, cells, assertions, traps, exercises")
    options = parser.parse_args(arguments)
    try:
        return _run(options)
    except BookError as error:
        print(error, file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    root = clone()
    if options.command == "build":
        from kael.book.build import build

        build(root, clean=options.clean, quiet=options.quiet)
    elif options.command == "serve":
        return show(options.port, build_only=options.build_only)
    elif options.command == "check":
        from kael.book import site

        built = root / "book" / "_build" / "html"
        if not (built / "index.html").is_file():
            raise BookError(f"book: there is no site in {built}; run `python -m kael.book build`")
        findings = site.check(built)
        print("\n".join(findings) or "book: nothing found")
        return 1 if findings else 0
    elif options.command == "summary":
        from kael.book import summary

        print(summary.table(root))
    else:
        from kael.book import notebooks

        if options.run is not None:
            for chapter, cells in notebooks.run_each(root, options.run):
                print(f"{chapter}: {cells} cells ran", flush=True)
        elif options.check:
            stale = notebooks.out_of_step(root)
            print("\n".join(stale) or "notebooks: in step")
            return 1 if stale else 0
        else:
            print("\n".join(notebooks.write(root)))
    return 0


def show(port: int = 8000, *, build_only: bool = False) -> int:
    """What ``kael book`` does: build when pages or sources changed, then serve."""
    from kael.book.build import build, is_current
    from kael.book.server import serve

    root = clone()
    built = root / "book" / "_build" / "html"
    if not is_current(root):
        build(root)
    if build_only:
        print(f"The book is built: {built / 'index.html'}; `kael book` shows it")
    else:
        serve(built, port)
    return 0


if __name__ == "__main__":
    sys.exit(main())
