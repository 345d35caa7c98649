"""Attention of several heads as a layer."""

from __future__ import annotations

import math
from typing import Any

from kael.creation import empty, zeros
from kael.dtypes import DType
from kael.dtypes import bool as boolean
from kael.nn import functional, init
from kael.nn.linear import Linear
from kael.nn.module import Module
from kael.nn.parameter import Parameter
from kael.tensors import Tensor

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Attention of `num_heads` heads side by side, each in its own part of the projected width.

    Parameters
    ----------
    embed_dim, num_heads : int
        The width of queries, keys and values, and into how many heads it is divided.
    dropout, bias, batch_first, dtype
        As in PyTorch.

    Notes
    -----
    Vaswani et al., Attention Is All You Need, 2017.

    Examples
    --------
    >>> import kael
    >>> x = kael.zeros(2, 5, 8)
    >>> y, weights = kael.nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)
    >>> y.shape, weights.shape
    ((2, 5, 8), (2, 5, 5))
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, batch_first: bool = False,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"MultiheadAttention: num_heads {num_heads} does not divide embed_dim {embed_dim}")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.in_proj_weight = Parameter(empty(3 * embed_dim, embed_dim, dtype=dtype))
        self.register_parameter("in_proj_bias", Parameter(empty(3 * embed_dim, dtype=dtype)) if bias else None)
        self.out_proj = Linear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        init.xavier_uniform_(self.in_proj_weight)
        if bias:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        """Averages of the values, and the weights where they are wanted; a mask of bool is True where none may look."""
        batched = query.ndim == 3
        if not batched:
            query, key, value = [x.unsqueeze(0) for x in (query, key, value)]
        elif not self.batch_first:
            query, key, value = [x.transpose(0, 1) for x in (query, key, value)]
        batch, length, width = query.shape
        if width != self.embed_dim:
            raise RuntimeError(f"MultiheadAttention: queries have {width} numbers but embed_dim is {self.embed_dim}")
        biases = [None] * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        parts = zip((query, key, value), self.in_proj_weight.chunk(3), biases, strict=True)
        q, k, v = [self.split(functional.linear(*part)) for part in parts]
        mask: Any = None if attn_mask is None else additive(attn_mask, q)
        if mask is not None and mask.ndim == 3:
            mask = mask.reshape(batch, self.num_heads, length, -1)
        if key_padding_mask is not None:
            padding = additive(key_padding_mask, q).reshape(batch, 1, 1, -1)
            mask = padding if mask is None else mask + padding
        p = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
            weights = functional.dropout((scores if mask is None else scores + mask).softmax(-1), p)
            y = weights @ v
            weights = weights.mean(1) if average_attn_weights else weights
            weights = weights if batched else weights.squeeze(0)
        else:
            y = functional.scaled_dot_product_attention(q, k, v, mask, p)
        y = self.out_proj(y.transpose(1, 2).reshape(batch, length, width))
        return (y.squeeze(0) if not batched else y if self.batch_first else y.transpose(0, 1)), weights

    def split(self, x: Tensor) -> Tensor:
        """The heads as an axis: ``(B, L, embed_dim)`` to ``(B, num_heads, L, embed_dim / num_heads)``."""
        return x.reshape(*x.shape[:2], self.num_heads, -1).transpose(1, 2)


def additive(mask: Tensor, like: Tensor) -> Tensor:
    """A mask as numbers that are added to the scores: -inf where one of bool is True."""
    return zeros(mask.shape, dtype=like.dtype).masked_fill(mask, -math.inf) if mask.dtype is boolean else mask
