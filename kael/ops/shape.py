"""Operations that change shape, layout or dtype: views where the strides allow it, copies where they do not.

Parts of a tensor are in `kael.ops.splitting`, joined tensors in `kael.ops.joining`, elements in another order in
`kael.ops.rearrangement`, and what goes by a diagonal in `kael.ops.diagonals`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy

from kael import devices, dtypes
from kael.autograd.node import copied, see_anew
from kael.autograd.op import Op
from kael.autograd.recording import record, requires_grad
from kael.ops.dispatch import as_tensor, axis_of, cast, common_shape, sum_to
from kael.ops.inplace import check_grad_rules
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


RESHAPE = Op("reshape", "the same elements in another shape", reshape_vjp, "g reshaped back", passes=True)
TRANSPOSE = Op("transpose", "two axes swapped", transpose_vjp, "g with the axes swapped back", passes=True)
PERMUTE = Op("permute", "axes in another order", permute_vjp, "g in the inverse order", passes=True)
EXPAND = Op("expand", "axes of size 1 repeated without a copy", expand_vjp, "g summed over the repeats", passes=True)
SQUEEZE = Op("squeeze", "axes of size 1 dropped", reshape_vjp, "g reshaped back", passes=True)
UNSQUEEZE = Op("unsqueeze", "an axis of size 1 put in", reshape_vjp, "g reshaped back", passes=True)
CLONE = Op("clone", "a copy", clone_vjp, "g", passes=True)
TO = Op("to", "the same values in another dtype", to_vjp, "g in the input's dtype", passes=True, dtypes="as asked")


def sizes(arguments: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given as separate integers or as one sequence."""
    if len(arguments) == 1 and isinstance(arguments[0], (tuple, list, range)):
        arguments = tuple(arguments[0])
    try:
        return tuple([operator.index(size) for size in arguments])
    except TypeError:
        kinds = ", ".join(type(size).__name__ for size in arguments)
        raise TypeError(f"sizes must be integers or one sequence of them, got {kinds}") from None


def whole_sizes(given: Any) -> tuple[int, ...]:
    """Sizes or axes given as one integer or as a sequence of them."""
    return sizes((given,))


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
        if known == 0 and count == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {shape} because the unspecified dimension size -1 can "
                "be any value and is ambiguous"
            )
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
    NotImplementedError
        For a dtype in the place of sizes, which in PyTorch reads the same bytes as other numbers.
    """
    if len(shape) == 1 and isinstance(shape[0], dtypes.DType):
        raise NotImplementedError(
            f"view: the bytes of a tensor are not read as another dtype; .to({shape[0]}) converts the values"
        )
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
    first, last = axis_of(start_dim, len(shape)), axis_of(end_dim, len(shape))
    if not shape:
        return reshape(x, 1)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    return reshape(x, (*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :]))


def unflatten(x: Tensor, dim: int, sizes: Any) -> Tensor:
    """One axis split into several, whose sizes multiply to its own; one of them may be -1.

    Raises
    ------
    RuntimeError
        When the sizes do not multiply to the axis's, or there are none.
    """
    x = as_tensor(x, "unflatten")
    shape = x.array.shape
    axis = axis_of(dim, len(shape))
    wanted = whole_sizes(sizes)
    if not wanted:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not shape:
        return reshape(x, wanted)
    try:
        parts = inferred(wanted, shape[axis])
    except RuntimeError:
        raise RuntimeError(
            f"unflatten: Provided sizes {wanted} don't multiply up to the size of dim {axis} ({shape[axis]}) in the "
            "input tensor"
        ) from None
    return reshape(x, (*shape[:axis], *parts, *shape[axis + 1 :]))


def ravel(x: Tensor) -> Tensor:
    """All elements in row-major order on one axis; a view where the strides allow it."""
    return reshape(as_tensor(x, "ravel"), -1)


def view_as(x: Tensor, other: Tensor) -> Tensor:
    """`x` viewed in the shape of `other`."""
    return view(x, other.array.shape)


def reshape_as(x: Tensor, other: Tensor) -> Tensor:
    """`x` in the shape of `other`: a view where the strides allow it, else a copy."""
    return reshape(x, other.array.shape)


def transpose(x: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two axes swapped; a view."""
    x = as_tensor(x, "transpose")
    ndim = x.array.ndim
    first, second = axis_of(dim0, ndim), axis_of(dim1, ndim)
    array = x.array.swapaxes(first, second) if ndim else x.array
    return record(view_of(x, array), TRANSPOSE, (x,), (first, second))


def swapaxes(x: Tensor, axis0: int, axis1: int) -> Tensor:
    """Two axes swapped; a view. Another name of `transpose`."""
    return transpose(x, axis0, axis1)


def swapdims(x: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two axes swapped; a view. Another name of `transpose`."""
    return transpose(x, dim0, dim1)


def adjoint(x: Tensor) -> Tensor:
    """The last two axes swapped, since there are no complex numbers to conjugate; a view."""
    x = as_tensor(x, "adjoint")
    return transpose(x, -2, -1) if x.array.ndim else x


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


def movedim(x: Tensor, source: Any, destination: Any) -> Tensor:
    """Axes moved from places to others, the rest staying in order; a view.

    Raises
    ------
    RuntimeError
        When a place is named twice, or there are not as many of both.
    """
    x = as_tensor(x, "movedim")
    ndim = x.array.ndim
    leaving, arriving = whole_sizes(source), whole_sizes(destination)
    if len(leaving) != len(arriving):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({leaving} dims) should contain the same number of "
            f"dims as destination ({arriving} dims)"
        )
    places = {}
    for name, given in (("source", leaving), ("destination", arriving)):
        places[name] = [axis_of(dim, ndim) for dim in given]
        if len(set(places[name])) != len(given):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({given})")
    if not ndim:
        return permute(x)
    staying = iter([axis for axis in range(ndim) if axis not in places["source"]])
    moved = dict(zip(places["destination"], places["source"], strict=True))
    return permute(x, [moved[axis] if axis in moved else next(staying) for axis in range(ndim)])


def moveaxis(x: Tensor, source: Any, destination: Any) -> Tensor:
    """Axes moved from places to others, the rest staying in order; a view. Another name of `movedim`."""
    return movedim(x, source, destination)


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


def broadcast_to(x: Tensor, size: Any) -> Tensor:
    """`x` expanded to a shape that it broadcasts to; a view."""
    return expand(as_tensor(x, "broadcast_to"), size)


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Tensors expanded to the shape that they broadcast to; views.

    Raises
    ------
    RuntimeError
        When they do not broadcast.
    """
    if not tensors:
        return ()
    parts = [as_tensor(tensor, "broadcast_tensors") for tensor in tensors]
    shape: tuple[int, ...] = ()
    for part in parts:
        shape = common_shape(shape, part.array.shape)
    return tuple([expand(part, shape) for part in parts])


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that tensors of these shapes broadcast to; RuntimeError where they do not."""
    shape: tuple[int, ...] = ()
    for given in shapes:
        shape = common_shape(shape, whole_sizes(given))
    return shape


def squeeze(x: Tensor, dim: Any = None) -> Tensor:
    """Axes of size 1 dropped: all, or those named where they are of size 1; a view."""
    x = as_tensor(x, "squeeze")
    shape = x.array.shape
    if dim is None:
        chosen: Sequence[int] = range(len(shape))
    else:
        chosen = [axis_of(d, len(shape)) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))]
        for axis in chosen:
            if chosen.count(axis) > 1:
                raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    kept = [size for axis, size in enumerate(shape) if not (axis in chosen and size == 1)]
    return record(view_of(x, x.array.reshape(kept)), SQUEEZE, (x,))


def unsqueeze(x: Tensor, dim: int) -> Tensor:
    """An axis of size 1 put in before position `dim`; a view."""
    x = as_tensor(x, "unsqueeze")
    axis = axis_of(dim, x.array.ndim + 1)
    return record(view_of(x, numpy.expand_dims(x.array, axis)), UNSQUEEZE, (x,))


def turned(x: Tensor) -> Tensor:
    """``x.T``: the transpose of a matrix, and all axes in reverse otherwise."""
    return transpose(x, 0, 1) if x.array.ndim == 2 else permute(x, range(x.array.ndim)[::-1])


def matrices_turned(x: Tensor) -> Tensor:
    """``x.mT``: the last two axes swapped; RuntimeError where there is one axis alone."""
    if x.array.ndim == 0:
        return x
    if x.array.ndim == 1:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {x.array.ndim}-D tensor."
        )
    return transpose(x, -2, -1)


def conjugate_turned(x: Tensor) -> Tensor:
    """``x.H``: the transpose of a matrix, for there are no complex numbers; RuntimeError for more axes."""
    if x.array.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {x.array.ndim}-D tensor. For batches of "
            "matrices, consider using tensor.mT"
        )
    return t(x)


def seen_anew(x: Tensor, name: str, view: Tensor) -> Tensor:
    """Give a tensor the shape and strides of a view of it, in place, and count it as a write.

    Raises
    ------
    RuntimeError
        When `x` requires grad: what was recorded of it has its shape.
    """
    check_grad_rules(x, None, name)
    if requires_grad(x):
        raise RuntimeError(f"a leaf tensor that requires grad is being used in the in-place operation {name}")
    x.storage.version += 1
    x.array = view.array
    see_anew(x)
    return x


def squeeze_(x: Tensor, dim: Any = None) -> Tensor:
    """Drop axes of size 1 in place, as `squeeze`."""
    return seen_anew(x, "squeeze_", squeeze(x.detach(), dim))


def unsqueeze_(x: Tensor, dim: int) -> Tensor:
    """Put in an axis of size 1 in place, as `unsqueeze`."""
    return seen_anew(x, "unsqueeze_", unsqueeze(x.detach(), dim))


def t_(x: Tensor) -> Tensor:
    """Transpose a matrix in place."""
    return seen_anew(x, "t_", t(x.detach()))


def transpose_(x: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two axes in place."""
    return seen_anew(x, "transpose_", transpose(x.detach(), dim0, dim1))


def contiguous(x: Tensor) -> Tensor:
    """The tensor itself if its elements lie in row-major order without gaps, else a copy that does."""
    return x if x.array.flags.c_contiguous else record(copied(x), CLONE, (x,))


def clone(x: Tensor) -> Tensor:
    """A recorded copy with a storage of its own; axes keep their order in memory where there are no gaps."""
    x = as_tensor(x, "clone")
    keeps = without_gaps(x.array) and not x.array.flags.c_contiguous
    return record(fresh(x.array.copy(order="K"), x.dtype) if keeps else copied(x), CLONE, (x,))


def without_gaps(array: Any) -> bool:
    """Whether the elements fill one stretch of memory, each place once, in whatever order of the axes."""
    step = array.itemsize
    for stride, size in sorted(zip(array.strides, array.shape, strict=True)):
        if size != 1:
            if stride != step:
                return False
            step *= size
    return True


def converted(x: Tensor, dtype: dtypes.DType) -> Tensor:
    """The tensor in another dtype, recorded."""
    with numpy.errstate(all="ignore"):
        return record(fresh(x.array.astype(dtype.numpy), dtype), TO, (x,))


def to(x: Tensor, *target: Any, dtype: Any = None, device: Any = None, copy: bool = False) -> Tensor:
    """The tensor in another dtype; itself where nothing changes, unless a copy is asked for.

    Parameters
    ----------
    x : Tensor
        What to convert.
    *target : dtype, device or Tensor
        A dtype, the device "cpu", both, or a tensor whose dtype to take; PyTorch's flags ``non_blocking`` and
        ``copy`` may follow.
    dtype, device
        The same by name.
    copy : bool
        A copy also where nothing changes.

    Raises
    ------
    TypeError
        When what is asked for is no dtype, device or tensor of kael.
    RuntimeError
        For another device than the CPU.
    """
    flags = []
    for asked in target:
        if isinstance(asked, Tensor):
            dtype = asked.dtype
        elif isinstance(asked, (str, devices.device)):
            device = asked
        elif isinstance(asked, bool):
            flags.append(asked)
        else:
            dtype = asked
    devices.check("to", device)
    if dtype is None and device is None and not target:
        raise TypeError("to: expected a dtype such as kael.float64, a device or a tensor, got nothing")
    if dtype is not None and not isinstance(dtype, dtypes.DType):
        raise TypeError(f"to: expected a dtype such as kael.float64, got {type(dtype).__name__}")
    if dtype is not None and x.dtype is not dtype:
        return converted(x, dtype)
    return clone(x) if copy or flags[1:2] == [True] else x


def type_as(x: Tensor, other: Tensor) -> Tensor:
    """`x` in the dtype of `other`."""
    return to(as_tensor(x, "type_as"), other)


def cpu(x: Tensor) -> Tensor:
    """The tensor itself: it is on the CPU."""
    return x


def cuda(x: Tensor, device: Any = None) -> Tensor:
    """Refused: kael computes on the CPU."""
    return to(x, device="cuda" if device is None else device)


FUNCTIONS = (
    adjoint,
    broadcast_shapes,
    broadcast_tensors,
    broadcast_to,
    clone,
    flatten,
    moveaxis,
    movedim,
    permute,
    ravel,
    reshape,
    squeeze,
    swapaxes,
    swapdims,
    t,
    transpose,
    unflatten,
    unsqueeze,
)
METHODS = (
    adjoint,
    broadcast_to,
    clone,
    contiguous,
    cpu,
    cuda,
    expand,
    expand_as,
    flatten,
    moveaxis,
    movedim,
    permute,
    ravel,
    reshape,
    reshape_as,
    squeeze,
    squeeze_,
    swapaxes,
    swapdims,
    t,
    t_,
    to,
    transpose,
    transpose_,
    type_as,
    unflatten,
    unsqueeze,
    unsqueeze_,
    view,
    view_as,
)
