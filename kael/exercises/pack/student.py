"""The handout: a workspace for the exercises that were chosen, one sheet with all their tasks, and how to start."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from kael.exercises.catalogue import Exercise
from kael.exercises.workspace import HANDOUT, MARK, provided

__all__ = ["handout", "task_sheet"]

START = """\
# How to start

1. Install kael with what its exercises need: `pip install '.[exercises]'` in its clone, or what your course tells you.
   `kael doctor` says what works here.
2. Open a shell in this folder. It is a workspace already.
3. Type `kael ex check {first}`. It says what to open. Change that file, save, and type it again.

`TASKS.md` has every task on one sheet; each also lies beside its file, as `README.md`. `kael ex hint {first}` helps,
and hints cost no points. Plain pytest works as well: `python -m pytest {place}`.

Hand in this folder, or of it the files to change, each in its folder.
"""


def handout(exercises: Sequence[Exercise]) -> dict[str, bytes]:
    """The files that students get: nothing else than what a reader of the book meets.

    Parameters
    ----------
    exercises : sequence of Exercise
        In the order of the index.

    Returns
    -------
    dict of str to bytes
        By paths with slashes.

    Examples
    --------
    >>> from kael.exercises.catalogue import find
    >>> sorted(handout(find("ch17-03")))[:4]
    ['.kael/delivered.json', '.kael/handout.json', 'README.md', 'TASKS.md']
    """
    files = provided(exercises)
    del files["README.md"]  # this one's is another, and `kael ex update` leaves it alone
    hashes = {path: hashlib.sha256(data).hexdigest() for path, data in sorted(files.items())}
    files[f"{MARK}/delivered.json"] = json.dumps(hashes, indent=1).encode() + b"\n"
    files[f"{MARK}/{HANDOUT}"] = json.dumps([exercise.id for exercise in exercises]).encode() + b"\n"
    first = exercises[0]
    files["README.md"] = START.format(first=first.id, place=first.place).encode()
    files["TASKS.md"] = task_sheet(exercises).encode()
    return files


def task_sheet(exercises: Sequence[Exercise]) -> str:
    """All tasks in one Markdown text, each with what it counts, how long it takes, and the file to change."""
    points = sum(exercise.points for exercise in exercises)
    minutes = sum(exercise.minutes for exercise in exercises)
    parts = [f"# Tasks\n\n{len(exercises)} exercises, {points} points, about {minutes} minutes.\n"]
    for exercise in exercises:
        task = (exercise.folder / "README.md").read_text(encoding="utf-8").strip()
        heading, _, rest = task.partition("\n")
        needs = f", needs a {' and a '.join(exercise.needs)}" if exercise.needs else ""
        parts.append(
            f"## {exercise.id} {heading.removeprefix('# ')}\n\n"
            f"{exercise.points} points, level {exercise.level}, about {exercise.minutes} minutes{needs}. "
            f"Change `{exercise.place}/{exercise.file}`. Read {exercise.read}.\n\n"
            f"{_deeper(rest.strip())}\n"
        )
    return "\n".join(parts)


def _deeper(text: str) -> str:
    """A text whose headings are one level further down; code is left alone."""
    lines, code = [], False
    for line in text.splitlines():
        code ^= line.lstrip().startswith(("```", "~~~"))
        lines.append(f"#{line}" if line.startswith("#") and not code else line)
    return "\n".join(lines)
