"""Makes the submissions of a class whose grades are known: ``python -m tests.exercises.grading.submissions DIR``.

Right answers, wrong ones, untouched stubs, hostile files, broken ones, renamed ones and none at all, handed in as
workspaces, flat folders, zips and the flat uploads of learning platforms. ``DIR/expected.json`` says what each earns;
``--compare OUT`` holds the grades of a run against it.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kael.exercises.catalogue import Exercise, find, proof_of
from kael.exercises.checker import checks_in
from kael.exercises.results import shares
from kael.exercises.runner import Run, run_checks
from tests.exercises.workspace import ROOT

__all__ = ["GROUPS", "differences", "generate"]

GROUPS = ("monday", "friday")
HOSTILE = ROOT / "tests" / "exercises" / "hostile"
MOST_TWINS = 3
"""Different wrong answers in Cython: each has to be compiled to find out what it earns."""

MIXES = {
    "strong": (0.35, {"solution": 6, "alt": 4, "wrong": 1}),
    "middling": (0.35, {"solution": 3, "alt": 2, "wrong": 4, "stub": 1}),
    "weak": (0.15, {"wrong": 4, "stub": 3, "missing": 3, "syntax error": 1, "renamed": 1}),
    "odd": (
        0.1,
        {"solution": 2, "windows": 3, "latin-1": 2, "syntax error": 2, "two files": 1, "too large": 1, "nul": 1},
    ),
    "hostile": (0.05, {"hostile": 5, "solution": 1}),
}
"""Kinds of students: their share, and how often each kind of answer is theirs."""

NAMES = [
    "Ada Lovelace",
    "=SUM(A1)",
    "Müller, Jürgen",
    "李 小龙",
    "Zoë O'Brien",
    "Ñandú",
    "+49 Kim",
    "O. Sørensen",
    "محمد",
]


class Answer(NamedTuple):
    """One student's answer to one exercise: its kind, its bytes if there is a file, and what it earns."""

    kind: str
    content: bytes | None
    score: int


def generate(folder: Path, exercises: Sequence[Exercise], students: int, seed: int = 1) -> dict[str, Any]:
    """Write a class below a folder; returns what is expected of it, which is also in ``expected.json``.

    Parameters
    ----------
    folder : Path
        Gets a folder for each of `GROUPS`.
    exercises : sequence of Exercise
        What is handed in.
    students : int
        How many.
    seed : int
        Of the class, and of the checks' numbers.
    """
    draw = random.Random(seed)
    kinds = draw.choices(list(MIXES), [share for share, _ in MIXES.values()], k=students)
    chosen = {exercise.id: _wrong_files(exercise, draw) for exercise in exercises}
    earned = {exercise.id: _earned(exercise, chosen[exercise.id], seed) for exercise in exercises}
    expected: dict[str, Any] = {"seed": seed, "exercises": [exercise.id for exercise in exercises], "students": {}}
    handed_in = []
    for number, kind in enumerate(kinds):
        group = GROUPS[number % 2]
        weights = MIXES[kind][1]
        answers = {}
        for exercise in exercises:
            what = draw.choices(list(weights), list(weights.values()))[0]
            answers[exercise.id] = _answer(exercise, what, number, draw, earned[exercise.id])
        handed_in.append((group, _hand_in(folder / group, _name(number), number, answers, exercises), answers))
    count = Counter(name.casefold() for _, name, _ in handed_in)
    for group, name, answers in handed_in:
        label = f"{group}/{name}" if count[name.casefold()] > 1 else name
        expected["students"][label] = {
            key: {"kind": answer.kind, "score": answer.score} for key, answer in answers.items()
        }
    (folder / "expected.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False), encoding="utf-8")
    return expected


def differences(folder: Path, out: Path) -> list[str]:
    """Where the grades of a run are not those expected; empty when all are.

    Parameters
    ----------
    folder : Path
        What `generate` made.
    out : Path
        The results of ``kael grade``.
    """
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    with (out / "grades.csv").open(encoding="utf-8", newline="") as stream:
        rows = {row["student"].removeprefix("'"): row for row in csv.DictReader(stream)}
    wrong = [f"{name}: no row" for name in expected["students"] if name not in rows]
    wrong += [f"{name}: not expected" for name in rows if name not in expected["students"]]
    for name, answers in expected["students"].items():
        for exercise, answer in answers.items() if name in rows else ():
            if rows[name][exercise] != str(answer["score"]):
                wrong.append(
                    f"{name}, {exercise}: {answer['kind']} earns {answer['score']}, got {rows[name][exercise]}"
                )
    return wrong


def _name(number: int) -> str:
    """A name; the first few are hard ones, and each is used in both groups."""
    if number < 2 * len(NAMES):
        return NAMES[number // 2]
    return f"Student {number:03}"


def _wrong_files(exercise: Exercise, draw: random.Random) -> list[Path]:
    suffix = exercise.answer.suffix
    files = sorted(path for path in (proof_of(exercise) / "wrong").iterdir() if path.suffix == suffix)
    return draw.sample(files, MOST_TWINS) if suffix == ".pyx" else files


def _earned(exercise: Exercise, files: Sequence[Path], seed: int) -> dict[Path, int]:
    """What each wrong answer earns, found by running it here; the check that it names is not among those that pass."""
    checks = [exercise.visible, *sorted((proof_of(exercise) / "hidden").glob("check_*.py"))]
    names = [name for path in checks for name in checks_in(path)]
    points = dict(zip(names, shares(exercise.points, len(names)), strict=True))
    runs = [Run(path, seed, exercise.time_limit) for path in files]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        run_checks(runs, checks, Path(scratch))
    made = {}
    for run in runs:
        passed = {name for name, outcome in run.outcomes.items() if outcome.state == "pass"}
        named = re.findall(r"^# fails: (\w+)", run.file.read_text(encoding="utf-8"), re.MULTILINE)
        assert not passed & set(named), f"{run.file} passes {named}"
        made[run.file] = sum(points[name] for name in passed)
    return made


def _answer(exercise: Exercise, kind: str, number: int, draw: random.Random, earned: dict[Path, int]) -> Answer:
    folder = proof_of(exercise)
    suffix = exercise.answer.suffix
    solution = (folder / "solution" / exercise.file).read_bytes()
    own = f"\n# {number}\n".encode()  # so that no two students hand in the same bytes
    if kind == "hostile" and suffix == ".pyx":
        kind = "syntax error"
    match kind:
        case "solution" | "renamed":
            return Answer(kind, solution + own, exercise.points if kind == "solution" else 0)
        case "alt":
            chosen = draw.choice(sorted(path for path in (folder / "alt").iterdir() if path.suffix == suffix))
            return Answer(f"alt {chosen.stem}", chosen.read_bytes() + own, exercise.points)
        case "wrong":
            chosen = draw.choice(sorted(earned))
            return Answer(f"wrong {chosen.stem}", chosen.read_bytes() + own, earned[chosen])
        case "hostile":
            chosen = draw.choice(sorted(HOSTILE.glob("*.py")))
            return Answer(f"hostile {chosen.stem}", chosen.read_bytes() + own, 0)
        case "windows":
            lines = b"\xef\xbb\xbf" + solution.replace(b"\n", b"\r\n")
            return Answer(kind, lines + own.replace(b"\n", b"\r\n"), exercise.points)
        case "latin-1":
            return Answer(kind, solution + own + b"# caf\xe9\n", 0)
        case "syntax error":
            return Answer(kind, solution + own + b"def (\n", 0)
        case "nul":
            return Answer(kind, solution + own + b"\x00\n", 0)
        case "too large":
            return Answer(kind, solution + own + b"#" * 1_000_000, 0)
        case "two files":
            return Answer(kind, solution + own, 0)
        case "stub":
            return Answer(kind, exercise.answer.read_bytes(), 0)
    return Answer("missing", None, 0)


def _hand_in(folder: Path, name: str, number: int, answers: dict[str, Answer], exercises: Sequence[Exercise]) -> str:
    """Write a student's answers in one of the ways in which they come; returns what the student is called then."""
    files: dict[str, bytes] = {}
    flat = number % 5 in (1, 3)
    for exercise in exercises:
        answer = answers[exercise.id]
        place = exercise.file if flat else f"{exercise.place}/{exercise.file}"
        if answer.content is None:
            continue
        if answer.kind == "renamed":
            place = place.replace(exercise.file, f"final_{exercise.file}")
        files[place] = answer.content
        if answer.kind == "two files":
            del files[place]
            files[f"a/{place}"] = answer.content
            files[f"b/{place}"] = answer.content + b"# another\n"
    if number % 5 == 1 and number >= 2 * len(NAMES):
        for place, content in files.items():
            if "/" in place:
                continue
            _write(folder / f"student{number}_{1000 + number}_{5000 + number}_{place}", content)
        if any("/" in place for place in files) or not files:
            inner = {place: content for place, content in files.items() if "/" in place}
            _zip(folder / f"student{number}_{1000 + number}_{6000 + number}_rest.zip", inner or {"empty.txt": b""})
        return f"student{number}_{1000 + number}"
    match number % 5:
        case 0:
            for place, content in files.items():
                _write(folder / name / place, content)
            (folder / name).mkdir(parents=True, exist_ok=True)
        case 2:
            _zip(folder / f"{name}.zip", files)
        case 3:
            below = {f"homework/{place}": content for place, content in files.items()}
            junk = {f"__MACOSX/homework/._{Path(place).name}": b"\x00" for place in files}
            _zip(folder / f"{name}.zip", {**below, **junk})
        case 4:
            history = {f".kael/history/{place}": b"old" for place in files}
            for place, content in {**files, **history}.items():
                _write(folder / f"{name}_{number}_assignsubmission_file_" / "exercises" / place, content)
            (folder / f"{name}_{number}_assignsubmission_file_").mkdir(parents=True, exist_ok=True)
            return f"{name}_{number}"
        case _:
            for place, content in files.items():
                _write(folder / name / place, content)
            (folder / name).mkdir(parents=True, exist_ok=True)
    return name


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _zip(path: Path, files: dict[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, content in files.items():
            archive.writestr(place, content)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a class, or hold the grades of a run against what is expected."""
    parser = argparse.ArgumentParser(description="Submissions of a class whose grades are known.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--chapter", default="ch17", help="an exercise or a chapter")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compare", type=Path, metavar="OUT", help="hold the grades in this folder against it")
    options = parser.parse_args(arguments)
    if options.compare:
        found = differences(options.folder, options.compare)
        print("\n".join(found) or "every score is the expected one")
        return int(bool(found))
    expected = generate(options.folder, find(options.chapter, ROOT / "exercises"), options.students, options.seed)
    kinds = Counter(
        answer["kind"].partition(" ")[0] for each in expected["students"].values() for answer in each.values()
    )
    places = " ".join(str(options.folder / group) for group in GROUPS)
    print(", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    print(f"now: kael grade {places} --only {options.chapter} --seed {options.seed} --out {options.folder / 'grades'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
