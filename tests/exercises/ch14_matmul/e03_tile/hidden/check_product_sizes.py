"""Larger sides, drawn at random, with views for factors, to the last bit."""

import numpy as np

from kael.testing import assert_equal, assert_tensor


def test_sizes_drawn_at_random(answer, numbers, because):
    for _ in range(8):
        rows, inner, columns = (int(size) for size in numbers.integers(1, 40, 3))
        wide = numbers.normal(size=(inner + 1, 2 * rows + 1))
        a, b = wide[1:, 1::2].T, numbers.normal(size=(columns, inner)).T
        out = np.full((rows, columns), np.nan)
        answer.matmul(a, b, out)
        expected = np.zeros((rows, columns))
        for k in range(inner):
            expected += a[:, k : k + 1] * b[k]
        reason = because(f"matmul of ({rows}, {inner}) and ({inner}, {columns})", "edge" if np.isnan(out).any() else "")
        assert_tensor(out, expected, because=reason)
        assert_equal(out.tobytes() == expected.tobytes(), True, because=reason)
