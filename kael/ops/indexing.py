"""Reading and writing elements by index: `x[index]` in all forms that NumPy has, and the functions of that kind."""

from __future__ import annotations

import math
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.dtypes import DType
from kael.elements import elements
from kael.ops.dispatch import default_dtype, scalar, sum_to
from kael.ops.inplace import check_grad_rules, check_writable, write
from kael.ops.places import Places, last_written, parsed, put, read, repeated, spread
from kael.ops.splitting import add_part
from kael.tensors import Tensor, fresh, view_of


def getitem_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    basic, places = node.attributes
    result = filled(node.inputs[0].shape, g.dtype, 0.0)
    view = result.array[basic]
    if places is None:
        view[...] = g.array
    else:
        put(places, g.array, view, g.dtype, adding=True)
    return result


def add_indexed(node: Any, g: Tensor, total: Tensor) -> None:
    basic, places = node.attributes
    if places is None:
        add_part(total, basic, g)
    else:
        put(places, g.array, total.array[basic], g.dtype, adding=True)


def index_put_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    basic, places, accumulate, fitted = node.attributes
    if position == 0:
        if accumulate:
            return g
        result = fresh(g.array.copy(), g.dtype)
        view = result.array[basic]
        put(places, numpy.zeros(places.shape(view), g.dtype.numpy), view, g.dtype)
        return result
    view = g.array[basic]
    chosen = read(places, view, g.dtype)
    if not accumulate:
        chosen *= spread(last_written(places, view), places, chosen)
    return fresh(sum_to(fresh(chosen, g.dtype), fitted).array.reshape(node.inputs[1].shape), g.dtype)


def take_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    result = filled(node.inputs[0].shape, g.dtype, 0.0)
    flat, places = result.array.reshape(-1), taken(node.inputs[0].shape, node.saved[1].get())
    put(places, g.array, flat, g.dtype, adding=True)
    return result


GETITEM = Op(
    "getitem", "x[index]", getitem_vjp, "g at the places that were read, added where one was read twice",
    adds=add_indexed,
)  # fmt: skip
INDEX_PUT = Op(
    "index_put", "x with values written or added at the places of an index", index_put_vjp,
    "g to x, 0 at written places; g at the places to values, 0 where a later value was written to the same place",
    passes=True, kinks="of values written to one place the last one alone gets a gradient", dtypes="that of x",
)  # fmt: skip
TAKE = Op(
    "take", "the elements of x at places in row-major order", take_vjp, "g added at the places that were read",
    ((1,), ()), dtypes="that of x",
)  # fmt: skip


def getitem(x: Tensor, index: Any) -> Tensor:
    """The elements at an index: a view for integers, slices, None and Ellipsis; a copy for tensors, lists and masks.

    Parameters
    ----------
    x : Tensor
        What is read.
    index : int, slice, None, Ellipsis, bool, tensor, list or array, or a tuple of these
        As in NumPy, save that an integer beside an array is taken first, as in PyTorch.

    Raises
    ------
    IndexError
        For an index out of bounds, of a wrong kind, too many of them, a mask of another shape, or arrays that do not
        broadcast together.
    ValueError
        For a slice with a step below 1.

    Examples
    --------
    >>> import kael
    >>> x = kael.arange(12).reshape(3, 4)
    >>> x[1:, [0, -1]]
    tensor([[ 4,  7],
            [ 8, 11]])
    >>> x[x > 8]
    tensor([ 9, 10, 11])
    """
    basic, places = parsed(x.array.shape, index)
    view = x.array[basic]
    result = view_of(x, view) if places is None else fresh(read(places, view, x.dtype), x.dtype)
    return record(result, GETITEM, (x,), (basic, places))


def setitem(x: Tensor, index: Any, value: Any) -> None:
    """Write a value to the elements at an index, in place.

    A tensor is cast where the index is basic or a mask, and must have the dtype of `x` otherwise; of several values for
    one place the last one stays.

    Raises
    ------
    RuntimeError
        As for every in-place operation, when the value does not broadcast to what the index selects, and for a number
        that the dtype cannot hold.
    """
    check_grad_rules(x, value, "__setitem__")
    basic, places = parsed(x.array.shape, index)
    view = x.array[basic]
    source = written(value, x, "__setitem__")
    if places is None and source.ndim == 0 and source.dtype == view.dtype:
        check_writable(view, "__setitem__")
        view[...] = source
        x.storage.version += 1
        return
    if places is None:
        write(x, "__setitem__", None, view, source)
        return
    if isinstance(value, Tensor) and value.dtype is not x.dtype and not (places.masks and value.array.size == 1):
        raise RuntimeError(mismatch(x.dtype, value.dtype))
    check_writable(view, "__setitem__")
    put(places, broadcast(source, places.shape(view), x.dtype, "__setitem__"), view, x.dtype)
    x.storage.version += 1


def mismatch(x: DType, value: DType) -> str:
    """The text of the error for values of another dtype than the tensor they are written to."""
    return (
        f"Index put requires the source and destination dtypes match, got {x.name} for the destination and "
        f"{value.name} for the source."
    )


def written(value: Any, x: Tensor, name: str) -> Any:
    """The elements of a value to write into `x`, in memory that the write cannot disturb.

    Raises
    ------
    RuntimeError
        For a number that the dtype of `x` cannot hold; a tensor's elements are cast as they are.
    """
    if isinstance(value, (Tensor, list, tuple, numpy.ndarray)):
        array, _ = elements(value)
        if not isinstance(value, Tensor) and array.size:
            check_number(array.min(), x.dtype)
            check_number(array.max(), x.dtype)
        return array.copy() if numpy.may_share_memory(array, x.array) else array
    kind = default_dtype(value, name)
    check_number(value, x.dtype)
    return scalar(value, x.dtype if kind.category <= x.dtype.category else kind).array


LARGEST_FLOAT32 = float(numpy.finfo(numpy.float32).max)
LIMITS = {
    kind: (int(numpy.iinfo(kind.numpy).min), int(numpy.iinfo(kind.numpy).max))
    for kind in (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)
}


def check_number(value: Any, dtype: DType) -> None:
    """Raise RuntimeError for a number that a dtype cannot hold: nan as an integer, 1e39 as a float32.

    As in PyTorch a negative integer wraps in an unsigned type, and float16 rounds a large number to infinity.
    """
    if isinstance(value, numpy.generic):
        value = value.item()  # Python compares an integer with a float exactly
    if dtype is dtypes.float32:
        fits = not math.isfinite(value) or abs(value) <= LARGEST_FLOAT32
    elif dtype in LIMITS:
        lowest, highest = LIMITS[dtype]
        if isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                return  # `scalar` says more of these
            lowest = lowest or -highest
        fits = lowest <= value <= highest
    else:
        return
    if not fits:
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")


def number_of(op: str, value: Any, x: Tensor) -> Tensor:
    """A value to fill with, as a 0-d tensor of the dtype of x.

    Raises
    ------
    RuntimeError
        For a tensor with axes, and for a number that the dtype cannot hold.
    """
    if isinstance(value, Tensor):
        if value.array.ndim:
            raise RuntimeError(
                f"{op}_ only supports a 0-dimensional value tensor, but got tensor with {value.array.ndim} "
                "dimension(s)."
            )
        return value.to(x.dtype)
    check_number(value, x.dtype)
    return fresh(numpy.asarray(value).astype(x.dtype.numpy), x.dtype)


def broadcast(array: Any, shape: tuple[int, ...], dtype: DType, name: str) -> Any:
    """A value as an array of the shape that an index selects; axes of size 1 in front may be more.

    Raises
    ------
    RuntimeError
        When it does not broadcast to that shape.
    """
    if array.ndim == 0 and array.dtype == dtype.numpy:
        return repeated(array, shape)
    fitted = without_leading(array, len(shape))
    try:
        with numpy.errstate(all="ignore"):
            return numpy.broadcast_to(fitted.astype(dtype.numpy, copy=False), shape)
    except ValueError:
        raise misfit(name, array.shape, shape) from None


def misfit(name: str, value: tuple[int, ...], selected: tuple[int, ...]) -> RuntimeError:
    """The error for a value that does not broadcast to what an index selects."""
    return RuntimeError(
        f"{name}: the value is {value} but the index selects {selected}; it must broadcast to that shape"
    )


def without_leading(array: Any, ndim: int) -> Any:
    """An array without its axes of size 1 in front that are more than `ndim`."""
    extra = max(array.ndim - ndim, 0)
    return array.reshape(array.shape[extra:]) if array.shape[:extra] == (1,) * extra else array


def index_put(x: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of x with values written at the places of index tensors, or added to them.

    Parameters
    ----------
    x : Tensor
        What is copied.
    indices : sequence of Tensor
        Integer tensors or masks for the first axes, which broadcast together.
    values : Tensor
        Of the dtype of `x`; it broadcasts to ``x[indices]``, and has no more axes unless it is one element for a mask.
    accumulate : bool
        Add instead of writing; places that are named twice get both, in row-major order of the index.

    Raises
    ------
    TypeError
        When an index or `values` is no tensor.
    RuntimeError
        For values of another dtype, or that do not broadcast.
    IndexError
        As `x[indices]`.

    Examples
    --------
    >>> import kael
    >>> kael.index_put(kael.zeros(3), (kael.tensor([0, 0, 2]),), kael.tensor([1.0, 2.0, 3.0]), accumulate=True)
    tensor([3., 0., 3.])
    """
    basic, places = checked_put(x, indices, values)
    result = x.array.copy()
    view = result[basic]
    shape = places.shape(view)
    if values.array.ndim > len(shape) and (accumulate or not fills(indices, values)):
        raise misfit("index_put", values.array.shape, shape)
    put(places, broadcast(values.array, shape, x.dtype, "index_put"), view, x.dtype, accumulate)
    fitted = without_leading(values.array, len(shape)).shape
    return record(fresh(result, x.dtype), INDEX_PUT, (x, values), (basic, places, accumulate, fitted))


def fills(indices: Any, values: Tensor) -> bool:
    """Whether one element goes to all places of one mask: its shape then says nothing, however many axes it has."""
    return values.array.size == 1 and len(indices) == 1 and indices[0].dtype is dtypes.bool


def checked_put(x: Tensor, indices: Any, values: Any) -> tuple[tuple[Any, ...], Places]:
    """The places of index tensors, beside values that can be written there."""
    if not isinstance(indices, (tuple, list)) or not indices:
        raise TypeError(
            f"index_put(): argument 'indices' (position 2) must be tuple of Tensors, not {type(indices).__name__}"
        )
    for number, index in enumerate(indices):
        if not isinstance(index, Tensor):
            raise TypeError(f"expected Tensor as element {number} in argument 1, but got {type(index).__name__}")
    if not isinstance(values, Tensor):
        raise TypeError(f"index_put(): argument 'values' (position 3) must be Tensor, not {type(values).__name__}")
    if values.dtype is not x.dtype:
        raise RuntimeError(mismatch(x.dtype, values.dtype))
    # A 0-d tensor of places is one of a single place here, not an integer: it broadcasts all the same.
    lifted = tuple([index.array.reshape(1) if takes_one(index) else index for index in indices])
    basic, places = parsed(x.array.shape, lifted)
    assert places is not None
    if all(map(takes_one, indices)):
        places.index = places.index.reshape(len(indices))
    return basic, places


def takes_one(index: Tensor) -> bool:
    """Whether an index tensor is a single integer."""
    return index.array.ndim == 0 and index.dtype is not dtypes.bool


def taken(shape: tuple[int, ...], index: Tensor) -> Places:
    """The places of an index over all elements in row-major order."""
    size = int(numpy.prod(shape))
    places = numpy.where(index.array < 0, index.array + size, index.array)
    return Places((0,), places[None])


def take(x: Tensor, index: Tensor) -> Tensor:
    """The elements of x at places in row-major order, in the shape of the index.

    Raises
    ------
    RuntimeError
        For an index that is not of int64.
    IndexError
        For a place that there is not.

    Examples
    --------
    >>> import kael
    >>> kael.take(kael.tensor([[1, 2], [3, 4]]), kael.tensor([0, -1]))
    tensor([1, 4])
    """
    if not isinstance(index, Tensor):
        raise TypeError(f"take(): argument 'index' (position 2) must be Tensor, not {type(index).__name__}")
    if index.dtype is not dtypes.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index.dtype.name}")
    size = x.array.size
    outside = index.array[(index.array < -size) | (index.array >= size)]
    if outside.size:
        raise IndexError(f"out of range: tried to access index {outside[0]} on a tensor of {size} elements.")
    chosen = read(taken(x.array.shape, index), x.array.reshape(-1), x.dtype)
    return record(fresh(chosen, x.dtype), TAKE, (x, index))


FUNCTIONS = METHODS = (
    index_put,
    take,
)
INPLACE = (index_put,)
OPERATORS = (
    getitem,
    setitem,
)
