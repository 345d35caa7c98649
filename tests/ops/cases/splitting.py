"""Cases of the operations in `kael.ops.splitting`."""

from typing import Any

import numpy as np

from tests.ops.cases.case import one

WINDOWS = np.lib.stride_tricks.sliding_window_view


def own(x: Any) -> Any:
    """A tensor of either library in row-major order in a storage of its own."""
    return x.contiguous().clone()


DIFFERENTIABLE = [
    one("narrow", "", lambda k, x: k.narrow(x, 0, 1, 2), lambda x: x[1:3], (3,), (4, 2), (3, 0)),
    one("narrow", "last", lambda k, x: x.narrow(-1, -2, 1), lambda x: x[..., -2:-1], (3,), (2, 3)),
    one("narrow", "none", lambda k, x: x.narrow(0, 1, 0), lambda x: x[1:1], (2, 3)),
    one("select", "", lambda k, x: k.select(x, 0, 1), lambda x: x[1], (3,), (2, 3), (2, 0)),
    one("select", "last", lambda k, x: x.select(-1, -2), lambda x: x[..., -2], (3,), (2, 3), (2, 3, 4)),
    one("split", "one of three", lambda k, x: k.split(x, 2)[2], lambda x: x[4:], (5,), (5, 2), (5, 0)),
    one("split", "sections", lambda k, x: k.split(x, [1, 0, 2], -1)[2], lambda x: x[..., 1:], (3,), (2, 3)),
    one("split", "all", lambda k, x: k.cat(x.split(2, 1)[::-1], 1),
        lambda x: np.concatenate([x[:, 4:], x[:, 2:4], x[:, :2]], 1), (2, 5)),
    one("split", "nothing", lambda k, x: x.split(0)[0], lambda x: x, (0, 2)),
    one("split", "chunk", lambda k, x: k.chunk(x, 3)[1], lambda x: x[2:4], (5,), (5, 2)),
    one("split", "chunks of nothing", lambda k, x: x.chunk(3, 1)[2], lambda x: x, (2, 0)),
    one("split", "tensor_split", lambda k, x: k.tensor_split(x, 3)[1], lambda x: np.array_split(x, 3)[1], (5,), (4, 2)),
    one("split", "tensor_split at", lambda k, x: x.tensor_split((1, -1), -1)[1], lambda x: x[..., 1:-1], (5,), (2, 3)),
    one("split", "hsplit", lambda k, x: k.hsplit(x, 2)[1], lambda x: np.hsplit(x, 2)[1], (4,), (3, 4)),
    one("split", "vsplit", lambda k, x: k.vsplit(x, 2)[1], lambda x: np.vsplit(x, 2)[1], (4, 3)),
    one("split", "dsplit", lambda k, x: k.dsplit(x, (1,))[1], lambda x: np.dsplit(x, (1,))[1], (2, 3, 4)),
    one("unbind", "", lambda k, x: k.unbind(x)[1], lambda x: x[1], (3,), (2, 3), (2, 0)),
    one("unbind", "last", lambda k, x: x.unbind(-1)[0] * x.unbind(-1)[1], lambda x: x[..., 0] * x[..., 1], (2, 3)),
    one("unfold", "overlapping", lambda k, x: x.unfold(0, 2, 1), lambda x: WINDOWS(x, 2, 0), (4,), (3, 2), (3, 0)),
    one("unfold", "steps", lambda k, x: x.unfold(1, 3, 2), lambda x: WINDOWS(x, 3, 1)[:, ::2], (2, 6), (2, 5, 2)),
    one("unfold", "apart", lambda k, x: x.unfold(-1, 1, 2), lambda x: WINDOWS(x, 1, -1)[..., ::2, :], (5,), (2, 4)),
    one("unfold", "nothing", lambda k, x: x.unfold(0, 0, 1),
        lambda x: np.zeros((len(x) + 1, *x.shape[1:], 0), x.dtype), (3, 2)),
    one("unfold", "0-d", lambda k, x: x.unfold(0, 1, 1), lambda x: x.reshape(1), ()),
    one("as_strided", "", lambda k, x: k.as_strided(own(x), (2, 2), (1, 2)), lambda x: x[[[0, 2], [1, 3]]], (4,), (5,)),
    one("as_strided", "overlapping", lambda k, x: own(x).as_strided((3, 2), (1, 1)),
        lambda x: x.ravel()[[[0, 1], [1, 2], [2, 3]]], (4,), (3, 2)),
    one("as_strided", "of a part", lambda k, x: own(x)[1:].as_strided((2,), (2,)), lambda x: x[[1, 3]], (4,)),
    one("as_strided", "of shared places", lambda k, x: own(x).expand(2, 4).as_strided((2, 3), (0, 1)),
        lambda x: np.stack([x[:3]] * 2), (4,)),
    one("as_strided", "nothing", lambda k, x: own(x).as_strided((0, 2), (1, 1)), lambda x: x[:0].reshape(0, 2), (4,)),
    one("as_strided", "0-d", lambda k, x: own(x).as_strided((), (), 1), lambda x: x[1], (4,)),
]  # fmt: skip

OTHERS = [
    one("as_strided", "outside", lambda k, x: own(x)[2:].as_strided((2,), (1,), 1), lambda x: x[[1, 2]], (4,)),
]
