"""Your tables beside what a walk, a counter and the bits of a float say; the first row that differs is named."""

import math
import struct

import pytest

from chapters.ch12_elementwise.reference import offsets
from chapters.flat import Buffer
from kael.exercises.answers import filled
from kael.testing import assert_equal, assert_tensor

X, Y = [3.0, 8.0, 5.0, 1.0, 9.0, 4.0], [10.0, 20.0]
MILLION = 1_000_000


class Counted(list):
    """A list that counts the elements read and written."""

    def __init__(self, values, count):
        super().__init__(values)
        self.count = count

    def __getitem__(self, k):
        self.count[0] += 1
        return super().__getitem__(k)

    def __setitem__(self, k, value):
        self.count[1] += 1
        super().__setitem__(k, value)


def two(x, y, t, out):
    for k in range(len(out)):
        t[k] = y[k] - x[k]
    for k in range(len(out)):
        value = t[k]
        out[k] = value * value


def one(x, y, t, out):
    for k in range(len(out)):
        value = y[k] - x[k]
        out[k] = value * value


@pytest.fixture(scope="module")
def walk():
    """Per element of out: its row and column, the places read, and the result."""
    out = Buffer.full(0, (2, 3))
    in_x = [row * 1 + column * 2 for row in range(2) for column in range(3)]
    in_y = list(offsets(Buffer(Y, (2, 1)), out))
    return [(divmod(k, 3), i, j, Y[j] - X[i]) for k, (i, j) in enumerate(zip(in_x, in_y, strict=True))]


@pytest.fixture
def walked(answer):
    """The reader's rows of WALK."""
    rows = filled(answer.WALK, "WALK")
    assert [row[0] for row in rows] == list(range(6)), "WALK: keep its rows and their numbers as they were"
    return rows


def test_places_in_x(walked, walk, because):
    given = [place for _, place, _, _ in walked]
    swapped = [row * 2 + column for (row, column), _, _, _ in walk]
    key = {tuple(range(6)): "as_contiguous", tuple(swapped): "strides_swapped"}.get(tuple(given), "")
    for k, (place, (index, expected, _, _)) in enumerate(zip(given, walk, strict=True)):
        assert_equal(place, expected, because=because(f"row {k} of WALK, index {index}: the place in x", key))


def test_places_in_y(walked, walk, because):
    for (k, _, place, _), ((row, column), _, expected, _) in zip(walked, walk, strict=True):
        reason = because(
            f"row {k} of WALK, index {row, column}: the place in y", repeats_the_wrong_axis=column, never_repeats=k
        )
        assert_equal(place, expected, because=reason)


def test_results(walked, walk, because):
    for (k, in_x, in_y, result), (_, i, j, expected) in zip(walked, walk, strict=True):
        key = "" if (in_x, in_y) == (i, j) else "place_first"
        reason = because(f"row {k} of WALK: y - x", key, other_way_round=-expected)
        assert_tensor(result, expected, because=reason)


def test_traffic(answer, because):
    rows = filled(answer.TRAFFIC, "TRAFFIC")
    assert [row[0] for row in rows] == ["two", "one"], "TRAFFIC: keep its two rows as they were"
    for (name, reads, writes, size), kernel in zip(rows, (two, one), strict=True):
        count = [0, 0]
        x, y, t, out = (Counted([1.0] * 8, count) for _ in range(4))
        kernel(x, y, t, out)
        expected = [number // 8 for number in count]
        free = {"temporary_is_free": 2, "temporary_twice": 4} if name == "two" else {"fused_keeps_it": 3}
        assert_equal(reads, expected[0], because=because(f"kernels: {name}, elements read", **free))
        free = {"temporary_is_free": 1} if name == "two" else {"fused_keeps_it": 2}
        assert_equal(writes, expected[1], because=because(f"kernels: {name}, elements written", **free))
        total = sum(expected) * MILLION
        reason = because(
            f"kernels: {name}, bytes for a million elements",
            forgets_four=float(total), in_millions=4.0 * sum(expected),
        )  # fmt: skip
        assert_tensor(float(size), 4.0 * total, because=reason)


def test_parts_of_the_exponential(answer, because):
    rows = filled(answer.EXPONENT, "EXPONENT")
    assert [row[0] for row in rows] == ["3.0", "-5.0", "0.5"], "EXPONENT: keep its rows and their x as they were"
    for text, m, field in rows:
        quotient = float(text) / math.log(2)
        expected = round(quotient)
        known = {"rounds_down": math.floor(quotient)} if math.floor(quotient) != expected else {}
        assert_equal(m, expected, because=because(f"x = {text}: m", **known))
        bits = struct.unpack("<Q", struct.pack("<d", 2.0**expected))[0]
        reason = because(
            f"x = {text}: the exponent field of 2**m",
            no_bias=expected, bias_of_float32=expected + 127, sign_lost=1023 - expected,
        )  # fmt: skip
        assert_equal(field, bits >> 52, because=reason)
