"""Cases of the operations in `kael.ops.sorting`."""

import numpy as np

from tests.ops.cases.case import AXES, UNARY, one

INF, NAN = np.inf, np.nan
LINES = ((5,), *AXES)
SPECIAL = (([3.0, NAN, -INF, 1.0, INF],), ([[2.0, -0.5], [NAN, 7.0]],))


def largest(x, k, axis):
    """The k largest along an axis, best first."""
    return np.flip(np.sort(x, axis), axis).take(range(k), axis)


def middle(x, axis=None, keepdims=False):
    """The lower of the middle elements."""
    x, axis = (x.ravel(), 0) if axis is None else (x, axis)
    found = np.sort(x, axis).take([(x.shape[axis] - 1) // 2], axis)
    return found if keepdims else found.squeeze(axis)


def most_frequent(x, axis):
    """The smallest of the most frequent elements."""

    def of(line):
        values, counts = np.unique(line, return_counts=True)
        return values[counts.argmax()]

    return np.apply_along_axis(of, axis, x)


def whole(x):
    """Whole numbers near those given, without a history."""
    return (x.detach() * 1).round()


DIFFERENTIABLE = [
    one("sort", "last", lambda k, x: k.sort(x).values, lambda x: np.sort(x, -1), *LINES, (2, 0), kinks=SPECIAL),
    one("sort", "first", lambda k, x: k.sort(x, 0).values, lambda x: np.sort(x, 0), *LINES, (0, 3)),
    one("sort", "down", lambda k, x: k.sort(x, -1, True)[0], lambda x: -np.sort(-x, -1), *LINES, kinks=SPECIAL),
    one("sort", "stable", lambda k, x: k.sort(x, stable=True)[0], lambda x: np.sort(x, -1), *LINES,
        kinks=(([2.0, 1.0, 2.0, 1.0],), ([0.0, -0.0, 0.0],))),
    one("sort", "0-d", lambda k, x: k.sort(x)[0], lambda x: x, ()),
    one("sort", "msort", lambda k, x: k.msort(x), lambda x: np.sort(x, 0), *LINES),
    one("topk", "last", lambda k, x: k.topk(x, 1).values, lambda x: largest(x, 1, -1), *LINES),
    one("topk", "first", lambda k, x: k.topk(x, 2, 0)[0], lambda x: largest(x, 2, 0),
        (5,), (2, 3), (2, 3, 4), kinks=SPECIAL),
    one("topk", "least", lambda k, x: k.topk(x, 2, 0, False)[0], lambda x: np.sort(x, 0).take(range(2), 0),
        (5,), (2, 3), (2, 3, 4), kinks=SPECIAL),
    one("topk", "of many", lambda k, x: k.topk(x, 3)[0], lambda x: largest(x, 3, -1), (40,), (2, 50)),
    one("topk", "least of many", lambda k, x: k.topk(x, 3, 0, largest=False)[0],
        lambda x: np.sort(x, 0).take(range(3), 0), (40,), (50, 2)),
    one("topk", "0-d", lambda k, x: k.topk(x, 1)[0], lambda x: x, ()),
    one("kthvalue", "last", lambda k, x: k.kthvalue(x, 1).values, lambda x: np.min(x, -1), *LINES, ()),
    one("kthvalue", "first", lambda k, x: k.kthvalue(x, 2, 0, True)[0], lambda x: np.sort(x, 0).take([1], 0),
        (5,), (2, 3), (2, 3, 4), kinks=SPECIAL),
    one("median", "all", lambda k, x: k.median(x), middle, (), (5,), (2, 3), (2, 3, 4),
        kinks=(([1.0, 3.0, 3.0],), ([1.0, NAN, 2.0],), ([2.0, 2.0, 2.0, 2.0],), ([NAN, NAN],), ([1.0, INF],))),
    one("median", "nan", lambda k, x: k.nanmedian(x), middle, (), (5,), (2, 3),
        kinks=(([1.0, NAN, 2.0, 3.0],), ([NAN, 1.0, 1.0],), ([NAN, NAN],))),
    one("median_along", "last", lambda k, x: k.median(x, -1).values, lambda x: middle(x, -1), *LINES,
        kinks=(([1.0, NAN, 2.0, NAN],), ([[4.0, 1.0, 3.0, 2.0]],))),
    one("median_along", "kept", lambda k, x: k.median(x, 0, True)[0], lambda x: middle(x, 0, True), *LINES),
    one("median_along", "nan", lambda k, x: k.nanmedian(x, -1).values, lambda x: middle(x, -1), *LINES,
        kinks=(([1.0, NAN, 2.0, 3.0],), ([NAN, NAN],))),
    one("mode", "last", lambda k, x: k.mode(x).values, lambda x: most_frequent(x, -1), *LINES,
        kinks=(([2.0, 1.0, 2.0, 1.0],), ([3.0, 3.0, 1.0],))),
]  # fmt: skip

OTHERS = [
    one("argsort", "last", lambda k, x: k.argsort(x), lambda x: np.argsort(x, -1), *LINES, (2, 0)),
    one("argsort", "down", lambda k, x: k.argsort(x, 0, True), lambda x: np.argsort(-x, 0), *LINES),
    one("argsort", "stable", lambda k, x: k.argsort(whole(x), descending=True, stable=True),
        lambda x: np.argsort(-np.round(x), kind="stable"), (5,), (30,), kinks=(([2.0, 1.0, NAN, 2.0, NAN],),)),
    one("mode", "coarse", lambda k, x: k.mode(whole(x), 0, True)[0],
        lambda x: np.expand_dims(most_frequent(np.round(x), 0), 0), (5,), (9, 2), (30,)),
    one("mode", "places", lambda k, x: k.mode(whole(x * x))[1],
        lambda x: np.apply_along_axis(
            lambda line: np.flatnonzero(line == most_frequent(line, 0))[-1], -1, np.round(x * x)
        ), (5,), (2, 9)),
    one("unique", "all", lambda k, x: k.unique(whole(x)), lambda x: np.unique(np.round(x)), *UNARY,
        kinks=(([NAN, 1.0, NAN],), ([0.0, -0.0],))),
    one("unique", "inverse", lambda k, x: k.unique(whole(x), return_inverse=True)[1],
        lambda x: np.unique(np.round(x), return_inverse=True)[1].reshape(x.shape), *UNARY),
    one("unique", "counts", lambda k, x: k.unique(whole(x), return_counts=True)[1],
        lambda x: np.unique(np.round(x), return_counts=True)[1], *UNARY),
    one("unique", "rows", lambda k, x: k.unique((x > 0).float(), dim=0),
        lambda x: np.unique((x > 0).astype("f"), axis=0), (6, 2), (5,), (6, 1, 2)),
    one("unique", "columns", lambda k, x: k.unique(x > 0, dim=-1, return_inverse=True)[1],
        lambda x: np.unique(x > 0, axis=-1, return_inverse=True)[1], (2, 6), (2, 2, 6)),
    one("unique_consecutive", "all", lambda k, x: k.unique_consecutive(x > 0),
        lambda x: (x > 0).ravel()[np.append(True, np.diff((x > 0).ravel()))], (5,), (2, 3), (30,)),
    one("bincount", "all", lambda k, x: k.bincount((x * x).long()), lambda x: np.bincount((x * x).astype(int)),
        (5,), (30,)),
    one("bincount", "weights", lambda k, x: k.bincount((x * x).long(), x.detach()),
        lambda x: np.bincount((x * x).astype(int), x).astype(x.dtype), (5,), (30,)),
    one("histc", "all", lambda k, x: k.histc(x, 5), lambda x: np.histogram(x, 5)[0].astype(x.dtype), (30,), (2, 4)),
    one("histc", "range", lambda k, x: k.histc(x, 7, -1, 2), lambda x: np.histogram(x, 7, (-1, 2))[0].astype(x.dtype),
        (30,), (2, 3)),
]  # fmt: skip
