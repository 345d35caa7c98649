"""Rung 1, the definition of attention: one query at a time, one key after the other, and no weight is kept.

The weight of a key is e**score, divided by the sum of all. Neither is known before the last key, and e**score may
overflow. So the average is kept as if the largest score so far were the largest of all, and shrunk when a larger one
comes: what has been added up with e**-old becomes what would have been added up with e**-new when it is multiplied by
e**(old - new). Of each query two numbers remain, the largest score and the sum, and from them the gradient makes every
weight again: e**(score - largest) / sum. On paper one would do, the logarithm of e**largest times the sum. But beside a
largest score of 10**9 float32 has no digits left for the logarithm of a sum, and n equal scores would weigh 1 each
instead of 1/n.

Dao, Fu, Ermon, Rudra, Re, FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness, 2022:
algorithm 1 for the forward pass, and for the gradients equations 3 to 6 of appendix B.2, by blocks there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from chapters import ieee
from chapters.ch26_attention.checks import check, errors
from chapters.flat import rounded, shape, store, typecode, values

__all__ = ["attention", "attention_vjp"]

Row = Sequence[float]


def matrices(x: Any, batch: tuple[int, ...]) -> Iterator[list[Row]]:
    """The matrix of an operand, as rows, for each index of the leading axes in order."""
    flat, sizes = values(x), shape(x)
    rows, columns = sizes[-2:]
    lead = (1,) * (len(batch) - len(sizes) + 2) + sizes[:-2]
    for index in product(*(range(size) for size in batch)):
        matrix = 0
        for place, size in zip(index, lead, strict=True):
            matrix = matrix * size + (place if size > 1 else 0)
        start = matrix * rows * columns
        yield [flat[start + i * columns : start + (i + 1) * columns] for i in range(rows)]


def allowed(mask: Any, batch: tuple[int, ...], rows: int, keys: int) -> Iterator[Sequence[Row]]:
    """What is added to the scores of each matrix: 0 where there is no mask, -inf where one of bool says no."""
    if mask is None:
        for _ in product(*(range(size) for size in batch)):
            yield [[0.0] * keys] * rows
        return
    wide = shape(mask) if len(shape(mask)) > 1 else (1,) * (2 - len(shape(mask))) + shape(mask)
    boolean = typecode(mask) == "?"
    for matrix in matrices(Viewed(mask, wide), batch):
        added = [[(0.0 if a else -math.inf) if boolean else a for a in row] for row in matrix]
        spread = [row * keys if len(row) == 1 else row for row in added]
        yield spread * rows if len(spread) == 1 else spread


class Viewed:
    """The elements of an operand under another shape."""

    def __init__(self, x: Any, to: tuple[int, ...]) -> None:
        self.data = values(x)
        self.shape = to

    def __iter__(self) -> Iterator[float]:
        return iter(self.data)


def dot(a: Row, b: Row) -> float:
    """The sum of the products of two rows."""
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total


# region [attention]
def attention(query: Any, key: Any, value: Any, mask: Any, scale: float, causal: bool, out: Any, totals: Any) -> None:
    """``out = softmax(query @ key.T * scale + mask) @ value``, and what each row's weights were made with.

    Parameters
    ----------
    query : float32 or float64, shape (*, L, E)
        What is looked for.
    key : of the type of `query`, shape (*, S, E)
        What is offered.
    value : of the type of `query`, shape (*, S, V)
        What is averaged. The leading axes of these three broadcast to those of `out`.
    mask : bool or of the type of `query`, or None
        Broadcasts to (*, L, S). Of bool: which keys a query sees; else: added to the scores.
    scale : float
        Of the scores.
    causal : bool
        A query sees only the keys up to its own position.
    out : of the type of `query`, shape (*, L, V)
        Receives the averages; 0 for a query that a mask lets see nothing, and where there are no keys.
    totals : of the type of `query`, shape (*, L, 2)
        Receives of each row the largest score and the sum of e**(score - largest); -inf and 0 for such a query.

    Raises
    ------
    TypeError
        When element types differ or are not taken.
    ValueError
        When shapes do not fit, or memory cannot be used.

    Notes
    -----
    On every rung within ``(S + 16 + 2*(E + 3)*c) * eps`` times the largest ``abs(value)``, with c the largest sum of
    ``abs(query * key * scale)`` plus the largest finite ``abs(mask)``. A key that a query does not see must hold finite
    numbers: its weight is 0, but 0 times inf is nan. Beside the results it needs memory for one block of weights.
    """
    check(errors("attention", query, key, value, mask, out, totals))
    batch, (rows, _), (keys, wide) = shape(out)[:-2], shape(query)[-2:], shape(value)[-2:]
    averages: list[float] = []
    pairs: list[float] = []
    code = typecode(query)
    for q, k, v, added in zip(
        matrices(query, batch),
        matrices(key, batch),
        matrices(value, batch),
        allowed(mask, batch, rows, keys),
        strict=True,
    ):
        for i in range(rows):
            best, total, average = -math.inf, 0.0, [0.0] * wide
            for j in range(min(keys, i + 1) if causal else keys):
                score = rounded(dot(q[i], k[j]) * scale + added[i][j], code)
                new = score if score > best else best
                base = 0.0 if new == -math.inf else new
                shrink, weight = ieee.exp(best - base), ieee.exp(score - base)
                total = total * shrink + weight
                for c in range(wide):
                    average[c] = average[c] * shrink + weight * v[j][c]
                best = new
            unseen = total == 0.0 and (mask is not None or keys == 0)
            averages.extend(0.0 if unseen else ieee.div(a, total) for a in average)
            pairs += best, total
    store(out, averages)
    store(totals, pairs)


# endregion [attention]


# region [attention_vjp]
def attention_vjp(
    g: Any, query: Any, key: Any, value: Any, mask: Any, scale: float, causal: bool, out: Any, totals: Any,
    query_gradient: Any, key_gradient: Any, value_gradient: Any,
) -> None:  # fmt: skip
    """The gradients of query, key and value through `attention`.

    With p the weights and s = p * (g @ value.T - sum of g * out): value gets ``p.T @ g``, query ``scale * s @ key``,
    key ``scale * s.T @ query``.

    Parameters
    ----------
    g : of the type of `query`, shape (*, L, V)
        The gradient of `out`.
    query, key, value, mask, scale, causal, out, totals
        As `attention` took and left them.
    query_gradient, key_gradient, value_gradient : of the type of `query`
        Receive the gradients, with all leading axes of `out`: where an operand repeats, the caller adds up.

    Notes
    -----
    A query that sees nothing gives and gets 0. With u = ``abs(g) @ abs(value).T``, a = p * (u + sum of p * u) and
    n = S + E + V + 16 + 4*(E + 3)*c: within ``n * eps * abs(scale)`` times ``a @ abs(key)`` for the query and
    ``a.T @ abs(query)`` for the key, and within ``n * eps`` times ``p.T @ abs(g)`` for the value.
    """
    check(
        errors(
            "attention_vjp", query, key, value, mask, out, totals,
            g=g, query_gradient=query_gradient, key_gradient=key_gradient, value_gradient=value_gradient,
        )
    )  # fmt: skip
    batch, (rows, size), (keys, wide) = shape(out)[:-2], shape(query)[-2:], shape(value)[-2:]
    pairs, code = iter(values(totals)), typecode(query)
    of_query: list[float] = []
    of_key: list[float] = []
    of_value: list[float] = []
    for up, q, k, v, added, result in zip(
        matrices(g, batch), matrices(query, batch), matrices(key, batch), matrices(value, batch),
        allowed(mask, batch, rows, keys), matrices(out, batch), strict=True,
    ):  # fmt: skip
        dq = [[0.0] * size for _ in range(rows)]
        dk = [[0.0] * size for _ in range(keys)]
        dv = [[0.0] * wide for _ in range(keys)]
        for i in range(rows):
            best, total = next(pairs), next(pairs)
            mean = dot(up[i], result[i])
            for j in range(min(keys, i + 1) if causal else keys):
                score = rounded(dot(q[i], k[j]) * scale + added[i][j], code)
                unseen = total == 0.0 and mask is not None
                weight = 0.0 if unseen else ieee.div(ieee.exp(score - best), total)
                slope = weight * (dot(up[i], v[j]) - mean) * scale
                for c in range(wide):
                    dv[j][c] += weight * up[i][c]
                for c in range(size):
                    dq[i][c] += slope * k[j][c]
                    dk[j][c] += slope * q[i][c]
        of_query.extend(x for row in dq for x in row)
        of_key.extend(x for row in dk for x in row)
        of_value.extend(x for row in dv for x in row)
    store(query_gradient, of_query)
    store(key_gradient, of_key)
    store(value_gradient, of_value)


# endregion [attention_vjp]
