"""Cases of the operations in `kael.ops.activation`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.cases.case import UNARY, Case, one, several

ENDS = np.array([-np.inf, -1000.0, -20.0, -3.0, -1.0, -0.0, 0.0, 1.0, 3.0, 6.0, 20.0, 1000.0, np.inf, np.nan])
FINITE = ENDS[1:-2]


def erf(x: Any) -> Any:
    return np.vectorize(math.erf, otypes=[float])(x).astype(x.dtype)


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softplus(x: Any) -> Any:
    return np.log(1 + np.exp(x))


def elu(x: Any, alpha: float = 1.0) -> Any:
    return np.where(x > 0, x, alpha * (np.exp(x) - 1))


def held(x: Any, low: float, high: float) -> Any:
    return np.minimum(np.maximum(x, low), high)


AT_NAN = "the slope at nan is nan; PyTorch's is that or 1, by the place in the tensor"


def unary(
    name: str, oracle: Callable[..., Any], label: str = "", op: str = "", differs: str = "", **options: Any
) -> Case:
    """A case of one activation with these options."""
    return Case(
        op or name, lambda k, x: getattr(k.nn.functional, name)(x, **options), oracle,
        tuple((shape,) for shape in UNARY), label=label, kinks=((ENDS,),), differs=differs,
    )  # fmt: skip


def glu(x: Any, axis: int) -> Any:
    first, second = np.split(x, 2, axis)
    return first * logistic(second)


DIFFERENTIABLE = [
    unary("gelu", lambda x: x / 2 * (1 + erf(x / math.sqrt(2)))),
    unary("gelu", lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))), "",
          "gelu_tanh", "the slope at -inf is 0, its limit, and not 0 * inf", approximate="tanh"),
    unary("silu", lambda x: x * logistic(x)),
    unary("softplus", softplus),
    unary("softplus", lambda x: np.where(2 * x > 0.5, x, softplus(2 * x) / 2), "beta", beta=2, threshold=0.5),
    unary("leaky_relu", lambda x: np.where(x > 0, x, 0.01 * x)),
    unary("leaky_relu", lambda x: np.where(x > 0, x, -0.5 * x), "slope", negative_slope=-0.5),
    unary("elu", elu, differs=AT_NAN),
    unary("elu", lambda x: elu(x, 0.3), "alpha", differs=AT_NAN, alpha=0.3),
    unary("celu", elu, differs=AT_NAN),
    unary("celu", lambda x: np.where(x > 0, x, 0.3 * (np.exp(x / 0.3) - 1)), "alpha",
          differs="PyTorch rounds 1/alpha to float32 in its gradient", alpha=0.3),
    unary("selu", lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772), differs=AT_NAN),
    unary("hardtanh", lambda x: held(x, -1, 1)),
    unary("hardtanh", lambda x: held(x, -0.4, 0.7), "bounds", min_val=-0.4, max_val=0.7),
    unary("relu6", lambda x: held(x, 0, 6)),
    unary("mish", lambda x: x * np.tanh(softplus(x))),
    unary("hardswish", lambda x: x * held(x + 3, 0, 6) / 6, differs=AT_NAN),
    unary("hardsigmoid", lambda x: held(x + 3, 0, 6) / 6, differs="PyTorch rounds 1/6 to float32 in its gradient"),
    unary("logsigmoid", lambda x: -softplus(-x)),
    unary("softsign", lambda x: x / (1 + np.abs(x)), differs="the slope is 0 at inf, its limit"),
    several("prelu", "", lambda k, x, w: k.nn.functional.prelu(x, w),
            lambda x, w: np.where(x > 0, x, w.reshape((-1,) + (1,) * max(x.ndim - 2, 0)) * x) if w.size > 1
            else np.where(x > 0, x, w.reshape(()) * x),
            ((2, 3), (3,)), ((2, 3, 4), (3,)), ((2, 3), (1,)), ((5,), (1,)), ((), (1,)), ((2, 3), ()), ((0, 3), (3,)),
            kinks=((ENDS.reshape(2, 7), np.full(7, 0.25)),)),
    one("glu", "", lambda k, x: k.nn.functional.glu(x), lambda x: glu(x, -1), (6,), (2, 4), (3, 2, 2), (2, 0)),
    one("glu", "first", lambda k, x: k.nn.functional.glu(x, 0), lambda x: glu(x, 0), (6,), (2, 3), (4, 2, 3),
        kinks=((np.concatenate([ENDS, ENDS[::-1]]),),)),
    one("dropout", "all", lambda k, x: k.nn.functional.dropout(x, 1.0), lambda x: x * 0.0, (), (5,), (2, 3), (0,),
        kinks=((ENDS,),)),
]  # fmt: skip
