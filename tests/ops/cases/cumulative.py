"""Cases of the operations in `kael.ops.cumulative`."""

import numpy as np

from tests.ops.cases.case import AXES, one

INF, NAN = np.inf, np.nan
LINES = ((5,), *AXES, (2, 0))
ZEROS = (
    ([2.0, 0.0, 3.0, 4.0],), ([2.0, 0.0, 0.0, 3.0],), ([0.0],), ([[0.0, 1.0], [2.0, 0.0]],),
)  # fmt: skip
BEYOND = (([NAN, 0.0, 1.0],), ([3.0, -INF, 2.0],))
TIES = (([1.0, 3.0, 3.0, 2.0, 3.0],), ([3.0, 1.0, 1.0, 1.0],), ([1.0, NAN, 3.0, NAN, 4.0],), ([0.0, -0.0, 0.0],))


def scalar(x):
    """A 0-d array of what is one element."""
    return np.asarray(x).reshape(())


BYTES = "bytes wrap where two neighbours are added; PyTorch adds up the whole axis first"

DIFFERENTIABLE = [
    one("cumsum", "last", lambda k, x: k.cumsum(x, -1), lambda x: np.cumsum(x, -1), *LINES,
        kinks=(([1.0, INF, -INF],),)),
    one("cumsum", "first", lambda k, x: k.cumsum(x, 0), lambda x: np.cumsum(x, 0), *LINES, (7, 9), (0, 3)),
    one("cumsum", "0-d", lambda k, x: k.cumsum(x, 0), scalar, ()),
    one("cumprod", "last", lambda k, x: k.cumprod(x, -1), lambda x: np.cumprod(x, -1), *LINES, kinks=ZEROS),
    one("cumprod", "first", lambda k, x: k.cumprod(x, 0), lambda x: np.cumprod(x, 0), *LINES, (7, 9), kinks=ZEROS),
    one("cumprod", "beyond", lambda k, x: k.cumprod(x, -1), lambda x: np.cumprod(x, -1), (3,), kinks=BEYOND,
        differs="the gradient is nan only where a product is; PyTorch divides by the factor, which nan or inf spoils"),
    one("cumprod", "0-d", lambda k, x: k.cumprod(x, 0), scalar, ()),
    one("cummax", "last", lambda k, x: k.cummax(x, -1).values, lambda x: np.maximum.accumulate(x, -1), *LINES,
        kinks=TIES),
    one("cummax", "first", lambda k, x: k.cummax(x, 0)[0], lambda x: np.maximum.accumulate(x, 0), *LINES),
    one("cummax", "0-d", lambda k, x: k.cummax(x, 0)[0], scalar, ()),
    one("cummin", "last", lambda k, x: k.cummin(x, -1).values, lambda x: np.minimum.accumulate(x, -1), *LINES,
        kinks=TIES),
    one("cummin", "first", lambda k, x: k.cummin(x, 0)[0], lambda x: np.minimum.accumulate(x, 0), *LINES),
    one("logcumsumexp", "last", lambda k, x: k.logcumsumexp(x, -1), lambda x: np.log(np.cumsum(np.exp(x), -1)), *LINES,
        kinks=(([1000.0, 1000.0],), ([-1000.0, 0.0, -1000.0],), ([1.0, -INF, 2.0],), ([-INF, 1.0, 2.0],))),
    one("logcumsumexp", "first", lambda k, x: k.logcumsumexp(x, 0), lambda x: np.log(np.cumsum(np.exp(x), 0)), *LINES),
    one("logcumsumexp", "signs", lambda k, x: k.logcumsumexp(x, 0) * x, lambda x: np.log(np.cumsum(np.exp(x), 0)) * x,
        (5,), *AXES),
    one("sub", "diff", lambda k, x: k.diff(x), lambda x: np.diff(x), (5,), *AXES),
    one("sub", "diff-twice", lambda k, x: k.diff(x, 2, 0), lambda x: np.diff(x, 2, 0), (5,), (3, 2), (4, 2, 3)),
    one("sub", "diff-ends", lambda k, x: k.diff(x, 1, 0, x, x), lambda x: np.diff(x, 1, 0, x, x), (5,), (3, 2)),
    one("mul", "trapezoid", lambda k, x: k.trapezoid(x), lambda x: np.trapezoid(x), (5,), *AXES,
        differs=BYTES),
    one("mul", "trapezoid-dx", lambda k, x: k.trapezoid(x, dx=0.5, dim=0), lambda x: np.trapezoid(x, dx=0.5, axis=0),
        (5,), *AXES, differs=BYTES),
    one("mul", "trapezoid-x", lambda k, x: k.trapezoid(x, x * 2, dim=0), lambda x: np.trapezoid(x, x * 2, axis=0),
        (5,), *AXES),
]  # fmt: skip

OTHERS = [
    one("cummax", "indices", lambda k, x: k.cummax(x, -1).indices,
        lambda x: np.array([[row[:n].argmax() for n in range(1, len(row) + 1)] for row in x]), (2, 3), (4, 5),
        kinks=TIES),
    one("cummin", "indices", lambda k, x: k.cummin(x, -1).indices,
        lambda x: np.array([[row[:n].argmin() for n in range(1, len(row) + 1)] for row in x]), (2, 3), (4, 5),
        kinks=TIES),
]  # fmt: skip
