"""How the findings of the gate read: as text, as a table of wrong answers, as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from kael.exercises.proof.verify import Report

__all__ = ["as_json", "as_table", "as_text"]


def as_json(reports: Sequence[Report]) -> str:
    """Everything found out."""
    return json.dumps([asdict(report) for report in reports], indent=1, ensure_ascii=False)


def as_table(reports: Sequence[Report]) -> str:
    """Exercise, wrong answer, failing check and what it says, one block each."""
    blocks = []
    for report in reports:
        for death in report.deaths:
            check = death.named or next(iter(death.checks), "none")
            blocks.append(f"{report.id} | {death.answer} | {check}: {death.checks.get(check, 'pass')}")
            blocks.extend(f"    {line}" for line in death.text.splitlines()[:6])
    return "\n".join(blocks)


def as_text(reports: Sequence[Report]) -> str:
    """The kill matrix of each exercise, and its problems."""
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
