"""The cases of ``kael bench elementwise``: functions of a million float32, and their backward passes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from kael.bench.cases import Case, backward, forward, numbers

__all__ = ["GROUP", "cases"]

KIND = "elementwise"
GROUP = "elementwise and reductions"
SIDE = 1024  # a million elements are a square of this side
COUNT = SIDE * SIDE
FLOAT = 4  # bytes
ARRAY = FLOAT * COUNT


def cases() -> list[Case]:
    """Forward, then backward where that has a kernel of its own."""
    x, y, above = numbers(SIDE, SIDE), numbers(SIDE, SIDE, seed=1), np.abs(numbers(SIDE, SIDE)) + np.float32(0.1)
    bias = numbers(SIDE, seed=2)
    binary = partial(forward, KIND, group=GROUP, traffic=3 * ARRAY, work=COUNT)
    unary = partial(forward, KIND, group=GROUP, traffic=2 * ARRAY)
    back = partial(backward, KIND, traffic=3 * ARRAY)
    return [
        binary("add, 1M", lambda _, a, b: a + b, x, y, numpy=np.add),
        binary("mul, 1M", lambda _, a, b: a * b, x, y, numpy=np.multiply),
        binary("div, 1M", lambda _, a, b: a / b, x, above, numpy=np.divide),
        unary("exp, 1M", lambda _, a: a.exp(), x, numpy=np.exp),
        unary("log, 1M", lambda _, a: a.log(), above, numpy=np.log),
        unary("tanh, 1M", lambda _, a: a.tanh(), x, numpy=np.tanh),
        unary("sigmoid, 1M", lambda _, a: a.sigmoid(), x, numpy=lambda a: 1 / (1 + np.exp(-a))),
        unary("gelu, 1M", gelu, x),
        unary("relu, 1M", lambda _, a: a.relu(), x, numpy=lambda a: np.maximum(a, 0), work=COUNT),
        unary("add a row to 1024x1024", lambda _, a, b: a + b, x, bias, numpy=np.add, work=COUNT),
        back("mul, 1M", lambda _, a, b: a * b, x, y, traffic=5 * ARRAY, work=2 * COUNT),
        back("div, 1M", lambda _, a, b: a / b, x, above, traffic=5 * ARRAY),
        back("exp, 1M", lambda _, a: a.exp(), x, work=COUNT),
        back("log, 1M", lambda _, a: a.log(), above, work=COUNT),
        back("tanh, 1M", lambda _, a: a.tanh(), x, work=3 * COUNT),
        back("sigmoid, 1M", lambda _, a: a.sigmoid(), x, work=3 * COUNT),
        back("gelu, 1M", gelu, x),
        back("relu, 1M", lambda _, a: a.relu(), x),
        back("add a row to 1024x1024", lambda _, a, b: a + b, x, bias, traffic=ARRAY),
    ]


def gelu(library: Any, x: Any) -> Any:
    """gelu by the error function."""
    return library.nn.functional.gelu(x)
