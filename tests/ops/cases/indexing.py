"""Cases of the operations in `kael.ops.indexing`."""

import numpy as np

from tests.ops.cases.case import one, several

LIST = [0, 0, 1]
PAIRS = np.array([[0, 1, 0], [1, 0, 1]])
MASK = np.array([[True, False, True], [False, True, False]])
ROWS = np.array([True, False])

LAST = "the last value written to a place stays, and gets the gradient alone"


def put(x, index, values, accumulate=False):
    """NumPy's assignment to an index, on a copy."""
    result = x.copy()
    if accumulate:
        np.add.at(result, index, values)
    else:
        result[index] = values
    return result


DIFFERENTIABLE = [
    one("getitem", "row", lambda k, x: x[1], lambda x: x[1], (2, 3), (5,), (2, 3, 4)),
    one("getitem", "back", lambda k, x: x[-1, ..., None], lambda x: x[-1, ..., None], (2, 3), (5,)),
    one("getitem", "slices", lambda k, x: x[1:, ::2], lambda x: x[1:, ::2], (2, 3), (5, 4)),
    one("getitem", "none", lambda k, x: x[None, ..., 0], lambda x: x[None, ..., 0], (2, 3), (3,)),
    one("getitem", "all", lambda k, x: x[()], lambda x: x.copy(), (), (2, 3), (0, 2)),
    one("getitem", "empty", lambda k, x: x[2:2], lambda x: x[2:2], (2, 3)),
    one("getitem", "list", lambda k, x: x[LIST], lambda x: x[LIST], (3,), (2, 3), (2, 0)),
    one("getitem", "no list", lambda k, x: x[[]], lambda x: x[[]], (3,), (2, 3), (0, 3)),
    one("getitem", "tensor", lambda k, x: x[k.tensor(PAIRS)], lambda x: x[PAIRS], (3,), (2, 3)),
    one("getitem", "pair", lambda k, x: x[LIST, [1, 1, 0]], lambda x: x[LIST, [1, 1, 0]], (2, 2), (2, 3, 2)),
    one("getitem", "mask", lambda k, x: x[k.tensor(MASK)], lambda x: x[MASK], (2, 3), (2, 3, 2)),
    one("getitem", "no mask", lambda k, x: x[k.tensor(MASK & ~MASK)], lambda x: x[MASK & ~MASK], (2, 3)),
    one("getitem", "mask rows", lambda k, x: x[k.tensor(ROWS), ..., 1:], lambda x: x[ROWS, ..., 1:], (2, 3), (2, 1, 3)),
    one("getitem", "columns", lambda k, x: x[:, LIST], lambda x: x[:, LIST], (3, 2), (2, 2, 3)),
    one("getitem", "inner pair", lambda k, x: x[:, LIST, k.tensor(PAIRS)], lambda x: x[:, LIST, PAIRS], (2, 3, 2)),
    one("getitem", "apart", lambda k, x: x[LIST, :, [1, 0, 1]], lambda x: x[LIST, :, [1, 0, 1]], (2, 3, 2)),
    one("getitem", "apart by None", lambda k, x: x[LIST, None, [1, 0, 1]], lambda x: x[LIST, None, [1, 0, 1]], (2, 3)),
    one("getitem", "integer first", lambda k, x: x[1, :, LIST], lambda x: x[1][:, LIST], (2, 3, 2)),
    one("getitem", "True", lambda k, x: x[True], lambda x: x[True], (), (3,), (2, 3)),
    one("getitem", "False", lambda k, x: x[False], lambda x: x[False], (), (3,)),
    several("index_put", "", lambda k, x, y: k.index_put(x, (k.tensor([2, 0]),), y),
            lambda x, y: put(x, [2, 0], y), ((3,), (2,)), ((3, 2), (2, 2)), ((3, 2), (2,)), ((3,), ()), ((3, 2), ())),
    several("index_put", "twice", lambda k, x, y: k.index_put(x, (k.tensor([0, 2, 0]),), y),
            lambda x, y: put(x, [0, 2, 0], y), ((3,), (3,)), ((3, 2), (3, 2)), ((3, 2), (2,)), differs=LAST),
    several("index_put", "accumulate", lambda k, x, y: k.index_put(x, (k.tensor([0, 2, 0]),), y, accumulate=True),
            lambda x, y: put(x, [0, 2, 0], y, True), ((3,), (3,)), ((3, 2), (3, 1)), ((4,), ()), ((3, 0), (1,))),
    several("index_put", "pairs", lambda k, x, y: k.index_put(x, (k.tensor([[0], [1]]), k.tensor([1, 0])), y),
            lambda x, y: put(x, ([[0], [1]], [1, 0]), y), ((2, 2), (2, 2)), ((2, 2, 4), (4,))),
    several("index_put", "mask", lambda k, x, y: k.index_put(x, (k.tensor(MASK),), y), lambda x, y: put(x, MASK, y),
            ((2, 3), (3,)), ((2, 3, 2), (2,)), ((2, 3), ())),
    several("index_put", "one place", lambda k, x, y: k.index_put(x, (k.tensor(1), k.tensor(0)), y),
            lambda x, y: put(x, (1, 0), y), ((2, 3, 2), (2,))),
]  # fmt: skip
