"""Products whose sizes are no multiples of anything, in buffers that were used before."""

import numpy as np
import pytest

from kael.exercises import LibraryCalled
from kael.exercises.forbidden import Factor
from kael.testing import Inputs, assert_equal, assert_tensor


@pytest.fixture
def factors(numbers):
    """Two factors for the sizes M, K and N."""

    def drawn(rows, inner, columns):
        return numbers.uniform(1.0, 2.0, (rows, inner)), numbers.uniform(1.0, 2.0, (inner, columns))

    return drawn


def product(answer, a, b, held=0.0):
    """The answer's product of two factors in a buffer that held one number everywhere."""
    out = np.full((a.shape[0], b.shape[1]), held)
    answer.matmul(a, b, out)
    return out


def whole(a, b, held):
    """What whole tiles alone give."""
    out = np.full((a.shape[0], b.shape[1]), held)
    rows, columns = a.shape[0] // 4 * 4, b.shape[1] // 4 * 4
    out[:rows, :columns] = (a @ b)[:rows, :columns]
    return out


def test_sizes_that_the_author_tried(answer, factors, because):
    a, b = factors(8, 8, 8)
    given = Inputs(a, b)
    reason = because("matmul of (8, 8) and (8, 8)", never_cleared=a @ b + 7.0)
    assert_tensor(product(answer, a, b, 7.0), a @ b, because=reason, inputs=given)
    assert_equal((answer.TILE, answer.DEPTH), (4, 8), because=because("TILE and DEPTH, which stay as they are"))


def test_the_loops_are_still_there(answer, factors, because):
    out = np.zeros((5, 6))
    try:
        answer.matmul(*(factor.view(Factor) for factor in factors(5, 9, 6)), out)
        got = "loops"
    except IndexError:  # of which test_edges tells more
        got = "loops"
    except LibraryCalled:
        got = "a call of NumPy's product"
    reason = because("what matmul of (5, 9) and (9, 6) is made of", "calls_the_product")
    assert_equal(got, "loops", because=reason)


def test_edges(answer, factors, because):
    for rows, columns in ((10, 8), (8, 11), (9, 7), (3, 2), (1, 5)):
        a, b = factors(rows, 6, columns)
        try:
            got = product(answer, a, b)
        except IndexError:
            got = "an index beyond the edge"
        key = "beyond_the_edge" if isinstance(got, str) else ""
        again = a @ b
        again[-1] *= 1 + -rows % 4
        reason = because(
            f"matmul of ({rows}, 6) and (6, {columns})", key, strip_left=whole(a, b, 0.0), last_row_again=again
        )
        assert_tensor(got, a @ b, because=reason)


def test_long_inner_sizes(answer, factors, because):
    for inner in (16, 20, 9):
        a, b = factors(4, inner, 8)
        last = (inner - 1) // 8 * 8
        full = inner // 8 * 8
        try:
            got = product(answer, a, b)
        except IndexError:
            got = "an index beyond the edge"
        reason = because(
            f"matmul of (4, {inner}) and ({inner}, 8)",
            "short_run" if isinstance(got, str) else "",
            last_run_only=a[:, last:] @ b[last:],
            short_run=a[:, :full] @ b[:full],
        )
        assert_tensor(got, a @ b, because=reason)


def test_buffers_that_held_something(answer, factors, because):
    a, b = factors(5, 17, 6)
    reason = because("matmul of (5, 17) and (17, 6) into a buffer full of 3.0", never_cleared=a @ b + 3.0)
    assert_tensor(product(answer, a, b, 3.0), a @ b, because=reason)
    got = product(answer, a, b, np.nan)
    reason = because("matmul of (5, 17) and (17, 6) into a buffer full of nan", "times_zero")
    assert_equal(f"{np.isnan(got).sum()} nan", "0 nan", because=reason)
    assert_tensor(got, a @ b, because=reason)


def test_no_inner_size(answer, because):
    reason = because("matmul of (5, 0) and (0, 6) into a buffer full of 3.0", "nothing_to_add")
    assert_tensor(product(answer, np.ones((5, 0)), np.ones((0, 6)), 3.0), np.zeros((5, 6)), because=reason)


def test_out_that_is_part_of_an_array(answer, factors, because):
    a, b = factors(6, 9, 5)
    around = np.full((9, 9), -1.0)
    expected = around.copy()
    expected[1:7, 2:7] = a @ b
    given = Inputs(a, b)
    answer.matmul(a, b, around[1:7, 2:7])
    reason = because("matmul of (6, 9) and (9, 5) into the middle of a larger array", "copy_of_out")
    assert_tensor(around, expected, because=reason, inputs=given)
