"""Finding places: where elements are not zero, and where values belong in a sorted sequence."""

from __future__ import annotations

from typing import Any

import numpy

from kael import dtypes
from kael.autograd.op import Op
from kael.ops.dispatch import as_tensor
from kael.tensors import Tensor, fresh

NONZERO = Op("nonzero", "the places of elements that are not zero", dtypes="int64", numpy=True)
SEARCHSORTED = Op("searchsorted", "where values belong in sorted rows", dtypes="int64 or int32", numpy=True)


def nonzero(x: Tensor, *, as_tuple: bool = False) -> Any:
    """The places of the elements that are not zero, in row-major order: one row of coordinates each.

    Parameters
    ----------
    x : Tensor
        Any tensor; nan is not zero.
    as_tuple : bool
        One vector of coordinates per axis instead, which can index `x`; a 0-d tensor counts as one of one element.

    Examples
    --------
    >>> import kael
    >>> kael.nonzero(kael.tensor([[0, 1], [2, 0]]))
    tensor([[0, 1],
            [1, 0]])
    >>> kael.nonzero(kael.tensor([0.0, 3.0, 1.0]), as_tuple=True)
    (tensor([1, 2]),)
    """
    if as_tuple:
        array = x.array if x.array.ndim else x.array.reshape(1)
        return tuple([fresh(places.astype(numpy.int64), dtypes.int64) for places in array.nonzero()])
    return fresh(numpy.argwhere(x.array).astype(numpy.int64), dtypes.int64)


def argwhere(x: Tensor) -> Tensor:
    """The places of the elements that are not zero, as `nonzero` gives them."""
    places: Tensor = nonzero(x)
    return places


def searchsorted(
    sorted_sequence: Tensor, values: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Where values belong in sorted rows: the first place whose element is not below the value.

    Parameters
    ----------
    sorted_sequence : Tensor
        A sorted vector, or sorted rows of the shape of `values` save for the last axis.
    values : Tensor or number
        What is looked for.
    out_int32 : bool
        Give int32 instead of int64.
    right : bool
        The first place whose element is above the value.
    side : {"left", "right"}, optional
        The same in a word.
    sorter : Tensor, optional
        The places that sort a sequence which is not sorted.

    Raises
    ------
    RuntimeError
        For rows of another shape than those of `values`, and for `side="left"` with `right=True`.

    Examples
    --------
    >>> import kael
    >>> kael.searchsorted(kael.tensor([1.0, 3.0, 5.0]), kael.tensor([3.0, 0.0, 6.0]))
    tensor([1, 0, 3])
    """
    if side not in (None, "left", "right"):
        raise RuntimeError(f"searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            "searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    wanted = as_tensor(values, "searchsorted").array
    if sorted_sequence.dtype is dtypes.bool and wanted.dtype == bool:
        raise NotImplementedError("searchsorted: not implemented for bool; cast to uint8")
    rows = sorted_sequence.array
    if rows.ndim != 1 and (rows.ndim == 0 or rows.shape[:-1] != wanted.shape[:-1] or rows.ndim != wanted.ndim):
        raise RuntimeError(
            "searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor "
            f"and input value tensor must match, but we got boundaries tensor {rows.shape} and input value tensor "
            f"{wanted.shape}"
        )
    if sorter is not None:
        if sorter.array.shape != rows.shape:
            raise RuntimeError(
                f"searchsorted(): boundary and sorter must have the same size, but got boundary tensor {rows.shape} "
                f"and got sorter tensor {sorter.array.shape}"
            )
        rows = numpy.take_along_axis(rows, sorter.array, -1)
    end: Any = "right" if right or side == "right" else "left"
    out = numpy.empty(wanted.shape, numpy.int32 if out_int32 else numpy.int64)
    if rows.ndim == 1:
        out[...] = numpy.searchsorted(rows, wanted, end)
    else:
        for row in numpy.ndindex(*wanted.shape[:-1]):
            out[row] = numpy.searchsorted(rows[row], wanted[row], end)
    return fresh(out, dtypes.int32 if out_int32 else dtypes.int64)


def bucketize(x: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The number of the bucket that each element falls into, between sorted boundaries; see `searchsorted`.

    Examples
    --------
    >>> import kael
    >>> kael.bucketize(kael.tensor([[3.0, 9.0]]), kael.tensor([1.0, 3.0, 5.0]))
    tensor([[1, 3]])
    """
    if boundaries.array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.array.ndim})")
    return searchsorted(boundaries, x, out_int32=out_int32, right=right)


FUNCTIONS = (
    argwhere,
    bucketize,
    nonzero,
    searchsorted,
)
METHODS = (
    argwhere,
    nonzero,
)
