"""The cases of ``kael bench attention``: short and long sequences, causal or not, forward and backward."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from kael.bench.cases import Array, Case, backward, forward, numbers

__all__ = ["cases"]

KIND = "attention"
FLOAT = 4  # bytes
SHAPES = {"short": (8, 4, 64, 16), "long": (1, 4, 1024, 64)}  # batch, heads, length, width


def cases() -> list[Case]:
    """Both passes; a causal one needs half of the products."""
    found = []
    for word, shape in SHAPES.items():
        batch, heads, length, width = shape
        operands = [numbers(*shape, seed=seed) for seed in range(3)]
        for causal in (False, True):
            name = f"{word}, {batch * heads} of {length}x{width}{', causal' if causal else ''}"
            work = 4 * batch * heads * length * length * width // (2 if causal else 1)
            traffic = 4 * FLOAT * operands[0].size
            formula, same = partial(attention, causal=causal), partial(attention_in_numpy, causal=causal)
            found.append(forward(KIND, name, formula, *operands, numpy=same, traffic=traffic, work=work))
            found.append(backward(KIND, name, formula, *operands, traffic=2 * traffic, work=5 * work // 2))
    return found


def attention(library: Any, q: Any, k: Any, v: Any, causal: bool) -> Any:
    """``softmax(q @ k.T / sqrt(width)) @ v``."""
    return library.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)


def attention_in_numpy(q: Array, k: Array, v: Array, causal: bool) -> Array:
    """The same with the whole matrix of weights in memory."""
    scores: Array = q @ k.swapaxes(-1, -2) / np.float32(sqrt(q.shape[-1]))
    if causal:
        scores[..., ~np.tri(q.shape[-2], dtype=bool)] = -np.inf
    weights: Array = np.exp(scores - scores.max(-1, keepdims=True))
    mixed: Array = weights / weights.sum(-1, keepdims=True) @ v
    return mixed
