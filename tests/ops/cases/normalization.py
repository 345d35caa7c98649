"""Cases of the operations in `kael.ops.normalization`."""

import numpy as np

from tests.ops.cases.case import AXES, one


def shares(x: np.ndarray, axis: int) -> np.ndarray:
    """The softmax, as it is written down."""
    return np.exp(x) / np.exp(x).sum(axis, keepdims=True)


DIFFERENTIABLE = [
    one("softmax", "", lambda k, x: k.softmax(x, -1), lambda x: shares(x, -1), (), (5,), (2, 3), (2, 0), (0, 3)),
    one("softmax", "first", lambda k, x: k.softmax(x, 0), lambda x: shares(x, 0), *AXES),
    one("log_softmax", "", lambda k, x: k.log_softmax(x, -1), lambda x: np.log(shares(x, -1)), (5,), (2, 3), (0, 3),
        differs="in float16 the gradient is rounded once; PyTorch rounds its sum as well"),
    one("log_softmax", "first", lambda k, x: k.log_softmax(x, 0), lambda x: np.log(shares(x, 0)), *AXES),
    one("logsumexp", "", lambda k, x: k.logsumexp(x, -1), lambda x: np.log(np.exp(x).sum(-1)), (5,), (2, 3), (0, 3)),
    one("logsumexp", "two", lambda k, x: k.logsumexp(x, (0, 1), True),
        lambda x: np.log(np.exp(x).sum((0, 1), keepdims=True)), *AXES),
]  # fmt: skip
