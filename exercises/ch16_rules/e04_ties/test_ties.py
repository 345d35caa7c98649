"""The rule on lines with one, two, three and four ties, along either axis, with nan, and with its arguments watched."""

import numpy as np
import pytest

from kael.testing import Inputs, assert_tensor

ROWS = [[5, 1, 5, 2], [3, 3, 3, 0], [4, 4, 4, 4], [1, 2, 7, 0], [0, 6, 1, 6]]
TIES = [2, 3, 4, 1, 2]


@pytest.fixture
def x():
    """Five lines of four numbers, with ties."""
    return np.array(ROWS, float)


@pytest.fixture
def grad(numbers):
    """A gradient for the largest of each line, the axis kept."""
    return numbers.uniform(2.0, 4.0, (5, 1)) * numbers.choice([-1.0, 1.0], (5, 1))


def parts(grad, x, ties):
    """What each element gets when the ties of line k are counted as ties[k]."""
    lines = zip(grad[:, 0], x, ties, strict=True)
    return np.array([[g / n if v == max(row) else 0.0 for v in row] for g, row, n in lines])


def called(answer, *arguments):
    """The result; an error in words; no warnings, since a check says more."""
    with np.errstate(all="ignore"):
        try:
            return answer.amax_vjp(*arguments)
        except (ValueError, IndexError) as error:
            return str(error)


def test_no_ties(answer, numbers, grad, because):
    x = numbers.permuted(np.arange(20.0)).reshape(5, 4)
    y = x.max(axis=1, keepdims=True)
    reason = because(
        "amax_vjp(grad, x, y, 1, True) for x of shape (5, 4), all different",
        forgot_incoming=parts(np.ones((5, 1)), x, [1] * 5),
        divides_by_size=parts(grad, x, [4] * 5),
    )
    assert_tensor(called(answer, grad, x, y, 1, True), parts(grad, x, [1] * 5), because=reason)


def test_ties_share(answer, x, grad, because):
    first = parts(grad, x, [1] * 5)
    for row, values in zip(first, ROWS, strict=True):
        row[values.index(max(values)) + 1 :] = 0.0
    reason = because(
        f"amax_vjp(grad, x, y, 1, True) for lines with {TIES} ties",
        forgot_incoming=parts(np.ones((5, 1)), x, TIES),
        whole_to_each=parts(grad, x, [1] * 5),
        first_of_ties=first,
        half_to_each=parts(grad, x, [min(n, 2) for n in TIES]),
        divides_by_size=parts(grad, x, [4] * 5),
        counts_everywhere=parts(grad, x, [sum(TIES)] * 5),
    )
    assert_tensor(called(answer, grad, x, x.max(axis=1, keepdims=True), 1, True), parts(grad, x, TIES), because=reason)


def test_axis_that_is_gone(answer, numbers, because):
    x = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    grad = numbers.uniform(2.0, 4.0, 3)
    for axis in (1, -1):
        reason = because(f"amax_vjp(grad, x, y, {axis}, False) for x of shape (3, 3)", "axis_not_restored")
        expected = parts(grad[:, None], x, [2, 2, 2])
        assert_tensor(called(answer, grad, x, x.max(axis=axis), axis, False), expected, because=reason)


def test_first_axis_that_is_gone(answer, numbers, because):
    x = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    grad = numbers.uniform(2.0, 4.0, 3)
    reason = because("amax_vjp(grad, x, y, 0, False) for x of shape (3, 3)", "axis_at_the_end")
    expected = parts(grad[:, None], x.T, [2, 2, 2]).T
    assert_tensor(called(answer, grad, x, x.max(axis=0), 0, False), np.array(expected), because=reason)


def test_axis_that_stayed(answer, x, grad, because):
    for axis, grad_of_y, expected in ((1, grad, parts(grad, x, TIES)), (0, grad.T, parts(grad, x, TIES).T)):
        operand = x if axis == 1 else x.T
        y = operand.max(axis=axis, keepdims=True)
        reason = because(f"amax_vjp(grad, x, y, {axis}, True) for x of shape {operand.shape}", "expanded_twice")
        assert_tensor(called(answer, grad_of_y, operand, y, axis, True), np.array(expected), because=reason)


def test_nan_and_nearly_equal(answer, grad, because):
    nan = np.nan
    x = np.array([[nan, 1.0, nan, 2.0], [1.0, 2.0, 3.0, 3.0], [nan, nan, nan, nan]])
    expected = grad[:3] * np.array([[1 / 2, 0, 1 / 2, 0], [0, 0, 1 / 2, 1 / 2], [1 / 4] * 4])
    everywhere = grad[:3] * np.array([[1 / 4] * 4, [0, 0, 1 / 2, 1 / 2], [1 / 4] * 4])
    called_with = "amax_vjp(grad, x, y, 1, True), two of three lines having nan"
    reason = because(called_with, "nan_is_not_equal", nan_to_all=everywhere)
    assert_tensor(called(answer, grad[:3], x, x.max(axis=1, keepdims=True), 1, True), expected, because=reason)
    x = np.array([[1.0, 1.0 - 1e-12, 1.0, 0.0]])
    reason = because("amax_vjp(grad, x, y, 1, True) for x = [[1, 1 - 1e-12, 1, 0]]", "nearly_equal")
    expected = grad[:1] * np.array([[0.5, 0.0, 0.5, 0.0]])
    assert_tensor(called(answer, grad[:1], x, np.array([[1.0]]), 1, True), expected, because=reason)


def test_element_type_is_kept(answer, x, grad, because):
    single, x = grad.astype(np.float32), x.astype(np.float32)
    in_double = parts(single.astype(float), x, TIES)
    reason = because("amax_vjp of a float32 grad", always_float64=in_double)
    result = called(answer, single, x, x.max(axis=1, keepdims=True), 1, True)
    assert_tensor(result, in_double.astype(np.float32), because=reason)


def test_arguments_stay(answer, x, grad, because):
    for keepdims in (True, False):
        y = x.max(axis=1, keepdims=keepdims)
        arriving = grad.copy() if keepdims else grad[:, 0].copy()
        before = Inputs(arriving, x, y)
        reason = because("amax_vjp: its arguments after the call", "changes_its_arguments")
        result = called(answer, arriving, x, y, 1, keepdims)
        assert_tensor(result, parts(grad, x, TIES), because=reason, inputs=before)
