"""Cases of the operation in `kael.ops.attention`."""

from typing import Any

import numpy as np

from tests.ops.cases.case import one, several

NAME = "scaled_dot_product_attention"

ALLOWED = np.array([[True, False, True], [False, False, False]])
ADDED = np.array([[0.5, -np.inf, 1.0], [-np.inf, -np.inf, -np.inf]])


def attention(k: Any) -> Any:
    """The function of either library."""
    return k.nn.functional.scaled_dot_product_attention


def attend(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray | float = 0.0) -> np.ndarray:
    """Attention as it is written down, 0 where nothing may be looked at."""
    scores = q @ np.swapaxes(k, -1, -2) / np.asarray(np.sqrt(q.shape[-1]), q.dtype) + np.asarray(mask, q.dtype)
    top = np.maximum(scores.max(-1, keepdims=True), -1e30)
    weights = np.exp(scores - top)
    total = weights.sum(-1, keepdims=True)
    return np.asarray((weights / np.where(total == 0, 1, total)) @ v)


def triangle(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """-inf where a key comes after the query."""
    return np.where(np.tri(q.shape[-2], k.shape[-2], dtype=bool), 0, -np.inf)


PLAIN = ((2, 4), (3, 4), (3, 5))
HEADS = ((2, 3, 2, 4), (2, 3, 3, 4), (2, 3, 3, 4))

DIFFERENTIABLE = [
    several(NAME, "", lambda k, q, x, v: attention(k)(q, x, v),
            attend, PLAIN, HEADS, ((2, 1, 2, 4), (3, 3, 4), (3, 3, 4)), ((1, 1), (1, 1), (1, 1)),
            ((0, 4), (3, 4), (3, 4))),
    several(NAME, "causal",
            lambda k, q, x, v: attention(k)(q, x, v, is_causal=True),
            lambda q, k, v: attend(q, k, v, triangle(q, k)), PLAIN, HEADS, ((3, 4), (2, 4), (2, 4))),
    several(NAME, "allowed",
            lambda k, q, x, v: attention(k)(q, x, v, k.tensor(ALLOWED)),
            lambda q, k, v: attend(q, k, v, np.where(ALLOWED, 0, -np.inf)), PLAIN, HEADS),
    several(NAME, "added",
            lambda k, q, x, v: attention(k)(q, x, v, k.tensor(ADDED, dtype=q.dtype)),
            lambda q, k, v: attend(q, k, v, ADDED), PLAIN, HEADS),
    several(NAME, "scaled",
            lambda k, q, x, v: attention(k)(q, x, v, scale=0.25),
            lambda q, k, v: attend(q / 2, k, v), PLAIN),
    one(NAME, "self", lambda k, x: attention(k)(x, x, x),
        lambda x: attend(x, x, x), (3, 4), (2, 3, 4)),
    one(NAME, "mask that learns",
        lambda k, m: attention(k)(
            k.ones(2, 3, dtype=m.dtype), k.ones(4, 3, dtype=m.dtype),
            k.tensor([[1.0], [2.0], [4.0], [8.0]], dtype=m.dtype), m),
        lambda m: attend(np.ones((2, 3), m.dtype), np.ones((4, 3), m.dtype),
                         np.array([[1.0], [2.0], [4.0], [8.0]], m.dtype), m), (2, 4), (4,), (2, 1), ()),
]  # fmt: skip
