"""Padding: an axis made longer or shorter at its ends, one node.

An axis that is extended by its own elements is an index per place of the result, and the gradient is added back along
the same index.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy

from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.convolution import widened
from kael.ops.dispatch import rounded
from kael.tensors import Tensor, fresh

MODES = ("constant", "reflect", "replicate", "circular")


def add_back(g: Any, index: Any, axis: int, size: int) -> Any:
    """A gradient of ``take(index, axis)`` added back to an axis of this size, in order of the places."""
    out = numpy.zeros((*g.shape[:axis], size, *g.shape[axis + 1 :]), g.dtype)
    places = index.astype(numpy.int64, copy=False).reshape(-1, *[1] * (g.ndim - 1 - axis))
    table.scatter_add(numpy.broadcast_to(places, g.shape), g, axis, out)
    return out


def overlap(size: int, before: int, after: int) -> tuple[slice, slice]:
    """What of an axis is kept when it is padded, and where in the padded axis it stands."""
    start, stop = max(0, -before), size - max(0, -after)
    return slice(start, stop), slice(max(0, before), max(0, before) + stop - start)


def overlaps(sizes: Sequence[int], ends: Sequence[tuple[int, int]]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """What is kept of the last axes, and where it stands in the padded ones."""
    both = [overlap(size, *end) for size, end in zip(sizes, ends, strict=True)]
    return (..., *[kept for kept, _ in both]), (..., *[place for _, place in both])


def pad_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    mode, ends, indices = node.attributes
    shape = node.inputs[0].shape
    if mode == "constant":
        kept, places = overlaps(shape[len(shape) - len(ends) :], ends)
        out = numpy.zeros(shape, g.dtype.numpy)
        out[kept] = g.array[places]
        return fresh(out, g.dtype)
    inside = g.dtype.wide or g.dtype
    out = widened(g.array, inside)
    for axis, index in enumerate(indices, len(shape) - len(ends)):
        out = add_back(out, index, axis, shape[axis])
    return fresh(rounded(out, inside, g.dtype), g.dtype)


PAD = Op(
    "pad", "x with more or fewer elements at the ends of its last axes", pad_vjp,
    "g without the padding; where elements were repeated, the sum over their places", dtypes="that of x", numpy=True,
)  # fmt: skip


def reflected(size: int, before: int, after: int) -> Any:
    """Indices that go back from each end, which is not repeated."""
    places = numpy.abs(numpy.arange(-before, size + after))
    return numpy.where(places >= size, 2 * (size - 1) - places, places)


def replicated(size: int, before: int, after: int) -> Any:
    """Indices that stay at each end."""
    return numpy.clip(numpy.arange(-before, size + after), 0, size - 1)


def wrapped(size: int, before: int, after: int) -> Any:
    """Indices that go on at the other end."""
    return numpy.arange(-before, size + after) % size


INDICES = {"reflect": reflected, "replicate": replicated, "circular": wrapped}


def ends_of(pad: Any) -> list[tuple[int, int]]:
    """Pairs of what is added before and after an axis, the last axis last.

    Raises
    ------
    TypeError
        For what is not a tuple of integers.
    RuntimeError
        For an odd count.
    """
    if not isinstance(pad, (tuple, list)):
        raise TypeError(f"pad(): argument 'pad' (position 2) must be tuple of ints, not {type(pad).__name__}")
    numbers = []
    for at, value in enumerate(pad):
        try:
            numbers.append(operator.index(value))
        except TypeError:
            raise TypeError(
                "pad(): argument 'pad' (position 2) must be tuple of ints, but found element of type "
                f"{type(value).__name__} at pos {at}"
            ) from None
    if len(numbers) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    return list(zip(numbers[::2], numbers[1::2], strict=True))[::-1]


def check_repeated(mode: str, shape: tuple[int, ...], ends: list[tuple[int, int]]) -> None:
    """Refuse a padding that repeats elements and has none, or too few, to repeat.

    Raises
    ------
    NotImplementedError
        When not one, two or three axes are padded, all but the first one or two.
    RuntimeError
        When an axis is too short, or would be shorter than nothing.
    """
    axes = len(ends)
    if axes not in (1, 2, 3) or len(shape) not in (axes + 1, axes + 2):
        raise NotImplementedError(f"Padding size {2 * axes} is not supported for {len(shape)}D input tensor.")
    if 0 in shape[-axes - 1 :]:
        raise RuntimeError(
            f"Expected {axes + 1}D or {axes + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {shape}"
        )
    for axis, (before, after) in enumerate(ends, len(shape) - axes):
        size = shape[axis]
        if mode == "reflect" and max(before, after) >= size:
            raise RuntimeError(
                "Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {axis} of input {shape}"
            )
        if mode == "circular" and max(before, after) > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if size + before + after < (1 if mode == "circular" else 0) or min(before, after) < -size:
            raise RuntimeError(
                f"Negative padding value is resulting in an empty dimension: ({before}, {after}) at dimension {axis} "
                f"of input {shape}"
            )


def pad(x: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """The last axes with elements added at their ends, or taken away.

    Parameters
    ----------
    x : Tensor
        What is padded.
    pad : sequence of int
        Two numbers per axis, the last axis first: how many elements are added before and after; negative ones cut.
    mode : {"constant", "reflect", "replicate", "circular"}
        What is added: `value`; the elements next to the end, backwards; the element at the end; the elements at the
        other end. All but the first pad all axes but samples and channels.
    value : float, optional
        For ``"constant"``; 0 when left out.

    Raises
    ------
    TypeError
        When `pad` is not a sequence of integers.
    RuntimeError
        When `pad` has an odd count or more numbers than fit the axes, when a negative one cuts more than there is, and
        when an axis is too short to repeat.
    NotImplementedError
        For another mode, and for axes or a dtype that a mode does not pad.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([[1.0, 2.0, 3.0]])
    >>> kael.nn.functional.pad(x, (1, 2), value=9.0), kael.nn.functional.pad(x, (2, -1), "reflect")
    (tensor([[9., 1., 2., 3., 9., 9.]]), tensor([[3., 2., 1., 2.]]))
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"pad(): argument 'input' (position 1) must be Tensor, not {type(x).__name__}")
    ends, shape = ends_of(pad), x.array.shape
    if len(ends) > len(shape):
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{2 * len(ends)} and input of dimension {len(shape)}"
        )
    if mode not in MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if mode != "constant":
        if value:
            raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
        check_repeated(mode, shape, ends)
        if x.dtype.category == 0 and mode != "circular":
            raise NotImplementedError(f'"pad" with mode "{mode}" not implemented for bool; cast it to numbers first')
        first = len(shape) - len(ends)
        indices = [INDICES[mode](shape[axis], *end) for axis, end in enumerate(ends, first)]
        result = x.array
        for axis, index in enumerate(indices, first):
            result = result.take(index, axis)
        return record(fresh(result, x.dtype), PAD, (x,), (mode, ends, indices))
    sizes = shape[len(shape) - len(ends) :]
    for size, (before, after) in zip(sizes, ends, strict=True):
        if size + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError(
                f"narrow(): length must be non-negative. The padding {tuple(pad)} cuts more than x {shape} has"
            )
    kept, places = overlaps(sizes, ends)
    longer = [size + before + after for size, (before, after) in zip(sizes, ends, strict=True)]
    out = numpy.full((*shape[: len(shape) - len(ends)], *longer), fill_value(x, value), x.dtype.numpy)
    out[places] = x.array[kept]
    return record(fresh(out, x.dtype), PAD, (x,), (mode, ends, None))


def fill_value(x: Tensor, value: float | None) -> Any:
    """The number to pad with in the tensor's dtype."""
    if value is None:
        return 0
    return value if x.dtype.is_floating_point else int(value)
