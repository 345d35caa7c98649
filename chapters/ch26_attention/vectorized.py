"""Rung 2: attention in NumPy. The weights of a block of queries at a time, for all matrices of the leading axes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from chapters.ch26_attention.checks import check, errors

__all__ = ["attention", "attention_vjp"]

Array = np.ndarray[Any, Any]

ROWS = 64
"""Queries of a block."""


# region [scores]
def blocks(
    query: Array, key: Array, mask: Array | None, scale: float, causal: bool
) -> Iterator[tuple[slice, slice, Array]]:
    """A block of queries, the keys that they may see, and their scores, -inf where one sees none."""
    rows, keys = query.shape[-2], key.shape[-2]
    for start in range(0, rows, ROWS):
        block = slice(start, min(rows, start + ROWS))
        seen = slice(0, min(keys, block.stop) if causal else keys)
        scores = query[..., block, :] @ key[..., seen, :].swapaxes(-1, -2) * query.dtype.type(scale)
        if causal:
            late = np.arange(seen.stop) > np.arange(block.start, block.stop)[:, None]
            scores = np.where(late, query.dtype.type(-np.inf), scores)
        if mask is not None:
            spread = np.broadcast_to(mask, (*mask.shape[:-2], rows, keys))[..., block, seen]
            scores = np.where(spread, scores, query.dtype.type(-np.inf)) if mask.dtype == bool else scores + spread
        yield block, seen, scores


# endregion [scores]


# region [attention]
def attention(
    query: Array, key: Array, value: Array, mask: Array | None, scale: float, causal: bool, out: Array,
    totals: Array,
) -> None:  # fmt: skip
    """``out = softmax(query @ key.T * scale + mask) @ value``, and what each row's weights were made with."""
    check(errors("attention", query, key, value, mask, out, totals))
    if value.shape[-2] == 0:
        out[...], totals[...] = 0, (-np.inf, 0)
        return
    with np.errstate(all="ignore"):
        for block, seen, scores in blocks(query, key, mask, scale, causal):
            best = np.fmax.reduce(scores, -1, keepdims=True)
            base = np.where(best == -np.inf, best.dtype.type(0), best)
            weights = np.exp(scores - base)
            total = weights.sum(-1, keepdims=True)
            average = (weights @ value[..., seen, :]) / total
            if mask is not None:
                average = np.where(total == 0, average.dtype.type(0), average)
            out[..., block, :] = average
            totals[..., block, :1], totals[..., block, 1:] = best, total


# endregion [attention]


# region [attention_vjp]
def attention_vjp(
    g: Array, query: Array, key: Array, value: Array, mask: Array | None, scale: float, causal: bool, out: Array,
    totals: Array, query_gradient: Array, key_gradient: Array, value_gradient: Array,
) -> None:  # fmt: skip
    """The gradients of query, key and value through `attention`."""
    check(
        errors(
            "attention_vjp", query, key, value, mask, out, totals,
            g=g, query_gradient=query_gradient, key_gradient=key_gradient, value_gradient=value_gradient,
        )
    )  # fmt: skip
    for gradient in (query_gradient, key_gradient, value_gradient):
        gradient[...] = 0
    factor = query.dtype.type(scale)
    with np.errstate(all="ignore"):
        for block, seen, scores in blocks(query, key, mask, scale, causal):
            up, best, total = g[..., block, :], totals[..., block, :1], totals[..., block, 1:]
            weights = np.exp(scores - best) / total
            if mask is not None:
                weights = np.where(total == 0, weights.dtype.type(0), weights)
            mean = (up * out[..., block, :]).sum(-1, keepdims=True)
            slopes = weights * (up @ value[..., seen, :].swapaxes(-1, -2) - mean)
            value_gradient[..., seen, :] += weights.swapaxes(-1, -2) @ up
            key_gradient[..., seen, :] += slopes.swapaxes(-1, -2) @ query[..., block, :] * factor
            query_gradient[..., block, :] = slopes @ key[..., seen, :] * factor


# endregion [attention_vjp]
