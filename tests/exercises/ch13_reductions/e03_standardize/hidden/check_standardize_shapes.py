"""Shapes and heights drawn at random, in both element types."""

import numpy as np

from kael.testing import assert_tensor


def test_shapes_drawn_at_random(answer, numbers, because):
    for _ in range(6):
        shape = tuple(int(n) for n in numbers.integers(2, 9, 2))
        x = numbers.normal(size=shape) + 50 * numbers.normal(size=(shape[0], 1))
        mean, spread = x.mean(axis=1, keepdims=True), x.std(axis=1, keepdims=True)
        reason = because(f"standardize of {shape[0]} rows of {shape[1]}")
        assert_tensor(answer.standardize(x), (x - mean) / spread, because=reason)
        low = x.astype(np.float32)
        assert answer.standardize(low).dtype == np.float32
