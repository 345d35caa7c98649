"""Finding the answers in one submission, wherever they lie in it, and reading nothing else."""

from __future__ import annotations

import hashlib
import lzma
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from kael.exercises.catalogue import Exercise
from kael.exercises.grading.submissions import Submission, plain_name

__all__ = ["LARGEST", "Answers", "find_answers"]

LARGEST = 1_000_000
"""Bytes that an answer may have."""

LARGEST_ZIP = 100_000_000
"""Bytes that a zip may have."""

MOST = 20_000
"""Files of one submission that are looked at."""

BROKEN = (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
"""What reading a damaged zip can raise."""

UNREAD = re.compile(
    r"(?:.*/)?(?:__pycache__|__MACOSX|node_modules|site-packages|venv|env|build|dist|tests/exercises|\.[^/]*)(?:/.*)?"
)
"""Folders that hold no answers: what tools make, the history of a workspace, the proofs of a whole clone."""

COPY = re.compile(r"(.*?)(?:[ _-]?\(\d{1,2}\)|[ _-]\d{1,2})")
"""What browsers and platforms make of a second file of a name: ``mirror (1)``, ``mirror-1``."""


@dataclass
class Answers:
    """What one student handed in.

    Attributes
    ----------
    files : dict of str to bytes
        The answers by exercise id.
    where : dict of str to str
        The place of each in the submission.
    refused : dict of str to str
        Why an exercise has no answer although there is something of that name.
    notes : list of str
        What the instructor should know.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def sha256(self, exercise: str) -> str:
        """The hash of what is graded; empty where there is nothing."""
        return hashlib.sha256(self.files[exercise]).hexdigest() if exercise in self.files else ""


@dataclass(frozen=True)
class _File:
    """A file that may be an answer: its place in the submission, and how to read it."""

    place: str
    size: int
    path: Path
    member: zipfile.ZipInfo | None = None

    def read(self) -> bytes:
        """Its bytes, and never more than an answer may have and one."""
        if self.member is None:
            with self.path.open("rb") as stream:
                return stream.read(LARGEST + 1)
        with zipfile.ZipFile(self.path) as archive, archive.open(self.member) as stream:
            return stream.read(LARGEST + 1)


def find_answers(submission: Submission, exercises: Sequence[Exercise], every: Sequence[Exercise]) -> Answers:
    """The answers of one student to some exercises.

    An answer is known by the name of its file; where several exercises have files of that name, by the folders around
    it. Links are not followed, entries of a zip that point outside of it are refused, and nothing is unpacked.

    Parameters
    ----------
    submission : Submission
        Where to look.
    exercises : sequence of Exercise
        What to look for.
    every : sequence of Exercise
        All exercises: what is theirs is not taken for another's.
    """
    answers = Answers()
    best: dict[str, list[tuple[int, _File]]] = {}
    for file in _files(submission, answers.notes):
        _enter(file, exercises, every, best, answers)
    for exercise in exercises:
        if exercise.id in best:
            _choose(exercise, best[exercise.id], answers)
    if not best:
        answers.notes.append("nothing that could be an answer was found")
    return answers


def _enter(
    file: _File,
    exercises: Sequence[Exercise],
    every: Sequence[Exercise],
    best: dict[str, list[tuple[int, _File]]],
    answers: Answers,
) -> None:
    """Note which exercises a file may answer, and how likely."""
    place = PurePosixPath(file.place)
    named = [exercise for exercise in every if _same_name(place.name, exercise.file)]
    if not named:
        answers.notes += [
            f"{exercise.id}: {file.place} looks like {exercise.file} but has another name; it was not graded"
            for exercise in exercises
            if _looks_like(place, exercise)
        ]
        return
    ranks = {exercise.id: _rank(place, exercise) for exercise in named}
    closest = min(ranks.values())
    meant = [exercise for exercise in named if ranks[exercise.id] == closest]
    wanted = [exercise for exercise in meant if exercise in exercises]
    if len(wanted) > 1:
        answers.notes.append(
            f"{file.place} could answer {', '.join(e.id for e in wanted)}; put it in the folder of the exercise"
        )
        return
    for exercise in wanted:
        best.setdefault(exercise.id, []).append((closest, file))


OWN_PLACE, NAMED, HALF_NAMED, UNNAMED, ELSEWHERE = range(0, 10, 2)


def _rank(place: PurePosixPath, exercise: Exercise) -> int:
    """How well the folders around a file speak for an exercise, the least for its own place; one more for a copy."""
    around = [part.casefold() for part in place.parts[:-1]]
    chapter, folder = exercise.place.casefold().split("/")
    copy = place.name != exercise.file
    if around[-2:] == [chapter, folder]:
        return OWN_PLACE + copy
    if (chapter in around and folder in around) or exercise.id in around:
        return NAMED + copy
    chapters = {part[:4] for part in around if re.fullmatch(r"ch\d\d([-_].*)?", part)}
    if chapters and exercise.id[:4] not in chapters:
        return ELSEWHERE + copy
    return (HALF_NAMED if chapters or folder in around else UNNAMED) + copy


def _same_name(name: str, wanted: str) -> bool:
    """Whether a name is that of an answer, in other letters or as a second copy also."""
    given, meant = PurePosixPath(name.casefold()), PurePosixPath(wanted.casefold())
    if given.suffix != meant.suffix:
        return False
    copy = COPY.fullmatch(given.stem)
    return given.stem == meant.stem or (copy is not None and copy[1] == meant.stem)


def _looks_like(place: PurePosixPath, exercise: Exercise) -> bool:
    """Whether a file is probably an answer under a name that is not its own."""
    stem = exercise.file.partition(".")[0].casefold()
    around = [part.casefold() for part in place.parts[:-1]]
    chapter, folder = exercise.place.casefold().split("/")
    inside = around[-2:] == [chapter, folder] or exercise.id in around[-1:]
    name = place.name.casefold()
    alike = stem in name and name.endswith((".py", ".pyx", ".ipynb", ".txt")) and not name.startswith("test_")
    return alike and (inside or not any(re.fullmatch(r"ch\d\d.*", part) for part in around))


def _choose(exercise: Exercise, found: list[tuple[int, _File]], answers: Answers) -> None:
    """Take the file whose place speaks most for it; two that speak alike and differ are not guessed between."""
    rank = min(rank for rank, _ in found)
    first, *others = sorted((file for own, file in found if own == rank), key=lambda file: file.place)
    contents: list[bytes] = []
    for file in [first, *others]:
        if file.size > LARGEST:
            answers.refused[exercise.id] = (
                f"{file.place} has {file.size:,} bytes; an answer may have {LARGEST:,}, so it was not graded"
            )
            break
        try:
            contents.append(file.read())
        except BROKEN as error:
            answers.refused[exercise.id] = f"{file.place} cannot be read: {error}"
            break
        if len(contents[-1]) > LARGEST:
            answers.refused[exercise.id] = f"{file.place} unpacks to more than {LARGEST:,} bytes; it was not graded"
            break
    if exercise.id not in answers.refused and len(set(contents)) > 1:
        places = ", ".join(file.place for file in [first, *others])
        answers.refused[exercise.id] = f"two different files for one exercise: {places}; keep one and grade again"
    if exercise.id in answers.refused:
        answers.notes.append(f"{exercise.id}: {answers.refused[exercise.id]}")
        return
    answers.files[exercise.id] = contents[0]
    answers.where[exercise.id] = first.place
    for other in sorted({file.place for own, file in found if own != rank and _differs(file, contents[0])}):
        answers.notes.append(f"{exercise.id}: {first.place} was graded; {other} was not")
    if PurePosixPath(first.place).name != exercise.file:
        answers.notes.append(f"{exercise.id}: {first.place} was taken for {exercise.file}")


def _differs(file: _File, content: bytes) -> bool:
    try:
        return file.size != len(content) or file.read() != content
    except BROKEN:
        return True


def _files(submission: Submission, notes: list[str]) -> Iterator[_File]:
    """Every file of a submission that may matter, those in its zips also."""
    seen = 0
    start = _flat(submission) if submission.files else _below(submission.path, notes)
    for file in start:
        inside = file.path.suffix.casefold() == ".zip"
        for each in _zipped(file, notes) if inside else [file]:
            seen += 1
            if seen > MOST:
                notes.append(f"more than {MOST:,} files; the rest was not looked at")
                return
            yield each


def _flat(submission: Submission) -> Iterator[_File]:
    for name, path in submission.files:
        yield _File(name, path.stat().st_size, path)


def _below(path: Path, notes: list[str]) -> Iterator[_File]:
    if path.is_file():
        yield _File("", path.stat().st_size, path)
        return
    for folder, folders, names in os.walk(path, onerror=lambda error: notes.append(f"cannot be read: {error}")):
        here = Path(folder)
        for name in sorted(folders):
            if (here / name).is_symlink():
                notes.append(f"{_shown(here / name, path)}: a link to somewhere else, not followed")
        folders[:] = sorted(
            name for name in folders
            if not UNREAD.fullmatch(_shown(here / name, path)) and not (here / name).is_symlink()
        )  # fmt: skip
        for name in sorted(names):
            file = here / name
            about = file.lstat()
            if name.startswith("."):
                continue
            if stat.S_ISLNK(about.st_mode):
                notes.append(f"{_shown(file, path)}: a link to somewhere else, not followed")
            elif stat.S_ISREG(about.st_mode):
                yield _File(_shown(file, path), about.st_size, file)


def _shown(path: Path, below: Path) -> str:
    return "/".join(plain_name(part) for part in path.relative_to(below).parts)


def _zipped(file: _File, notes: list[str]) -> Iterator[_File]:
    """The entries of a zip that stay inside of it."""
    shown = file.place or file.path.name
    if file.size > LARGEST_ZIP:
        notes.append(f"{shown} has {file.size:,} bytes; a zip may have {LARGEST_ZIP:,}, so it was not read")
        return
    try:
        with zipfile.ZipFile(file.path) as archive:
            members = archive.infolist()
    except BROKEN as error:
        notes.append(f"{shown} cannot be read as a zip: {error}")
        return
    for member in members:
        parts = [part for part in re.split(r"[/\\]", member.filename) if part not in ("", ".")]
        place = "/".join([*([file.place] if file.place else []), *map(plain_name, parts)])
        if member.is_dir() or not parts:
            continue
        if ".." in parts or member.filename.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", member.filename):
            notes.append(f"{shown}: the entry {plain_name(member.filename)!r} points outside of the zip; refused")
        elif stat.S_ISLNK(member.external_attr >> 16):
            notes.append(f"{place}: a link, refused")
        elif member.flag_bits & 1:
            notes.append(f"{place}: under a password, not read")
        elif UNREAD.fullmatch("/".join(parts)):
            continue
        elif parts[-1].casefold().endswith(".zip"):
            notes.append(f"{place}: a zip in a zip, not read")
        else:
            yield _File(place, member.file_size, file.path, member)
