"""`kael ex`: solve exercises, and prove their checks."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from kael.exercises import Refused
from kael.exercises.catalogue import catalogue
from kael.exercises.results import ExerciseResult
from kael.exercises.screen import ON_HONOUR, Screen, shown
from kael.exercises.session import Session, Standing
from kael.exercises.state import Progress
from kael.exercises.workspace import chosen, find_workspace, initialize

__all__ = ["main", "parser"]

USAGE = 2
EPILOG = """\
exit codes: 0 everything asked for passed, 1 something did not, 2 the command was not understood or has no workspace,
130 interrupted. `kael ex COMMAND --help` says what a command takes."""


class Parser(argparse.ArgumentParser):
    """Asks about the command that was perhaps meant."""

    def error(self, message: str) -> NoReturn:
        """Print one line that says what to type, and leave with 2."""
        wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if wrong and wrong[1]:
            known = re.findall(r"[\w-]+", wrong[2])
            close = get_close_matches(wrong[1], known, 1)
            meant = f" (did you mean `{self.prog} {close[0]}`?)" if close else ""
            message = f"there is no command {wrong[1]!r}{meant}; `{self.prog} --help` lists what there is"
        self.exit(USAGE, f"{self.prog}: {message}\n")


def parser() -> Parser:
    """All commands and what they take."""
    common = Parser(add_help=False)
    common.add_argument(
        "--dir", metavar="DIR", default=argparse.SUPPRESS,
        help="the workspace; KAEL_WORKSPACE or the nearest folder above with a .kael when left out",
    )  # fmt: skip
    common.add_argument("--plain", action="store_true", default=argparse.SUPPRESS, help="no colours and links")
    common.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="JSON, for programs")
    outer = Parser(
        prog="kael ex", description="Solve exercises. Without a command: the next one, and what to do about it.",
        epilog=EPILOG, parents=[common], formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    outer.set_defaults(run=show_next)
    commands = outer.add_subparsers(dest="command", metavar="COMMAND")

    def command(name: str, run: Any, text: str, ids: str = "") -> Parser:
        made: Parser = commands.add_parser(
            name, help=text, description=f"{text[0].upper()}{text[1:]}.", parents=[common]
        )
        made.set_defaults(run=run)
        if ids:
            made.add_argument("id", nargs=ids, metavar="ID", help="such as ch17-03, ch17, or a folder")
        return made

    made = command("init", make, "make a workspace, or add what is missing of one; no file that is there is touched")
    made.add_argument("folder", nargs="?", metavar="DIR", help="where; ./kael-exercises when left out")
    made = command("check", check, "check the next exercise, or those named", "*")
    made.add_argument("--all", action="store_true", help="every exercise")
    made.add_argument("--seed", type=int, default=0, metavar="N", help="draw other numbers for the checks")
    command("list", show_list, "the exercises and how far each is", "*")
    command("status", show_status, "how far you are, by chapter")
    made = command("verify", verify, "prove that the checks accept right answers and reject wrong ones", "*")
    made.add_argument("--table", action="store_true", help="each wrong answer, the check that rejects it and its text")
    return outer


def main(args: Sequence[str] | None = None) -> int:
    """Run ``kael ex ...``; the exit code is 0 when everything asked for came out right."""
    given = parser().parse_args(args)
    given.dir, given.plain, given.json = (getattr(given, name, None) for name in ("dir", "plain", "json"))
    try:
        code: int = given.run(given)
    except Refused as error:
        print(f"kael ex: {error}", file=sys.stderr)
        return USAGE
    return code


def session(given: argparse.Namespace) -> Session:
    """The workspace that is meant, ready to work on."""
    return Session(find_workspace(given.dir), lambda text: print(f"kael ex: {text}", file=sys.stderr))


def screen(given: argparse.Namespace) -> Screen:
    """Standard output, as it was asked for."""
    return Screen(plain=bool(given.plain))


def say(data: Any) -> None:
    """Print JSON, in ASCII so that no code page spoils it."""
    print(json.dumps(data, indent=1))


def make(given: argparse.Namespace) -> int:
    """``kael ex init``."""
    if given.folder is None and given.dir is None:
        try:
            folder = find_workspace().root
        except Refused:
            folder = Path("kael-exercises")
    else:
        folder = Path(given.folder or given.dir)
    made = initialize(folder)
    if given.json:
        say({"workspace": str(made.workspace.root), "new": made.new, "kept": made.kept})
        return 0
    out = screen(given)
    root = made.workspace.root
    out.line(f"{root}: {len(made.new)} files new, {made.kept} kept as they were", link=root)
    out.line(f"go on with:   cd {shown(root)} and then kael ex" if root != Path.cwd() else "go on with:   kael ex")
    return 0


def show_next(given: argparse.Namespace) -> int:
    """``kael ex`` alone."""
    work = session(given)
    standing = work.next()
    if given.json:
        say(standing.as_json() if standing else None)
        return 0
    out = screen(given)
    out.total(work.standings())
    out.line()
    if standing is None:
        out.line("Every exercise is done. `kael ex list` shows them.")
        return 0
    out.task(standing)
    if standing.state == "not started":
        out.what_to_open(standing.exercise, standing.file)
        return 0
    return int(not all(result.passed for result in work.check([standing.exercise], 0, out.result)))


def check(given: argparse.Namespace) -> int:
    """``kael ex check``."""
    work = session(given)
    exercises = catalogue() if given.all else work.chosen(given.id)
    out = screen(given)

    def report(result: ExerciseResult) -> None:
        if not given.json:
            out.result(result)
            out.line()

    results = work.check(exercises, given.seed, report)
    available = [result for result in results if result.available]
    if given.json:
        say([result_as_json(result) for result in results])
    elif len(results) > 1:
        score, points = sum(result.score for result in results), sum(result.points for result in results)
        done = sum(result.passed for result in available)
        out.bar(done, len(available), f"{done} of {len(available)} exercises, {score} of {points} points")
    return int(not available or not all(result.passed for result in available))


def result_as_json(result: ExerciseResult) -> dict[str, Any]:
    """One result for a program."""
    return {
        "id": result.exercise.id, "state": result.state, "score": result.score, "points": result.points,
        "file": str(result.file), "sha256": result.sha256, "seed": result.seed,
        "checks": [
            {"name": c.name, "state": c.state, "points": c.points, "earned": c.earned, "text": c.text}
            for c in result.checks
        ],
    }  # fmt: skip


def show_list(given: argparse.Namespace) -> int:
    """``kael ex list``; without a workspace, every exercise as it comes."""
    try:
        work = session(given)
    except Refused:
        if given.dir:
            raise
        standings = [Standing(exercise, exercise.answer, "not started", Progress()) for exercise in catalogue()]
        names, note = chosen(given.id), "There is no workspace here; `kael ex init` makes one."
    else:
        standings, names, note = work.standings(), chosen(given.id, work.workspace), ON_HONOUR
    if given.id:
        standings = [each for each in standings if each.exercise in names]
    if given.json:
        say([standing.as_json() for standing in standings])
        return 0
    out = screen(given)
    out.listing(standings)
    out.line()
    out.line(note, style="dim")
    return 0


def show_status(given: argparse.Namespace) -> int:
    """``kael ex status``."""
    work = session(given)
    standings = work.standings()
    if given.json:
        say({"workspace": str(work.workspace.root), "exercises": [standing.as_json() for standing in standings]})
        return 0
    screen(given).status(standings)
    return 0


def verify(given: argparse.Namespace) -> int:
    """``kael ex verify``, the authors' gate."""
    from kael.exercises.proof import report
    from kael.exercises.proof.verify import verify_all

    reports = verify_all(chosen(given.id) or catalogue())
    print(
        report.as_json(reports) if given.json else report.as_table(reports) if given.table else report.as_text(reports)
    )
    return int(any(each.problems for each in reports))
