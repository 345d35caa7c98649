"""Embedding: rows of a table, chosen by number."""

from __future__ import annotations

from typing import Any

import numpy

from kael.autograd.node import filled
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.dtypes import int32, int64
from kael.kernels import table
from kael.ops.dispatch import rounded
from kael.tensors import Tensor, fresh


def embedding_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    (padding,) = node.attributes
    shape, dtype = node.inputs[0].shape, g.dtype
    inside = dtype.wide or dtype
    index = node.saved[1].get().array.reshape(1, -1).astype(numpy.int64, copy=False)
    result = filled(shape, inside, 0.0).array
    table.scatter_add_rows(index, g.array.reshape(index.shape[1], shape[1]).astype(inside.numpy, copy=False), result)
    if padding is not None:
        result[padding] = 0.0
    return fresh(rounded(result, inside, dtype), dtype)


EMBEDDING = Op(
    "embedding", "the rows w[index[k]]", embedding_vjp, "g added to the rows it was read from, 0 to the padding row",
    ((1,), ()), dtypes="that of w",
)  # fmt: skip


def embedding(
    x: Any, weight: Any, padding_idx: int | None = None, max_norm: Any = None, norm_type: float = 2.0,
    scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """Rows of a table of vectors, chosen by their numbers.

    Parameters
    ----------
    x : Tensor of int64 or int32, any shape
        The numbers of the rows.
    weight : Tensor of shape (rows, size)
        The table.
    padding_idx : int, optional
        A row that gets no gradient; from the end if negative.
    max_norm, norm_type, scale_grad_by_freq, sparse : optional
        Not in kael; only their defaults are taken.

    Returns
    -------
    Tensor of shape (*x.shape, size)
        The rows.

    Raises
    ------
    IndexError
        For a number of a row that is not there, also for negative ones.
    RuntimeError
        When `x` is neither int64 nor int32, or the table is not a matrix.
    NotImplementedError
        For the options that kael lacks.

    Notes
    -----
    The gradient adds each row of g to the row it was read from, in the order of the numbers: a number that occurs
    twice gets the sum.

    Examples
    --------
    >>> import kael
    >>> table = kael.tensor([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]])
    >>> kael.nn.functional.embedding(kael.tensor([2, 0]), table)
    tensor([[2.0000, 2.5000],
            [0.0000, 0.5000]])
    """
    for name, value, default in (
        ("max_norm", max_norm, None), ("scale_grad_by_freq", scale_grad_by_freq, False), ("sparse", sparse, False),
    ):  # fmt: skip
        if value != default:
            raise NotImplementedError(f"embedding: {name}={value!r} is not in kael; leave it out")
    if not isinstance(x, Tensor) or not isinstance(weight, Tensor):
        name, operand = ("weight", weight) if isinstance(x, Tensor) else ("x", x)
        raise TypeError(f"embedding: {name} is {type(operand).__name__}; it must be a tensor")
    if weight.array.ndim != 2:
        raise RuntimeError(f"'weight' must be 2-D, got shape {weight.array.shape}")
    if x.dtype is not int64 and x.dtype is not int32:
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: int64, int32; but "
            f"got {x.dtype.name} instead (while checking arguments for embedding)"
        )
    rows, size = weight.array.shape
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise AssertionError(f"Padding_idx must be within num_embeddings: {padding_idx} of {rows} rows")
        padding_idx %= rows
    numbers = x.array
    outside = numbers[(numbers < 0) | (numbers >= rows)]
    if outside.size:
        raise IndexError(f"index out of range in self: there is no row {outside.flat[0]} among {rows}")
    if weight.dtype.wide is None:
        found = table.empty((numbers.size, size), weight.dtype.numpy)
        table.gather_rows(weight.array, numbers.reshape(1, -1).astype(numpy.int64, copy=False), found)
    else:
        found = weight.array[numbers.reshape(-1)]
    return record(fresh(found.reshape((*numbers.shape, size)), weight.dtype), EMBEDDING, (weight, x), (padding_idx,))
