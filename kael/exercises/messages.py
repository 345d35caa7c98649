"""What a reader is told when a check could not even compare: what happened, where, and what to do."""

from __future__ import annotations

import difflib
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from kael.exercises import NotAvailable, NotStarted
from kael.exercises.catalogue import Exercise
from kael.exercises.fence import OutOfBounds
from kael.exercises.sources import Unreadable

__all__ = ["called", "frames_of", "from_elsewhere", "is_own", "not_available", "not_started", "raised"]

HERE = Path(__file__).parent


def called(lines: Sequence[tuple[str, str]]) -> str:
    """Lines that each begin with a word; those with nothing to say are left out.

    Examples
    --------
    >>> print(called([("called", "f(x)"), ("at", ""), ("got", "nothing")]))
    called:       f(x)
    got:          nothing
    """
    return "\n".join(f"{word + ':':<14}{text}" for word, text in lines if text)


def not_started(exercise: Exercise, error: NotStarted, answer: str, task: str, again: str) -> str:
    """What to do to begin."""
    return called(
        [
            ("not started", f"{exercise.id} {exercise.title} (about {exercise.minutes} minutes)"),
            ("open", answer),
            ("the task", task),
            ("because", str(error)),
            ("read", exercise.read),
            ("run again", again),
        ]
    )


def not_available(exercise: Exercise, error: NotAvailable) -> str:
    """What is missing."""
    return f"not available: {exercise.id} {exercise.title}\n{error}"


def is_own(path: Path | str) -> bool:
    """Whether a file is of this package, which raises `NotStarted` and `NotAvailable` for an answer.

    A bare name is that of a file in the process that ran the answer.
    """
    path = Path(path)
    return path.is_relative_to(HERE) or (path.name == str(path) and (HERE / path).exists())


def frames_of(error: BaseException) -> list[traceback.FrameSummary]:
    """The lines that an error came through, also where some of them were run in another process."""
    inner = error.__cause__ or error
    return [*traceback.extract_tb(inner.__traceback__), *getattr(inner, "answer_frames", ())]


def from_elsewhere(error: BaseException, file: Path) -> str:
    """The file, other than the reader's and kael's own, that raised an error; empty where there is none."""
    frames = frames_of(error)
    origin = Path(frames[-1].filename) if frames else file
    return "" if origin.name == file.name or is_own(origin) else origin.name


def raised(exercise: Exercise, error: BaseException, file: Path, origin: Path, again: str) -> str:
    """An error of the reader's own code: what and where, what to do, and then the way it went.

    Parameters
    ----------
    exercise : Exercise
        What was asked.
    error : exception
        What the answer raised.
    file, origin : Path
        What ran, and where the reader keeps it.
    again : str
        The command that runs the checks once more.
    """
    frames = frames_of(error)
    mine = [frame for frame in frames if frame.filename == str(file) or Path(frame.filename).name == file.name]
    checked = [frame for frame in frames if Path(frame.filename).name.startswith(("test_", "check_"))]
    got, at = f"{type(error).__name__}: {error}", ""
    if mine:
        at = f"{origin.name}, line {mine[-1].lineno}: {mine[-1].line}"
    elif checked:
        at = f"the check, {Path(checked[-1].filename).name}, line {checked[-1].lineno}: {checked[-1].line}"
    if isinstance(error, Unreadable):
        got = str(error)
        at = f"{origin.name}, line {error.line}: {error.text}".rstrip(": ") if error.line else ""
    elif isinstance(error, AttributeError) and _is_answer(error.obj, file):
        got = f"{origin.name} defines no {error.name}"
    elif isinstance(error, NotStarted):
        got = f"NotStarted, raised by {from_elsewhere(error, file)}"
    to_do = _to_do(error, file, origin)
    if not to_do and not mine and checked:
        to_do = "the check could not use what your file gave it; compare what you return with what the task asks for"
    lines = [("called", f"your {origin.name}"), ("got", got[:2000]), ("at", at), ("to do", to_do)]
    text = called([*lines, ("read", exercise.read), ("run again", again)])
    way = "" if isinstance(error, Unreadable) or len(mine) < 2 else "".join(traceback.format_list(mine[-20:]))
    return f"{text}\n{way}" if way else text


def _is_answer(value: object, file: Path) -> bool:
    return isinstance(value, ModuleType) and value.__name__ in (file.stem, f"answer_{file.stem}")


def _to_do(error: BaseException, file: Path, origin: Path) -> str:
    """What most likely mends it; empty where the error says all there is to say."""
    match error:
        case Unreadable():
            return error.mend
        case NotStarted():
            return "write it in your own file; the file of another exercise may not be done, and is not graded with it"
        case AttributeError() if _is_answer(error.obj, file):
            known = [name for name in vars(error.obj) if not name.startswith("_")]
            close = difflib.get_close_matches(error.name or "", known, 1)
            hint = f"; it defines {close[0]}: was that its name?" if close else ""
            return f"define {error.name}, as the task asks{hint}"
        case ModuleNotFoundError() if (origin.parent / f"{(error.name or '').partition('.')[0]}.py").exists():
            return f"an answer is one file: move what you need from {error.name}.py into {origin.name}"
        case ModuleNotFoundError() if (error.name or "").partition(".")[0] == "exercises":
            return f"an answer is one file: move what you need into {origin.name}"
        case ModuleNotFoundError():
            return "an answer needs the standard library, numpy, kael and chapters, and nothing else"
        case RecursionError():
            return f"a function calls itself without end, or deeper than {sys.getrecursionlimit()} calls; use a loop"
        case MemoryError():
            return "something grows without end, or is made far larger than what was given"
        case EOFError() | OSError() if isinstance(error, EOFError) or "reading from stdin" in str(error):
            return "nobody types while checks run: take input() out of the file"
        case OutOfBounds():
            return "take it out; print what you want to see"
    return ""
