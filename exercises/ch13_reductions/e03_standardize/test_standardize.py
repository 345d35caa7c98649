"""Rows of every shape, far from zero, all equal, and with a nan."""

import warnings

import numpy as np
import pytest

from kael.testing import Inputs, assert_equal, assert_tensor


def exact(x, spare=0):
    """The rows in float64, by two passes; rows of equal numbers are zeros."""
    wide = x.astype(np.float64)
    away = np.where((x == x[:, :1]).all(axis=1, keepdims=True), 0, wide - wide.mean(axis=1, keepdims=True))
    spread = np.sqrt((away**2).sum(axis=1, keepdims=True) / (x.shape[1] - spare))
    return away / np.where(spread == 0, 1, spread)


def told(function, x):
    """What comes back, or the error or warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return function(x)
        except (ValueError, RuntimeWarning) as error:
            return f"{type(error).__name__}: {error}"


@pytest.fixture
def rows(numbers):
    """Five rows of eight numbers, each row of a height and a width of its own."""
    return numbers.normal(size=(5, 8)) * numbers.uniform(0.5, 3, (5, 1)) + numbers.normal(size=(5, 1))


def test_more_columns_than_rows(answer, rows, because):
    wide = exact(rows)
    reason = because(
        "standardize of 5 rows of 8",
        "lost_axis", columns=exact(rows.T).T, one_less=exact(rows, 1), no_root=wide / rows.std(axis=1, keepdims=True),
    )  # fmt: skip
    assert_tensor(told(answer.standardize, rows), wide, because=reason)


def test_square(answer, numbers, because):
    square = numbers.normal(size=(8, 8)) + numbers.normal(size=(8, 1))
    mean = square.mean(axis=1)
    lost = (square - mean) / square.std(axis=1)
    reason = because("standardize of 8 rows of 8", lost_axis=lost, columns=exact(square.T).T)
    assert_tensor(told(answer.standardize, square), exact(square), because=reason)


def test_far_from_zero_in_float32(answer, numbers, because):
    kelvin = (300 + 0.1 * numbers.normal(size=(6, 50))).astype(np.float32)
    got = told(answer.standardize, kelvin)
    near = isinstance(got, np.ndarray) and got.shape == kelvin.shape and np.abs(got - exact(kelvin)).max() < 1e-2
    reason = because("standardize of tenths of a degree around 300 kelvin, in float32: how near?", "cancels")
    assert_equal("within 0.01" if near else "off", "within 0.01", because=reason)


def test_rows_of_equal_numbers(answer, rows, because):
    rows[1], rows[3] = 7.0, 0.0
    reason = because("standardize of rows of which two hold one number only", "divides_by_zero")
    assert_tensor(told(answer.standardize, rows), exact(rows), because=reason)


def test_equal_numbers_whose_mean_is_rounded(answer, because):
    for first, last in ((0.1, 0.7), (1e6 + 0.1, 1e9 + 0.7)):
        x = np.stack([np.full(7, first), np.arange(7.0), np.full(7, last)])
        reason = because(f"standardize of 3 rows of 7, the first {first} throughout, the last {last}", "rounded_mean")
        assert_tensor(told(answer.standardize, x), exact(x), because=reason)


def test_small_rows_keep_their_scale(answer, rows, because):
    small = rows * 1e-12
    spread = small.std(axis=1, keepdims=True)
    away = small - small.mean(axis=1, keepdims=True)
    reason = because(
        "standardize of rows 1e-12 in size",
        "softened", no_root=away / spread**2, taken_for_equal=np.zeros_like(small),
    )  # fmt: skip
    assert_tensor(told(answer.standardize, small), exact(small), because=reason)


def test_a_nan_stays_in_its_row(answer, rows, because):
    rows[2, 3] = np.nan
    wanted = exact(np.where(np.isnan(rows), 0, rows))
    wanted[2] = np.nan
    assert_tensor(told(answer.standardize, rows), wanted, because=because("standardize of rows with one nan", "spills"))


def test_a_new_array_of_the_same_type(answer, rows, because):
    for dtype in (np.float64, np.float32):
        x = rows.astype(dtype)
        given = Inputs(x)
        got = told(answer.standardize, x)
        kind = str(getattr(got, "dtype", type(got).__name__))
        assert_equal(kind, x.dtype.name, because=because(f"the element type of standardize of {x.dtype}", "rounds_up"))
        reason = because(f"standardize of {x.dtype}", "in_place")
        assert_tensor(got, exact(x).astype(dtype), because=reason, inputs=given)
