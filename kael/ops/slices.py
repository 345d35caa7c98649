"""Reading, writing, adding and filling whole slices along one axis, named by a vector of places."""

from __future__ import annotations

from typing import Any

import numpy

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.dtypes import DType
from kael.ops.dispatch import axis_of, scalar, sum_to
from kael.ops.indexing import check_number, number_of
from kael.ops.places import Places, at_least_1d, last_written, out_of_bounds, put, read, spread
from kael.tensors import Tensor, fresh


def index_select_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    (axis,) = node.attributes
    result = filled(node.inputs[0].shape, g.dtype, 0.0)
    put(slices(axis, node.saved[1].get()), at_least_1d(g.array), at_least_1d(result.array), g.dtype, adding=True)
    return result


def index_add_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axis, alpha = node.attributes
    if position == 0:
        return g
    chosen = read(slices(axis, node.saved[1].get()), at_least_1d(g.array), g.dtype)
    return fresh(scaled(chosen, alpha, g.dtype).reshape(node.inputs[2].shape), g.dtype)


def index_copy_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    (axis,) = node.attributes
    places = slices(axis, node.saved[1].get())
    if position == 0:
        return without(places, g)
    chosen = read(places, at_least_1d(g.array), g.dtype)
    chosen *= spread(last_written(places, at_least_1d(g.array)), places, chosen)
    return fresh(chosen.reshape(node.inputs[2].shape), g.dtype)


def index_fill_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    (axis,) = node.attributes
    places = slices(axis, node.saved[1].get())
    if position == 0:
        return without(places, g)
    return sum_to(fresh(numpy.asarray(g.array - without(places, g).array), g.dtype), ())


INDEX_SELECT = Op(
    "index_select", "the slices of x that an index names", index_select_vjp, "g added to the slices that were read",
    ((1,), ()), dtypes="that of x",
)  # fmt: skip
INDEX_ADD = Op(
    "index_add", "x with alpha * source added to the slices that an index names", index_add_vjp,
    "g to x; alpha * g at the slices to source", ((), (), (1,)), passes=True, dtypes="that of x",
)  # fmt: skip
INDEX_COPY = Op(
    "index_copy", "x with source written to the slices that an index names", index_copy_vjp,
    "g to x, 0 at written slices; g at the slices to source", ((1,), (), (1,)),
    kinks="of values written to one slice the last one alone gets a gradient", dtypes="that of x",
)  # fmt: skip
INDEX_FILL = Op(
    "index_fill", "x with one value in the slices that an index names", index_fill_vjp,
    "g to x, 0 at filled slices; the sum of g over these to a tensor's value", ((1,), (), (1,)), dtypes="that of x",
)  # fmt: skip


def slices(axis: int, index: Tensor) -> Places:
    """The slices of an axis that a vector of places names, checked before."""
    return Places((axis,), index.array.reshape(1, -1).astype(numpy.int64))


def without(places: Places, g: Tensor) -> Tensor:
    """A gradient with zeros at places."""
    result = fresh(g.array.copy(), g.dtype)
    view = at_least_1d(result.array)
    put(places, numpy.zeros(places.shape(view), g.dtype.numpy), view, g.dtype)
    return result


def vector(op: str, index: Any, size: int, axis: int, error: type[Exception], negative: bool = False) -> Tensor:
    """An index along an axis: a vector of places, or one place.

    Raises
    ------
    TypeError
        When it is no tensor.
    RuntimeError
        When it is not of int32 or int64.
    IndexError
        When it has more than one axis.
    """
    if not isinstance(index, Tensor):
        raise TypeError(f"{op}(): argument 'index' (position 3) must be Tensor, not {type(index).__name__}")
    if index.dtype not in (dtypes.int32, dtypes.int64):
        raise RuntimeError(f"{op}(): Expected dtype int32/int64 for index but got: {index.dtype.name}")
    if index.array.ndim > 1:
        raise IndexError(f"{op}(): Index is supposed to be a vector, but got dim: {index.array.ndim}")
    places = index.array
    if places.size:
        lowest, highest = int(places.min()), int(places.max())
        if highest >= size or lowest < (-size if negative else 0):
            raise error(out_of_bounds(highest if highest >= size else lowest, axis, size))
        if lowest < 0:
            return fresh(numpy.where(places < 0, places + size, places), index.dtype)
    return index


def size_along(x: Tensor, axis: int) -> int:
    """The size of an axis; a 0-d tensor counts as one element."""
    return int(at_least_1d(x.array).shape[axis])


def index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices along an axis that a vector of places names.

    Examples
    --------
    >>> import kael
    >>> kael.index_select(kael.tensor([[1, 2, 3], [4, 5, 6]]), 1, kael.tensor([2, 2, 0]))
    tensor([[3, 3, 1],
            [6, 6, 4]])
    """
    axis = axis_of(dim, x.array.ndim)
    index = vector("index_select", index, size_along(x, axis), axis, IndexError)
    if x.array.ndim == 0 and index.array.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.array.size} value(s)")
    chosen = read(slices(axis, index), at_least_1d(x.array), x.dtype)
    if x.array.ndim == 0:
        chosen = chosen.reshape(())
    return record(fresh(chosen, x.dtype), INDEX_SELECT, (x, index), (axis,))


def index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """A copy of x with ``alpha * source`` added to the slices along an axis that a vector of places names.

    Examples
    --------
    >>> import kael
    >>> kael.index_add(kael.zeros(3), 0, kael.tensor([0, 2, 0]), kael.tensor([1.0, 2.0, 3.0]), alpha=10)
    tensor([40.,  0., 20.])
    """
    axis, index = checked_slices("index_add", x, dim, index, source, RuntimeError)
    value = source.array
    if alpha != 1:
        value = scaled(value, alpha, x.dtype)
    result = x.array.copy()
    put(slices(axis, index), at_least_1d(value), at_least_1d(result), x.dtype, adding=True)
    return record(fresh(result, x.dtype), INDEX_ADD, (x, index, source), (axis, alpha))


def index_copy(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """A copy of x with source written to slices along an axis, named by a vector of places; the last one stays.

    Examples
    --------
    >>> import kael
    >>> kael.index_copy(kael.zeros(3), 0, kael.tensor([0, 2]), kael.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    axis, index = checked_slices("index_copy", x, dim, index, source, IndexError)
    result = x.array.copy()
    put(slices(axis, index), at_least_1d(source.array), at_least_1d(result), x.dtype)
    return record(fresh(result, x.dtype), INDEX_COPY, (x, index, source), (axis,))


def scaled(array: Any, alpha: Any, dtype: DType) -> Any:
    """An array times a number, in its own dtype: an integer array is multiplied by what is left of a fraction."""
    check_number(alpha, dtype)
    factor = scalar(alpha if dtype.is_floating_point else int(alpha), dtype).array
    with numpy.errstate(all="ignore"):
        return numpy.multiply(array, factor, dtype=dtype.numpy)


def checked_slices(
    op: str, x: Tensor, dim: int, index: Tensor, source: Any, error: type[Exception]
) -> tuple[int, Tensor]:
    """The axis and the index of an operation that lays a source over slices.

    Raises
    ------
    RuntimeError
        For a source of another dtype, or of other sizes than the slices.
    """
    axis = axis_of(dim, x.array.ndim)
    if not isinstance(source, Tensor):
        raise TypeError(f"{op}(): argument 'source' (position 4) must be Tensor, not {type(source).__name__}")
    if source.dtype is not x.dtype:
        raise RuntimeError(
            f"{op}_(): self ({x.dtype.name}) and source ({source.dtype.name}) must have the same scalar type"
        )
    index = vector(op, index, size_along(x, axis), axis, error)
    have, given = list(at_least_1d(x.array).shape), at_least_1d(source.array).shape
    have[axis] = index.array.size
    if len(given) == len(have) and given[axis] != have[axis]:
        raise error(
            f"{op}_(): Number of indices ({index.array.size}) should be equal to source.size(dim): ({given[axis]}), "
            f"for dim: {axis}"
        )
    if given != tuple(have):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{x.array.shape} source.shape = {source.array.shape}"
        )
    return axis, index


def index_fill(x: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """A copy of x with one value in the slices along an axis that a vector of places names.

    Examples
    --------
    >>> import kael
    >>> kael.index_fill(kael.zeros(2, 3), 1, kael.tensor([0, -1]), 7)
    tensor([[7., 0., 7.],
            [7., 0., 7.]])
    """
    axis = axis_of(dim, x.array.ndim)
    if isinstance(index, Tensor) and index.dtype is not dtypes.int64:
        raise IndexError(f"index_fill_(): Expected dtype int64 for index, got {index.dtype.name}.")
    index = vector("index_fill", index, size_along(x, axis), axis, IndexError, negative=True)
    number = number_of("index_fill", value, x)
    result = x.array.copy()
    places, view = slices(axis, index), at_least_1d(result)
    put(places, numpy.broadcast_to(number.array, places.shape(view)), view, x.dtype)
    return record(fresh(result, x.dtype), INDEX_FILL, (x, index, number), (axis,))


FUNCTIONS = METHODS = (
    index_add,
    index_copy,
    index_fill,
    index_select,
)
INPLACE = (
    index_add,
    index_copy,
    index_fill,
)
