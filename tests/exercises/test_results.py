"""Points that add up, and states of exercises from the states of their checks."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kael.exercises.catalogue import catalogue
from kael.exercises.results import STATES, CheckResult, ExerciseResult, Results, shares, with_points
from tests.exercises.workspace import ROOT

FIRST = catalogue(ROOT / "exercises")[0]


def result(*states: str) -> ExerciseResult:
    checks = [CheckResult(f"test_{number}", state) for number, state in enumerate(states)]
    return ExerciseResult(FIRST, with_points(FIRST, checks), Path(FIRST.file))


@given(st.integers(1, 100), st.integers(1, 40))
def test_shares_add_up_and_differ_by_at_most_one(points: int, checks: int) -> None:
    parts = shares(points, checks)
    assert (sum(parts), len(parts)) == (points, checks)
    assert max(parts) - min(parts) <= 1


@pytest.mark.parametrize("state", STATES)
def test_checks_of_one_state_give_that_state(state: str) -> None:
    assert result(state, state).state == state


def test_only_passes_earn_their_share() -> None:
    some = result("pass", "fail", "pass", "not run")
    assert some.score == sum(check.points for check in some.checks if check.state == "pass")
    assert some.points == FIRST.points


def test_a_check_that_fails_outweighs_those_not_started() -> None:
    assert result("not started", "fail", "pass").state == "fail"


def test_what_is_not_available_counts_on_neither_side() -> None:
    results = Results([result("pass", "pass"), result("not available", "not available")])
    assert (results.score, results.points, results.passed) == (FIRST.points, FIRST.points, True)
    assert results.states == {"pass": 1, "not available": 1}
