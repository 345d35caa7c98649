"""Cases of the operations in `kael.ops.scattering`, `kael.ops.slices` and `kael.ops.masking`."""

import numpy as np

from tests.ops.cases.case import one, several

FIRST = np.array([[0, 1, 0], [1, 1, 1], [0, 0, 1]])
SECOND = np.array([[2, 0], [1, 0]])
APART = np.array([[2, 0, 1], [0, 1, 2]])
MASK = np.array([[True, False, True], [False, True, False]])
LAST = "the last value written to a place stays, and gets the gradient alone"
ZERO_D = "the gradient of a 0-d source has no axis, where PyTorch fails"
CAST = "a value that requires grad is cast to integers without history, where PyTorch fails"
BEYOND = "a source longer than the index gets zeros beyond it, where PyTorch fails"


def laid(x, axis, index, src, ufunc=None, start=None):
    """Elements of src written, or reduced by a ufunc, one by one."""
    result = x.copy()
    for position in np.ndindex(*index.shape):
        place = list(position)
        place[axis] = index[position]
        if start is not None:
            result[tuple(place)] = start
    for position in np.ndindex(*index.shape):
        place = list(position)
        place[axis] = index[position]
        value = src[position] if isinstance(src, np.ndarray) else src
        result[tuple(place)] = value if ufunc is None else ufunc(result[tuple(place)], value)
    return result


def counts(x, axis, index, src, start=1):
    return laid(np.ones_like(x), axis, index, np.ones_like(src), np.add, None if start else 0)


def changed(x, key, value, add=False):
    """NumPy's assignment to a key on a copy, or addition."""
    result = x.copy()
    if add:
        np.add.at(result, key, value)
    else:
        result[key] = value
    return result


def masked(x, mask, source):
    result = np.array(np.broadcast_to(x, np.broadcast_shapes(x.shape, mask.shape)))
    result[np.broadcast_to(mask, result.shape)] = source.ravel()[: int(np.broadcast_to(mask, result.shape).sum())]
    return result


def reduction(how, include, oracle, **more):
    """A case of scatter_reduce."""
    return several(
        "scatter_reduce", f"{how} {'with' if include else 'without'} self",
        lambda k, x, y: k.scatter_reduce(x, 0, k.tensor(FIRST), y, how, include_self=include), oracle,
        ((2, 3), (3, 3)), ((4, 3), (3, 3)), **more,
    )  # fmt: skip


DIFFERENTIABLE = [
    one("gather", "first", lambda k, x: k.gather(x, 0, k.tensor(FIRST)), lambda x: np.take_along_axis(x, FIRST, 0),
        (2, 3), (4, 3)),
    one("gather", "last", lambda k, x: x.gather(-1, k.tensor(SECOND)), lambda x: np.take_along_axis(x, SECOND, 1),
        (2, 3)),
    one("gather", "shorter", lambda k, x: x.gather(1, k.tensor(SECOND)), lambda x: np.take_along_axis(x[:2], SECOND, 1),
        (5, 3)),
    one("gather", "0-d", lambda k, x: x.gather(0, k.tensor(0)), lambda x: x.reshape(-1)[0], (), (3,)),
    one("gather", "nothing", lambda k, x: x.gather(0, k.zeros(0, 3, dtype=k.int64)), lambda x: x[:0], (2, 3)),
    one("gather", "int32", lambda k, x: x.gather(0, k.tensor([1, 1], dtype=k.int32)), lambda x: x[[1, 1]], (3,)),
    one("gather", "take_along_dim", lambda k, x: k.take_along_dim(x, k.tensor([[-1, 0]]), 1), lambda x: x[:, [-1, 0]],
        (2, 3), (3, 1)),
    one("gather", "take_along_dim of all", lambda k, x: k.take_along_dim(x, k.tensor([[0, 3]])),
        lambda x: x.ravel()[[0, 3]], (2, 3), (4,), differs="PyTorch takes no column-major tensor here"),
    several("scatter", "", lambda k, x, y: k.scatter(x, 1, k.tensor(APART), y), lambda x, y: laid(x, 1, APART, y),
            ((2, 3), (2, 3)), ((2, 4), (2, 3)), ((3, 3), (2, 3))),
    several("scatter", "twice", lambda k, x, y: k.scatter(x, 0, k.tensor(FIRST), y), lambda x, y: laid(x, 0, FIRST, y),
            ((2, 3), (3, 3)), differs=LAST),
    several("scatter", "longer", lambda k, x, y: k.scatter(x, 1, k.tensor(APART), y), lambda x, y: laid(x, 1, APART, y),
            ((2, 3), (3, 4)), differs=BEYOND),
    several("scatter", "0-d", lambda k, x, y: k.scatter(x, 0, k.tensor(0), y), lambda x, y: y.copy(),
            ((), ()), differs=ZERO_D),
    one("scatter", "number", lambda k, x: k.scatter(x, 1, k.tensor(APART), 2.5), lambda x: laid(x, 1, APART, 2.5),
        (2, 3), (2, 4)),
    one("scatter", "value", lambda k, x: k.scatter(x, 1, k.tensor(APART), value=2), lambda x: laid(x, 1, APART, 2.0),
        (2, 3)),
    several("scatter_add", "", lambda k, x, y: k.scatter_add(x, 0, k.tensor(FIRST), y),
            lambda x, y: laid(x, 0, FIRST, y, np.add), ((2, 3), (3, 3)), ((4, 3), (3, 3))),
    several("scatter_add", "longer", lambda k, x, y: k.scatter_add(x, 1, k.tensor(SECOND), y),
            lambda x, y: laid(x, 1, SECOND, y, np.add), ((2, 3), (3, 4)), differs=BEYOND),
    several("scatter_add", "0-d", lambda k, x, y: k.scatter_add(x, 0, k.tensor(0), y), lambda x, y: x + y,
            ((), ()), differs=ZERO_D),
    several("scatter_add", "nothing", lambda k, x, y: k.scatter_add(x, 0, k.zeros(0, 3, dtype=k.int64), y),
            lambda x, y: x.copy(), ((2, 3), (0, 3))),
    reduction("sum", True, lambda x, y: laid(x, 0, FIRST, y, np.add)),
    reduction("sum", False, lambda x, y: laid(x, 0, FIRST, y, np.add, 0)),
    reduction("mean", True, lambda x, y: laid(x, 0, FIRST, y, np.add) / counts(x, 0, FIRST, y)),
    reduction("mean", False, lambda x, y: laid(x, 0, FIRST, y, np.add, 0) / counts(x, 0, FIRST, y, 0)),
    reduction("prod", True, lambda x, y: laid(x, 0, FIRST, y, np.multiply)),
    reduction("prod", False, lambda x, y: laid(x, 0, FIRST, y, np.multiply, 1)),
    reduction("amax", True, lambda x, y: laid(x, 0, FIRST, y, np.maximum)),
    reduction("amax", False, lambda x, y: laid(x, 0, FIRST, y, np.maximum, -np.inf)),
    reduction("amin", True, lambda x, y: laid(x, 0, FIRST, y, np.minimum)),
    reduction("amin", False, lambda x, y: laid(x, 0, FIRST, y, np.minimum, np.inf)),
    one("index_select", "first", lambda k, x: k.index_select(x, 0, k.tensor([1, 1, 0])), lambda x: x[[1, 1, 0]],
        (2,), (2, 3), (2, 0)),
    one("index_select", "last", lambda k, x: x.index_select(-1, k.tensor([1, 1, 0])), lambda x: x[..., [1, 1, 0]],
        (2,), (3, 2), (2, 3, 2)),
    one("index_select", "nothing", lambda k, x: x.index_select(0, k.tensor([], dtype=k.int64)), lambda x: x[:0],
        (2, 3)),
    one("index_select", "0-d", lambda k, x: x.index_select(0, k.tensor(0)), lambda x: x.copy(), ()),
    several("index_add", "", lambda k, x, y: k.index_add(x, 0, k.tensor([1, 1, 0]), y),
            lambda x, y: changed(x, [1, 1, 0], y, True), ((2,), (3,)), ((2, 3), (3, 3)), ((2, 0), (3, 0))),
    several("index_add", "alpha", lambda k, x, y: x.index_add(1, k.tensor([1, 1]), y, alpha=-2.5),
            lambda x, y: changed(x, (slice(None), [1, 1]), -2.5 * y, True), ((3, 2), (3, 2)), ((3, 2, 2), (3, 2, 2))),
    several("index_copy", "", lambda k, x, y: k.index_copy(x, 0, k.tensor([1, 0]), y),
            lambda x, y: changed(x, [1, 0], y), ((2,), (2,)), ((3, 2), (2, 2))),
    several("index_copy", "twice", lambda k, x, y: x.index_copy(1, k.tensor([1, 0, 1]), y),
            lambda x, y: changed(x, (slice(None), [1, 0, 1]), y), ((3, 2), (3, 3)), differs=LAST),
    one("index_fill", "", lambda k, x: k.index_fill(x, 0, k.tensor([1, -1]), 2.5), lambda x: changed(x, [1, -1], 2.5),
        (2,), (3, 2), (2, 0)),
    several("index_fill", "tensor", lambda k, x, y: x.index_fill(1, k.tensor([0, 0]), y),
            lambda x, y: changed(x, (slice(None), [0, 0]), y), ((3, 2), ()), ((2, 1, 2), ()), differs=CAST),
    one("masked_fill", "", lambda k, x: k.masked_fill(x, k.tensor(MASK), 2.5), lambda x: np.where(MASK, 2.5, x),
        (2, 3), (3,), (1, 1), ()),
    one("masked_fill", "narrow", lambda k, x: x.masked_fill(k.tensor([True, False]), 0),
        lambda x: np.where([True, False], 0, x).astype(x.dtype), (3, 2)),
    several("masked_fill", "tensor", lambda k, x, y: x.masked_fill(k.tensor(MASK), y),
            lambda x, y: np.where(MASK, y, x), ((2, 3), ()), ((3,), ()), differs=CAST),
    several("masked_scatter", "", lambda k, x, y: k.masked_scatter(x, k.tensor(MASK), y),
            lambda x, y: masked(x, MASK, y), ((2, 3), (3,)), ((2, 3), (2, 3)), ((2, 3), (4,)), ((3,), (3,))),
    one("getitem", "masked_select", lambda k, x: k.masked_select(x, k.tensor(MASK)),
        lambda x: np.broadcast_to(x, (2, 3))[MASK], (2, 3), (3,), (2, 1)),
    one("take", "", lambda k, x: k.take(x, k.tensor([[0, -1], [1, 1]])), lambda x: x.ravel()[[[0, -1], [1, 1]]],
        (3,), (2, 3)),
    one("take", "one", lambda k, x: x.take(k.tensor(-1)), lambda x: x.ravel()[-1], (), (3,), (2, 3)),
]  # fmt: skip
