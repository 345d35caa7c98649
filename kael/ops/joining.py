"""Tensors joined: along an axis they have, along a new one, and the grid that vectors span."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.dispatch import as_tensor, axis_of, cast
from kael.ops.shape import expand, reshape
from kael.tensors import Tensor, fresh


def cat_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axis, starts = node.attributes
    if len(node.inputs[position].shape) != g.array.ndim:
        return filled(node.inputs[position].shape, g.dtype, 0.0)
    window = [slice(None)] * g.array.ndim
    window[axis] = slice(starts[position], starts[position + 1])
    return fresh(g.array[tuple(window)], g.dtype)


def stack_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    window: list[Any] = [slice(None)] * g.array.ndim
    window[node.attributes[0]] = position
    return fresh(g.array[(*window, ...)], g.dtype)


CAT = Op("cat", "tensors joined along an axis", cat_vjp, "the part of g that came from each", passes=True, numpy=True)
STACK = Op(
    "stack", "tensors joined along a new axis", stack_vjp, "the slice of g that came from each", passes=True, numpy=True
)


def joined(operation: str, tensors: Any) -> tuple[tuple[Tensor, ...], Any]:
    """A non-empty sequence of tensors in their common dtype."""
    if not isinstance(tensors, (list, tuple)) and (isinstance(tensors, Tensor) or not isinstance(tensors, Iterable)):
        raise TypeError(f"{operation}(): expected a sequence of tensors, got {type(tensors).__name__}")
    tensors = tuple(tensors)
    if not tensors:
        if operation == "cat":
            raise ValueError("cat(): expected a non-empty list of Tensors; there is nothing to join")
        raise RuntimeError(f"{operation} expects a non-empty TensorList; there is nothing to join")
    for index, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{operation}(): element {index} is {type(tensor).__name__}; all must be tensors")
    dtype = tensors[0].dtype
    for tensor in tensors[1:]:
        if tensor.dtype is not dtype:
            dtype = dtypes.result_type(dtype, False, tensor.dtype, False)
    return tuple([cast(tensor, dtype) for tensor in tensors]), dtype


def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors joined along an axis.

    Parameters
    ----------
    tensors : sequence of Tensor
        Of one number of axes and equal sizes except along `dim`. One of shape (0,) is left out, whatever the others'
        shapes.
    dim : int
        The axis.

    Raises
    ------
    ValueError
        When there are none.
    RuntimeError
        When one is 0-d, or when sizes differ elsewhere.
    """
    parts, dtype = joined("cat", tensors)
    first, place = (0,), 0
    for index, part in enumerate(parts):
        if part.array.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {index}) cannot be concatenated")
        if first == (0,) and part.array.shape != (0,):
            first, place = part.array.shape, index
    axis = axis_of(dim, len(first))
    before, after = first[:axis], first[axis + 1 :]
    starts = [0]
    for index, part in enumerate(parts):
        shape = part.array.shape
        if shape == (0,):
            starts.append(starts[-1])
            continue
        if len(shape) != len(first) or shape[:axis] != before or shape[axis + 1 :] != after:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {axis}. Tensor {place} is {first} but tensor {index} "
                f"is {shape}"
            )
        starts.append(starts[-1] + shape[axis])
    out = table.empty((*before, starts[-1], *after), dtype.numpy)
    numpy.concatenate([part.array for part in parts if part.array.shape != (0,) or first == (0,)], axis, out=out)
    return record(fresh(out, dtype), CAT, parts, (axis, tuple(starts)))


def concat(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors joined along an axis. Another name of `cat`."""
    return cat(tensors, dim)


def concatenate(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors joined along an axis. Another name of `cat`."""
    return cat(tensors, dim)


def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors of one shape joined along a new axis.

    Raises
    ------
    RuntimeError
        When there are none, and when their shapes differ.
    """
    parts, dtype = joined("stack", tensors)
    first = parts[0].array.shape
    for index, part in enumerate(parts):
        if part.array.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {first} at entry 0 and {part.array.shape} at "
                f"entry {index}"
            )
    axis = axis_of(dim, len(first) + 1)
    out = table.empty((*first[:axis], len(parts), *first[axis:]), dtype.numpy)
    new_axis = (*[slice(None)] * axis, None)
    numpy.concatenate([part.array[new_axis] for part in parts], axis, out=out)
    return record(fresh(out, dtype), STACK, parts, (axis,))


def at_least(x: Tensor, axes: int) -> Tensor:
    """The tensor with axes of size 1 put in: in front for one and two axes, one on both sides of a vector for three."""
    shape = x.array.shape
    if len(shape) >= axes:
        return x
    if axes == 3 and shape:
        return reshape(x, (1, *shape, 1) if len(shape) == 1 else (*shape, 1))
    return reshape(x, (1,) * (axes - len(shape)) + shape)


def each_at_least(operation: str, axes: int, tensors: tuple[Any, ...]) -> Any:
    """One tensor for one, a tuple for several or for a sequence."""
    if len(tensors) == 1 and not isinstance(tensors[0], (tuple, list)):
        return at_least(as_tensor(tensors[0], operation), axes)
    if len(tensors) == 1:
        tensors = tuple(tensors[0])
    return tuple([at_least(as_tensor(tensor, operation), axes) for tensor in tensors])


def atleast_1d(*tensors: Any) -> Any:
    """A 0-d tensor with one axis, others as they are; a tuple of those of several."""
    return each_at_least("atleast_1d", 1, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """A tensor with axes of size 1 in front, so that it has at least two; a tuple of those of several."""
    return each_at_least("atleast_2d", 2, tensors)


def atleast_3d(*tensors: Any) -> Any:
    """A tensor with axes of size 1 put in, so that it has at least three; a tuple of those of several."""
    return each_at_least("atleast_3d", 3, tensors)


def lifted(operation: str, tensors: Any, axes: int) -> list[Tensor]:
    """The tensors of a sequence, each with at least so many axes."""
    parts, _ = joined(operation, tensors)
    return [at_least(part, axes) for part in parts]


def hstack(tensors: Any) -> Tensor:
    """Tensors joined along the second axis, vectors along their only one."""
    parts = lifted("hstack", tensors, 1)
    return cat(parts, 0 if parts[0].array.ndim == 1 else 1)


def vstack(tensors: Any) -> Tensor:
    """Tensors joined along the first axis, vectors as rows."""
    return cat(lifted("vstack", tensors, 2), 0)


def row_stack(tensors: Any) -> Tensor:
    """Tensors joined along the first axis, vectors as rows. Another name of `vstack`."""
    return vstack(tensors)


def dstack(tensors: Any) -> Tensor:
    """Tensors joined along the third axis."""
    return cat(lifted("dstack", tensors, 3), 2)


def column_stack(tensors: Any) -> Tensor:
    """Tensors joined along the second axis, vectors as columns."""
    parts, _ = joined("column_stack", tensors)
    return hstack([reshape(part, (part.array.size, 1)) if part.array.ndim <= 1 else part for part in parts])


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of the grid that vectors span, one view per vector.

    Parameters
    ----------
    *tensors : Tensor
        Vectors or 0-d tensors of one dtype, or one sequence of them.
    indexing : str
        "ij": the first vector runs along the first axis. "xy": along the second. Left out it is "ij", with a warning.

    Raises
    ------
    RuntimeError
        For tensors with more axes, of several dtypes, or for another `indexing`.
    ValueError
        When there are none.
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    if not tensors:
        raise ValueError("meshgrid expects a non-empty TensorList")
    parts = [as_tensor(tensor, "meshgrid") for tensor in tensors]
    for part in parts:
        if part.array.ndim > 1:
            raise RuntimeError(f"meshgrid: Expected 0D or 1D tensor in the tensor list but got shape {part.shape}")
        if part.dtype is not parts[0].dtype:
            raise RuntimeError(
                f"meshgrid expects all tensors to have the same dtype, got {parts[0].dtype.name} and {part.dtype.name}"
            )
    if indexing is None:
        warnings.warn(
            "meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
            UserWarning,
            stacklevel=2,
        )
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(f'meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swapped = indexing == "xy" and len(parts) > 1
    if swapped:
        parts[0], parts[1] = parts[1], parts[0]
    shape = tuple([part.array.size for part in parts])
    grids = [
        expand(reshape(part, [shape[axis] if k == axis else 1 for k in range(len(shape))]), shape)
        for axis, part in enumerate(parts)
    ]
    if swapped:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of one element of each vector, one per row; one vector as it is.

    Raises
    ------
    RuntimeError
        For a tensor that is no vector.
    """
    parts = [as_tensor(tensor, "cartesian_prod") for tensor in tensors]
    for part in parts:
        if part.array.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {part.array.shape}")
    if len(parts) == 1:
        return parts[0]
    return stack([reshape(grid, -1) for grid in meshgrid(*parts, indexing="ij")], 1)


def combinations(x: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of `r` elements of a vector in their order, one per row.

    Raises
    ------
    RuntimeError
        For a tensor that is no vector, and for a negative number.
    """
    x = as_tensor(x, "combinations")
    if x.array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {x.array.shape}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return x[:0]
    chosen = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return x[numpy.array(list(chosen(range(x.array.size), r)), numpy.int64).reshape(-1, r)]


FUNCTIONS = (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    cartesian_prod,
    cat,
    column_stack,
    combinations,
    concat,
    concatenate,
    dstack,
    hstack,
    meshgrid,
    row_stack,
    stack,
    vstack,
)
METHODS: tuple[Any, ...] = ()
