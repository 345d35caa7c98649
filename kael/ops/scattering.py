"""Reading, writing, adding and reducing along one axis: an index says, element by element, where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import OUTPUT, Op
from kael.autograd.recording import record
from kael.dtypes import DType
from kael.kernels import table
from kael.ops.dispatch import axis_of, common_shape, rounded
from kael.ops.indexing import check_number
from kael.ops.inplace import in_place
from kael.ops.places import at_least_1d, change, from_the_front, out_of_bounds
from kael.tensors import Tensor, fresh


def gather_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    (axis,) = node.attributes
    result = filled(node.inputs[0].shape, g.dtype, 0.0)
    add_along(result.array, axis, node.saved[1].get(), g.array, g.dtype)
    return result


def scatter_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    (axis,) = node.attributes
    index = node.saved[1].get()
    if position == 0:
        result = fresh(g.array.copy(), g.dtype)
        put_along(result.array, axis, index, numpy.zeros(index.array.shape, g.dtype.numpy), g.dtype)
        return result
    number = numpy.arange(index.array.size).reshape(index.array.shape)
    last = numpy.empty(g.array.shape, numpy.int64)
    put_along(last, axis, index, number, dtypes.int64)
    kept = read_along(last, axis, index, dtypes.int64) == number
    return padded(read_along(g.array, axis, index, g.dtype) * kept, node.inputs[2].shape, g.dtype)


def scatter_add_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    (axis,) = node.attributes
    if position == 0:
        return g
    chosen = read_along(g.array, axis, node.saved[1].get(), g.dtype)
    return padded(chosen, node.inputs[2].shape, g.dtype)


def scatter_reduce_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axis, how, include_self = node.attributes
    x, index, src, out = [node.saved[which].get() for which in (0, 1, 2, OUTPUT)]
    part = front(src.array, index)
    if how in ("sum", "mean"):
        counts = counted(x.array.shape, axis, index, include_self) if how == "mean" else 1
        share = fresh(numpy.asarray(g.array / counts, g.dtype.numpy), g.dtype)
        return to_sources(share, node, position)
    if how == "prod":
        return product_vjp(node, g, position)
    mine = numpy.asarray(x.array == out.array, g.dtype.numpy)
    if not include_self:
        put_along(mine, axis, index, numpy.zeros(part.shape, g.dtype.numpy), g.dtype)
    theirs = (part == read_along(out.array, axis, index, g.dtype)).astype(g.dtype.numpy)
    ties = mine.copy()
    add_along(ties, axis, index, theirs, g.dtype)
    share = fresh(numpy.asarray(g.array / ties), g.dtype)
    if position == 0:
        made = numpy.asarray(share.array * mine)
        if not include_self:
            put_along(made, axis, index, numpy.zeros(part.shape, g.dtype.numpy), g.dtype)
        return fresh(made, g.dtype)
    return padded(read_along(share.array, axis, index, g.dtype) * theirs, src.array.shape, g.dtype)


def product_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    """The gradient of a product: g times the product of the other factors, also where one or several are 0."""
    axis, _, include_self = node.attributes
    x, index, src = [node.saved[which].get() for which in (0, 1, 2)]
    part = front(src.array, index)
    base = x.array.copy()
    if not include_self:
        put_along(base, axis, index, numpy.ones(part.shape, g.dtype.numpy), g.dtype)
    zeros = numpy.asarray(base == 0, g.dtype.numpy)
    add_along(zeros, axis, index, (part == 0).astype(g.dtype.numpy), g.dtype)
    others = reduced(numpy.where(base == 0, 1, base), axis, index, numpy.where(part == 0, 1, part), "prod", True)
    if position == 0:
        slope = without_factor(base, zeros, others)
        if not include_self:
            put_along(slope, axis, index, numpy.zeros(part.shape, g.dtype.numpy), g.dtype)
        return fresh(numpy.asarray(g.array * slope, g.dtype.numpy), g.dtype)
    there = [read_along(array.astype(g.dtype.numpy), axis, index, g.dtype) for array in (zeros, others, g.array)]
    return padded((there[2] * without_factor(part, there[0], there[1])).astype(g.dtype.numpy), src.array.shape, g.dtype)


def without_factor(factor: Any, zeros: Any, others: Any) -> Any:
    """A product without one factor, from the number of zeros in it and the product of what is not zero."""
    rest = others / numpy.where(factor == 0, 1, factor)
    return numpy.where(zeros == (factor == 0), rest, 0)


def to_sources(share: Tensor, node: Any, position: int) -> Tensor:
    """A gradient that goes to x, save where it is left out, and to src alike."""
    axis, _, include_self = node.attributes
    index = node.saved[1].get()
    if position == 0:
        if not include_self:
            put_along(share.array, axis, index, numpy.zeros(index.array.shape, share.dtype.numpy), share.dtype)
        return share
    return padded(read_along(share.array, axis, index, share.dtype), node.inputs[2].shape, share.dtype)


GATHER = Op(
    "gather", "x[index[i, j], j] for axis 0 of two", gather_vjp, "g added at the places that were read", ((1,), ()),
    dtypes="that of x",
)  # fmt: skip
SCATTER = Op(
    "scatter", "x with src written at x[index[i, j], j] for axis 0 of two", scatter_vjp,
    "g to x, 0 at written places; g at the places to src, 0 beyond the index", ((1,), (), (1,)),
    kinks="of values written to one place the last one alone gets a gradient", dtypes="that of x",
)  # fmt: skip
SCATTER_ADD = Op(
    "scatter_add", "x with src added at x[index[i, j], j] for axis 0 of two", scatter_add_vjp,
    "g to x; g at the places to src, 0 beyond the index", ((), (), (1,)), passes=True, dtypes="that of x",
)  # fmt: skip
SCATTER_REDUCE = Op(
    "scatter_reduce", "x with src reduced into x[index[i, j], j] for axis 0 of two", scatter_reduce_vjp,
    "sum: g; mean: g over the count; prod: g times the other factors; amax, amin: g to the chosen",
    ((0, 1, 2, OUTPUT), (), (0, 1, 2, OUTPUT)), kinks="equal shares at a tie", dtypes="that of x", numpy=True,
)  # fmt: skip


def read_along(array: Any, axis: int, index: Tensor, dtype: DType) -> Any:
    """The elements at an index along an axis, in a fresh array of the index's shape.

    Raises
    ------
    RuntimeError
        For a place that the axis has not.
    """
    inside = dtype.wide or dtype
    out = table.empty(index.array.shape, inside.numpy)
    if out.size:
        source, places = at_least_1d(array), places_of(index)
        try:
            table.gather(source.astype(inside.numpy, copy=False), places, axis, at_least_1d(out))
        except IndexError:
            raise RuntimeError(first_outside(places, axis, source.shape[axis])) from None
    return rounded(out, inside, dtype)


def places_of(index: Tensor) -> Any:
    """An index as an array of int64 that has an axis."""
    return at_least_1d(index.array).astype(numpy.int64, copy=False)


def first_outside(places: Any, axis: int, size: int) -> str:
    """The text of the error for the first place that an axis has not."""
    return out_of_bounds(places[(places < 0) | (places >= size)][0], axis, size)


def write_along(kernel: Callable[..., None], array: Any, axis: int, index: Tensor, value: Any, dtype: DType) -> None:
    """Write or add a value, of at least the index's sizes, at the places along an axis.

    Raises
    ------
    RuntimeError
        For a place that the axis has not.
    """
    if index.array.size == 0:
        return
    target, places = at_least_1d(array), places_of(index)
    part = at_least_1d(value)[tuple([slice(size) for size in places.shape])]
    try:
        change(kernel, dtype, target, places, part, axis)
    except IndexError:
        raise RuntimeError(first_outside(places, axis, target.shape[axis])) from None


def put_along(array: Any, axis: int, index: Tensor, value: Any, dtype: DType) -> None:
    """Write a value at the places along an axis; of several for one place the last one stays."""
    write_along(table.scatter, array, axis, index, value, dtype)


def add_along(array: Any, axis: int, index: Tensor, value: Any, dtype: DType) -> None:
    """Add a value at the places along an axis."""
    write_along(table.scatter_add, array, axis, index, value, dtype)


def padded(chosen: Any, shape: tuple[int, ...], dtype: DType) -> Tensor:
    """A gradient that covers the front of a shape, with zeros beyond it."""
    chosen = numpy.asarray(chosen)
    if chosen.shape == shape:
        return fresh(chosen, dtype)
    result = filled(shape, dtype, 0.0)
    if chosen.size:
        at_least_1d(result.array)[tuple([slice(size) for size in at_least_1d(chosen).shape])] = chosen
    return result


def check_index(op: str, x: Tensor, axis: int, index: Any, called: str) -> None:
    """Raise for an index that an operation along an axis does not take."""
    if not isinstance(index, Tensor):
        raise TypeError(f"{op}(): argument 'index' (position 3) must be Tensor, not {type(index).__name__}")
    if index.dtype not in (dtypes.int32, dtypes.int64):
        raise RuntimeError(f"{op}(): Expected dtype int32/int64 for index, got {index.dtype.name}")
    if index.array.size == 0:
        return
    if max(index.array.ndim, 1) != max(x.array.ndim, 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {called} tensor")


def check_sizes(index: Tensor, axis: int, x: Tensor, src: Tensor) -> None:
    """Raise RuntimeError where an index is larger than what it is laid beside."""
    if index.array.size == 0:
        return
    have, own, given = (at_least_1d(each.array).shape for each in (x, index, src))
    if len(given) != len(own):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    for d in range(len(own)):
        if own[d] > given[d] or (d != axis and own[d] > have[d]):
            raise RuntimeError(
                f"Expected index {own} to be no larger than self {have} apart from dimension {axis} and to be no "
                f"larger size than src {given}"
            )


def gather(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """The elements at an index along one axis: ``out[i, j] = x[index[i, j], j]`` for `dim` 0 of two.

    Parameters
    ----------
    x : Tensor
        What is read.
    dim : int
        The axis that the index counts along.
    index : Tensor
        Places, int32 or int64 and not negative, with as many axes as `x`; along the others it may be shorter.

    Raises
    ------
    RuntimeError
        For an index of another dtype, of other axes, or out of bounds.

    Examples
    --------
    >>> import kael
    >>> kael.gather(kael.tensor([[1, 2], [3, 4]]), 1, kael.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    axis = axis_of(dim, x.array.ndim)
    check_index("gather", x, axis, index, "input")
    have, own = at_least_1d(x.array).shape, at_least_1d(index.array).shape
    if index.array.size and any(a > b for d, (a, b) in enumerate(zip(own, have, strict=True)) if d != axis):
        wrong = next(d for d in range(len(own)) if d != axis and own[d] > have[d])
        raise RuntimeError(
            f"Size does not match at dimension {wrong} expected index {own} to be no larger than self {have} apart "
            f"from dimension {axis}"
        )
    return record(fresh(read_along(x.array, axis, index, x.dtype), x.dtype), GATHER, (x, index), (axis,))


def take_along_dim(x: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather` with an index that broadcasts and may be negative; without `dim`, over all elements.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([[3, 1], [2, 4]])
    >>> kael.take_along_dim(x, kael.tensor([[-1], [0]]), 1)
    tensor([[1],
            [2]])
    """
    if indices.dtype is not dtypes.int64:
        raise RuntimeError(f"take_along_dim(): dtype of indices should be int64 but got {indices.dtype.name}")
    if dim is None:
        return gather(x.reshape(-1), 0, indices.reshape(-1))
    if x.array.ndim != indices.array.ndim:
        raise RuntimeError(
            "take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{x.array.ndim} dimensions for input, and {indices.array.ndim} dimensions for indices"
        )
    axis = axis_of(dim, x.array.ndim)
    have, own = list(x.array.shape), list(indices.array.shape)
    if have:
        have[axis] = own[axis] = 1
    shape = list(common_shape(tuple(have), tuple(own)))
    wide, long = list(shape), list(shape)
    if shape:
        wide[axis], long[axis] = x.array.shape[axis], indices.array.shape[axis]
    places = from_the_front(indices.array, axis, x.array.shape[axis] if wide else 1)
    return gather(x.expand(*wide) if wide else x, axis, fresh(numpy.broadcast_to(places, tuple(long)), dtypes.int64))


def scatter(
    x: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    """A copy of x with src, or one number, written along an axis: ``out[index[i, j], j] = src[i, j]``.

    Parameters
    ----------
    x : Tensor
        What is copied.
    dim : int
        The axis that the index counts along.
    index : Tensor
        Places, int32 or int64 and not negative, with as many axes as `x`.
    src : Tensor or number
        What is written, of the dtype of `x`; a tensor may be larger than the index.
    value : number
        Another name for a `src` that is a number.
    reduce : {"add", "multiply"}, optional
        Add or multiply instead of writing.

    Raises
    ------
    RuntimeError
        For an index of another dtype, of other axes, or out of bounds, and for a `src` of another dtype or too small.

    Notes
    -----
    Of several elements for one place the last in row-major order of the index stays, and it alone gets a gradient.

    Examples
    --------
    >>> import kael
    >>> kael.scatter(kael.zeros(4), 0, kael.tensor([0, 2, 0]), kael.tensor([1.0, 2.0, 3.0]))
    tensor([3., 0., 2., 0.])
    """
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    axis = axis_of(dim, x.array.ndim)
    check_index("scatter", x, axis, index, "self")
    given = value if src is None else src
    if isinstance(given, Tensor):
        source = given
    else:
        check_number(given, x.dtype)
        source = fresh(numpy.full(index.array.shape, given).astype(x.dtype.numpy), x.dtype)
    if reduce == "add":
        return scatter_add(x, dim, index, source)
    if reduce == "multiply":
        return scatter_reduce(x, dim, index, source, "prod")
    check_source("scatter", x, source)
    check_sizes(index, axis, x, source)
    result = x.array.copy()
    put_along(result, axis, index, source.array, x.dtype)
    return record(fresh(result, x.dtype), SCATTER, (x, index, source), (axis,))


def check_source(op: str, x: Tensor, src: Any) -> None:
    """Raise for what is no tensor of the dtype of x."""
    if not isinstance(src, Tensor):
        raise TypeError(f"{op}(): argument 'src' (position 4) must be Tensor, not {type(src).__name__}")
    if src.dtype is not x.dtype:
        raise RuntimeError(
            f"{op}(): Expected self.dtype to be equal to src.dtype, got {x.dtype.name} and {src.dtype.name}"
        )


def scatter_add(x: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy of x with src added along an axis: ``out[index[i, j], j] += src[i, j]`` for `dim` 0 of two.

    Elements for one place are added one after the other, in row-major order of the index.

    Examples
    --------
    >>> import kael
    >>> kael.scatter_add(kael.zeros(4), 0, kael.tensor([0, 2, 0]), kael.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2., 0.])
    """
    axis = axis_of(dim, x.array.ndim)
    check_index("scatter_add", x, axis, index, "self")
    check_source("scatter_add", x, src)
    check_sizes(index, axis, x, src)
    result = x.array.copy()
    add_along(result, axis, index, src.array, x.dtype)
    return record(fresh(result, x.dtype), SCATTER_ADD, (x, index, src), (axis,))


def front(array: Any, index: Tensor) -> Any:
    """The part of an array that an index lies beside."""
    return at_least_1d(array)[tuple([slice(size) for size in at_least_1d(index.array).shape])]


def counted(shape: tuple[int, ...], axis: int, index: Tensor, include_self: bool) -> Any:
    """How many elements meet in each place."""
    counts = numpy.ones(shape, numpy.int64)
    ones = numpy.ones(index.array.shape, numpy.int64)
    if not include_self:
        put_along(counts, axis, index, ones * 0, dtypes.int64)
    add_along(counts, axis, index, ones, dtypes.int64)
    return numpy.maximum(counts, 1)


REDUCERS = {"sum": numpy.add, "mean": numpy.add, "prod": numpy.multiply, "amax": numpy.maximum, "amin": numpy.minimum}


def neutral(how: str, dtype: Any) -> Any:
    """What changes nothing when it is reduced with an element."""
    if how in ("sum", "mean", "prod"):
        return int(how == "prod")
    if dtype.kind == "f":
        return -numpy.inf if how == "amax" else numpy.inf
    if dtype.kind == "b":
        return how == "amin"
    return numpy.iinfo(dtype).min if how == "amax" else numpy.iinfo(dtype).max


def reduced(array: Any, axis: int, index: Tensor, src: Any, how: str, include_self: bool) -> Any:
    """A copy of an array with elements reduced into the places along an axis."""
    result = array.copy()
    target, places = at_least_1d(result), at_least_1d(index.array)
    if not places.size:
        return result
    grid: list[Any] = list(numpy.ogrid[tuple([slice(size) for size in places.shape])])
    grid[axis] = places
    coordinates = tuple([each.ravel() for each in numpy.broadcast_arrays(*grid)])
    if not include_self:
        target[coordinates] = neutral(how, target.dtype)
    with numpy.errstate(all="ignore"):
        REDUCERS[how].at(target, coordinates, src.ravel())
    return result


def scatter_reduce(
    x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """A copy of x with elements of src reduced into the places along an axis.

    Parameters
    ----------
    x : Tensor
        What is copied.
    dim : int
        The axis that the index counts along.
    index : Tensor
        Places, int32 or int64 and not negative, with as many axes as `x`.
    src : Tensor
        Of the dtype of `x` and at least the sizes of the index.
    reduce : {"sum", "prod", "mean", "amax", "amin"}
        How elements that meet in one place are reduced.
    include_self : bool
        The element of `x` takes part, too.

    Raises
    ------
    RuntimeError
        As `scatter`, and for another `reduce`.

    Examples
    --------
    >>> import kael
    >>> kael.scatter_reduce(kael.zeros(3), 0, kael.tensor([0, 0, 2]), kael.tensor([3.0, 5.0, 2.0]), "amax")
    tensor([5., 0., 2.])
    """
    if reduce not in REDUCERS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if reduce == "mean" and x.dtype is dtypes.bool:
        raise NotImplementedError("scatter_reduce: there is no mean of bools; cast them to a floating-point dtype")
    axis = axis_of(dim, x.array.ndim)
    check_index("scatter_reduce", x, axis, index, "self")
    check_source("scatter_reduce", x, src)
    check_sizes(index, axis, x, src)
    size, places = at_least_1d(x.array).shape[axis], places_of(index)
    if places.size and (places.min() < 0 or places.max() >= size):
        raise RuntimeError(first_outside(places, axis, size))
    inside = (x.dtype.wide or x.dtype).numpy
    result = reduced(x.array.astype(inside), axis, index, front(src.array, index).astype(inside), reduce, include_self)
    with numpy.errstate(all="ignore"):
        result = result.astype(x.dtype.numpy)
        if reduce == "mean":
            counts = counted(x.array.shape, axis, index, include_self)
            mean = result / counts if x.dtype.is_floating_point else result // counts
            result = numpy.asarray(mean).astype(x.dtype.numpy)
    return record(fresh(result, x.dtype), SCATTER_REDUCE, (x, index, src), (axis, reduce, include_self))


def scatter_reduce_(
    x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """`scatter_reduce` in place."""
    return in_place(x, "scatter_reduce_", scatter_reduce, dim, index, src, reduce, include_self=include_self)


FUNCTIONS = (
    gather,
    scatter,
    scatter_add,
    scatter_reduce,
    take_along_dim,
)
METHODS = (
    *FUNCTIONS,
    scatter_reduce_,
)
INPLACE = (
    scatter,
    scatter_add,
)
