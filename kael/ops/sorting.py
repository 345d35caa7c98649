"""Order: sorting, the k-th and the middle element, what occurs and how often."""

from __future__ import annotations

import math
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.op import OUTPUT, Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.dispatch import as_tensor, axis_of, compute
from kael.ops.reduction import Extremum, along_vjp, dropped_shape, extremum_vjp, kept_shape, places
from kael.tensors import Tensor, fresh

SORT = Op("sort", "in order along an axis", along_vjp, "g back at the places it came from", numpy=True)
TOPK = Op("topk", "the k largest along an axis", along_vjp, "g at the places chosen", numpy=True)
KTHVALUE = Op("kthvalue", "the k-th smallest along an axis", along_vjp, "g at the place chosen", numpy=True)
MEDIAN = Op(
    "median", "the lower of the middle elements", extremum_vjp, "g at the median", ((0, OUTPUT),),
    kinks="shared equally at ties", numpy=True,
)  # fmt: skip
MEDIAN_ALONG = Op(
    "median_along", "the lower of the middle elements along an axis", along_vjp, "g at the place chosen",
    kinks="one of ties", numpy=True, node="MedianBackward",
)  # fmt: skip
MODE = Op(
    "mode", "the most frequent along an axis", along_vjp, "g at the place chosen", kinks="the last of ties", numpy=True
)
ARGSORT = Op("argsort", "the places in order along an axis", dtypes="int64", numpy=True)
UNIQUE = Op("unique", "the different elements, in order", dtypes="as the input", numpy=True)
UNIQUE_CONSECUTIVE = Op(
    "unique_consecutive", "without repeats of the element before", dtypes="as the input", numpy=True
)
BINCOUNT = Op("bincount", "how often each whole number occurs", dtypes="int64, or that of the weights", numpy=True)
HISTC = Op("histc", "how many elements lie in each of equal bins", dtypes="as the input", numpy=True)


def lines(x: Tensor) -> Any:
    """The elements of a tensor as an array with at least one axis."""
    return x.array if x.array.ndim else x.array.reshape(1)


def part(axis: int, start: int | None, stop: int | None, step: int | None = None) -> Any:
    """The index of a range of an axis."""
    return (*[slice(None)] * axis, slice(start, stop, step))


def order(array: Any, axis: int, descending: bool) -> Any:
    """The places along an axis in the order of their elements: equal ones as they stand, nan above all numbers."""
    if not descending:
        return array.argsort(axis=axis, kind="stable")
    backwards = part(axis, None, None, -1)
    turned = array[backwards].argsort(axis=axis, kind="stable")
    return (array.shape[axis] - 1 - turned)[backwards]


def read(x: Tensor, axis: int, index: Any) -> Any:
    """The elements at some places along an axis."""
    return compute(
        lambda array, out: table.gather(array, index, axis, out), index.shape, x.dtype, x.dtype, lines(x)
    ).array


def taken(op: Op, x: Tensor, axis: int, index: Any) -> Extremum:
    """The elements at some places along an axis, recorded, and the places."""
    values = read(x, axis, index)
    if x.array.ndim == 0:
        values, index = values.reshape(()), index.reshape(())
    output = fresh(values, x.dtype)
    record(output, op, (x,), (axis, index))
    return Extremum(output, places(output, index))


def picked(op: Op, x: Tensor, axis: int, index: Any, keepdim: bool) -> Extremum:
    """The element at one place of each line along an axis, recorded, and the places; both keep the axis so far."""
    values = read(x, axis, index)
    shape = x.array.shape
    axes = (axis,) if shape else ()
    kept = kept_shape(shape, axes)
    final = kept if keepdim else dropped_shape(shape, axes)
    output = fresh(values.reshape(final), x.dtype)
    record(output, op, (x,), (axis, index.reshape(kept)))
    return Extremum(output, places(output, index.reshape(final)))


def sort(x: Any, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Any:
    """The elements in order along an axis, and where each came from; a nan is larger than all.

    Parameters
    ----------
    x : Tensor
        What to sort.
    dim : int
        The axis.
    descending : bool
        The largest first.
    stable : bool
        Equal elements keep their order; kael keeps it always.

    Returns
    -------
    values, indices : Tensor
        With ``values[k] = x[indices[k]]`` along the axis.

    Raises
    ------
    IndexError
        When there is no such axis.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([3.0, 1.0, 2.0]).sort().indices
    tensor([1, 2, 0])
    """
    x = as_tensor(x, "sort")
    axis = axis_of(dim, x.array.ndim)
    return taken(SORT, x, axis, order(lines(x), axis, descending))


def argsort(x: Any, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """The places of the elements in order along an axis: the indices of `sort`."""
    x = as_tensor(x, "argsort")
    index = order(lines(x), axis_of(dim, x.array.ndim), descending)
    return fresh(index.reshape(x.array.shape), dtypes.int64)


def msort(x: Any) -> Tensor:
    """The elements in order along the first axis."""
    values: Tensor = sort(x, 0).values
    return values


def topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The k largest elements along an axis, or the smallest, and where they stand; a nan is larger than all.

    Parameters
    ----------
    x : Tensor
        What to choose from.
    k : int
        How many.
    dim : int
        The axis.
    largest : bool
        False for the smallest.
    sorted : bool
        Best first; kael sorts always.

    Raises
    ------
    IndexError
        When there is no such axis.
    RuntimeError
        When there are fewer than `k` elements along it, or for bool.

    Notes
    -----
    Which of equal elements at the border are chosen is open, as in PyTorch.
    """
    x = as_tensor(x, "topk")
    if x.dtype is dtypes.bool:
        raise RuntimeError("topk does not support bool dtypes; cast it to an integer dtype first")
    axis = axis_of(dim, x.array.ndim)
    array = lines(x)
    size = array.shape[axis]
    if not 0 <= k <= size:
        raise RuntimeError(f"selected index k out of range: k is {k} but there are {size} elements along axis {axis}")
    if 0 < k < size // 8:
        chosen = array.argpartition(size - k if largest else k - 1, axis=axis)
        chosen = numpy.sort(chosen[part(axis, size - k, None) if largest else part(axis, 0, k)], axis)
        ordered = order(numpy.take_along_axis(array, chosen, axis), axis, largest)
        index = numpy.take_along_axis(chosen, ordered, axis)
    else:
        index = order(array, axis, largest)[part(axis, 0, k)]
    return taken(TOPK, x, axis, index)


def kthvalue(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest element along an axis, counted from 1, and where it stands; a nan is larger than all.

    Raises
    ------
    IndexError
        When there is no such axis, or nothing along it.
    NotImplementedError
        For bool.
    RuntimeError
        When `k` is not between 1 and the number of elements along it.
    """
    x = numbers("kthvalue", x)
    axis = axis_of(dim, x.array.ndim)
    refuse_empty_line("kthvalue", x, axis)
    array = lines(x)
    if not 1 <= k <= array.shape[axis]:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    index = order(array, axis, False)[part(axis, k - 1, k)]
    return picked(KTHVALUE, x, axis, index, keepdim)


def numbers(operation: str, x: Any) -> Tensor:
    """An operand whose elements are numbers.

    Raises
    ------
    NotImplementedError
        For bool.
    """
    operand = as_tensor(x, operation)
    if operand.dtype is dtypes.bool:
        raise NotImplementedError(f"{operation}: not implemented for bool; cast it to an integer dtype first")
    return operand


def refuse_empty_line(operation: str, x: Tensor, axis: int) -> None:
    """Raise where one element of none is asked for.

    Raises
    ------
    IndexError
        When there are no elements along the axis.
    """
    if x.array.ndim and x.array.shape[axis] == 0:
        raise IndexError(f"{operation}(): Expected reduction dim {axis} to have non-zero size.")


def middles(operation: str, x: Tensor, axis: int, skip: bool) -> Any:
    """Where the lower middle of each line along an axis stands; a nan is all there is, unless it is to be skipped."""
    refuse_empty_line(operation, x, axis)
    array = lines(x)
    ordered = order(array, axis, False)
    count = array.shape[axis]
    if not x.dtype.is_floating_point:
        return ordered[part(axis, (count - 1) // 2, (count - 1) // 2 + 1)]
    nans = numpy.isnan(array).sum(axis, keepdims=True)
    middle = numpy.maximum(count - nans - 1, 0) // 2 if skip else numpy.where(nans, count - nans, (count - 1) // 2)
    return numpy.take_along_axis(ordered, middle, axis)


def middle(operation: str, x: Any, dim: Any, keepdim: bool, skip: bool) -> Any:
    """The two forms of a median: of all elements, and along an axis."""
    x = numbers(operation, x)
    if dim is not None:
        axis = axis_of(dim, x.array.ndim)
        return picked(MEDIAN_ALONG, x, axis, middles(operation, x, axis, skip), keepdim)
    flat = x.array.reshape(-1)
    if x.dtype.is_floating_point:
        nans = numpy.isnan(flat)
        if nans.any():
            flat = flat[~nans] if skip else flat[:0]
    if flat.size:
        value = numpy.partition(flat, (flat.size - 1) // 2)[(flat.size - 1) // 2]
    else:
        value = numpy.nan if x.dtype.is_floating_point else numpy.iinfo(x.dtype.numpy).min
    output = fresh(numpy.array(value, x.dtype.numpy), x.dtype)
    return record(output, MEDIAN, (x,), ((1,) * x.array.ndim,))


def median(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The lower of the two middle elements of all; or along an axis, with the place of it. A nan wins.

    Parameters
    ----------
    x : Tensor
        What to look through.
    dim : int, optional
        The axis; all elements when left out, and no places are returned.
    keepdim : bool
        Keep the axis with size 1.

    Raises
    ------
    IndexError
        When there is no such axis, or nothing along it.
    NotImplementedError
        For bool.

    Notes
    -----
    Where several elements equal the median of all they share the gradient; along an axis it goes to the place
    returned, which of equals that is being open, as in PyTorch.
    """
    return middle("median", x, dim, keepdim, False)


def nanmedian(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """As `median`, of the elements that are not nan; nan where there are no others."""
    return middle("nanmedian", x, dim, keepdim, True)


def mode(x: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent element along an axis, the smallest of several, and where it stands last.

    Raises
    ------
    IndexError
        When there is no such axis, or nothing along it.
    """
    x = as_tensor(x, "mode")
    axis = axis_of(dim, x.array.ndim)
    refuse_empty_line("mode", x, axis)
    array = numpy.moveaxis(lines(x), axis, -1)
    ordered = order(array, -1, False)
    values = numpy.take_along_axis(array, ordered, -1)
    steps = numpy.arange(array.shape[-1])
    starts = numpy.ones(array.shape, bool)
    starts[..., 1:] = values[..., 1:] != values[..., :-1]
    length = steps - numpy.maximum.accumulate(numpy.where(starts, steps, 0), axis=-1)
    last = numpy.argmax(length, axis=-1)[..., None]
    index = numpy.moveaxis(numpy.take_along_axis(ordered, last, -1), -1, axis)
    return picked(MODE, x, axis, index, keepdim)


def distinct(operation: str, x: Any, dim: Any, in_order: bool, inverse: bool, counts: bool) -> Any:
    """Elements, or slices along an axis, without repeats: of all of them in order, or of neighbours.

    Raises
    ------
    IndexError
        When there is no such axis.
    RuntimeError
        When slices have no elements to tell them apart by.
    """
    x = as_tensor(x, operation)
    array, shape = x.array, x.array.shape
    if dim is None:
        rest: tuple[int, ...] = ()
        rows = array.reshape(-1)
    else:
        if array.ndim == 0:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        axis = axis_of(dim, array.ndim)
        turned = numpy.moveaxis(array, axis, 0)
        shape, rest = shape[axis : axis + 1], turned.shape[1:]
        if 0 in rest:
            raise RuntimeError(
                f"There are 0 sized dimensions, and they aren't selected, so {operation} cannot be applied"
            )
        rows = turned.reshape(shape[0], math.prod(rest))
    ordered = numpy.arange(len(rows))
    if in_order:
        ordered = order(rows, 0, False) if rows.ndim == 1 else numpy.lexsort(rows.T[::-1])
        rows = rows[ordered]
    starts = numpy.ones(len(rows), bool)
    changes = rows[1:] != rows[:-1]
    starts[1:] = changes if rows.ndim == 1 else changes.any(axis=1)
    first = rows[starts]
    if dim is not None:
        first = numpy.ascontiguousarray(numpy.moveaxis(first.reshape(len(first), *rest), 0, axis))
    results = [fresh(first, x.dtype)]
    if inverse:
        numbers = numpy.empty(len(rows), numpy.int64)
        numbers[ordered] = numpy.cumsum(starts) - 1
        results.append(fresh(numbers.reshape(shape), dtypes.int64))
    if counts:
        lengths = numpy.diff(numpy.flatnonzero(starts), append=len(rows))
        results.append(fresh(lengths.astype(numpy.int64), dtypes.int64))
    return tuple(results) if len(results) > 1 else results[0]


def unique(
    x: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """The different elements in order, or the different slices along an axis; every nan is different.

    Parameters
    ----------
    x : Tensor
        What to look through.
    sorted : bool
        Smallest first; kael sorts always.
    return_inverse : bool
        Also say for each element, or slice, which of the different ones it is.
    return_counts : bool
        Also say how often each occurs.
    dim : int, optional
        The axis whose slices are compared; elements when left out.

    Returns
    -------
    Tensor or tuple of Tensor
        The different ones, then what else was asked for. None of them has a history.

    Raises
    ------
    IndexError
        When there is no such axis.
    RuntimeError
        When the slices are empty.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([3, 1, 3]).unique(return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    return distinct("unique", x, dim, True, return_inverse, return_counts)


def unique_consecutive(x: Any, return_inverse: bool = False, return_counts: bool = False, dim: Any = None) -> Any:
    """The elements, or slices along an axis, that differ from the one before; parameters as of `unique`."""
    return distinct("unique_consecutive", x, dim, False, return_inverse, return_counts)


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Tensor:
    """How often each of the numbers 0, 1, 2, ... occurs, or the sum of the weights where it does.

    Parameters
    ----------
    x : Tensor
        Whole numbers, none negative, along one axis.
    weights : Tensor, optional
        One for each number of `x`.
    minlength : int
        The least number of counts.

    Returns
    -------
    Tensor
        int64; with weights float32 for those of float32, else float64. It has no history.

    Raises
    ------
    NotImplementedError
        For numbers that are not whole.
    RuntimeError
        For negative numbers, another number of axes, weights of another size, or a negative `minlength`.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([0, 2, 2]).bincount()
    tensor([1, 0, 2])
    """
    x = as_tensor(x, "bincount")
    if x.dtype.category != 1:
        raise NotImplementedError(f"bincount: not implemented for {x.dtype.name}; it takes integers")
    if minlength < 0:
        raise RuntimeError(f"minlength should be >= 0, got {minlength}")
    if x.array.ndim != 1 or (x.array.size and x.array.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None or x.array.size == 0:
        return fresh(numpy.bincount(x.array.astype(numpy.int64), minlength=minlength), dtypes.int64)
    weight = as_tensor(weights, "bincount")
    if weight.array.shape != x.array.shape:
        raise RuntimeError(
            "weights should be 1-d and have the same length as input: "
            f"input is {x.array.shape} but weights are {weight.array.shape}"
        )
    dtype = dtypes.float32 if weight.dtype is dtypes.float32 else dtypes.float64
    sums = numpy.bincount(x.array.astype(numpy.int64), weight.array.astype(numpy.float64), minlength)
    return fresh(sums.astype(dtype.numpy), dtype)


def histc(x: Any, bins: int = 100, min: Any = 0, max: Any = 0) -> Tensor:
    """How many elements lie in each of `bins` equal intervals between `min` and `max`; others are not counted.

    Parameters
    ----------
    x : Tensor
        Floating point.
    bins : int
        How many intervals; the last one holds its upper end too.
    min, max : number
        The ends; those of the elements where both are equal.

    Raises
    ------
    NotImplementedError
        For integers and bool.
    RuntimeError
        For no bins, or ends that are not finite or in the wrong order.
    """
    x = as_tensor(x, "histc")
    if not x.dtype.is_floating_point:
        raise NotImplementedError(f"histc: not implemented for {x.dtype.name}; cast it to a floating point dtype first")
    if bins <= 0:
        raise RuntimeError(f"histc(): bins must be > 0, but got {bins}")
    array = x.array.reshape(-1).astype(numpy.float64)
    low, high = float(min), float(max)
    if low == high and array.size:
        low, high = float(array.min()), float(array.max())
    if low == high:
        low, high = low - 1, high + 1
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"histc: range of [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(f"histc: max must be larger than min, got min={low:g} and max={high:g}")
    inside = array[(array >= low) & (array <= high)]
    bin_of = numpy.minimum(((inside - low) * bins / (high - low)).astype(numpy.int64), bins - 1)
    return fresh(numpy.bincount(bin_of, minlength=bins).astype(x.dtype.numpy), x.dtype)


FUNCTIONS = (
    argsort,
    bincount,
    histc,
    kthvalue,
    median,
    mode,
    msort,
    nanmedian,
    sort,
    topk,
    unique,
    unique_consecutive,
)
METHODS = FUNCTIONS
