"""What goes by a diagonal: reading one, writing one, the triangles on its two sides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.ops.dispatch import as_tensor, axis_of
from kael.ops.inplace import check_grad_rules, check_writable
from kael.ops.reduction import sum as total
from kael.ops.shape import clone, reshape
from kael.ops.splitting import whole
from kael.tensors import Tensor, fresh, view_of


def diagonal_of(array: Any, offset: int, first: int, second: int) -> Any:
    """A diagonal as a view that may be written."""
    view = numpy.diagonal(array, offset, first, second)
    view.flags.writeable = True
    return view


def diagonal_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    result = filled(node.inputs[0].shape, g.dtype, 0.0)
    diagonal_of(result.array, *node.attributes)[...] = g.array
    return result


def diag_embed_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fresh(diagonal_of(g.array, *node.attributes), g.dtype)


def tril_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fresh(numpy.tril(g.array, node.attributes[0]), g.dtype)


def triu_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fresh(numpy.triu(g.array, node.attributes[0]), g.dtype)


DIAGONAL = Op(
    "diagonal", "a diagonal of two axes, as the last axis", diagonal_vjp, "g on the diagonal, 0 elsewhere", numpy=True
)
DIAG_EMBED = Op(
    "diag_embed",
    "matrices with the last axis on a diagonal",
    diag_embed_vjp,
    "the diagonal of g",
    passes=True,
    numpy=True,
)
TRIL = Op("tril", "0 above a diagonal", tril_vjp, "g with 0 above the diagonal", numpy=True)
TRIU = Op("triu", "0 below a diagonal", triu_vjp, "g with 0 below the diagonal", numpy=True)


def two_axes(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    """Two different axes counted from the front."""
    first, second = axis_of(dim1, ndim), axis_of(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return first, second


def diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A diagonal of two axes, which becomes the last axis; a view.

    Parameters
    ----------
    x : Tensor
        Of at least two axes.
    offset : int
        0 is the main diagonal, above it is positive.
    dim1, dim2 : int
        The axes.

    Raises
    ------
    RuntimeError
        When the axes are one.
    """
    return seen(as_tensor(x, "diagonal"), offset, dim1, dim2)


def seen(x: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """The view that `diagonal` gives; `diag` has an argument of that name."""
    offset = whole(offset, "diagonal: offset")
    first, second = two_axes(dim1, dim2, x.array.ndim)
    array = diagonal_of(x.array, offset, first, second)
    return record(view_of(x, array), DIAGONAL, (x,), (offset, first, second))


def diag_embed(x: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the last axis on a diagonal and 0 elsewhere.

    Parameters
    ----------
    x : Tensor
        Of at least one axis.
    offset : int
        Which diagonal: 0 is the main one, above it is positive.
    dim1, dim2 : int
        The axes of the result in which the matrices lie.

    Raises
    ------
    RuntimeError
        When the axes are one.
    """
    x = as_tensor(x, "diag_embed")
    offset = whole(offset, "diag_embed: offset")
    first, second = two_axes(dim1, dim2, x.array.ndim + 1)
    size = x.array.shape[-1] + abs(offset)
    shape = list(x.array.shape[:-1])
    for axis in sorted((first, second)):
        shape.insert(axis, size)
    result = fresh(numpy.zeros(shape, x.dtype.numpy), x.dtype)
    diagonal_of(result.array, offset, first, second)[...] = x.array
    return record(result, DIAG_EMBED, (x,), (offset, first, second))


def diag(x: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix as a copy, or the matrix with a vector on its diagonal.

    Raises
    ------
    RuntimeError
        For a tensor of neither one nor two axes.
    """
    x = as_tensor(x, "diag")
    if x.array.ndim == 1:
        return diag_embed(x, diagonal)
    if x.array.ndim == 2:
        return clone(seen(x, diagonal, 0, 1))
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {x.array.ndim}D")


def diagflat(x: Tensor, offset: int = 0) -> Tensor:
    """The matrix with all elements, in row-major order, on a diagonal."""
    return diag_embed(reshape(as_tensor(x, "diagflat"), -1), offset)


def triangle(operation: str, x: Any, diagonal: Any) -> tuple[Tensor, int]:
    """The checked operands of `tril` and `triu`."""
    x = as_tensor(x, operation)
    if x.array.ndim < 2:
        raise RuntimeError(f"{operation}: input tensor must have at least 2 dimensions")
    return x, whole(diagonal, f"{operation}: diagonal")


def tril(x: Tensor, diagonal: int = 0) -> Tensor:
    """The last two axes with 0 above a diagonal.

    Parameters
    ----------
    x : Tensor
        One matrix or several.
    diagonal : int
        The last diagonal that is kept: 0 is the main one, above it is positive.

    Raises
    ------
    RuntimeError
        For less than two axes.
    """
    x, diagonal = triangle("tril", x, diagonal)
    return record(fresh(numpy.tril(x.array, diagonal), x.dtype), TRIL, (x,), (diagonal,))


def triu(x: Tensor, diagonal: int = 0) -> Tensor:
    """The last two axes with 0 below a diagonal.

    Parameters
    ----------
    x : Tensor
        One matrix or several.
    diagonal : int
        The first diagonal that is kept: 0 is the main one, above it is positive.

    Raises
    ------
    RuntimeError
        For less than two axes.
    """
    x, diagonal = triangle("triu", x, diagonal)
    return record(fresh(numpy.triu(x.array, diagonal), x.dtype), TRIU, (x,), (diagonal,))


def cut(name: str, function: Callable[..., Any], x: Tensor, diagonal: int) -> Tensor:
    """Set one side of a diagonal to 0 in place, and count the write."""
    check_grad_rules(x, None, name)
    x, diagonal = triangle(name.rstrip("_"), x, diagonal)
    check_writable(x.array, name)
    x.array[...] = function(x.array, diagonal)
    x.storage.version += 1
    return x


def tril_(x: Tensor, diagonal: int = 0) -> Tensor:
    """Set what lies above a diagonal to 0, in place."""
    return cut("tril_", numpy.tril, x, diagonal)


def triu_(x: Tensor, diagonal: int = 0) -> Tensor:
    """Set what lies below a diagonal to 0, in place."""
    return cut("triu_", numpy.triu, x, diagonal)


def trace(x: Tensor) -> Tensor:
    """The sum of a matrix's diagonal.

    Raises
    ------
    RuntimeError
        For what is no matrix.
    NotImplementedError
        For bool.
    """
    x = as_tensor(x, "trace")
    if x.array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {x.array.ndim}")
    if x.dtype is dtypes.bool:
        raise NotImplementedError("trace: the diagonal of a mask is not added up; use .long()")
    return total(seen(x, 0, 0, 1))


FUNCTIONS = (
    diag,
    diag_embed,
    diagflat,
    diagonal,
    trace,
    tril,
    triu,
)
METHODS = (*FUNCTIONS, tril_, triu_)
