"""Cases of the operations in `kael.ops.searching`."""

import numpy as np

from tests.ops.cases.case import UNARY, one, several

OTHERS = [
    one("nonzero", "", lambda k, x: k.nonzero(x > 0), lambda x: np.argwhere(x > 0), *UNARY),
    one("nonzero", "argwhere", lambda k, x: (x > 0).argwhere(), lambda x: np.argwhere(x > 0), *UNARY),
    one("nonzero", "tuple", lambda k, x: k.nonzero(x > 0, as_tuple=True)[0], lambda x: (x > 0).nonzero()[0],
        (5,), (2, 3), (0,), (2, 3, 4)),
    one("nonzero", "where", lambda k, x: k.where(x > 0)[-1], lambda x: (x > 0).nonzero()[-1], (5,), (2, 3), (0,)),
    several("searchsorted", "", lambda k, x, y: k.searchsorted(k.sort(x)[0], y), lambda x, y: np.searchsorted(
        np.sort(x), y), ((5,), (2, 3)), ((3,), ()), ((0,), (2,)), ((3,), (0,))),
    one("searchsorted", "right", lambda k, x: k.searchsorted(k.sort(x)[0], k.sort(x)[0], right=True),
        lambda x: np.searchsorted(np.sort(x), np.sort(x), "right"), (5,), (0,)),
    several("searchsorted", "rows", lambda k, x, y: k.searchsorted(k.sort(x)[0], y, side="right"),
            lambda x, y: np.stack([np.searchsorted(np.sort(a), b, "right") for a, b in zip(x, y, strict=True)]),
            ((2, 3), (2, 4)), ((3, 1), (3, 1))),
    one("searchsorted", "bucketize", lambda k, x: k.bucketize(x, k.tensor([-1.0, 0.0, 1.0]), out_int32=True),
        lambda x: np.searchsorted([-1.0, 0.0, 1.0], x).astype(np.int32), *UNARY),
]  # fmt: skip
