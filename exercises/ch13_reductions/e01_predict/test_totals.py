"""Your tables beside the loops of section 13.2; the first place that differs is named."""

from decimal import ROUND_DOWN, Context

import pytest

from chapters.ch13_reductions.orders import lane_sum, pairwise_sum, running_sum
from kael.exercises.answers import filled
from kael.testing import assert_equal, assert_tensor

NUMBERS = [869.0, 631.0, 584.0, 54.0, 978.0, 796.0, 4.0, 4.0]
FOLDED = ["lane 0 + lane 2", "lane 1 + lane 3", "the two that are left"]
ORDERS = ["in turn", "in pairs", "in four lanes"]


def nearest(value):
    """The nearest number of three digits."""
    return float(Context(prec=3).create_decimal(value))


def cut(value):
    """The first three digits."""
    return float(Context(prec=3, rounding=ROUND_DOWN).create_decimal(value))


def in_lanes(rounding):
    """What the four lanes hold."""
    return [rounding(a + b) for a, b in zip(NUMBERS[:4], NUMBERS[4:], strict=True)]


@pytest.fixture
def lanes(answer):
    """The reader's rows of LANES."""
    rows = filled(answer.LANES, "LANES")
    assert [row[0] for row in rows] == [0, 1, 2, 3], "LANES: keep its rows and their lanes as they were"
    return [row[1] for row in rows]


@pytest.fixture
def folds(answer):
    """The reader's rows of FOLDS."""
    rows = filled(answer.FOLDS, "FOLDS")
    assert [row[0] for row in rows] == FOLDED, "FOLDS: keep its rows and their names as they were"
    return [row[1] for row in rows]


@pytest.fixture
def totals(answer):
    """The reader's totals, by order."""
    rows = filled(answer.TOTALS, "TOTALS")
    assert [row[0] for row in rows] == ORDERS, "TOTALS: keep its rows and their orders as they were"
    return dict(rows)


def test_lanes(lanes, because):
    for k, expected in enumerate(in_lanes(nearest)):
        reason = because(
            f"lane {k}, which holds elements {k} and {k + 4}",
            runs_for_lanes=nearest(NUMBERS[2 * k] + NUMBERS[2 * k + 1]),
            not_rounded=NUMBERS[k] + NUMBERS[k + 4],
            cut_off=cut(NUMBERS[k] + NUMBERS[k + 4]),
        )
        assert_tensor(lanes[k], expected, because=reason)


def test_folds(folds, because):
    a, b, c, d = in_lanes(nearest)
    first = [nearest(a + c), nearest(b + d)]
    exact = [a + c, b + d]
    neighbours = [nearest(a + b), nearest(c + d)]
    for k in range(2):
        reason = because(f"the first fold, {FOLDED[k]}", folded_neighbours=neighbours[k], not_rounded=exact[k])
        assert_tensor(folds[k], first[k], because=reason)
    assert_tensor(folds[2], nearest(sum(first)), because=because("the second fold, of the two sums of the first"))


def test_total_in_turn(totals, because):
    reason = because(
        "the total in turn, from left to right",
        rounded_once=nearest(sum(NUMBERS)), not_rounded=sum(NUMBERS), cut_off=running_sum(NUMBERS, cut),
    )  # fmt: skip
    assert_tensor(totals["in turn"], running_sum(NUMBERS, nearest), because=reason)


def test_total_in_pairs(totals, because):
    reason = because(
        "the total in pairs of neighbours",
        pairs_from_afar=lane_sum(NUMBERS, nearest, 4), not_rounded=sum(NUMBERS), cut_off=pairwise_sum(NUMBERS, cut),
    )  # fmt: skip
    assert_tensor(totals["in pairs"], pairwise_sum(NUMBERS, nearest), because=reason)


def test_total_in_lanes_is_the_last_fold(totals, folds, because):
    expected = lane_sum(NUMBERS, nearest, 4)
    key = "" if folds[2] == expected else "fold_first"
    reason = because("the total in four lanes", key, rounded_once=nearest(sum(NUMBERS)))
    assert_tensor(totals["in four lanes"], expected, because=reason)
    assert_equal(totals["in four lanes"], folds[2], because=because("the total in four lanes and the last of FOLDS"))
