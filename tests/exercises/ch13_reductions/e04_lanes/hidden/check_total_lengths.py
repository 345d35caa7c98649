"""Lengths around the borders of groups, blocks and halves, with other numbers."""

import pytest

from kael.exercises.answers import load_answer
from kael.testing import assert_equal


@pytest.fixture
def plain(exercise):
    return load_answer(exercise.folder / "total.py").total


def test_lengths_around_the_borders(answer, plain, numbers, because):
    x = numbers.normal(size=16_500) * 10.0 ** numbers.integers(-4, 5, 16_500)
    for count in (31, 4095, 4097, 4103, 8191, 8193, 8201, 16_385):
        start = int(numbers.integers(0, 100))
        piece = x[start : start + count]
        reason = because(f"total of {count} elements", "half_off" if count > 4096 else "")
        assert_equal(float(answer.total(piece)).hex(), float(plain(piece)).hex(), because=reason)
