"""Cases of the operation in `kael.ops.embedding`."""

import numpy as np

from tests.ops.cases.case import one

DIFFERENTIABLE = [
    one("embedding", "", lambda k, w: k.nn.functional.embedding(k.tensor([2, 0, 2]), w), lambda w: w[[2, 0, 2]],
        (3, 2), (4, 1), (3, 0)),
    one("embedding", "matrix", lambda k, w: k.nn.functional.embedding(k.tensor([[0, 1], [1, 1]]), w),
        lambda w: w[np.array([[0, 1], [1, 1]])], (3, 2)),
    one("embedding", "number", lambda k, w: k.nn.functional.embedding(k.tensor(1), w), lambda w: w[1], (3, 2)),
    one("embedding", "nothing", lambda k, w: k.nn.functional.embedding(k.zeros(0, dtype=k.int64), w),
        lambda w: w[:0], (3, 2)),
    one("embedding", "int32", lambda k, w: k.nn.functional.embedding(k.tensor([1, 1], dtype=k.int32), w),
        lambda w: w[[1, 1]], (3, 2)),
]  # fmt: skip
