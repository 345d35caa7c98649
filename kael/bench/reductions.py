"""The cases of ``kael bench reductions``: sums, extremes, normalizations and losses of a 1024x1024 matrix."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from kael.bench.cases import Array, Case, backward, forward, numbers
from kael.bench.elementwise import ARRAY, COUNT, FLOAT, GROUP, SIDE

__all__ = ["cases"]

KIND = "reductions"
CLASSES = 1000
ROWS, WIDTH = 512, 64


def cases() -> list[Case]:
    """Forward, then backward where that has a kernel of its own."""
    x, scores = numbers(SIDE, SIDE), numbers(SIDE, CLASSES)
    weight, bias = numbers(SIDE, seed=1), numbers(SIDE, seed=2)
    target = np.random.default_rng(3).integers(0, CLASSES, SIDE)
    reduce = partial(forward, KIND, group=GROUP, traffic=ARRAY)
    change = partial(forward, KIND, group=GROUP, traffic=2 * ARRAY)
    back = partial(backward, KIND, traffic=3 * ARRAY)
    table = FLOAT * SIDE * CLASSES
    return [
        reduce("sum, 1M", lambda _, a: a.sum(), x, numpy=np.sum, work=COUNT),
        reduce("max, 1M", lambda _, a: a.max(), x, numpy=np.max),
        reduce("sum of each row", lambda _, a: a.sum(1), x, numpy=lambda a: a.sum(1), work=COUNT),
        reduce("sum of each column", lambda _, a: a.sum(0), x, numpy=lambda a: a.sum(0), work=COUNT),
        reduce("argmax of each row", lambda _, a: a.argmax(1), x, numpy=lambda a: a.argmax(1)),
        change("transposed copy", lambda _, a: a.T.contiguous(), x, numpy=lambda a: a.T.copy()),
        change("softmax of each row", lambda _, a: a.softmax(1), x, numpy=softmax_in_numpy),
        change("layer_norm of each row", layer_norm, x, weight, bias, numpy=layer_norm_in_numpy),
        reduce("cross_entropy, 1024x1000", cross_entropy, scores, target, numpy=cross_entropy_in_numpy, traffic=table),
        *short_rows(),
        back("max, 1M", lambda _, a: a.max(), x, traffic=2 * ARRAY),
        back("softmax of each row", lambda _, a: a.softmax(1), x),
        back("layer_norm of each row", layer_norm, x, weight, bias),
        back("cross_entropy, 1024x1000", cross_entropy, scores, target, fixed=1, traffic=2 * table),
    ]


def short_rows() -> list[Case]:
    """The same of 512 rows of 64, of which a small transformer has many: what a row costs beside its elements."""
    x, weight, bias = numbers(ROWS, WIDTH), numbers(WIDTH, seed=1), numbers(WIDTH, seed=2)
    target = np.random.default_rng(3).integers(0, WIDTH, ROWS)
    short = partial(forward, KIND, traffic=FLOAT * ROWS * WIDTH)
    return [
        short("sum of each row, 512x64", lambda _, a: a.sum(1), x, numpy=lambda a: a.sum(1)),
        short("max of each row, 512x64", lambda _, a: a.amax(1), x, numpy=lambda a: a.max(1)),
        short("softmax, 512x64", lambda _, a: a.softmax(1), x, numpy=softmax_in_numpy),
        short("layer_norm, 512x64", layer_norm, x, weight, bias, numpy=layer_norm_in_numpy),
        short("cross_entropy, 512x64", cross_entropy, x, target, numpy=cross_entropy_in_numpy),
    ]


def layer_norm(library: Any, x: Any, weight: Any, bias: Any) -> Any:
    """Each row centred, scaled and shifted."""
    return library.nn.functional.layer_norm(x, weight.shape, weight, bias)


def cross_entropy(library: Any, x: Any, target: Any) -> Any:
    """The mean loss of the rows."""
    return library.nn.functional.cross_entropy(x, target)


def softmax_in_numpy(x: Array) -> Array:
    """Softmax of each row."""
    raised: Array = np.exp(x - x.max(1, keepdims=True))
    raised /= raised.sum(1, keepdims=True)
    return raised


def layer_norm_in_numpy(x: Array, weight: Array, bias: Array) -> Array:
    """Each row centred, scaled and shifted."""
    centred: Array = x - x.mean(1, keepdims=True)
    centred *= weight / np.sqrt((centred * centred).mean(1, keepdims=True) + np.float32(1e-5))
    centred += bias
    return centred


def cross_entropy_in_numpy(x: Array, target: Array) -> object:
    """The mean over the rows of log(sum(exp(x))) - x[target]."""
    level = x.max(1, keepdims=True)
    total = np.log(np.exp(x - level).sum(1)) + level[:, 0]
    return np.mean(total - x[np.arange(len(x)), target])
