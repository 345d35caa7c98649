"""`kael ex doctor`: what is wrong with a workspace, and what to do about each thing."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from importlib.util import decode_source, find_spec
from pathlib import Path
from typing import NamedTuple

from kael.exercises import twins
from kael.exercises.catalogue import Exercise, catalogue
from kael.exercises.history import History
from kael.exercises.saving import UNFINISHED
from kael.exercises.state import Store
from kael.exercises.workspace import Workspace, changes, provided, quoted
from kael.extras import extras, install_command

__all__ = ["Finding", "examine"]

LIBRARIES = {"numpy", "kael", "chapters", "pytest", "cython", "rich", "setuptools"}


class Finding(NamedTuple):
    """One thing that was looked at.

    Attributes
    ----------
    state : str
        ``ok``, ``note`` or ``problem``.
    text : str
        What was found, and for a problem what to do.
    """

    state: str
    text: str


def examine(workspace: Workspace) -> list[Finding]:
    """Look at everything; nothing is changed and no answer is run."""
    findings = [*_folder(workspace)]
    answers = [finding for exercise in workspace.exercises for finding in _answer(workspace, exercise)]
    findings += answers or [Finding("ok", f"{len(workspace.exercises)} answers are there and can be read")]
    findings += [*_shadows(workspace), *_tasks(workspace), *_kept(workspace), *_machine()]
    return findings


def _folder(workspace: Workspace) -> Iterator[Finding]:
    if os.access(workspace.root, os.W_OK) and os.access(workspace.mark, os.W_OK):
        yield Finding("ok", f"{workspace.root} can be written to")
    else:
        yield Finding(
            "problem", f"{workspace.root} cannot be written to: progress is not kept; give yourself the right"
        )


def _answer(workspace: Workspace, exercise: Exercise) -> Iterator[Finding]:
    """What is wrong with one answer."""
    file = workspace.answer(exercise)
    name = f"{exercise.id} {exercise.place}/{exercise.file}"
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        yield Finding("problem", f"{name} is missing; {_perhaps_renamed(file, exercise)}")
        return
    except IsADirectoryError:
        yield Finding("problem", f"{name} is a folder; give it another name, then {_stub_again(file)} back")
        return
    except OSError as error:
        yield Finding("problem", f"{name} cannot be read ({error.strerror}); give yourself the right to read it")
        return
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        try:
            text = decode_source(data)
        except (SyntaxError, UnicodeDecodeError):
            yield Finding("problem", f"{name}, line {line}: not UTF-8; save it as UTF-8 in your editor")
            return
    if data.startswith(b"\xef\xbb\xbf"):
        yield Finding("note", f"{name} begins with a byte order mark; save it as UTF-8 without BOM")
    if b"\r\n" in data:
        yield Finding("note", f"{name} has Windows line ends, which do no harm")
    if file.suffix == ".py":
        try:
            ast.parse(text.removeprefix("\ufeff"))
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 1
            yield Finding("problem", f"{name}, line {line}: {getattr(error, 'msg', error)}")


def _perhaps_renamed(file: Path, exercise: Exercise) -> str:
    """What to do about a missing file: another one beside it may be it."""
    given = {Path(path).name for path in provided() if path.startswith(f"{exercise.place}/")}
    others = sorted(path.name for path in file.parent.glob("*") if path.is_file() and path.name not in given)
    others = [name for name in others if not name.endswith(UNFINISHED)]
    again = _stub_again(file)
    return f"is {others[0]} it? Rename it to {file.name}, else {again}" if others else f"{again} back"


def _stub_again(file: Path) -> str:
    return f"`kael ex init {quoted(file.parents[2])}` brings the stub"


def _shadows(workspace: Workspace) -> Iterator[Finding]:
    """Files that take the place of a library when an answer is run from its folder."""
    ours = set(provided())
    for path in sorted(workspace.root.rglob("*.py")):
        name = path.relative_to(workspace.root).as_posix()
        if name not in ours and (path.stem in LIBRARIES or path.stem in sys.stdlib_module_names):
            yield Finding("problem", f"{name} takes the place of the library {path.stem} beside it; rename it")


def _tasks(workspace: Workspace) -> Iterator[Finding]:
    found = changes(workspace)
    answers = {f"{exercise.place}/{exercise.file}" for exercise in workspace.exercises}  # looked at one by one
    count = len(found.files.keys() - answers)
    if count:
        what = f"{count} tasks and checks are" if count > 1 else "a task or check is"
        yield Finding("problem", f"{what} missing or old; `kael ex update` brings {'them' if count > 1 else 'it'}")
    for exercise in found.stubs:
        yield Finding("note", f"{exercise.id} has a new stub; `kael ex reset {exercise.id}` takes it, saving yours")


def _kept(workspace: Workspace) -> Iterator[Finding]:
    """Progress and history."""
    note = Store(workspace.mark).read().note
    yield Finding("problem", note) if note else Finding("ok", "progress can be read")
    entries = History(workspace).entries()
    broken = 0
    for entry in entries:
        try:
            for path, digest in entry.files.items():
                if digest is not None:
                    entry.read(path)
        except OSError:
            broken += 1
    if broken:
        yield Finding("problem", f"{broken} of {len(entries)} saved versions are damaged; keep copies elsewhere")
    else:
        yield Finding("ok", f"{len(entries)} saved versions are whole")
    left = [path for path in workspace.root.rglob(f"*{UNFINISHED}") if path.is_file()]
    if left:
        names = ", ".join(path.relative_to(workspace.root).as_posix() for path in left)
        yield Finding("note", f"left by a command that was killed, and may be deleted: {names}")


def _machine() -> Iterator[Finding]:
    missing = [name for name in extras().get("exercises", ()) if find_spec(_module(name)) is None]
    if missing:
        yield Finding("problem", f"not installed: {', '.join(missing)}; `{install_command('exercises')}` in the clone")
    else:
        yield Finding("ok", "the packages that exercises need are installed")
    ids = ", ".join(exercise.id for exercise in catalogue() if "compiler" in exercise.needs)
    lacks = twins.missing()
    if not ids:
        return
    yield (
        Finding("note", f"{ids}: not available; {lacks}") if lacks else Finding("ok", f"a C compiler works, for {ids}")
    )


def _module(package: str) -> str:
    return {"cython": "Cython"}.get(package, package)
