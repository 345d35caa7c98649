"""Cases of the operations in `kael.ops.matmul`."""

import numpy as np

from tests.ops.cases.case import several

DIFFERENTIABLE = [
    several("matmul", "2d", lambda k, x, y: k.matmul(x, y), np.matmul,
            ((2, 3), (3, 4)), ((1, 1), (1, 1)), ((2, 0), (0, 3)), ((0, 2), (2, 3))),
    several("matmul", "vectors", lambda k, x, y: k.matmul(x, y), np.matmul,
            ((3, 2), (2,)), ((3,), (3, 2)), ((3,), (3,))),
    several(
        "matmul", "batches", lambda k, x, y: k.matmul(x, y), np.matmul,
        ((2, 1, 2, 3), (3, 3, 2)), ((4, 2, 3), (3,)), ((2, 3), (4, 3, 2)), ((1, 2, 3), (4, 3, 2)),
        ((0, 2, 3), (0, 3, 2)),
    ),
]  # fmt: skip
