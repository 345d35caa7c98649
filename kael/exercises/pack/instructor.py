"""Everything that one who teaches with the exercises needs: the handout, and what students must not see."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

from kael.exercises.catalogue import Exercise, proof_of
from kael.exercises.formats import nbgrader
from kael.exercises.pack import classroom50, gradescope, plan, table
from kael.exercises.pack.bundle import Grading, clone_of, hidden_files
from kael.exercises.pack.files import below, zipped
from kael.exercises.pack.student import handout

__all__ = ["answer_key", "pack"]

README = """\
# For the instructor

{count} exercises, {points} points, about {minutes} minutes of work for students: {ids}.

| here | what it is | for students |
| --- | --- | --- |
| `handout.zip`, `handout/` | a workspace with the tasks, the files to change and the visible checks | yes |
| `table.md`, `table.csv` | outcome, level, minutes, points, prerequisites, and which check runs where | yes |
| `plan_*.md`, `plan_*.csv` | courses of {weeks} weeks, with the minutes of each | yes |
| `answer_key.md` | for each mistake its explanation, an answer that makes it, and the check that finds it | no |
| `solutions/` | the solution of each exercise and answers that are right in another way | no |
| `wrong/` | the wrong answers of the key | no |
| `checks/` | the checks that students have not got | no |
| `gradescope/autograder.zip` | to upload to Gradescope as it is | no |
| `classroom50/` | to put into the repository of a classroom; see its README | no |
| `nbgrader/` | a course folder: `nbgrader generate_assignment {chapter}` makes the notebooks for students | no |

The checks draw their numbers from a seed. Students' own runs use 0; the autograders here use {seed}. For another one in
the next term: `kael ex pack --instructor DIR --seed N` with the same exercises. kael is free software, so whoever looks
for the solutions and the hidden checks in its repository finds them. Checks of your own, which lie in no public place,
go into the autograders with `--checks FOLDER`, and `kael grade` takes the same folder.

On Gradescope, choose a base image with Python 3.11 or later (Ubuntu 24.04). Grading begins no exercise after {limit}
minutes; if every check ran out of time it would take {worst}.

nbgrader's kernel needs kael with its `exercises` extra, and a compiler for those exercises that ask for one: it cannot
leave an exercise out of the total.

Gradescope shows the checks that students have not got when the grades are published. The process that compares never
imports an answer; answers run under an account that can neither read the checks nor write the results. The archive
holds no solution.
"""


def pack(exercises: Sequence[Exercise], how: Grading) -> dict[str, bytes]:
    """The files of an instructor's pack, by path.

    Parameters
    ----------
    exercises : sequence of Exercise
        In the order of the index.
    how : Grading
        How the autograders grade.

    Raises
    ------
    Refused
        Where kael does not run from a clone.
    """
    clone_of(exercises)
    given = handout(exercises)
    lines = table.table(exercises)
    courses = {weeks: plan.plan(weeks, exercises) for weeks in plan.COURSES}
    said = README.format(
        count=len(exercises), points=sum(e.points for e in exercises), minutes=sum(e.minutes for e in exercises),
        ids=", ".join(e.id for e in exercises), weeks=" and ".join(map(str, courses)), seed=how.seed,
        chapter=exercises[0].place.partition("/")[0],
        limit=how.minutes, worst=math.ceil(sum(_seconds(line) for line in lines) / 60),
    )  # fmt: skip
    texts = {
        "README.md": said,
        "answer_key.md": answer_key(exercises),
        "table.md": table.as_markdown(lines),
        "table.csv": table.as_csv(lines),
        **{f"plan_{weeks}_weeks.md": plan.as_markdown(listed) for weeks, listed in courses.items()},
        **{f"plan_{weeks}_weeks.csv": plan.as_csv(listed) for weeks, listed in courses.items()},
    }
    return {
        **{path: text.encode() for path, text in texts.items()},
        "handout.zip": zipped(given),
        **below("handout", given),
        **_proofs(exercises),
        "gradescope/autograder.zip": zipped(gradescope.autograder(exercises, how)),
        **_notebooks(exercises, how),
        **below("classroom50", classroom50.autograder(exercises, how, _short_name(exercises))),
    }


def _seconds(line: table.Line) -> float:
    """How long the checks of an exercise take when none of them ends."""
    return line.exercise.time_limit * (len(line.local) + len(line.graded or ()))


def answer_key(exercises: Sequence[Exercise]) -> str:
    """The misconceptions of each exercise: what is said to one who has it, who has it, and what finds it."""
    parts = ["# Answer key\n"]
    for exercise in exercises:
        parts.append(f"## {exercise.id} {exercise.title}\n")
        right = [f"`solutions/{path}`" for path in _below(exercise, ("solution", "alt"))]
        parts.append(f"{exercise.outcome} Right: {', '.join(right)}.\n")
        examples = _examples(exercise)
        rows = ["| mistake | what the checks say | answers that make it | found by |", "| --- | --- | --- | --- |"]
        for key, text in exercise.misconceptions.items():
            files = ", ".join(f"`{name}`" for name, _ in examples.get(key, [])) or "none here"
            checks = (
                ", ".join(dict.fromkeys(f"`{check}`" for _, check in examples.get(key, []) if check)) or "none here"
            )
            rows.append(f"| {key.replace('_', ' ')} | {text.replace('|', '&#124;')} | {files} | {checks} |")
        parts.append("\n".join(rows) + "\n")
        parts.append("What helps, in three steps:\n")
        parts.append("".join(f"{number}. {hint}\n" for number, hint in enumerate(exercise.hints, 1)))
    return "\n".join(parts)


def _examples(exercise: Exercise) -> dict[str, list[tuple[str, str]]]:
    """File and failing check of the wrong answers, by misconception."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in _files(proof_of(exercise) / "wrong"):
        text = path.read_text(encoding="utf-8")
        key, check = (re.search(rf"^# {word}: (\S+)", text, re.MULTILINE) for word in ("misconception", "fails"))
        if key:
            found.setdefault(key[1], []).append((path.name, check[1] if check else ""))
    return found


def _proofs(exercises: Sequence[Exercise]) -> dict[str, bytes]:
    """Right and wrong answers and hidden checks, each kind in a folder with the layout of a workspace."""
    files: dict[str, bytes] = {}
    for exercise in exercises:
        proof = proof_of(exercise)
        for kind in ("solution", "alt"):
            files |= {f"solutions/{exercise.place}/{kind}/{p.name}": p.read_bytes() for p in _files(proof / kind)}
        files |= {f"wrong/{exercise.place}/{path.name}": path.read_bytes() for path in _files(proof / "wrong")}
        files |= {f"checks/{exercise.place}/{path.name}": path.read_bytes() for path in _files(proof / "hidden")}
    return files


def _notebooks(exercises: Sequence[Exercise], how: Grading) -> dict[str, bytes]:
    """A course folder for nbgrader: an assignment for each chapter, a notebook for each exercise."""
    files = {"nbgrader/nbgrader_config.py": nbgrader.CONFIG.encode()}
    for exercise, hidden in zip(exercises, hidden_files(exercises, how), strict=True):
        solution = (proof_of(exercise) / "solution" / exercise.file).read_text(encoding="utf-8")
        made = nbgrader.render(exercise, solution, hidden, how.seed)
        files[f"nbgrader/source/{exercise.place}.ipynb"] = made.encode()
    return files


def _below(exercise: Exercise, kinds: Sequence[str]) -> list[str]:
    proof = proof_of(exercise)
    return [f"{exercise.place}/{kind}/{path.name}" for kind in kinds for path in _files(proof / kind)]


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.suffix in {".py", ".pyx"})


def _short_name(exercises: Sequence[Exercise]) -> str:
    """A name for an assignment: the first chapter or exercise, and the last."""
    names = list(dict.fromkeys(exercise.id.partition("-")[0] for exercise in exercises))
    if len(exercises) == 1:
        names = [exercises[0].id]
    return f"kael-{names[0]}" if len(names) == 1 else f"kael-{names[0]}-to-{names[-1]}"
