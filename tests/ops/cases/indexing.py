"""Cases of the operations in `kael.ops.indexing`."""

import numpy as np

from tests.ops.cases.case import one

LIST = [0, 0, 1]
PAIRS = np.array([[0, 1, 0], [1, 0, 1]])
MASK = np.array([[True, False, True], [False, True, False]])

DIFFERENTIABLE = [
    one("getitem", "row", lambda k, x: x[1], lambda x: x[1], (2, 3), (5,), (2, 3, 4)),
    one("getitem", "back", lambda k, x: x[-1, ..., None], lambda x: x[-1, ..., None], (2, 3), (5,)),
    one("getitem", "slices", lambda k, x: x[1:, ::2], lambda x: x[1:, ::2], (2, 3), (5, 4)),
    one("getitem", "none", lambda k, x: x[None, ..., 0], lambda x: x[None, ..., 0], (2, 3), (3,)),
    one("getitem", "empty", lambda k, x: x[2:2], lambda x: x[2:2], (2, 3)),
    one("getitem", "list", lambda k, x: x[LIST], lambda x: x[LIST], (3,), (2, 3)),
    one("getitem", "tensor", lambda k, x: x[k.tensor(PAIRS)], lambda x: x[PAIRS], (3,), (2, 3)),
    one("getitem", "pair", lambda k, x: x[LIST, [1, 1, 0]], lambda x: x[LIST, [1, 1, 0]], (2, 2)),
    one("getitem", "mask", lambda k, x: x[k.tensor(MASK)], lambda x: x[MASK], (2, 3)),
    one("getitem", "no mask", lambda k, x: x[k.tensor(MASK & ~MASK)], lambda x: x[MASK & ~MASK], (2, 3)),
    one("getitem", "mixed", lambda k, x: x[:, LIST], lambda x: x[:, LIST], (3, 2)),
]  # fmt: skip
