"""Cases of the operations in `kael.ops.joining`."""

import numpy as np

from tests.ops.cases.case import one, several

DIFFERENTIABLE = [
    several("cat", "", lambda k, x, y: k.cat([x, y, x]), lambda x, y: np.concatenate([x, y, x]),
            ((2, 3), (1, 3)), ((0, 3), (2, 3)), ((2,), (3,)), ((0,), (0,))),
    several("cat", "last", lambda k, x, y: k.cat([x, y], -1), lambda x, y: np.concatenate([x, y], -1),
            ((2, 3), (2, 1))),
    several("cat", "skipped", lambda k, x, y: k.cat([x, y], 1), lambda x, y: y, ((0,), (2, 3)), ((0,), (2, 0, 3))),
    several("cat", "concat", lambda k, x, y: k.concat([x, y]) + k.concatenate([y, x]),
            lambda x, y: np.concatenate([x, y]) + np.concatenate([y, x]), ((2, 3), (1, 3))),
    several("cat", "hstack", lambda k, x, y: k.hstack([x, y]), lambda x, y: np.hstack([x, y]),
            ((2, 3), (2, 1)), ((2,), (3,)), ((), ())),
    several("cat", "vstack", lambda k, x, y: k.vstack([x, y]), lambda x, y: np.vstack([x, y]),
            ((2, 3), (1, 3)), ((3,), (3,)), ((3,), (2, 3)), ((), ())),
    several("cat", "row_stack", lambda k, x, y: k.row_stack([x, y]), lambda x, y: np.vstack([x, y]), ((3,), (3,))),
    several("cat", "dstack", lambda k, x, y: k.dstack([x, y]), lambda x, y: np.dstack([x, y]),
            ((2, 3), (2, 3)), ((3,), (3,)), ((), ()), ((2, 1, 2), (2, 1, 1))),
    several("cat", "column_stack", lambda k, x, y: k.column_stack([x, y]), lambda x, y: np.column_stack([x, y]),
            ((2, 3), (2, 1)), ((3,), (3,)), ((2,), (2, 3))),
    several("stack", "", lambda k, x, y: k.stack([x, y, x]), lambda x, y: np.stack([x, y, x]),
            ((2, 3), (2, 3)), ((), ())),
    several("stack", "last", lambda k, x, y: k.stack([x, y], -1), lambda x, y: np.stack([x, y], -1), ((2, 3), (2, 3))),
    several("stack", "cartesian_prod", lambda k, x, y: k.cartesian_prod(x, y),
            lambda x, y: np.stack(np.meshgrid(x, y, indexing="ij"), -1).reshape(-1, 2), ((2,), (3,)), ((0,), (3,))),
    several("expand", "meshgrid", lambda k, x, y: k.stack(k.meshgrid(x, y, indexing="ij")),
            lambda x, y: np.stack(np.meshgrid(x, y, indexing="ij")), ((2,), (3,)), ((), (3,)), ((0,), (2,))),
    several("expand", "meshgrid xy", lambda k, x, y: k.stack(k.meshgrid([x, y], indexing="xy")),
            lambda x, y: np.stack(np.meshgrid(x, y, indexing="xy")), ((2,), (3,)), ((), (3,))),
    one("getitem", "combinations", lambda k, x: k.combinations(x, 2) + k.combinations(x, 2, True)[:3],
        lambda x: np.stack([x[[0, 0, 1]], x[[1, 2, 2]]], 1) + np.stack([x[[0, 0, 0]], x[[0, 1, 2]]], 1), (3,)),
    one("reshape", "at least", lambda k, x: k.atleast_3d(x) * k.atleast_2d(x).sum() * k.atleast_1d(x).mean(),
        lambda x: np.atleast_3d(x) * x.sum() * x.mean(), (), (3,), (2, 3), (2, 3, 4)),
]  # fmt: skip
