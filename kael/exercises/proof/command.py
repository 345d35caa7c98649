"""`kael ex verify`: proves the exercises of a clone, and shows how."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from kael.exercises import Refused
from kael.exercises.catalogue import Exercise, catalogue, proof_of
from kael.exercises.proof import report
from kael.exercises.proof.hostile import attack_all, hostile_answers
from kael.exercises.proof.verify import verify_all
from kael.exercises.saving import save

__all__ = ["run"]

ATTACKED = ("ch17-01", "ch17-03")
"""A table and a function: what an attack does to the runner does not depend on the exercise."""


def run(given: argparse.Namespace, exercises: Sequence[Exercise]) -> int:
    """Do what the options ask for; 0 when every proof holds, and no attack got a point.

    Raises
    ------
    Refused
        Where there are no proofs, as in an installation from a wheel.
    """
    if not proof_of(exercises[0]).is_dir():
        raise Refused("the proofs are in a clone of kael; run this at its top, where tests/exercises is")
    if given.hostile:
        return _attack(given, exercises)
    reports = verify_all(exercises, isolated=given.isolated)
    if given.json:
        text = report.as_json(reports)
    elif given.table:
        text = report.as_table(reports)
    else:
        text = report.as_messages(reports) if given.messages else report.as_text(reports)
    _show(given, text, report.summary(reports))
    return int(any(each.problems for each in reports))


def _attack(given: argparse.Namespace, exercises: Sequence[Exercise]) -> int:
    chosen = list(exercises) if given.id else [each for each in catalogue() if each.id in ATTACKED]
    attacks = attack_all(chosen, hostile_answers(proof_of(exercises[0]).parents[1]), isolated=given.isolated)
    table = report.as_attacks(attacks)
    text = json.dumps([asdict(attack) for attack in attacks], indent=1) if given.json else table
    _show(given, text, table.splitlines()[-1])
    return int(any(attack.points for attack in attacks))


def _show(given: argparse.Namespace, text: str, line: str) -> None:
    if given.out is None:
        print(text)
    else:
        save(given.out, f"{text}\n".encode())
        print(line)
