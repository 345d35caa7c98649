"""Reductions over any axes: sum, mean, extrema and where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import OUTPUT, Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.dispatch import as_tensor, axes_of, axis_of, cast, compute
from kael.ops.elementwise import div, eq, logical_and, logical_or, mul, ne
from kael.tensors import Tensor, fresh


class Extremum(NamedTuple):
    """The largest or smallest values along an axis, and where they stand."""

    values: Tensor
    indices: Tensor


def kept_shape(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape after reducing `axes` to size 1."""
    return tuple([1 if axis in axes else size for axis, size in enumerate(shape)])


def dropped_shape(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape after reducing and dropping `axes`."""
    return tuple([size for axis, size in enumerate(shape) if axis not in axes])


def reduce(op: Op, kernel: Callable[..., None], x: Tensor, dim: Any, keepdim: bool, result: Any) -> Tensor:
    """Run a reducing kernel over axes given as in PyTorch, and record it with the kept shape as attribute."""
    shape = x.array.shape
    if dim is None and not keepdim:
        kept = (1,) * len(shape)
        output = compute(kernel, (), x.dtype, result, x.array)
    else:
        axes = axes_of(dim, len(shape))
        kept = kept_shape(shape, axes)
        output = compute(kernel, kept, x.dtype, result, x.array)
        if not keepdim:
            output = fresh(output.array.reshape(dropped_shape(shape, axes)), result)
    return record(output, op, (x,), (kept,))


def spread(gradient: Tensor, kept: tuple[int, ...], shape: tuple[int, ...]) -> Tensor:
    """A gradient of a reduction's output repeated over the axes that were reduced, in memory of its own."""
    return compute(table.copy, shape, gradient.dtype, gradient.dtype, gradient.array.reshape(kept))


def sum_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return spread(g, node.attributes[0], node.inputs[0].shape)


def mean_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    shape = node.inputs[0].shape
    count = 1
    for size, left in zip(shape, node.attributes[0], strict=True):
        if size != left:
            count *= size
    return spread(div(g, count), node.attributes[0], shape)


def extremum_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    kept = node.attributes[0]
    x = node.saved[0].get()
    y = node.saved[OUTPUT].get()
    y = fresh(y.array.reshape(kept), y.dtype)
    reached = cast(logical_or(eq(x, y), logical_and(ne(x, x), ne(y, y))), g.dtype)
    ties = compute(table.sum, kept, g.dtype, g.dtype, reached.array)
    return mul(reached, div(fresh(g.array.reshape(kept), g.dtype), ties))


def along_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    kept, axis, index = node.attributes
    result = filled(node.inputs[0].shape, g.dtype, 0.0)
    if result.array.ndim:
        numpy.put_along_axis(result.array, index, g.array.reshape(kept), axis)
    else:
        result.array[...] = g.array
    return result


SUM = Op("sum", "sum over axes", sum_vjp, "g repeated", dtypes="integers and bool become int64")
MEAN = Op("mean", "sum over axes / count", mean_vjp, "g/count repeated", dtypes="floating point only")
AMAX = Op("amax", "largest over axes", extremum_vjp, "g at the largest", ((0, OUTPUT),), kinks="shared equally at ties")
AMIN = Op(
    "amin", "smallest over axes", extremum_vjp, "g at the smallest", ((0, OUTPUT),), kinks="shared equally at ties"
)
MAX = Op("max", "largest along an axis", along_vjp, "g at the first largest", kinks="the first of ties", numpy=True)
MIN = Op("min", "smallest along an axis", along_vjp, "g at the first smallest", kinks="the first of ties", numpy=True)
ARGMAX = Op("argmax", "index of the first largest", dtypes="int64")
ARGMIN = Op("argmin", "index of the first smallest", dtypes="int64")


def sum(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The sum over some axes, or all; integers and bool add up in int64.

    Parameters
    ----------
    x : Tensor
        What to add up.
    dim : int or tuple of int, optional
        The axes; all when left out.
    keepdim : bool
        Keep the reduced axes with size 1.
    dtype : DType, optional
        Cast to this dtype first.

    Raises
    ------
    IndexError, RuntimeError
        When an axis does not exist or is named twice.

    Notes
    -----
    The order of additions is part of the definition: fixed lanes, then pairwise (book section 13), so the error grows
    with the logarithm of the count.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([[1.0, 2.0], [3.0, 4.0]]).sum(dim=0)
    tensor([4., 6.])
    """
    x = as_tensor(x, "sum")
    if dtype is not None:
        x = cast(x, dtype)
    elif not x.dtype.is_floating_point:
        x = cast(x, dtypes.int64)
    return reduce(SUM, table.sum, x, dim, keepdim, x.dtype)


def mean(x: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The mean over some axes, or all; nan where there are no elements.

    Raises
    ------
    RuntimeError
        For a dtype that is not floating point.
    """
    x = as_tensor(x, "mean")
    if not x.dtype.is_floating_point:
        raise RuntimeError(
            f"mean(): could not infer output dtype. Input dtype must be a floating point dtype. Got: {x.dtype.name}"
        )
    return reduce(MEAN, table.mean, x, dim, keepdim, x.dtype)


def amax(x: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The largest element over some axes, or all; nan wins, and ties share the gradient."""
    x = as_tensor(x, "amax")
    refuse_empty("amax", x, dim)
    return reduce(AMAX, table.max, x, dim, keepdim, x.dtype)


def amin(x: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The smallest element over some axes, or all; nan wins, and ties share the gradient."""
    x = as_tensor(x, "amin")
    refuse_empty("amin", x, dim)
    return reduce(AMIN, table.min, x, dim, keepdim, x.dtype)


def refuse_empty(operation: str, x: Tensor, dim: Any) -> None:
    """Raise where an extremum over no elements is asked for.

    Raises
    ------
    RuntimeError
        When it is asked for over all axes.
    IndexError
        When one of the axes named has no elements.
    """
    shape = x.array.shape
    if dim is None:
        if x.array.size == 0:
            raise RuntimeError(
                f"{operation}(): Expected reduction dim to be specified, for x is {shape}: it has no largest or "
                "smallest element; name an axis that is not empty"
            )
        return
    for axis in axes_of(dim, len(shape)):
        if shape[axis] == 0:
            raise IndexError(
                f"{operation}(): Expected reduction dim {axis} to have non-zero size; x is {shape} and has no largest "
                "or smallest element along it"
            )


def along(
    op: Op, kernel: Callable[..., None], index_kernel: Callable[..., None], x: Tensor, dim: Any, keepdim: bool
) -> Extremum:
    """Values and indices of an extremum along one axis."""
    axis = axis_of(dim, x.array.ndim)
    refuse_empty(op.name, x, axis)
    shape = x.array.shape
    axes = (axis,) if shape else ()
    kept = kept_shape(shape, axes)
    values = compute(kernel, kept, x.dtype, x.dtype, x.array)
    index = compute(index_kernel, kept, x.dtype, dtypes.int64, x.array)
    final = kept if keepdim else dropped_shape(shape, axes)
    values = fresh(values.array.reshape(final), x.dtype)
    record(values, op, (x,), (kept, axis, index.array))
    return Extremum(values, fresh(index.array.reshape(final).copy(), dtypes.int64))


def max(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest of all, ties sharing the gradient; or values and indices along an axis, the first of ties.

    Another tensor in place of an axis gives the elementwise `maximum`.
    """
    x = as_tensor(x, "max")
    if isinstance(dim, Tensor):
        from kael.ops.elementwise import maximum

        return maximum(x, dim)
    return amax(x) if dim is None else along(MAX, table.max, table.argmax, x, dim, keepdim)


def min(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest of all, ties sharing the gradient; or values and indices along an axis, the first of ties.

    Another tensor in place of an axis gives the elementwise `minimum`.
    """
    x = as_tensor(x, "min")
    if isinstance(dim, Tensor):
        from kael.ops.elementwise import minimum

        return minimum(x, dim)
    return amin(x) if dim is None else along(MIN, table.min, argmin_kernel, x, dim, keepdim)


def argmax(x: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Index of the first largest element along an axis, or in row-major order over all; nan wins."""
    return where_extreme("argmax", table.argmax, as_tensor(x, "argmax"), dim, keepdim)


def argmin(x: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Index of the first smallest element along an axis, or in row-major order over all; nan wins."""
    return where_extreme("argmin", argmin_kernel, as_tensor(x, "argmin"), dim, keepdim)


def argmin_kernel(x: Any, out: Any) -> None:
    """The index of the first smallest element, as argmax of the elements in reverse order.

    ``-x`` reverses floats, nan included; ``~x`` reverses integers, also the smallest, whose negative wraps.
    """
    if x.dtype.kind == "f":
        turned = table.empty(x.shape, x.dtype)
        table.neg(x, turned)
    else:
        turned = numpy.invert(x)
    table.argmax(turned, out)


def where_extreme(operation: str, kernel: Callable[..., None], x: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """Run a kernel that gives indices along one axis or over all."""
    shape = x.array.shape
    axes = tuple(range(len(shape))) if dim is None else axes_of(axis_of(dim, len(shape)), len(shape))
    refuse_empty(operation, x, axes)
    index = compute(kernel, kept_shape(shape, axes), x.dtype, dtypes.int64, x.array).array
    return fresh(index if keepdim else index.reshape(dropped_shape(shape, axes)), dtypes.int64)


FUNCTIONS = (
    amax,
    amin,
    argmax,
    argmin,
    max,
    mean,
    min,
    sum,
)
METHODS = FUNCTIONS
