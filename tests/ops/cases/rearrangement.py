"""Cases of the operations in `kael.ops.rearrangement`."""

import numpy as np

from tests.ops.cases.case import one

DIFFERENTIABLE = [
    one("flip", "first", lambda k, x: k.flip(x, (0,)), lambda x: np.flip(x, 0), (3,), (2, 3), (0, 3)),
    one("flip", "two", lambda k, x: x.flip(0, -1), lambda x: np.flip(x, (0, -1)), (2, 3), (2, 3, 4)),
    one("flip", "none", lambda k, x: x.flip(()), np.copy, (), (2, 3)),
    one("flip", "lr and ud", lambda k, x: k.fliplr(x) - k.flipud(x), lambda x: np.fliplr(x) - np.flipud(x), (2, 3)),
    one("roll", "all", lambda k, x: k.roll(x, 2), lambda x: np.roll(x, 2), (), (5,), (2, 3), (2, 0)),
    one("roll", "last", lambda k, x: x.roll(-1, -1), lambda x: np.roll(x, -1, -1), (5,), (2, 3), (2, 0)),
    one("roll", "two", lambda k, x: x.roll((1, -2), (0, 1)), lambda x: np.roll(x, (1, -2), (0, 1)), (2, 3), (3, 4, 2)),
    one("repeat", "", lambda k, x: x.repeat(2, 3), lambda x: np.tile(x, (2, 3)), (), (3,), (2, 3), (2, 1), (2, 0)),
    one("repeat", "new axis", lambda k, x: x.repeat(2, 1, 3), lambda x: np.tile(x, (2, 1, 3)), (3,), (2, 3)),
    one("repeat", "never", lambda k, x: x.repeat(0, 2), lambda x: np.tile(x, (0, 2)), (3,), (2, 3)),
    one("repeat", "tile", lambda k, x: k.tile(x, (2,)), lambda x: np.tile(x, (2,)), (), (3,), (2, 3)),
    one("repeat_interleave", "all", lambda k, x: k.repeat_interleave(x, 2), lambda x: np.repeat(x, 2),
        (), (3,), (2, 3), (2, 0)),
    one("repeat_interleave", "axis", lambda k, x: x.repeat_interleave(3, dim=-1), lambda x: np.repeat(x, 3, -1),
        (3,), (2, 3), (2, 3, 4)),
    one("repeat_interleave", "each", lambda k, x: x.repeat_interleave(k.tensor([2, 0, 1]), 0),
        lambda x: np.repeat(x, [2, 0, 1], 0), (3,), (3, 2)),
    one("repeat_interleave", "one number", lambda k, x: x.repeat_interleave(k.tensor([2]), dim=1),
        lambda x: np.repeat(x, 2, 1), (2, 3)),
    one("flip", "rot90", lambda k, x: k.rot90(x), lambda x: np.rot90(x), (2, 3), (2, 3, 4)),
    one("flip", "rot90 back", lambda k, x: x.rot90(-1, (1, 0)), lambda x: np.rot90(x, -1, (1, 0)), (2, 3)),
    one("flip", "rot90 twice", lambda k, x: x.rot90(2, (0, -1)), lambda x: np.rot90(x, 2, (0, -1)), (2, 3, 4)),
    one("reshape", "rot90 round", lambda k, x: x.rot90(4) * 2, lambda x: 2 * x, (2, 3)),
]  # fmt: skip

OTHERS = [
    one("repeat_interleave", "indices", lambda k, x: k.repeat_interleave(k.arange(x.shape[0])) + 0 * x.sum().long(),
        lambda x: np.repeat(np.arange(len(x)), np.arange(len(x))), (4,)),
]  # fmt: skip
