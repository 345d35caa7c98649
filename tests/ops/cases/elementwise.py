"""Cases of the operations in `kael.ops.elementwise`."""

import numpy as np

from tests.ops.cases.case import binary, several, unary

CONDITION = np.array([[True, False, True], [False, False, True]])

DIFFERENTIABLE = [
    binary("add", np.add),
    binary("sub", np.subtract),
    binary("mul", np.multiply),
    binary("div", np.divide),
    binary("pow", np.power, positive=True),
    binary("maximum", np.maximum),
    binary("minimum", np.minimum),
    unary("neg", np.negative),
    unary("abs", np.abs),
    unary("exp", np.exp),
    unary("log", np.log, positive=True),
    unary("sqrt", np.sqrt, positive=True),
    unary("tanh", np.tanh),
    unary("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    unary("relu", lambda x: np.maximum(x, 0)),
    unary("sign", np.sign),
    unary("floor", np.floor),
    unary("ceil", np.ceil),
    unary("round", np.round),
    several(
        "where", "", lambda k, x, y: k.where(k.tensor(CONDITION), x, y), lambda x, y: np.where(CONDITION, x, y),
        ((2, 3), (2, 3)), ((3,), ()), ((1, 1), (2, 1)),
    ),
]  # fmt: skip

OTHERS = [
    binary("eq", np.equal),
    binary("ne", np.not_equal),
    binary("lt", np.less),
    binary("le", np.less_equal),
    binary("gt", np.greater),
    binary("ge", np.greater_equal),
    binary("logical_and", np.logical_and),
    binary("logical_or", np.logical_or),
    unary("logical_not", np.logical_not),
]
