"""Your tables beside what the loops of the reference do; the first cell that differs is named."""

import numpy as np
import pytest

from chapters.ch14_matmul.reference import steps
from kael.exercises.answers import filled
from kael.testing import assert_equal, assert_tensor

M, K, N = 3, 8, 5
OPERANDS = "ABC"
STRIDES = {"rows": ((K, 1), (N, 1), (N, 1)), "columns": ((1, M), (1, K), (1, M)), "heights": ((M, 1), (K, 1), (M, 1))}


def indices(step):
    """Row and column of A, B and C at one step."""
    i, j, k = step
    return (i, k), (k, j), (i, j)


def moved(first, second, strides):
    """How far each operand moves from one step to another, with the given strides."""
    return [
        (r1 - r0) * by_row + (c1 - c0) * by_column
        for (r0, c0), (r1, c1), (by_row, by_column) in zip(indices(first), indices(second), strides, strict=True)
    ]


def moves(order, strides="rows", outermost=False):
    """How far A, B and C move in one step of the innermost loop, or of the outermost."""
    walk = list(steps(order, M, N, K))
    place = "ijk".index(order[0])
    later = next(step for step in walk if step[place] == 1) if outermost else walk[1]
    return moved(walk[0], later, STRIDES[strides])


@pytest.fixture
def moving(answer):
    """The reader's rows of MOVES."""
    rows = filled(answer.MOVES, "MOVES")
    assert [row[0] for row in rows] == ["jik", "kij", "kji"], "MOVES: keep its rows and their orders as they were"
    assert all(len(row) == 4 for row in rows), "MOVES: keep its four columns as they were"
    return rows


@pytest.fixture
def products():
    """Sizes of the three products, by name."""
    a, b, c = np.ones((M, K)), np.ones((K, N)), np.ones((M, N))
    pairs = {"C = A @ B": (a, b), "dA = dC @ B.T": (c, b.T), "dB = A.T @ dC": (a.T, c)}
    return {name: (*left.shape, right.shape[1]) for name, (left, right) in pairs.items()}


@pytest.fixture
def work(answer, products):
    """The reader's rows of WORK."""
    rows = filled(answer.WORK, "WORK")
    assert [row[0] for row in rows] == list(products), "WORK: keep its rows and their names as they were"
    assert all(len(row) == 6 for row in rows), "WORK: keep its six columns as they were"
    return rows


def test_which_operands_stay(moving, because):
    said = {True: "stays", False: "moves"}
    for order, *given in moving:
        key = "outermost" if given == moves(order, outermost=True) else "nobody_stays"
        for operand, move, expected in zip(OPERANDS, given, moves(order), strict=True):
            reason = because(f"MOVES, order {order}: does {operand} stay or move", key)
            assert_equal(said[move == 0], said[expected == 0], because=reason)


def test_how_far_the_others_move(moving, because):
    for order, *given in moving:
        known = (moves(order, "columns"), moves(order, "heights"))
        for place, (operand, move, expected) in enumerate(zip(OPERANDS, given, moves(order), strict=True)):
            reason = because(
                f"MOVES, order {order}: the move of {operand}",
                column_major=float(known[0][place]),
                rows_for_columns=float(known[1][place]),
            )
            assert_tensor(move, float(expected), because=reason)


def test_sizes_of_the_products(work, products, because):
    for name, *given in work:
        key = "forward_sizes" if tuple(given[:3]) == (M, K, N) else "no_transpose"
        for letter, size, expected in zip("MKN", given, products[name], strict=False):
            reason = because(f"WORK, {name}: {letter}", key)
            assert_tensor(size, float(expected), because=reason)


def test_operations(work, products, because):
    for name, *given in work:
        rows, inner, columns = products[name]
        once = rows * inner * columns
        reason = because(f"WORK, {name}: operations", forgot_two=float(once), inner_forgotten=2.0 * rows * columns)
        assert_tensor(given[3], 2.0 * once, because=reason)


def test_operations_for_each_byte(work, products, because):
    for name, *given in work:
        rows, inner, columns = products[name]
        once, read = 2 * rows * inner * columns, rows * inner + inner * columns
        every = read + rows * columns
        rounded = next((given[4] for digits in (1, 2, 3) if given[4] == round(once / (4 * every), digits)), None)
        reason = because(
            f"WORK, {name}: operations for each byte",
            "" if given[3] == once else "operations_first",
            numbers_for_bytes=once / every,
            output_forgotten=once / (4 * read),
            rounded_off=rounded,
        )
        assert_tensor(given[4], once / (4 * every), because=reason)
