"""`kael ex`: what can be done with exercises from a shell."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from kael.exercises.catalogue import catalogue, find
from kael.exercises.proof.verify import Report, verify_all

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> int:
    """Run ``kael ex ...``; the exit code is 0 when everything asked for came out right."""
    parser = argparse.ArgumentParser(prog="kael ex", description="Exercises and the proof of their checks.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("list", help="the exercises in their order")
    gate = commands.add_parser("verify", help="prove that the checks accept right answers and reject wrong ones")
    gate.add_argument("id", nargs="*", help="an exercise such as ch17-03, or a chapter; all when left out")
    form = gate.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="everything found out, as JSON")
    form.add_argument("--table", action="store_true", help="each wrong answer, the check that rejects it and its text")
    given = parser.parse_args(args)
    if given.command == "verify":
        try:
            chosen = [exercise for name in given.id for exercise in find(name)] or catalogue()
        except ValueError as error:
            parser.error(str(error))
        reports = verify_all(chosen)
        print(_as_json(reports) if given.json else _as_table(reports) if given.table else _as_text(reports))
        return int(any(report.problems for report in reports))
    for exercise in catalogue():
        print(f"{exercise.id}  level {exercise.level}  {exercise.minutes:>3} min  {exercise.title}: {exercise.again}")
    return 0


def _as_json(reports: Sequence[Report]) -> str:
    return json.dumps([asdict(report) for report in reports], indent=1, ensure_ascii=False)


def _as_table(reports: Sequence[Report]) -> str:
    """Exercise, wrong answer, failing check and what it says, one block each."""
    blocks = []
    for report in reports:
        for death in report.deaths:
            check = death.named or next(iter(death.checks), "none")
            blocks.append(f"{report.id} | {death.answer} | {check}: {death.checks.get(check, 'pass')}")
            blocks.extend(f"    {line}" for line in death.text.splitlines()[:6])
    return "\n".join(blocks)


def _as_text(reports: Sequence[Report]) -> str:
    return "\n".join(line for report in reports for line in _lines(report))


def _lines(report: Report) -> list[str]:
    """A summary, the kill matrix and the problems of one exercise."""
    if report.missing:
        return [f"{report.id} {report.place}: not available here; {report.missing}"]
    dead = report.mutants - len(report.survivors)
    lines = [
        f"{report.id} {report.place}: {len(report.checks)} checks, {report.right} runs of right answers pass, "
        f"{len(report.deaths)} wrong answers, {dead} of {report.mutants} faults found, {report.seconds:.1f} s",
        *(f"  [{number}] {check}" for number, check in enumerate(report.checks, 1)),
    ]
    width = max((len(death.answer) for death in report.deaths), default=0)
    signs = {"fail": "x", "timeout": "t", "crash": "c", "not started": "n"}
    for death in report.deaths:
        row = " ".join(signs.get(death.checks.get(check, ""), ".") for check in report.checks)
        lines.append(f"  {death.answer:<{width}}  {row}")
    lines += [f"  survives: {name}" for name in report.survivors]
    lines += [f"  PROBLEM: {problem}" for problem in report.problems]
    return lines
