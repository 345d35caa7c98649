"""Where a range of independent results is cut, and threads that each compute one part of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise

__all__ = ["borders", "in_threads"]


# region [borders]
def borders(size: int, parts: int, line: int = 16) -> list[int]:
    """Where parts of nearly one size begin and end, in whole cache lines of so many elements.

    >>> borders(100, 3)
    [0, 32, 64, 100]
    """
    lines = size // line
    return [*(lines * part // parts * line for part in range(parts)), size]


# endregion [borders]


# region [in_threads]
def in_threads(work: Callable[[int, int], None], cuts: list[int]) -> None:
    """Call work(begin, end) for each part in a thread of its own, and wait for all; raise what one has raised."""
    failures: list[BaseException] = []

    def part(begin: int, end: int) -> None:
        try:
            work(begin, end)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=part, args=span) for span in pairwise(cuts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


# endregion [in_threads]
