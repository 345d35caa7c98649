"""Filling, writing and selecting where a mask is true."""

from __future__ import annotations

from typing import Any

import numpy

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.ops.dispatch import common_shape, sum_to
from kael.ops.indexing import getitem, number_of
from kael.tensors import Tensor, fresh, view_of


def masked_fill_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    mask = node.saved[1].get().array
    zero = g.dtype.numpy.type(0)
    if position == 0:
        return sum_to(fresh(numpy.where(mask, zero, g.array), g.dtype), node.inputs[0].shape)
    return sum_to(fresh(numpy.where(mask, g.array, zero), g.dtype), ())


def masked_scatter_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    mask = numpy.broadcast_to(node.saved[1].get().array, g.array.shape)
    if position == 0:
        kept = numpy.where(mask, g.dtype.numpy.type(0), g.array)
        return sum_to(fresh(kept, g.dtype), node.inputs[0].shape)
    result = filled(node.inputs[2].shape, g.dtype, 0.0)
    chosen = g.array[mask]
    result.array.reshape(-1)[: chosen.size] = chosen
    return result


MASKED_FILL = Op(
    "masked_fill", "value where the mask is true, else x", masked_fill_vjp,
    "g to x, 0 where filled; the sum of g there to a tensor's value", ((1,), (), (1,)),
    dtypes="that of x", numpy=True,
)  # fmt: skip
MASKED_SCATTER = Op(
    "masked_scatter", "the next element of source where the mask is true, else x", masked_scatter_vjp,
    "g to x, 0 where written; g at the true places to source, 0 beyond them", ((1,), (), (1,)),
    dtypes="that of x", numpy=True,
)  # fmt: skip


def check_is_mask(op: str, mask: Any) -> None:
    """Raise for what is no tensor of bools."""
    if not isinstance(mask, Tensor):
        raise TypeError(f"{op}(): argument 'mask' (position 2) must be Tensor, not {type(mask).__name__}")
    if mask.dtype is not dtypes.bool:
        raise RuntimeError(f"{op}_ only supports boolean masks, but got mask with dtype {mask.dtype.name}")


def masked_fill(x: Tensor, mask: Tensor, value: Any) -> Tensor:
    """The elements of x, with one value where the mask is true; x and mask broadcast.

    Raises
    ------
    RuntimeError
        For a mask that is not of bools, a value with axes, and a number that the dtype of `x` cannot hold.

    Examples
    --------
    >>> import kael
    >>> kael.masked_fill(kael.tensor([1.0, 2.0, 3.0]), kael.tensor([True, False, True]), 0)
    tensor([0., 2., 0.])
    """
    check_is_mask("masked_fill", mask)
    number = number_of("masked_fill", value, x)
    common_shape(mask.array.shape, x.array.shape)
    result = numpy.where(mask.array, number.array, x.array)
    return record(fresh(result, x.dtype), MASKED_FILL, (x, mask, number))


def masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of x, with those of source in turn where the mask is true; x and mask broadcast.

    Raises
    ------
    RuntimeError
        For a mask that is not of bools, and for a source of another dtype or with fewer elements than the mask has
        true places.

    Examples
    --------
    >>> import kael
    >>> kael.masked_scatter(kael.zeros(3), kael.tensor([True, False, True]), kael.tensor([1.0, 2.0, 3.0]))
    tensor([1., 0., 2.])
    """
    check_is_mask("masked_scatter", mask)
    if source.dtype is not x.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got {x.dtype.name} and "
            f"{source.dtype.name}"
        )
    shape = common_shape(mask.array.shape, x.array.shape)
    where = numpy.broadcast_to(mask.array, shape)
    count = int(where.sum())
    if source.array.size < count:
        raise RuntimeError(f"Number of elements of source < number of ones in mask: {source.array.size} < {count}")
    result = numpy.broadcast_to(x.array, shape).copy()
    result[where] = source.array.reshape(-1)[:count]
    return record(fresh(result, x.dtype), MASKED_SCATTER, (x, mask, source))


def masked_select(x: Tensor, mask: Tensor) -> Tensor:
    """The elements of x where the mask is true, as a vector; x and mask broadcast.

    Examples
    --------
    >>> import kael
    >>> kael.masked_select(kael.tensor([[1, 2], [3, 4]]), kael.tensor([True, False]))
    tensor([1, 3])
    """
    if not isinstance(mask, Tensor) or mask.dtype is not dtypes.bool:
        kind = mask.dtype.name if isinstance(mask, Tensor) else type(mask).__name__
        raise RuntimeError(f"masked_select: expected BoolTensor for mask, got {kind}")
    shape = common_shape(x.array.shape, mask.array.shape)
    return getitem(x.expand(*shape), view_of(mask, numpy.broadcast_to(mask.array, shape)))


FUNCTIONS = METHODS = (
    masked_fill,
    masked_scatter,
    masked_select,
)
INPLACE = (
    masked_fill,
    masked_scatter,
)
