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
    one("to", "type_as", lambda k, x: x.type_as(x.double()), np.copy, (2, 3)),
    one("reshape", "unflatten", lambda k, x: k.unflatten(x, 1, (2, -1)), lambda x: x.reshape(3, 2, 2), (3, 4)),
    one("reshape", "ravel", lambda k, x: k.ravel(x), np.ravel, (), (5,), (2, 3), (2, 0)),
    one("reshape", "as", lambda k, x: x.t().reshape_as(x) + x.view_as(x), lambda x: x.T.reshape(x.shape) + x, (2, 3)),
    one("transpose", "swapaxes", lambda k, x: k.swapaxes(x, 0, 2), lambda x: x.swapaxes(0, 2), (2, 3, 4)),
    one("transpose", "swapdims", lambda k, x: k.swapdims(x, -1, 0), lambda x: x.swapaxes(-1, 0), (2, 3, 4)),
    one("transpose", "mT", lambda k, x: x.mT + k.adjoint(x), lambda x: 2 * x.swapaxes(-1, -2), (2, 3), (2, 3, 4)),
    one("permute", "movedim", lambda k, x: k.movedim(x, 0, -1), lambda x: np.moveaxis(x, 0, -1), (5,), (2, 3, 4)),
    one("permute", "moveaxis", lambda k, x: k.moveaxis(x, (0, 1), (-1, 0)), lambda x: np.moveaxis(x, (0, 1), (-1, 0)),
        (2, 3), (2, 3, 4)),
    one("expand", "broadcast_to", lambda k, x: k.broadcast_to(x, (2, 2, 3)), lambda x: np.broadcast_to(x, (2, 2, 3)),
        (2, 3), (1, 3), (2, 1, 1), ()),
    several("expand", "broadcast_tensors", lambda k, x, y: k.broadcast_tensors(x, y)[0] * y,
            lambda x, y: np.broadcast_arrays(x, y)[0] * y, ((2, 1), (1, 3)), ((), (3,)), ((2, 3), (3,))),
    one("squeeze", "several", lambda k, x: x.squeeze((0, -1)), lambda x: x.squeeze((0, -1)), (1, 3, 1), (1, 1)),
    one("clone", "column-major", lambda k, x: x.t().clone(), lambda x: x.T, (2, 3)),
    one("clone", "contiguous", lambda k, x: x.t().contiguous(), lambda x: x.T, (2, 3)),
]  # fmt: skip
