"""What the subcommands of ``kael train`` share: readers of numbers, threads, checkpoints, and how steps are shown."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kael.threads import get_num_threads, set_num_threads
from kael.training.fitting import Report

__all__ = ["INTERRUPTED", "Shown", "positive", "progress_bar", "share", "run_options", "threads", "vacant", "whole"]

INTERRUPTED = 130
MOST_THREADS = 4  # more gain little in matrices of this size


def whole(least: int) -> Any:
    """A reader of whole numbers from `least` on, for argparse."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if value < least:
            raise argparse.ArgumentTypeError(f"{value} is too small; it must be {least} or more")
        return value

    return number


def positive(text: str) -> float:
    """A number above 0 and below infinity, for argparse."""
    value = real(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is out of range; it must be a number above 0")
    return value


def share(text: str) -> float:
    """A number from 0 to before 1, for argparse."""
    value = real(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text} is out of range; it must be a number from 0 to before 1")
    return value


def real(text: str) -> float:
    """A number, for argparse."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def progress_bar(count: int, unit: str, done: int = 0) -> Any:
    """tqdm's bar on stderr, or None where it would not be seen or is not installed."""
    if not sys.stderr.isatty():
        return None
    try:
        tqdm = importlib.import_module("tqdm")
    except ModuleNotFoundError:
        return None
    return tqdm.tqdm(total=count, unit=unit, initial=done)


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_options(parser: argparse.ArgumentParser, checkpoint: str) -> None:
    """Let a parser take what every training of `fit` has: where it is kept, how it is shown, and its threads."""
    add = parser.add_argument
    add("--checkpoint", type=Path, default=Path(checkpoint), metavar="FILE", help="default %(default)s")
    add("--resume", action="store_true", help="go on from the checkpoint; give no other settings than its own")
    add("--metrics", type=Path, metavar="FILE", help="write a line of JSON for each step")
    add("--plot", type=Path, metavar="FILE", help="save the loss curve as PNG")
    add("--plain", action="store_true", help="no progress bar")
    add(
        "--threads", type=whole(1), default=min(processors(), MOST_THREADS),
        help="results do not depend on them (default %(default)s)",
    )  # fmt: skip


def vacant(checkpoint: Path) -> None:
    """Refuse a checkpoint that a new training would replace, or whose folder is missing.

    Raises
    ------
    OSError
        Saying what to do.
    """
    if not checkpoint.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {checkpoint.parent}; make it first, or name another --checkpoint")
    if checkpoint.exists():
        raise FileExistsError(
            f"{checkpoint} is there already; add --resume to go on with it, or name another --checkpoint"
        )


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """So many threads for the block."""
    before = get_num_threads()
    set_num_threads(count)
    try:
        yield
    finally:
        set_num_threads(before)


class Shown:
    """Shows and keeps the reports of a training: a line for each evaluation, and a bar where stderr is a terminal.

    Parameters
    ----------
    steps, done : int
        The last step, and the steps already made.
    plain : bool
        No bar.
    """

    def __init__(self, steps: int, done: int, *, plain: bool) -> None:
        self.reports: list[Report] = []
        self.bar = None if plain else progress_bar(steps, "step", done)

    def __enter__(self) -> Shown:
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def __call__(self, report: Report) -> None:
        """Show one."""
        self.reports.append(report)
        step = report.step
        if report.evaluation:
            name, value = next(iter(report.evaluation.items()))
            line = f"step {step.number:5} loss {step.loss:.4f} {name} {value:.4f} {report.seconds:6.1f} s"
            if self.bar is not None:
                self.bar.write(line, file=sys.stdout)
            else:
                print(line, flush=True)
        if self.bar is not None:
            self.bar.set_postfix_str(f"loss {step.loss:.3f}", refresh=False)
            self.bar.update()
