"""The command ``kael``: finds the subcommand that was asked for and imports no other."""

import argparse
import os
import sys
from collections.abc import Sequence

__all__ = ["main"]

COMMANDS = {
    "train": ("kael.training.command", "train a model: `kael train digits`, `mnist` or `gpt`"),
    "sample": ("kael.training.sample_command", "let a trained GPT write: `kael sample gpt.safetensors`"),
    "models": ("kael.training.models_command", "list the models that `kael train` knows, with their sizes"),
    "trace": ("kael.tracing.command", "run a script and print the table of its backward pass"),
    "lab": ("kael.lab", "open a chapter's notebook: `kael lab ch17`"),
    "book": ("kael.book.command", "show the book, built first where it is out of date"),
    "ex": ("kael.exercises.command", "solve exercises: the next one, `kael ex watch`, hints, solutions"),
    "grade": ("kael.exercises.grading.command", "grade a class: its grades, statistics and a report"),
    "bench": ("kael.bench.command", "measure kael beside NumPy and PyTorch: `kael bench all`, `overhead`, `memory`"),
    "doctor": ("kael.doctor", "say what works here, and what to do about what does not"),
}
INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """The options before the subcommand; what follows it is the subcommand's own."""
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:{width}}  {summary}" for name, (_, summary) in COMMANDS.items())
    outer = argparse.ArgumentParser(
        prog="kael",
        description="A deep-learning library small enough to read, and the book that builds it.",
        epilog=f"commands:\n{listed}\n\n`kael COMMAND --help` says what a command takes.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    outer.add_argument("--version", action="store_true", help="print the version and stop")
    outer.add_argument("command", nargs="?", metavar="COMMAND", help="one of the commands below")
    outer.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help=argparse.SUPPRESS)
    return outer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command and what it takes; the command line when left out.
    """
    tolerate_narrow_streams()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what may come next
        from kael.exercises.completion import complete

        complete()
    outer = parser()
    options = outer.parse_args(arguments)
    if options.version:
        from kael import __version__

        print(f"kael {__version__}")
        return 0
    if options.command is None:
        outer.print_help()
        return 0
    if options.command not in COMMANDS:
        outer.error(f"there is no command {options.command!r}{suggestion(options.command)}; `kael --help` lists them")
    try:
        return run(options.command, options.arguments)
    except KeyboardInterrupt:
        print(f"\nkael {options.command}: stopped", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        quiet_stdout()
        return 1


def run(command: str, arguments: Sequence[str]) -> int:
    """Import a command's module and call its ``main``; a missing extra or file is one line on stderr."""
    from importlib import import_module

    from kael.extras import MissingExtra

    try:
        code: int = import_module(COMMANDS[command][0]).main(arguments)
    except BrokenPipeError:
        raise
    except (MissingExtra, OSError) as error:
        print(f"kael {command}: {told(error)}", file=sys.stderr)
        return 1
    return code


def told(error: Exception) -> str:
    """What an error says, without the number that the system has for it.

    Examples
    --------
    >>> told(PermissionError(13, "Permission denied", "grades"))
    'grades: Permission denied'
    """
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    if isinstance(error, FileNotFoundError) and not error.filename:
        return "the folder that you are in is gone; `cd` into another"
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror


def suggestion(word: str) -> str:
    """A question about the command that was perhaps meant."""
    from difflib import get_close_matches

    close = get_close_matches(word, COMMANDS, 1)
    return f" (did you mean `kael {close[0]}`?)" if close else ""


def tolerate_narrow_streams() -> None:
    """Let characters that a terminal or pipe has no code for become question marks instead of errors.

    A stream that was closed before the start is replaced by one that goes nowhere.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 (pathlib costs a start 3 ms)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def quiet_stdout() -> None:
    """Let the interpreter flush its output into nothing, for the reader of the pipe is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
