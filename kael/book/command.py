"""``kael book``: build the book where it is out of date, and show it on this machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from kael.book.folders import BookError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``kael book``; returns the exit code."""
    from kael.book.__main__ import show

    parser = argparse.ArgumentParser(
        prog="kael book", description="Show the book, built first where it is out of date."
    )
    parser.add_argument("--port", type=int, default=8000, help="where to serve it (%(default)s, or a free one)")
    parser.add_argument("--build-only", action="store_true", help="build what is out of date and stop")
    options = parser.parse_args(arguments)
    try:
        return show(options.port, build_only=options.build_only)
    except BookError as error:
        print(error, file=sys.stderr)
        return 1
