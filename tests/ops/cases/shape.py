"""Cases of the operations in `kael.ops.shape`."""

import numpy as np

from tests.ops.cases.case import one, several, unary

DIFFERENTIABLE = [
    unary("clone", np.copy),
    one("reshape", "flat", lambda k, x: x.reshape(-1), lambda x: x.reshape(-1), (5,), (2, 3), (2, 3, 4), ()),
    one("reshape", "turned", lambda k, x: x.t().reshape(6), lambda x: x.T.reshape(6), (2, 3)),
    one("reshape", "view", lambda k, x: x.view(3, 2), lambda x: x.reshape(3, 2), (6,)),
    one("reshape", "flatten", lambda k, x: x.flatten(1), lambda x: x.reshape(2, -1), (2, 3, 4)),
    one("reshape", "empty", lambda k, x: x.reshape(0, 5), lambda x: x.reshape(0, 5), (2, 0)),
    one("transpose", "", lambda k, x: x.transpose(0, -1), lambda x: x.swapaxes(0, -1), (2, 3), (2, 3, 4), (2, 0)),
    one("transpose", "t", lambda k, x: x.t(), lambda x: x.T, (), (5,), (2, 3)),
    one("permute", "", lambda k, x: x.permute(2, 0, 1), lambda x: x.transpose(2, 0, 1), (2, 3, 4)),
    one("expand", "", lambda k, x: x.expand(2, 3), lambda x: np.broadcast_to(x, (2, 3)), (2, 1), (3,), (1,), ()),
    one("expand", "kept", lambda k, x: x.expand(4, -1, 3), lambda x: np.broadcast_to(x, (4, 2, 3)), (2, 1)),
    one("squeeze", "all", lambda k, x: x.squeeze(), lambda x: x.squeeze(), (2, 1, 3), (1, 1), (2, 3)),
    one("squeeze", "one", lambda k, x: x.squeeze(1), lambda x: x[:, 0] if x.shape[1] == 1 else x, (2, 1, 3), (2, 3)),
    one("unsqueeze", "", lambda k, x: x.unsqueeze(-1), lambda x: x[..., None], (), (5,), (2, 3)),
    one("to", "float32", lambda k, x: x.float().double(), lambda x: x.astype("f4").astype("f8"), ()),
    several("cat", "", lambda k, x, y: k.cat([x, y, x]), lambda x, y: np.concatenate([x, y, x]),
            ((2, 3), (1, 3)), ((0, 3), (2, 3))),
    several("cat", "last", lambda k, x, y: k.cat([x, y], -1), lambda x, y: np.concatenate([x, y], -1),
            ((2, 3), (2, 1))),
    several("stack", "", lambda k, x, y: k.stack([x, y, x]), lambda x, y: np.stack([x, y, x]),
            ((2, 3), (2, 3)), ((), ())),
    several("stack", "last", lambda k, x, y: k.stack([x, y], -1), lambda x, y: np.stack([x, y], -1), ((2, 3), (2, 3))),
]  # fmt: skip
