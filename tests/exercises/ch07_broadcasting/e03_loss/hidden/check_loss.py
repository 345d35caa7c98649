"""Shapes drawn at random, and the type of the result."""

import numpy as np

from kael.testing import assert_equal, assert_tensor


def test_shapes_drawn_at_random(answer, numbers, because):
    for _ in range(12):
        rows, columns = (int(n) for n in numbers.integers(1, 6, 2))
        predictions, targets = numbers.normal(size=(2, rows, columns))
        weights = numbers.uniform(0.5, 2.0, rows)
        wanted = float(np.average(((predictions - targets) ** 2).mean(1), weights=weights))
        if columns == 1 and numbers.random() < 0.7:
            targets = targets[:, 0]
        got = answer.weighted_loss(predictions, targets, weights)
        reason = because(f"weighted_loss({predictions.shape}, {targets.shape}, {weights.shape})")
        assert_tensor(got, wanted, because=reason)
        assert_equal(type(got).__name__, "float", because=reason)
