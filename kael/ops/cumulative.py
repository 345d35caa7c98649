"""Running totals along an axis: sums, products, extrema, and their opposite, differences of neighbours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.op import OUTPUT, Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.dispatch import as_tensor, axis_of, cast, compute
from kael.ops.elementwise import add, fused, mul, ne, sub
from kael.ops.joining import cat
from kael.ops.reduction import Extremum, dropped_shape, places, put_back, sum
from kael.ops.shape import reshape
from kael.ops.splitting import narrow
from kael.tensors import Tensor, fresh


def along(kernel: Callable[..., None], axis: int, *arrays: Any) -> None:
    """Run a kernel that goes along the last axis along any axis; a 0-d array has one element."""
    kernel(*[array.swapaxes(axis, -1) if array.ndim else array.reshape(1) for array in arrays])


def backwards(kernel: Callable[..., None], axis: int, *arrays: Any) -> None:
    """As `along`, from the last element to the first."""
    along(lambda *turned: kernel(*[array[..., ::-1] for array in turned]), axis, *arrays)


def cumsum_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return compute(partial(backwards, table.cumsum, node.attributes[0]), g.array.shape, g.dtype, g.dtype, g.array)


def cumprod_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(partial(along, table.cumprod_vjp, node.attributes[0]), g, node.saved[0].get())


def cumulative_extremum_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axis, index = node.attributes
    return put_back(g.array.shape, g, axis, index)


def logcumsumexp_kernel(x: Any, out: Any) -> None:
    """The running logarithm of a sum of exponentials along the last axis."""
    with numpy.errstate(all="ignore"):
        numpy.logaddexp.accumulate(x, axis=-1, out=out)


def logcumsumexp_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    """The sum over all later places of g * exp(x - y), as a logarithm, apart for g above and below 0."""
    axis = node.attributes[0]
    x, y = node.saved[0].get().array, node.saved[OUTPUT].get().array
    with numpy.errstate(all="ignore"):
        parts = []
        for side in (g.array, -g.array):
            logs = numpy.where(side <= 0, -numpy.inf, numpy.log(side) - y).astype(x.dtype)
            later = numpy.empty(x.shape, x.dtype)
            backwards(logcumsumexp_kernel, axis, logs, later)
            parts.append(numpy.exp(later + x))
        return fresh(numpy.asarray(parts[0] - parts[1], x.dtype), g.dtype)


CUMSUM = Op(
    "cumsum",
    "running sum along an axis",
    cumsum_vjp,
    "running sum of g from the end",
    dtypes="integers and bool become int64",
)
CUMPROD = Op(
    "cumprod",
    "running product along an axis",
    cumprod_vjp,
    "sum over later places of g times the product of the others",
    ((0,),),
    kinks="exact at zeros",
    dtypes="integers and bool become int64",
)
CUMMAX = Op(
    "cummax",
    "running maximum along an axis",
    cumulative_extremum_vjp,
    "g to the largest so far",
    kinks="the last of ties",
    numpy=True,
)
CUMMIN = Op(
    "cummin",
    "running minimum along an axis",
    cumulative_extremum_vjp,
    "g to the smallest so far",
    kinks="the last of ties",
    numpy=True,
)
LOGCUMSUMEXP = Op(
    "logcumsumexp",
    "log of the running sum of e**x along an axis",
    logcumsumexp_vjp,
    "sum over later places of g * e**(x - y)",
    ((0, OUTPUT),),
    dtypes="floating point only",
    numpy=True,
)


def running(op: Op, kernel: Callable[..., None], x: Any, dim: Any, dtype: Any) -> Tensor:
    """A running total, in int64 for integers and bool.

    Raises
    ------
    NotImplementedError
        When bool is asked for.
    """
    x = as_tensor(x, op.name)
    if dtype is not None:
        x = cast(x, dtype)
    elif not x.dtype.is_floating_point:
        x = cast(x, dtypes.int64)
    if x.dtype is dtypes.bool:
        raise NotImplementedError(f"{op.name}: not implemented for bool; leave dtype out for int64")
    shape = x.array.shape
    axis = axis_of(dim, len(shape))
    output = compute(partial(along, kernel, axis), shape, x.dtype, x.dtype, x.array)
    return record(output, op, (x,), (axis,))


def cumsum(x: Any, dim: int, *, dtype: Any = None) -> Tensor:
    """The sum of each element and all before it, along an axis.

    Parameters
    ----------
    x : Tensor
        What to add up; integers and bool add up in int64.
    dim : int
        The axis.
    dtype : DType, optional
        Cast to this dtype first.

    Raises
    ------
    IndexError
        When there is no such axis.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([1.0, 2.0, 3.0]).cumsum(0)
    tensor([1., 3., 6.])
    """
    return running(CUMSUM, table.cumsum, x, dim, dtype)


def cumprod(x: Any, dim: int, *, dtype: Any = None) -> Tensor:
    """The product of each element and all before it, along an axis.

    Parameters
    ----------
    x : Tensor
        The factors; integers and bool multiply in int64.
    dim : int
        The axis.
    dtype : DType, optional
        Cast to this dtype first.

    Raises
    ------
    IndexError
        When there is no such axis.

    Notes
    -----
    The gradient takes two passes and no division, so it is right at zeros too.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([2.0, 0.0, 3.0, 4.0], requires_grad=True)
    >>> x.cumprod(0).sum().backward()
    >>> x.grad
    tensor([ 1., 32.,  0.,  0.])
    """
    return running(CUMPROD, table.cumprod, x, dim, dtype)


def cumulative_extremum(op: Op, choose: Any, x: Tensor, dim: Any) -> Extremum:
    """Running extrema along an axis, each with its place: the last of equals, and a nan from the first on."""
    array = x.array if x.array.ndim else x.array.reshape(1)
    axis = axis_of(dim, x.array.ndim)
    values = choose.accumulate(array, axis=axis)
    reached = (array == values) | (array != array)
    count = numpy.arange(array.shape[axis]).reshape([-1 if a == axis else 1 for a in range(array.ndim)])
    index = numpy.maximum.accumulate(numpy.where(reached, count, 0), axis=axis).reshape(x.array.shape)
    output = fresh(values.reshape(x.array.shape), x.dtype)
    record(output, op, (x,), (axis, index))
    return Extremum(output, places(output, index))


def cummax(x: Any, dim: int) -> Any:
    """The largest of each element and all before it, along an axis, and where it stands: the last of equals."""
    return cumulative_extremum(CUMMAX, numpy.maximum, as_tensor(x, "cummax"), dim)


def cummin(x: Any, dim: int) -> Any:
    """The smallest of each element and all before it, along an axis, and where it stands: the last of equals."""
    return cumulative_extremum(CUMMIN, numpy.minimum, as_tensor(x, "cummin"), dim)


def logcumsumexp(x: Any, dim: int) -> Tensor:
    """The logarithm of the sum of the exponentials of each element and all before it, along an axis.

    Raises
    ------
    NotImplementedError
        For integers and bool.
    """
    x = as_tensor(x, "logcumsumexp")
    if not x.dtype.is_floating_point:
        raise NotImplementedError(f"logcumsumexp: not implemented for {x.dtype.name}; cast it to a float dtype first")
    axis = axis_of(dim, x.array.ndim)
    output = compute(partial(along, logcumsumexp_kernel, axis), x.array.shape, x.dtype, x.dtype, x.array)
    return record(output, LOGCUMSUMEXP, (x,), (axis,))


def diff(x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """The difference of neighbours along an axis, `n` times over; of bool whether they differ.

    Parameters
    ----------
    x : Tensor
        With at least one axis.
    n : int
        How often the difference is taken.
    dim : int
        The axis.
    prepend, append : Tensor, optional
        Joined to `x` along the axis before differences are taken.

    Raises
    ------
    RuntimeError
        For a 0-d tensor, or a negative `n`.
    IndexError
        When there is no such axis.
    """
    values = as_tensor(x, "diff")
    if values.array.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    axis = axis_of(dim, values.array.ndim)
    if prepend is not None or append is not None:
        values = cat([part for part in (prepend, values, append) if part is not None], axis)
    for _ in range(n):
        size = values.array.shape[axis]
        if size == 0:
            break
        later, earlier = narrow(values, axis, 1, size - 1), narrow(values, axis, 0, size - 1)
        values = ne(later, earlier) if values.dtype is dtypes.bool else sub(later, earlier)
    return values


def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integral of samples along an axis by the trapezoidal rule.

    Parameters
    ----------
    y : Tensor
        The samples.
    x : Tensor, optional
        Where they were taken: one axis, or a shape that broadcasts with that of `y`.
    dx : number, optional
        The distance of neighbours where `x` is left out; 1 when left out too.
    dim : int
        The axis.

    Raises
    ------
    IndexError
        When there is no such axis.
    RuntimeError
        When both `x` and `dx` are given.
    """
    y = as_tensor(y, "trapezoid")
    if x is not None and dx is not None:
        raise RuntimeError("trapezoid: give x or dx, not both")
    if y.dtype is dtypes.bool or (isinstance(x, Tensor) and x.dtype is dtypes.bool):
        which = "`y`" if x is None else "`x` or `y`"
        raise RuntimeError(f"trapezoid: received a bool input for {which}, but bool is not supported")
    if y.array.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    axis = axis_of(dim, y.array.ndim)
    count = y.array.shape[axis] - 1
    if count < 0:
        return fresh(numpy.zeros(dropped_shape(y.array.shape, (axis,)), y.array.dtype), y.dtype)
    heights = add(narrow(y, axis, 1, count), narrow(y, axis, 0, count))
    if x is None:
        return mul(sum(heights, axis), (1 if dx is None else dx) / 2)
    where = as_tensor(x, "trapezoid")
    if where.array.ndim == 1:
        where = reshape(where, [-1 if a == axis else 1 for a in range(y.array.ndim)])
    widths = diff(where, 1, axis - y.array.ndim)
    return mul(sum(mul(widths, heights), axis), 0.5)


FUNCTIONS = (
    cummax,
    cummin,
    cumprod,
    cumsum,
    diff,
    logcumsumexp,
    trapezoid,
)
METHODS = tuple([function for function in FUNCTIONS if function is not trapezoid])
