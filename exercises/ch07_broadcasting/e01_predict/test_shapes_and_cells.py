"""Your tables beside what the library does, row by row; the first row that differs is named."""

import pytest

from chapters.ch07_broadcasting.reference import BroadcastSpec, broadcast_shapes, walk
from kael.exercises.answers import filled
from kael.testing import assert_equal, assert_tensor

X, Y = [2.0, 3.0, 5.0], [10.0, 100.0]
PAIRS = [
    # first shape, second shape, what known mistakes give
    ((4, 3), (3,), {"only_equal": "error"}),
    ((4, 3), (4,), {"aligned_left": (4, 3)}),
    ((4, 1), (3,), {"only_equal": "error"}),
    ((5, 1, 3), (4, 1), {"only_equal": "error"}),
    ((4, 3), (2, 3), {"stretches_all": (4, 3)}),
    ((1, 6), (0, 1), {"only_equal": "error", "keeps_the_one": (1, 6)}),
]
FILLED = [
    # shape of the operand, shape that it fills, what known mistakes give
    ((3,), (2, 3), {"misses_the_lead": ()}),
    ((3, 1), (4, 3, 5), {"misses_the_lead": (2,), "own_numbers": (0, 1)}),
    ((1, 6), (1, 6), {"every_one": (0,)}),
    ((), (2, 2), {"misses_the_lead": ()}),
]


def result(a, b):
    """The shape of the result, or "error"."""
    try:
        return broadcast_shapes(a, b)
    except ValueError:
        return "error"


@pytest.fixture
def cells(answer):
    """The reader's rows of CELLS."""
    rows = filled(answer.CELLS, "CELLS")
    assert [row[0] for row in rows] == list(range(6)), "CELLS: keep its rows and their numbers as they were"
    return rows


def test_shapes_of_the_results(answer, because):
    rows = filled(answer.SHAPES, "SHAPES")
    given = [(number, a, b) for number, (a, b, _) in enumerate(PAIRS, 1)]
    assert [row[:3] for row in rows] == given, "SHAPES: keep its rows and their shapes as they were"
    for (number, a, b, shape), (*_, known) in zip(rows, PAIRS, strict=True):
        assert_equal(shape, result(a, b), because=because(f"row {number}: {a} with {b}", **known))


def test_cells_of_the_column(cells, because):
    known = {"runs_on": (0, 1, 2, 3, 4, 5), "columns_first": (0, 1, 2, 0, 1, 2)}
    reason = because("the cells of x, from the first element to the last", **known)
    assert_equal(tuple(row[1] for row in cells), tuple(walk(BroadcastSpec((3, 1), (3, 2)))), because=reason)


def test_cells_of_the_row(cells, because):
    known = {"runs_on": (0, 1, 2, 3, 4, 5), "columns_first": (0, 0, 0, 1, 1, 1)}
    reason = because("the cells of y, from the first element to the last", **known)
    assert_equal(tuple(row[2] for row in cells), tuple(walk(BroadcastSpec((2,), (3, 2)))), because=reason)


def test_values(cells, because):
    of_x, of_y = (walk(BroadcastSpec(shape, (3, 2))) for shape in ((3, 1), (2,)))
    for (k, mine, yours, value), p, q in zip(cells, of_x, of_y, strict=True):
        key = "" if (mine, yours) == (p, q) else "cell_first"
        reason = because(f"element {k}: the value", key, cell_for_value=float(p * q))
        assert_tensor(value, X[p] * Y[q], because=reason)


def test_axes_of_the_way_back(answer, because):
    rows = filled(answer.WAY_BACK, "WAY_BACK")
    given = [(number, shape, target) for number, (shape, target, _) in enumerate(FILLED, 1)]
    assert [row[:3] for row in rows] == given, "WAY_BACK: keep its rows and their shapes as they were"
    for (number, shape, target, axes), (*_, known) in zip(rows, FILLED, strict=True):
        reason = because(f"row {number}: {shape} fills {target}", **known)
        assert_equal(axes, BroadcastSpec(shape, target).reduce_axes, because=reason)
