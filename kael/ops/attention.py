"""Scaled dot-product attention: each query's average of the values, weighted by how well their keys fit it.

Two ways: chapter 26's kernels, which never hold the matrix of all weights, and a composition of products and a softmax
that does, for what wants the weights themselves: dropout, the gradient of a mask, and float16.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from kael.autograd.op import OUTPUT, Op
from kael.autograd.recording import record, requires_grad
from kael.dtypes import bool as boolean
from kael.dtypes import float32
from kael.generators import default_generator
from kael.kernels import table
from kael.ops.dispatch import common_shape, compute, rounded, sum_to
from kael.ops.matmul import product
from kael.tensors import Tensor, fresh


def attention_vjp(node: Any, g: Tensor) -> list[Tensor | None]:
    """The gradients of query, key and value."""
    scale, causal, totals = node.attributes
    query, key, value = [node.saved[position].get().array for position in range(3)]
    mask = node.saved[3].get().array if len(node.inputs) > 3 else None
    out = node.saved[-1].get().array
    batch = out.shape[:-2]
    made = [laid_as(operand, (*batch, *operand.shape[-2:])) for operand in (query, key, value)]
    if mask is not None and mask.dtype not in (bool, out.dtype):
        mask = mask.astype(out.dtype)
    table.attention_vjp(g.array, query, key, value, mask, scale, causal, out, totals, *made)
    results: list[Tensor | None] = [None] * len(node.inputs)
    for position, array in enumerate(made):
        if node.inputs[position].requires_grad:
            results[position] = sum_to(fresh(array, g.dtype), node.inputs[position].shape)
    return results


def laid_as(operand: Any, shape: tuple[int, ...]) -> Any:
    """An empty array whose heads and positions lie in memory in the order in which those of an operand do.

    Heads that are views of a projection give heads that are views of what the next layer reads, without a copy.
    """
    if len(shape) < 3 or operand.ndim < 3 or operand.strides[-3] >= operand.strides[-2]:
        return table.empty(shape, operand.dtype)
    turned: Any = table.empty((*shape[:-3], shape[-2], shape[-3], shape[-1]), operand.dtype)
    return turned.swapaxes(-3, -2)


def weights_vjp(node: Any, g: Tensor) -> list[Tensor | None]:
    """The gradients of query, key, value and mask."""
    weights, kept, scale = node.attributes
    inside = g.dtype.wide or g.dtype
    wanted = [link.requires_grad for link in node.inputs]
    gradient = g.array.astype(inside.numpy, copy=False)
    made: list[Any] = [None] * len(wanted)
    # [attention-vjp]
    if wanted[2]:
        dropped = weights if kept is None else weights * kept
        made[2] = product(dropped.swapaxes(-1, -2), gradient, inside)
    if any(wanted[:2] + wanted[3:]):
        slopes = product(gradient, saved_array(node, 2, inside).swapaxes(-1, -2), inside)
        if kept is not None:
            table.mul(slopes, kept, slopes)
        scores = table.empty(weights.shape, inside.numpy)
        table.softmax_vjp(slopes, weights, scores)
        if wanted[0]:
            made[0] = product(scores, saved_array(node, 1, inside), inside)
        if wanted[1]:
            made[1] = product(scores.swapaxes(-1, -2), saved_array(node, 0, inside), inside)
        made[3:] = [scores] * len(made[3:])
    # [/attention-vjp]
    results: list[Tensor | None] = [None] * len(made)
    for position, array in enumerate(made):
        if wanted[position]:
            link = node.inputs[position]
            summed = compute(table.sum, link.shape, inside, inside, array).array
            if position < 2:
                table.mul(summed, numpy.asarray(scale, inside.numpy), summed)
            results[position] = fresh(rounded(summed, inside, link.dtype), link.dtype)
    return results


def saved_array(node: Any, position: int, inside: Any) -> Any:
    """A saved operand in the dtype that is computed in."""
    return node.saved[position].get().array.astype(inside.numpy, copy=False)


NAME = "scaled_dot_product_attention"
FORMULA = "softmax(q @ k.mT * scale + mask) @ v"
GRADIENT = (
    "with p the softmax and s = p*(g @ v.mT - sum of p*(g @ v.mT)): scale*s @ k to q, scale*s.mT @ q to k, p.mT @ g to "
    "v, s to the mask"
)
KINKS = "0 where a query may look at no key"
ALL = (0, 1, 2, OUTPUT)
ATTENTION = Op(NAME, FORMULA, attention_vjp, GRADIENT, (ALL, ALL, ALL), jointly=True, kinks=KINKS, dtypes="equal")
MASKED = Op(
    NAME, FORMULA, attention_vjp, GRADIENT, ((3, *ALL), (3, *ALL), (3, *ALL), ()), jointly=True, kinks=KINKS,
    dtypes="equal", listed=False,
)  # fmt: skip
WEIGHTED = Op(
    NAME,
    FORMULA,
    weights_vjp,
    GRADIENT,
    ((1, 2), (0, 2), (), (2,)),
    jointly=True,
    kinks=KINKS,
    dtypes="equal",
    listed=False,
)


def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    """``softmax(query @ key.mT * scale + mask) @ value``: for each query an average of the values.

    Parameters
    ----------
    query : Tensor of shape (*, L, E)
        What is looked for, of L positions.
    key : Tensor of shape (*, S, E)
        What S positions offer.
    value : Tensor of shape (*, S, V)
        What is averaged. The leading axes broadcast.
    attn_mask : Tensor that broadcasts to (*, L, S), optional
        Of bool: True where a query may look. Of float32 or the queries' dtype: added to the scores.
    dropout_p : float
        The share of weights that is set to 0, the others divided by 1 - p. It applies always; pass 0 in evaluation.
    is_causal : bool
        A query may look only at keys up to its own position.
    scale : float, optional
        Of the scores; 1/sqrt(E) when left out.
    enable_gqa : bool
        Not in kael; repeat the heads of key and value with `repeat_interleave`.

    Returns
    -------
    Tensor of shape (*, L, V)
        The averages; 0 for a query that may look at no key, and so is its gradient.

    Raises
    ------
    RuntimeError
        When shapes or dtypes do not fit, or a mask comes together with `is_causal`.
    NotImplementedError
        For `enable_gqa`.

    Notes
    -----
    One node. It keeps the operands, the result and two numbers per query, and backward makes the weights again block by
    block: memory grows with L + S. With dropout, float16, or a mask that requires grad it keeps the L x S weights.

    Vaswani et al., Attention Is All You Need, 2017. Dao et al., FlashAttention: Fast and Memory-Efficient Exact
    Attention with IO-Awareness, 2022.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> kael.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)
    tensor([[1.0000, 0.0000],
            [0.3302, 0.6698]])
    """
    check_operands(query, key, value)
    if enable_gqa:
        raise NotImplementedError(
            "scaled_dot_product_attention: enable_gqa is not in kael; repeat the heads of key and value with "
            "repeat_interleave"
        )
    if is_causal and attn_mask is not None:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if not 0.0 <= dropout_p <= 1.0:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
    factor = 1.0 / math.sqrt(query.array.shape[-1] or 1) if scale is None else float(scale)
    batch = common_shape(query.array.shape[:-2], key.array.shape[:-2])
    mask = checked_mask(attn_mask, query, (*batch, query.array.shape[-2], key.array.shape[-2]))
    operands = (query, key, value) if attn_mask is None else (query, key, value, attn_mask)
    learned = attn_mask is not None and requires_grad(attn_mask)
    if dropout_p > 0.0 or learned or query.dtype.wide is not None:
        return weighted(operands, mask, dropout_p, is_causal, factor)
    q, k, v = query.array, key.array, value.array
    batch = common_shape(batch, v.shape[:-2])
    # [attention]
    if mask is not None and mask.dtype not in (bool, q.dtype):
        mask = mask.astype(q.dtype)
    out = laid_as(q, (*batch, q.shape[-2], v.shape[-1]))
    totals = table.empty((*batch, q.shape[-2], 2), q.dtype)
    table.attention(q, k, v, mask, factor, is_causal, out, totals)
    # [/attention]
    op = ATTENTION if attn_mask is None else MASKED
    return record(fresh(out, query.dtype), op, operands, (factor, is_causal, totals))


def weighted(operands: tuple[Tensor, ...], mask: Any, dropout_p: float, is_causal: bool, factor: float) -> Tensor:
    """Attention by way of the matrix of its weights."""
    dtype = operands[0].dtype
    inside = dtype.wide or dtype
    q, k, v = [operand.array.astype(inside.numpy, copy=False) for operand in operands[:3]]
    # [weighted]
    scores = product(q, k.swapaxes(-1, -2), inside)
    table.mul(scores, numpy.asarray(factor, inside.numpy), scores)
    if is_causal:
        mask = causal(scores.shape)
    if mask is not None and mask.dtype == bool:
        table.where(mask, scores, numpy.asarray(-math.inf, inside.numpy), scores)
    elif mask is not None:
        table.add(scores, mask.astype(inside.numpy, copy=False), scores)
    weights = table.empty(scores.shape, inside.numpy)
    table.softmax(scores, weights)
    if len(operands) > 3:
        weights[(scores == -math.inf).all(-1)] = 0.0
    kept = None
    if dropout_p > 0.0:
        drawn = default_generator.numpy.random(weights.shape, numpy.float32) >= dropout_p
        kept = (drawn * (0.0 if dropout_p == 1.0 else 1.0 / (1.0 - dropout_p))).astype(inside.numpy)
    result = product(weights if kept is None else weights * kept, v, inside)
    # [/weighted]
    return record(fresh(rounded(result, inside, dtype), dtype), WEIGHTED, operands, (weights, kept, factor))


def causal(shape: tuple[int, ...]) -> Any:
    """The mask of queries that look at the keys up to their own position."""
    rows, columns = shape[-2:]
    return numpy.arange(rows)[:, None] >= numpy.arange(columns)


def check_operands(query: Any, key: Any, value: Any) -> None:
    """Refuse operands that are no tensors, of other dtypes, or without two axes."""
    for name, operand in (("query", query), ("key", key), ("value", value)):
        if not isinstance(operand, Tensor):
            raise TypeError(
                f"scaled_dot_product_attention(): argument '{name}' must be Tensor, not {type(operand).__name__}"
            )
    if not query.dtype is key.dtype is value.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got "
            f"query.dtype: {query.dtype.name} key.dtype: {key.dtype.name} and value.dtype: {value.dtype.name} instead."
        )
    if not query.dtype.is_floating_point:
        raise RuntimeError(f"scaled_dot_product_attention: the operands are {query.dtype.name}; cast them to float32")
    ndims = query.array.ndim, key.array.ndim, value.array.ndim
    if min(ndims) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {ndims[0]} key.dim: "
            f"{ndims[1]} and value.dim: {ndims[2]} instead."
        )
    (rows, size), (keys, found) = query.array.shape[-2:], key.array.shape[-2:]
    if size != found:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{size} and {found}x{keys}): the queries have size "
            f"{size} and the keys {found}"
        )
    if keys != value.array.shape[-2]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{keys} and {value.array.shape[-2]}x"
            f"{value.array.shape[-1]}): there are {keys} keys but {value.array.shape[-2]} values"
        )


def checked_mask(mask: Any, query: Tensor, shape: tuple[int, ...]) -> Any:
    """The array of a mask, refused unless it broadcasts to the scores."""
    if mask is None:
        return None
    if mask.dtype not in (boolean, float32, query.dtype):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float32 or to match query dtype, but got attn_mask.dtype: "
            f"{mask.dtype.name} and  query.dtype: {query.dtype.name} instead."
        )
    try:
        fits = numpy.broadcast_shapes(mask.array.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise RuntimeError(
            f"scaled_dot_product_attention: attn_mask is {mask.array.shape} but the scores are {shape}; the mask must "
            "broadcast to them"
        )
    return mask.array
