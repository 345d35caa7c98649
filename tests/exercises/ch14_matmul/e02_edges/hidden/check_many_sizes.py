"""Every size around a tile and around a run, in buffers of nan."""

import numpy as np

from kael.testing import assert_tensor


def test_every_size_around_a_tile(answer, numbers, because):
    for rows in (1, 3, 4, 5, 8, 9):
        for columns in (1, 3, 4, 5, 8, 9):
            for inner in (1, 7, 8, 9, 17):
                a, b = numbers.uniform(1.0, 2.0, (rows, inner)), numbers.uniform(1.0, 2.0, (inner, columns))
                out = np.full((rows, columns), np.nan)
                answer.matmul(a, b, out)
                reason = because(f"matmul of ({rows}, {inner}) and ({inner}, {columns})")
                assert_tensor(out, a @ b, because=reason)
