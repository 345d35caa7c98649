"""`kael ex`: solve exercises, and prove their checks."""

from __future__ import annotations

import argparse
import errno
import json
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from kael.exercises import Refused
from kael.exercises.catalogue import Exercise, catalogue
from kael.exercises.completion import SHELLS, install
from kael.exercises.formats import FORMATS, render, write
from kael.exercises.hints import where_to_read
from kael.exercises.keys import open_keys
from kael.exercises.results import ExerciseResult, Results
from kael.exercises.runner import Workers
from kael.exercises.screen import ON_HONOUR, Screen, shown
from kael.exercises.session import Session, Standing
from kael.exercises.state import Progress
from kael.exercises.watch import Watcher
from kael.exercises.workspace import Workspace, chosen, find_workspace, initialize, quoted, without_mark

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
            close = get_close_matches(wrong[1], re.findall(r"[\w-]+", wrong[2]), 1)
            if message.startswith("argument COMMAND:"):
                meant = f" (did you mean `{self.prog} {close[0]}`?)" if close else ""
                message = f"there is no command {wrong[1]!r}{meant}; `{self.prog} --help` lists what there is"
            else:
                meant = f"did you mean {close[0]}?" if close else f"choose from {wrong[2]}"
                message = f"{message.partition(':')[0]}: there is no {wrong[1]!r}; {meant}"
        complain(message, self.prog)
        self.exit(USAGE)


def common_options() -> Parser:
    """What every command takes."""
    common = Parser(add_help=False)
    common.add_argument(
        "--dir", metavar="DIR", default=argparse.SUPPRESS,
        help="the workspace; KAEL_WORKSPACE or the nearest folder above with a .kael when left out",
    )  # fmt: skip
    common.add_argument("--plain", action="store_true", default=argparse.SUPPRESS, help="no colours and links")
    common.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="JSON, for programs")
    return common


def parser() -> Parser:
    """All commands and what they take."""
    outer = Parser(
        prog="kael ex", description="Solve exercises. Without a command: the next one, and what to do about it.",
        epilog=EPILOG, parents=[common_options()], formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    outer.set_defaults(run=show_next)
    add_commands(outer)
    return outer


def add_commands(outer: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Give a parser the commands; each command's own parser, by name."""
    commands = outer.add_subparsers(dest="command", metavar="COMMAND")
    common = common_options()

    def command(name: str, run: Any, text: str, ids: str = "") -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", parents=[common])
        made.set_defaults(run=run)
        if ids:
            made.add_argument("id", nargs=ids, metavar="ID", help="such as ch17-03, ch17, or a folder")
        return made

    made = command("init", make, "make a workspace, or add what is missing of one; no file that is there is touched")
    made.add_argument("folder", nargs="?", metavar="DIR", help="where; ./kael-exercises when left out")
    made = command("check", check, "check the next exercise, or those named", "*")
    made.add_argument("--all", action="store_true", help="every exercise")
    made.add_argument("--seed", type=seed, default=0, metavar="N", help="draw other numbers for the checks")
    made.add_argument("--format", choices=tuple(FORMATS), help="print or write the results in this form")
    made.add_argument("--out", type=Path, metavar="FILE", help="write them to a file, anew after every check")
    made = command("watch", watch, "check again whenever the file is saved; one key each for the rest", "?")
    made.add_argument("--seed", type=seed, default=0, metavar="N", help="draw other numbers for the checks")
    made = command("hint", hint, "the hints: the idea, where to look, in steps", "?")
    made.add_argument("--now", action="store_true", help="open the next one without another try")
    made = command("solution", solution, "the solution, after a pass", "?")
    made.add_argument("--give-up", action="store_true", help="also before a pass; that is recorded")
    made.add_argument("--others", action="store_true", help="other right answers as well")
    command("diff", diff, "your file against the solution after a pass or giving up, before that the stub", "?")
    command("list", show_list, "the exercises and how far each is", "*")
    command("status", show_status, "how far you are, by chapter")
    command("skip", skip, "put an exercise off until no other is left", "?")
    command("reset", reset, "put the stub back; your file is saved first", "+")
    made = command("undo", undo, "bring back what the last reset, update or undo replaced", "?")
    made.add_argument("--version", type=int, metavar="N", help="bring back this saved version")
    made.add_argument("--list", action="store_true", help="only list the saved versions")
    command("update", update, "tasks and checks of this kael; no file of yours is touched")
    command("doctor", doctor, "what is wrong with the workspace, and what to do about it")
    made = command("completion", show_completion, "what a shell runs to complete `kael ex`")
    made.add_argument("shell", choices=SHELLS)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.epilog = "in every new shell:\n" + "\n".join(f"  {install(shell)}" for shell in SHELLS)
    made = command("pack", pack, "make a handout for students, or all that an instructor needs", "*")
    kind = made.add_mutually_exclusive_group(required=True)
    kind.add_argument("--student", type=Path, metavar="TARGET", help="a new folder, or an archive ending in .zip")
    kind.add_argument("--instructor", type=Path, metavar="TARGET", help="the same; from a clone only")
    made.add_argument("--seed", type=seed, default=1, metavar="N", help="of the numbers in the autograders' checks")
    made.add_argument("--checks", type=Path, metavar="DIR", help="your own checks: DIR/ch17-03/check_*.py and so on")
    made = command("verify", verify, "prove that the checks accept right answers and reject wrong ones", "*")
    form = made.add_mutually_exclusive_group()
    form.add_argument("--table", action="store_true", help="wrong answers against checks, in Markdown")
    form.add_argument("--messages", action="store_true", help="what each wrong answer is told")
    form.add_argument("--hostile", action="store_true", help="what answers get that attack their checks")
    made.add_argument("--out", type=Path, metavar="FILE", help="write it to a file, and print one line")
    made.add_argument("--isolated", action="store_true", help="with every answer in a process apart from its checks")
    return dict(commands.choices)


def seed(text: str) -> int:
    """A seed; numpy takes none below 0."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return number


def main(args: Sequence[str] | None = None) -> int:
    """Run ``kael ex ...``; the exit code is 0 when everything asked for came out right."""
    given = parser().parse_args(args)
    given.dir, given.plain, given.json = (getattr(given, name, None) for name in ("dir", "plain", "json"))
    try:
        code: int = given.run(given)
    except Refused as error:
        complain(str(error))
        return USAGE
    except BrokenPipeError:
        raise
    except OSError as error:
        complain(explained(error))
        return 1
    return code


def explained(error: OSError) -> str:
    """What to do where the machine refused something."""
    if isinstance(error, TimeoutError) or error.errno is None:
        return str(error)
    name = error.filename2 or error.filename  # the second is what a file that is still being written would become
    what = f"{name}: " if name else ""
    if error.errno == errno.ENOSPC:
        return f"{what}the disk is full; your files are as they were. Make room and type the command again"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{what}no right to write here ({error.strerror}); your files are as they were. `kael ex doctor` looks"
    if isinstance(error, FileNotFoundError) and not error.filename:
        return "the folder that you are in is gone; `cd` into another"
    return f"{what}{error.strerror}; your files are as they were"


def session(given: argparse.Namespace, *, answers_alone: bool = False) -> Session:
    """The workspace that is meant, ready to work on; on request also a named folder that only holds answers."""
    folder = Path(given.dir) if given.dir else None
    if answers_alone and folder and any((folder / exercise.place).is_dir() for exercise in catalogue()):
        workspace = Workspace(folder.absolute())
    else:
        workspace = find_workspace(given.dir)
    return Session(workspace, complain)


def one(given: argparse.Namespace, work: Session) -> Exercise:
    """The one exercise that is meant."""
    return work.one([given.id] if given.id else [])


def last(given: argparse.Namespace, work: Session) -> Exercise:
    """The one exercise that is looked back at."""
    return work.last([given.id] if given.id else [])


def complain(text: str, program: str = "kael ex") -> None:
    """One line on standard error; on a terminal it is not broken within a word."""
    width = shutil.get_terminal_size((100, 24)).columns if sys.stderr.isatty() else sys.maxsize
    print(
        textwrap.fill(f"{program}: {text}", width - 1, break_long_words=False, break_on_hyphens=False), file=sys.stderr
    )


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
            folder = without_mark(Path.cwd()) or Path("kael-exercises")
    else:
        folder = Path(given.folder or given.dir)
    made = initialize(folder)
    if given.json:
        say({"workspace": str(made.workspace.root), "new": made.new, "kept": made.kept})
        return 0
    out = screen(given)
    root = made.workspace.root
    out.line(f"{root}: {len(made.new)} files new, {made.kept} kept as they were", link=root)
    there = f"cd {quoted(shown(root))} and then " if root != Path.cwd() else ""
    out.line(f"go on with:   {there}kael ex")
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
    out.task(standing.exercise)
    if standing.state == "not started":
        out.what_to_open(standing.exercise, standing.file, f"kael ex check {standing.exercise.id}, or kael ex watch")
        return 0
    with out.busy(f"checking {standing.exercise.id}"):
        (result,) = work.check([standing.exercise], 0, out.result)
    out.line()
    what_next(out, work, result)
    return int(not result.passed)


def what_next(out: Screen, work: Session, result: ExerciseResult) -> None:
    """What to type after a check."""
    name = result.exercise.id
    if result.passed:
        following = work.next()
        after = f"`kael ex` goes on with {following.exercise.id}" if following else "Every exercise is done"
        out.line(f"Passed. {after}; `kael ex solution {name}` shows how others did it.")
    elif result.sha256 and result.state not in ("not started", "not available"):
        out.line(f"Change {shown(result.file)} and check again; `kael ex hint {name}` helps.", link=result.file)


def check(given: argparse.Namespace) -> int:
    """``kael ex check``."""
    form = given.format or ("json" if given.json else "text" if given.out else None)
    work = session(given, answers_alone=True)
    if given.out and work.workspace.brought(given.out):
        raise Refused(f"{given.out} is a file of the workspace, and results would replace it; name another with --out")
    exercises = work.workspace.exercises if given.all else work.chosen(given.id)
    out = screen(given)
    done: list[ExerciseResult] = []

    def report(result: ExerciseResult) -> None:
        done.append(result)
        if form is not None and not given.out:
            return
        if len(exercises) > 1 and result.state in ("not started", "not available") and result.sha256:
            out.state(result.state, f"{result.exercise.id} {result.exercise.title}", width=13)
        else:
            out.result(result)
            out.line()

    def progress(result: ExerciseResult) -> None:
        write(Results([*done, result]), form or "text", given.out)

    with out.busy(f"checking {exercises[0].id}" if len(exercises) == 1 else f"checking {len(exercises)} exercises"):
        work.check(exercises, given.seed, report, progress if given.out else None)
    results = Results(done)
    if given.out:
        written = " and ".join(map(str, write(results, form or "text", given.out)))
        out.line(f"{results.score} of {results.points} points written to {written}")
    elif form is not None:
        print_utf8(render(results, form))
    elif len(done) == 1:
        what_next(out, work, done[0])
    else:
        passed, available = sum(each.passed for each in done), sum(each.available for each in done)
        out.bar(passed, available, f"{passed} of {available} exercises, {results.score} of {results.points} points")
    if form == "classroom50":  # asks whether grading ran
        return 0
    return int(not (results.passed and any(result.available for result in done)))


def print_utf8(text: str) -> None:
    """Print what programs read: they expect UTF-8, whatever the code page."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(text)


def watch(given: argparse.Namespace) -> int:
    """``kael ex watch``."""
    work = session(given)
    with Workers(work.builds()) as workers, open_keys() as keys:
        work.workers = workers
        return Watcher(work, screen(given), keys, given.seed).watch(one(given, work))


def hint(given: argparse.Namespace) -> int:
    """``kael ex hint``."""
    work = session(given)
    exercise = one(given, work)
    hints = work.hint(exercise, at_once=given.now)
    if given.json:
        place = where_to_read(exercise)
        say({
            "id": exercise.id, "opened": list(hints.opened), "new": hints.new, "all": hints.all,
            "read": exercise.read, "at": place.uri or place.text,
        })  # fmt: skip
    else:
        screen(given).hints(exercise, hints)
    return 0


def solution(given: argparse.Namespace) -> int:
    """``kael ex solution``."""
    work = session(given)
    exercise = last(given, work)
    found = work.solution(exercise, give_up=given.give_up)
    if given.json:
        say({"id": exercise.id, "solution": found.text, "others": found.others})
        return 0
    out = screen(given)
    out.code(found.text)
    for name, text in found.others.items() if given.others else ():
        out.line()
        out.line(f"# another right answer: {name}", style="bold")
        out.code(text)
    out.line()
    more = f"`kael ex diff {exercise.id}` sets yours beside it"
    if found.others and not given.others:
        more += f"; `--others` shows {len(found.others)} more that are right"
    out.line(more, style="dim")
    return 0


def diff(given: argparse.Namespace) -> int:
    """``kael ex diff``."""
    work = session(given)
    exercise = last(given, work)
    against, lines = work.difference(exercise)
    if given.json:
        say({"id": exercise.id, "against": against, "lines": lines})
    else:
        screen(given).difference(against, lines)
    return 0


def skip(given: argparse.Namespace) -> int:
    """``kael ex skip``."""
    work = session(given)
    exercise = one(given, work)
    work.skip(exercise)
    following = work.next()
    if given.json:
        say({"skipped": exercise.id, "next": following.exercise.id if following else None})
        return 0
    out = screen(given)
    out.line(f"{exercise.id} is put off until no other exercise is left; `kael ex check {exercise.id}` works meanwhile")
    if following:
        out.line(f"next: {following.exercise.id} {following.exercise.title}")
    return 0


def reset(given: argparse.Namespace) -> int:
    """``kael ex reset``."""
    work = session(given)
    exercises = work.chosen(given.id)
    entry = work.reset(exercises)
    if given.json:
        say({"reset": [exercise.id for exercise in exercises], "saved": entry.as_json() if entry else None})
    else:
        screen(given).reset(entry)
    return 0


def undo(given: argparse.Namespace) -> int:
    """``kael ex undo``."""
    work = session(given)
    out = screen(given)
    if given.list:
        entries = work.history.entries()
        if given.json:
            say([entry.as_json() for entry in entries])
            return 0
        for entry in entries:
            names = ", ".join(entry.files) if len(entry.files) < 4 else f"{len(entry.files)} files"
            out.line(f"{entry.number:>4}  {entry.time}  before {entry.reason}: {names}", hang=6)
        if not entries:
            out.line("nothing was replaced so far")
        return 0
    if given.id and given.id.isdecimal():
        raise Refused(f"{given.id} names no exercise; `kael ex undo --version {given.id}` brings a saved version back")
    entry, changed = work.undo(given.version, one(given, work) if given.id else None)
    if given.json:
        say({"restored": entry.as_json(), "changed": changed})
    elif changed:
        out.line(f"back as before {entry.reason} ({entry.time}):")
        for path in changed:
            out.line(shown(work.workspace.root / path), indent=2, link=work.workspace.root / path)
        out.line("`kael ex undo` takes that back again")
    else:
        out.line(f"all is as before {entry.reason} already; nothing was changed")
    return 0


def update(given: argparse.Namespace) -> int:
    """``kael ex update``."""
    work = session(given)
    found = work.update()
    if given.json:
        say({"written": list(found.files), "new_stubs": [exercise.id for exercise in found.stubs]})
        return 0
    out = screen(given)
    for place in dict.fromkeys(path.rpartition("/")[0] for path in found.files):
        names = ", ".join(path.rpartition("/")[2] for path in found.files if path.rpartition("/")[0] == place)
        out.line(f"{place or '.'}: {names}", hang=2)
    for exercise in found.stubs:
        out.line(f"{exercise.id} has a new stub; `kael ex reset {exercise.id}` saves your file and takes it")
    if found.files:
        out.line("what was replaced is saved; `kael ex undo` brings it back")
    elif not found.stubs:
        out.line("tasks and checks are those of this kael")
    return 0


def doctor(given: argparse.Namespace) -> int:
    """``kael ex doctor``."""
    from kael.exercises.doctor import examine

    findings = examine(session(given).workspace)
    if given.json:
        say([finding._asdict() for finding in findings])
    else:
        out = screen(given)
        for finding in findings:
            out.state(finding.state, finding.text, width=7)
    return int(any(finding.state == "problem" for finding in findings))


def show_completion(given: argparse.Namespace) -> int:
    """``kael ex completion``."""
    from kael.exercises import completion

    sys.stdout.write(completion.script(given.shell))
    if sys.stdout.isatty():
        print(f"\nTo have it in every new shell:\n  {install(given.shell)}", file=sys.stderr)
    return 0


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


def pack(given: argparse.Namespace) -> int:
    """``kael ex pack``."""
    from kael.exercises.pack.bundle import Grading
    from kael.exercises.pack.command import run

    how = Grading(given.seed, given.checks)
    return run(chosen(given.id) or catalogue(), given.student, given.instructor, how, bool(given.json))


def verify(given: argparse.Namespace) -> int:
    """``kael ex verify``, the authors' gate."""
    from kael.exercises.proof.command import run

    return run(given, chosen(given.id) or catalogue())
