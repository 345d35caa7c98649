"""Cases of the operations in `kael.ops.reduction`."""

import numpy as np

from tests.ops.cases.case import AXES, UNARY, Case, one

INF, NAN = np.inf, np.nan
SOME = ((), (5,), (2, 3, 4))
MANY = ((5,), (2, 3), (2, 3, 4))


def norms(p: float, **more) -> list[Case]:
    """Cases of one exponent over all elements, an axis, and two axes."""

    def of(x, axis=None, keepdims=False):
        x = np.abs(x)
        if np.isinf(p):
            return (np.max if p > 0 else np.min)(x, axis, keepdims=keepdims)
        if p == 0:
            return np.sum(x != 0, axis, x.dtype, keepdims=keepdims)
        return np.sum(x**p, axis, keepdims=keepdims) ** (1 / p)

    return [
        one("norm", f"{p:g}", lambda k, x: k.norm(x, p), of, (), (5,), (2, 3, 4), kinks=NORM_KINKS, **more),
        one("norm", f"{p:g}-last", lambda k, x: k.norm(x, p, -1), lambda x: of(x, -1), *AXES, **more),
        one(
            "norm", f"{p:g}-two", lambda k, x: k.norm(x, p, (0, 1), True), lambda x: of(x, (0, 1), True), *AXES, **more
        ),
    ]


NORM_KINKS = (([0.0, -2.0],), ([3.0, -3.0, 1.0],), ([0.0, 0.0],), ([0.0],), ([NAN, 1.0],), ([1.0, -INF],))
ZEROS = (([2.0, 0.0, 4.0],), ([0.0, 3.0, 0.0],), ([0.0],), ([NAN, 0.0],), ([-0.0, -1.0],))
LANES = (([[0.0, 3.0], [0.0, 0.0]],), ([[NAN, 0.0], [2.0, 3.0]],))

DIFFERENTIABLE = [
    *[case for p in (1.0, 2.0, INF, -INF, 3.0, 1.5, 0.5, -1.0) for case in norms(p)],
    *norms(0.0, differs="the gradient of a count is 0; PyTorch gives none at all"),
    one("norm", "fro", lambda k, x: k.norm(x), lambda x: np.linalg.norm(x.ravel()), *UNARY, kinks=NORM_KINKS),
    one("prod", "all", lambda k, x: k.prod(x), np.prod, *UNARY, kinks=(*ZEROS, *LANES)),
    one("prod", "last", lambda k, x: k.prod(x, -1), lambda x: np.prod(x, -1), *AXES, (2, 0), kinks=(*ZEROS, *LANES)),
    one("prod", "first", lambda k, x: k.prod(x, 0, True), lambda x: np.prod(x, 0, keepdims=True), *AXES, (0, 3)),
    one("var", "all", lambda k, x: k.var(x), lambda x: np.var(x, ddof=1), *MANY, kinks=(([1.0, 2.0, 4.0],), ([5.0],))),
    one("var", "last", lambda k, x: k.var(x, -1), lambda x: np.var(x, -1, ddof=1), (2, 3), (2, 3, 4)),
    one("var", "biased", lambda k, x: k.var(x, (0, -1), False, True), lambda x: np.var(x, (0, -1), keepdims=True),
        *AXES),
    one("var", "half", lambda k, x: k.var(x, correction=0.5), lambda x: np.var(x, ddof=0.5), *MANY, kinks=(([5.0],),)),
    one("std", "all", lambda k, x: k.std(x), lambda x: np.std(x, ddof=1), *MANY,
        kinks=(([2.0, 2.0, 2.0],), ([5.0],), ([[1.0, 1.0], [1.0, 1.0]],))),
    one("std", "last", lambda k, x: k.std(x, -1), lambda x: np.std(x, -1, ddof=1), (2, 3), (2, 3, 4)),
    one("std", "biased", lambda k, x: k.std(x, 0, False, True), lambda x: np.std(x, 0, keepdims=True),
        (2, 3), (2, 3, 4), kinks=(([5.0],), ([[1.0, 1.0], [1.0, 2.0]],))),
    one("sum", "nansum", lambda k, x: k.nansum(k.where(x > 0.3, x, NAN), 0),
        lambda x: np.sum(np.where(x > 0.3, x, 0), 0), *AXES, kinks=(([[NAN, 1.0], [NAN, NAN]],),)),
    one("mean", "nanmean", lambda k, x: k.nanmean(x, -1), lambda x: np.nanmean(x, -1), *AXES,
        kinks=(([[NAN, 1.0, 3.0], [NAN, NAN, NAN]],),),
        differs="where all are nan the gradient is 0; PyTorch multiplies that 0 by the inf of 1 / 0"),
    one("amin", "aminmax", lambda k, x: k.aminmax(x, dim=0).min, lambda x: np.min(x, 0), *AXES,
        kinks=(([[NAN, 1.0, 3.0], [NAN, 1.0, NAN]],),),
        differs="the gradient goes to the nan, as that of amin; PyTorch divides by the count of what equals nan, 0"),
    one("amax", "aminmax", lambda k, x: k.aminmax(x).max, np.max, *SOME, kinks=(([2.0, 2.0, 1.0],),)),
    one("sum", "all", lambda k, x: k.sum(x), np.sum, *UNARY),
    one("sum", "first", lambda k, x: k.sum(x, 0), lambda x: np.sum(x, 0), *AXES, (0, 3)),
    one("sum", "two", lambda k, x: k.sum(x, (0, -1), True), lambda x: np.sum(x, (0, -1), keepdims=True), *AXES),
    one("mean", "all", lambda k, x: k.mean(x), np.mean, (), (5,), (2, 3, 4)),
    one("mean", "last", lambda k, x: k.mean(x, -1), lambda x: np.mean(x, -1), *AXES),
    one("mean", "two", lambda k, x: k.mean(x, (1, 0), True), lambda x: np.mean(x, (1, 0), keepdims=True), *AXES),
    one("amax", "all", lambda k, x: k.amax(x), np.max, (), (5,), (2, 3, 4)),
    one("amax", "first", lambda k, x: k.amax(x, 0), lambda x: np.max(x, 0), *AXES),
    one("amax", "two", lambda k, x: k.amax(x, (0, 1), True), lambda x: np.max(x, (0, 1), keepdims=True), *AXES),
    one("amin", "all", lambda k, x: k.amin(x), np.min, (), (5,), (2, 3, 4)),
    one("amin", "last", lambda k, x: k.amin(x, -1), lambda x: np.min(x, -1), *AXES),
    one("max", "first", lambda k, x: k.max(x, 0).values, lambda x: np.max(x, 0), (5,), *AXES),
    one("max", "kept", lambda k, x: k.max(x, 1, True).values, lambda x: np.max(x, 1, keepdims=True), *AXES),
    one("min", "last", lambda k, x: k.min(x, -1).values, lambda x: np.min(x, -1), (5,), *AXES),
]  # fmt: skip

OTHERS = [
    one("all", "all", lambda k, x: k.all(x), np.all, *UNARY, kinks=(([NAN, 1.0],), ([0.0, 1.0],), ([],), ([1, 2],))),
    one("all", "last", lambda k, x: k.all(x > 0, -1), lambda x: np.all(x > 0, -1), *AXES, (2, 0)),
    one("all", "two", lambda k, x: k.all(x > 0, (0, 1), True), lambda x: np.all(x > 0, (0, 1), keepdims=True), *AXES),
    one("any", "all", lambda k, x: k.any(x), np.any, *UNARY, kinks=(([NAN, 0.0],), ([0.0, -0.0],), ([],), ([0, 2],))),
    one("any", "last", lambda k, x: k.any(x > 0, -1), lambda x: np.any(x > 0, -1), *AXES, (2, 0)),
    one("any", "first", lambda k, x: k.any(x > 0, 0, True), lambda x: np.any(x > 0, 0, keepdims=True), *AXES),
    one("all", "none", lambda k, x: k.all(x, ()), lambda x: x != 0, *AXES),
    one("count_nonzero", "all", lambda k, x: k.count_nonzero(x), np.count_nonzero, *UNARY, kinks=(([NAN, 0.0, 2.0],),)),
    one(
        "count_nonzero", "two", lambda k, x: k.count_nonzero(x, (0, -1)), lambda x: np.count_nonzero(x, (0, -1)), *AXES
    ),
    one("argmax", "all", lambda k, x: k.argmax(x), np.argmax, (5,), (2, 3, 4)),
    one("argmax", "last", lambda k, x: k.argmax(x, -1), lambda x: np.argmax(x, -1), *AXES),
    one("argmin", "kept", lambda k, x: k.argmin(x, 0, True), lambda x: np.argmin(x, 0, keepdims=True), *AXES),
]
