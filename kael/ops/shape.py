"""Operations that change shape, layout or dtype: views where the strides allow it, copies where they do not."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.dispatch import as_tensor, axis_of, cast, sum_to
from kael.tensors import Tensor, fresh, view_of


def reshape_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fresh(g.array.reshape(node.inputs[0].shape), g.dtype)


def transpose_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    first, second = node.attributes
    return fresh(g.array.swapaxes(first, second) if g.array.ndim else g.array, g.dtype)


def permute_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    order = node.attributes[0]
    return fresh(g.array.transpose([order.index(axis) for axis in range(len(order))]), g.dtype)


def expand_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return sum_to(g, node.inputs[0].shape)


def clone_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return g


def to_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return cast(g, node.inputs[0].dtype)


def cat_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axis, starts = node.attributes
    window = [slice(None)] * g.array.ndim
    window[axis] = slice(starts[position], starts[position + 1])
    return fresh(g.array[tuple(window)], g.dtype)


def stack_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    window: list[Any] = [slice(None)] * g.array.ndim
    window[node.attributes[0]] = position
    return fresh(g.array[(*window, ...)], g.dtype)


RESHAPE = Op("reshape", "the same elements in another shape", reshape_vjp, "g reshaped back", passes=True)
TRANSPOSE = Op("transpose", "two axes swapped", transpose_vjp, "g with the axes swapped back", passes=True)
PERMUTE = Op("permute", "axes in another order", permute_vjp, "g in the inverse order", passes=True)
EXPAND = Op("expand", "axes of size 1 repeated without a copy", expand_vjp, "g summed over the repeats", passes=True)
SQUEEZE = Op("squeeze", "axes of size 1 dropped", reshape_vjp, "g reshaped back", passes=True)
UNSQUEEZE = Op("unsqueeze", "an axis of size 1 put in", reshape_vjp, "g reshaped back", passes=True)
CLONE = Op("clone", "a copy", clone_vjp, "g", passes=True)
TO = Op("to", "the same values in another dtype", to_vjp, "g in the input's dtype", passes=True, dtypes="as asked")
CAT = Op("cat", "tensors joined along an axis", cat_vjp, "the part of g that came from each", passes=True, numpy=True)
STACK = Op(
    "stack", "tensors joined along a new axis", stack_vjp, "the slice of g that came from each", passes=True, numpy=True
)


def sizes(arguments: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given as separate integers or as one sequence."""
    if len(arguments) == 1 and isinstance(arguments[0], (tuple, list, range)):
        arguments = tuple(arguments[0])
    try:
        return tuple([operator.index(size) for size in arguments])
    except TypeError:
        kinds = ", ".join(type(size).__name__ for size in arguments)
        raise TypeError(f"sizes must be integers or one sequence of them, got {kinds}") from None


def inferred(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """A shape whose one -1, if any, is replaced so that it holds `count` elements.

    Raises
    ------
    RuntimeError
        When no size fits, or more than one is left open.
    """
    refused = f"shape '{shape}' is invalid for input of size {count}"
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if any(size < -1 for size in shape):
        raise RuntimeError(f"invalid shape dimension {min(shape)}; sizes are 0 or more, or one -1")
    if -1 in shape:
        known = prod(size for size in shape if size != -1)
        if known == 0 or count % known:
            raise RuntimeError(refused)
        return tuple([count // known if size == -1 else size for size in shape])
    if prod(shape) != count:
        raise RuntimeError(refused)
    return shape


def reshape(x: Tensor, *shape: Any) -> Tensor:
    """The same elements in row-major order in another shape: a view where the strides allow it, else a copy.

    Parameters
    ----------
    x : Tensor
        What to reshape.
    *shape : int or sequence of int
        The new sizes; one may be -1.

    Raises
    ------
    RuntimeError
        When the sizes do not hold as many elements.

    Examples
    --------
    >>> import kael
    >>> kael.arange(6).reshape(2, -1).shape
    (2, 3)
    """
    x = as_tensor(x, "reshape")
    wanted = inferred(sizes(shape), x.array.size)
    array = x.array.reshape(wanted)
    shared = numpy.may_share_memory(array, x.array) or x.array.size == 0
    return record(view_of(x, array) if shared else fresh(array, x.dtype), RESHAPE, (x,))


def view(x: Tensor, *shape: Any) -> Tensor:
    """As `reshape`, but never a copy.

    Raises
    ------
    RuntimeError
        When the strides do not allow a view.
    """
    wanted = inferred(sizes(shape), x.array.size)
    array = x.array.view()
    try:
        array.shape = wanted
    except AttributeError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        ) from None
    return record(view_of(x, array), RESHAPE, (x,))


def flatten(x: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Axes from `start_dim` to `end_dim` joined into one."""
    x = as_tensor(x, "flatten")
    shape = x.array.shape
    if not shape:
        return reshape(x, 1)
    first, last = axis_of(start_dim, len(shape)), axis_of(end_dim, len(shape))
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    return reshape(x, (*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :]))


def transpose(x: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two axes swapped; a view."""
    x = as_tensor(x, "transpose")
    ndim = x.array.ndim
    first, second = axis_of(dim0, ndim), axis_of(dim1, ndim)
    array = x.array.swapaxes(first, second) if ndim else x.array
    return record(view_of(x, array), TRANSPOSE, (x,), (first, second))


def t(x: Tensor) -> Tensor:
    """The transpose of a matrix; a vector as it is."""
    x = as_tensor(x, "t")
    if x.array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {x.array.ndim}D")
    return transpose(x, 0, 1) if x.array.ndim == 2 else transpose(x, 0, 0)


def permute(x: Tensor, *dims: Any) -> Tensor:
    """Axes in another order; a view.

    Raises
    ------
    RuntimeError
        When the order does not name each axis once.
    """
    x = as_tensor(x, "permute")
    given = sizes(dims)
    ndim = x.array.ndim
    if len(given) != ndim:
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(given)}"
        )
    order = tuple([axis_of(dim, ndim) for dim in given])
    if len(set(order)) != ndim:
        raise RuntimeError(f"permute(): duplicate dims are not allowed, got {given}")
    return record(view_of(x, x.array.transpose(order)), PERMUTE, (x,), (order,))


def expand(x: Tensor, *shape: Any) -> Tensor:
    """Axes of size 1 repeated by a stride of 0, and new axes in front; a view. -1 keeps a size.

    Raises
    ------
    RuntimeError
        When an axis that is not of size 1 would change.
    """
    wanted = sizes(shape)
    have = x.array.shape
    extra = len(wanted) - len(have)
    if extra < 0:
        raise RuntimeError(
            f"expand: the number of sizes provided ({len(wanted)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({len(have)})"
        )
    if any(size < -1 for size in wanted):
        raise RuntimeError(f"expand: sizes must not be negative, but for -1, which keeps a size; got {wanted}")
    final = []
    for axis, size in enumerate(wanted):
        old = have[axis - extra] if axis >= extra else None
        if size == -1:
            if old is None:
                raise RuntimeError(f"expand: -1 is not allowed in the leading, non-existing dimension {axis}")
            size = old
        if old not in (None, 1, size):
            raise RuntimeError(
                f"The expanded size of the tensor ({size}) must match the existing size ({old}) at non-singleton "
                f"dimension {axis}.  Target sizes: {wanted}.  Tensor sizes: {have}"
            )
        final.append(size)
    array = numpy.lib.stride_tricks.as_strided(
        x.array,
        final,
        [
            0 if axis < extra or have[axis - extra] != size else x.array.strides[axis - extra]
            for axis, size in enumerate(final)
        ],
    )
    return record(view_of(x, array), EXPAND, (x,))


def expand_as(x: Tensor, other: Tensor) -> Tensor:
    """`x` expanded to the shape of `other`."""
    return expand(x, other.array.shape)


def squeeze(x: Tensor, dim: Any = None) -> Tensor:
    """Axes of size 1 dropped: all, or those named where they are of size 1; a view."""
    x = as_tensor(x, "squeeze")
    shape = x.array.shape
    if dim is None:
        chosen: Sequence[int] = range(len(shape))
    else:
        chosen = [axis_of(d, len(shape)) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))]
    kept = [size for axis, size in enumerate(shape) if not (axis in chosen and size == 1)]
    return record(view_of(x, x.array.reshape(kept)), SQUEEZE, (x,))


def unsqueeze(x: Tensor, dim: int) -> Tensor:
    """An axis of size 1 put in before position `dim`; a view."""
    x = as_tensor(x, "unsqueeze")
    axis = axis_of(dim, x.array.ndim + 1)
    return record(view_of(x, numpy.expand_dims(x.array, axis)), UNSQUEEZE, (x,))


def contiguous(x: Tensor) -> Tensor:
    """The tensor itself if its elements lie in row-major order without gaps, else a copy that does."""
    return x if x.array.flags.c_contiguous else clone(x)


def clone(x: Tensor) -> Tensor:
    """A recorded copy with a storage of its own."""
    x = as_tensor(x, "clone")
    return record(fresh(x.array.copy(order="C"), x.dtype), CLONE, (x,))


def to(x: Tensor, dtype: Any) -> Tensor:
    """The tensor in another dtype; itself where nothing changes.

    Raises
    ------
    TypeError
        When `dtype` is not a kael dtype.
    """
    if not isinstance(dtype, dtypes.DType):
        raise TypeError(f"to: expected a dtype such as kael.float64, got {type(dtype).__name__}")
    if x.dtype is dtype:
        return x
    with numpy.errstate(all="ignore"):
        return record(fresh(x.array.astype(dtype.numpy), dtype), TO, (x,))


def joined(operation: str, tensors: Any) -> tuple[tuple[Tensor, ...], Any]:
    """A non-empty sequence of tensors in their common dtype."""
    if isinstance(tensors, Tensor) or not isinstance(tensors, Iterable):
        raise TypeError(f"{operation}(): expected a sequence of tensors, got {type(tensors).__name__}")
    tensors = tuple(tensors)
    if not tensors:
        raise ValueError(f"{operation}(): expected a non-empty list of Tensors; there is nothing to join")
    for index, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{operation}(): element {index} is {type(tensor).__name__}; all must be tensors")
    dtype = tensors[0].dtype
    for tensor in tensors[1:]:
        dtype = dtypes.result_type(dtype, False, tensor.dtype, False)
    return tuple([cast(tensor, dtype) for tensor in tensors]), dtype


def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors joined along an axis.

    Parameters
    ----------
    tensors : sequence of Tensor
        Of one number of axes and equal sizes except along `dim`.
    dim : int
        The axis.

    Raises
    ------
    RuntimeError
        When there are none, when one is 0-d, or when sizes differ elsewhere.
    """
    parts, dtype = joined("cat", tensors)
    for index, part in enumerate(parts):
        if part.array.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {index}) cannot be concatenated")
    first = parts[0].array.shape
    axis = axis_of(dim, len(first))
    starts = [0]
    for index, part in enumerate(parts):
        shape = part.array.shape
        if len(shape) != len(first) or any(
            a != b for k, (a, b) in enumerate(zip(shape, first, strict=True)) if k != axis
        ):
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {axis}. Tensor 0 is {first} but tensor {index} is "
                f"{shape}"
            )
        starts.append(starts[-1] + shape[axis])
    out = table.empty((*first[:axis], starts[-1], *first[axis + 1 :]), dtype.numpy)
    numpy.concatenate([part.array for part in parts], axis, out=out)
    return record(fresh(out, dtype), CAT, parts, (axis, tuple(starts)))


def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors of one shape joined along a new axis."""
    parts, dtype = joined("stack", tensors)
    first = parts[0].array.shape
    for index, part in enumerate(parts):
        if part.array.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {first} at entry 0 and {part.array.shape} at "
                f"entry {index}"
            )
    axis = axis_of(dim, len(first) + 1)
    return record(fresh(numpy.stack([part.array for part in parts], axis), dtype), STACK, parts, (axis,))


FUNCTIONS = (
    cat,
    clone,
    flatten,
    permute,
    reshape,
    squeeze,
    stack,
    t,
    transpose,
    unsqueeze,
)
METHODS = (
    clone,
    contiguous,
    expand,
    expand_as,
    flatten,
    permute,
    reshape,
    squeeze,
    t,
    to,
    transpose,
    unsqueeze,
    view,
)
