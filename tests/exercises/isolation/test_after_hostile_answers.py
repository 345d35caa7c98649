"""Hostile answers get nothing where they run apart, and whoever is checked after them is not harmed."""

from pathlib import Path

import pytest

from kael.exercises.catalogue import find, proof_of
from kael.exercises.runner import Run, run_checks
from tests.exercises.workspace import ROOT

HOSTILE = (
    "calls_itself_unavailable", "changes_all_around", "closes_every_stream", "ends_the_process", "equals_everything",
    "forges_results", "interrupts", "patches_the_check", "patches_the_comparison", "rewrites_the_comparison", "skips",
    "steals_the_expected", "swaps_modules",
)  # fmt: skip


@pytest.mark.parametrize("name", ["ch17-01", "ch17-03"])
def test_hostile_answers_get_nothing_and_the_next_reader_everything(name: str, tmp_path: Path) -> None:
    (exercise,) = find(name, ROOT / "exercises")
    folder = proof_of(exercise)
    attacks = [Run(folder.parents[1] / "hostile" / f"{attack}.py", limit=3.0, patient=False) for attack in HOSTILE]
    solutions = [Run(folder / "solution" / exercise.file), Run(folder / "solution" / exercise.file, seed=1)]
    run_checks([solutions[0], *attacks, solutions[1]], [exercise.visible], tmp_path / "work", isolated=True)
    for attack in attacks:
        states = [outcome.state for outcome in attack.outcomes.values()]
        assert len(states) == exercise.checks
        assert {"pass", "not available"}.isdisjoint(states), attack.file.stem
    assert all(run.passed for run in solutions if run.outcomes)


def test_answers_of_two_readers_do_not_meet(tmp_path: Path) -> None:
    """What the one leaves in its process, the other does not find."""
    (exercise,) = find("ch17-03", ROOT / "exercises")
    solution = (proof_of(exercise) / "solution" / exercise.file).read_text(encoding="utf-8")
    for reader, text in (("first", f"import builtins\nbuiltins.left_behind = 1\n{solution}"), ("second", solution)):
        (tmp_path / reader).mkdir()
        (tmp_path / reader / exercise.file).write_text(text, encoding="utf-8")
    with (tmp_path / "second" / exercise.file).open("a", encoding="utf-8") as file:
        file.write('\nimport builtins\nassert not hasattr(builtins, "left_behind")\n')
    runs = [Run(tmp_path / reader / exercise.file) for reader in ("first", "second", "first")]
    run_checks(runs, [exercise.visible], tmp_path / "work", isolated=True)
    assert all(run.passed for run in runs[:2])
