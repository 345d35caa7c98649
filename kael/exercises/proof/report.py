"""How the findings of the gate read: as text, as tables, as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from kael.exercises.proof.hostile import Attack
from kael.exercises.proof.verify import Death, Report

__all__ = ["SCHEMA", "as_attacks", "as_json", "as_messages", "as_table", "as_text", "summary"]

SCHEMA = "kael/verify/v1"
"""Names the form of the JSON.

==============  ========================================================================================================
``schema``      this name
``summary``     counts over all exercises: ``exercises``, ``not_available``, ``checks``, ``right`` (runs of right
                answers that passed), ``wrong`` (wrong answers, written and generated), ``faults`` and ``found`` (put
                into solutions, and rejected), ``problems``, ``seconds`` (of all exercises, added up)
``exercises``   one object each, as `Report` has it: ``id``, ``place``, ``file`` and ``sha256`` of the solution that was
                run, ``problems`` (texts; empty where the proof holds), ``checks`` (names), ``right``, ``mutants``,
                ``left_out``, ``survivors`` (names), ``missing`` (why it could not run here), ``seconds``
``deaths``      in each exercise, one object for each wrong answer: ``answer`` (name), ``key`` (its misconception),
                ``named`` (the check made for it), ``checks`` (each check that it did not pass, with its state),
                ``text`` (what the reader is told)
==============  ========================================================================================================
"""
SIGNS = {"fail": "x", "timeout": "t", "crash": "c", "not started": "n"}


def totals(reports: Sequence[Report]) -> dict[str, float]:
    """Counts over all exercises."""
    tried = sum(report.mutants for report in reports)
    return {
        "exercises": len(reports),
        "not_available": sum(bool(report.missing) for report in reports),
        "checks": sum(len(report.checks) for report in reports),
        "right": sum(report.right for report in reports),
        "wrong": sum(len(report.deaths) for report in reports),
        "faults": tried,
        "found": tried - sum(len(report.survivors) for report in reports),
        "problems": sum(len(report.problems) for report in reports),
        "seconds": round(sum(report.seconds for report in reports), 1),
    }


def summary(reports: Sequence[Report]) -> str:
    """All of it in a line."""
    all_of = totals(reports)
    verdict = f"{all_of['problems']} PROBLEMS" if all_of["problems"] else "every proof holds"
    left_out = f", {all_of['not_available']} not available here" if all_of["not_available"] else ""
    return (
        f"{all_of['exercises']} exercises{left_out}: {all_of['checks']} checks accept {all_of['right']} runs of right "
        f"answers, reject {all_of['wrong']} wrong ones and {all_of['found']} of {all_of['faults']} faults; {verdict}"
    )


def as_json(reports: Sequence[Report]) -> str:
    """Everything found out, in the form that `SCHEMA` names."""
    found = {"schema": SCHEMA, "summary": totals(reports), "exercises": [asdict(report) for report in reports]}
    return json.dumps(found, indent=1, ensure_ascii=False)


def as_messages(reports: Sequence[Report]) -> str:
    """Exercise, wrong answer, failing check and what it says, one block each."""
    blocks = []
    for report in reports:
        for death in report.deaths:
            check = death.named or next(iter(death.checks), "none")
            blocks.append(f"{report.id} | {death.answer} | {check}: {death.checks.get(check, 'pass')}")
            blocks.extend(f"    {line}" for line in death.text.splitlines()[:6])
    return "\n".join([*blocks, summary(reports)])


def as_table(reports: Sequence[Report]) -> str:
    """The kill matrix of each exercise in Markdown: wrong answers down, checks across, the named one in brackets."""
    blocks = []
    for report in reports:
        head = ["wrong answer", "misconception", *(check.removeprefix("test_") for check in report.checks)]
        rows = [head, ["---"] * len(head)]
        for death in report.deaths:
            rows.append([death.answer, death.key, *(_cell(death, check) for check in report.checks)])
        kills = [sum(check in death.checks for death in report.deaths) for check in report.checks]
        rows.append(["rejected", "", *(f"{count}" for count in kills)])
        blocks.append(f"## {report.id} {report.place}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n")
    return "\n".join([*blocks, summary(reports)])


def _cell(death: Death, check: str) -> str:
    state = death.checks.get(check, "")
    return f"[{state}]" if check == death.named else state


def as_text(reports: Sequence[Report]) -> str:
    """The kill matrix of each exercise, and its problems."""
    return "\n".join([*(line for report in reports for line in _lines(report)), summary(reports)])


def _lines(report: Report) -> list[str]:
    """A summary, the kill matrix and the problems of one exercise."""
    if report.missing:
        return [f"{report.id} {report.place}: not available here; {report.missing}"]
    dead = report.mutants - len(report.survivors)
    lines = [
        f"{report.id} {report.place}: {len(report.checks)} checks, {report.right} runs of right answers pass, "
        f"{len(report.deaths)} wrong answers, {dead} of {report.mutants} faults found, {report.seconds:.1f} s",
        f"  proven: {report.file} sha256 {report.sha256}",
        *(f"  [{number}] {check}" for number, check in enumerate(report.checks, 1)),
    ]
    width = max((len(death.answer) for death in report.deaths), default=0)
    for death in report.deaths:
        row = " ".join(SIGNS.get(death.checks.get(check, ""), ".") for check in report.checks)
        lines.append(f"  {death.answer:<{width}}  {row}")
    lines += [f"  survives: {name}" for name in report.survivors]
    lines += [f"  PROBLEM: {problem}" for problem in report.problems]
    return lines


def as_attacks(attacks: Sequence[Attack]) -> str:
    """The hostile answers as a table: file, what it tries, states of the checks, points."""
    rows = [["file", "what it tries", "exercise", "checks", "points"]]
    rows += [[a.file, a.tries, a.exercise, a.summary, f"{a.points} of {a.of}"] for a in attacks]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    got = sum(attack.points for attack in attacks)
    return "\n".join([*lines, f"{len(attacks)} attacks got {got} points"])
