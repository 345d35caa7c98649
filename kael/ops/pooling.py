"""Pools: the largest element or the mean of every window of an image, one node each.

The windows are worked out here, axis by axis, and handed to chapter 25's kernels; an image of one axis is one of
height 1.
"""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.convolution import as_image, widened
from kael.ops.dispatch import rounded
from kael.tensors import Tensor, fresh

Windows = Any


def max_pool_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axes, indices = node.attributes
    dtype, inside = g.dtype, g.dtype.wide or g.dtype
    out = table.empty(node.inputs[0].shape, inside.numpy)
    up = widened(as_image(g.array, axes), inside)
    table.max_pool2d_vjp(up, as_image(indices, axes), as_image(out, axes))
    return fresh(rounded(out, inside, dtype), dtype)


def avg_pool_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axes, rows, columns, divisor = node.attributes
    dtype, inside = g.dtype, g.dtype.wide or g.dtype
    out = table.empty(node.inputs[0].shape, inside.numpy)
    table.avg_pool2d_vjp(widened(as_image(g.array, axes), inside), as_image(out, axes), rows, columns, divisor)
    return fresh(rounded(out, inside, dtype), dtype)


def largest(name: str, formula: str) -> Op:
    """The row of a pool that chooses."""
    return Op(
        name, formula, max_pool_vjp, "g to the place chosen", kinks="to the first of equal elements; to the last nan",
        dtypes="that of x",
    )  # fmt: skip


def average(name: str, formula: str) -> Op:
    """The row of a pool that averages."""
    return Op(name, formula, avg_pool_vjp, "g over the count to every element", dtypes="floating point")


MAX_POOL1D = largest("max_pool1d", "the largest of each window")
MAX_POOL2D = largest("max_pool2d", "the largest of each window along two axes")
ADAPTIVE_MAX_POOL1D = largest("adaptive_max_pool1d", "the largest of n windows that cover x evenly")
ADAPTIVE_MAX_POOL2D = largest("adaptive_max_pool2d", "the largest of n by m windows that cover x evenly")
AVG_POOL1D = average("avg_pool1d", "the mean of each window")
AVG_POOL2D = average("avg_pool2d", "the mean of each window along two axes")
ADAPTIVE_AVG_POOL1D = average("adaptive_avg_pool1d", "the mean of n windows that cover x evenly")
ADAPTIVE_AVG_POOL2D = average("adaptive_avg_pool2d", "the mean of n by m windows that cover x evenly")


def as_windows(triples: list[tuple[int, int, int]]) -> Windows:
    """Windows along an axis as the kernels take them; read-only, since they are shared."""
    windows = numpy.array(triples, numpy.int64).reshape(-1, 3)
    windows.flags.writeable = False
    return windows


@lru_cache(maxsize=256)
def spaced(size: int, count: int, kernel: int, stride: int, padding: int, dilation: int) -> Windows:
    """Windows of every dilation-th element: from where, before where, in which steps."""
    found = []
    for k in range(count):
        first = k * stride - padding
        start = first if first >= 0 else first % dilation
        found.append((min(start, size), min(first + dilation * (kernel - 1) + 1, size), dilation))
    return as_windows(found)


@lru_cache(maxsize=256)
def averaged(size: int, count: int, kernel: int, stride: int, padding: int, counts_padding: bool) -> Windows:
    """Windows of neighbours: from where, before where, by which count their sum is divided."""
    found = []
    for k in range(count):
        first = k * stride - padding
        last = min(first + kernel, size + padding)
        start, stop = max(first, 0), min(last, size)
        found.append((start, stop, last - first if counts_padding else stop - start))
    return as_windows(found)


@lru_cache(maxsize=256)
def even(size: int, count: int, steps: bool) -> Windows:
    """Windows that cover an axis evenly, overlapping where they must; with their steps of 1 or with their sizes."""
    bounds = [(k * size // count, -((k + 1) * size // -count)) for k in range(count)]
    return as_windows([(start, stop, 1 if steps else stop - start) for start, stop in bounds])


ONE_ROW = as_windows([(0, 1, 1)])


def check_image(operation: str, axes: int, x: Any) -> None:
    """Refuse what is no image of so many axes, or one without pixels.

    Raises
    ------
    TypeError
        For what is not a tensor.
    RuntimeError
        For a wrong number of axes, and for an empty axis other than that of the samples.
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"{operation}(): argument 'input' must be Tensor, not {type(x).__name__}")
    shape = x.array.shape
    if len(shape) not in (axes + 1, axes + 2) or 0 in shape[-axes - 1 :]:
        raise RuntimeError(
            f"{operation}: Expected {axes + 1}D or {axes + 2}D (batch mode) tensor with optional 0 dim batch size for "
            f"input, but got: {shape}"
        )


def check_floating(operation: str, x: Tensor) -> None:
    """Refuse integers and bool.

    Raises
    ------
    NotImplementedError
        For a dtype that is not floating point.
    """
    if not x.dtype.is_floating_point:
        raise NotImplementedError(f'"{operation}" not implemented for {x.dtype.name}; cast it to floating point first')


def numbers(operation: str, axes: int, name: str, value: Any) -> tuple[int, ...]:
    """A setting of a pool as one integer per axis.

    Raises
    ------
    RuntimeError
        When there are more or fewer.
    TypeError
        When one is not an integer.
    """
    given = list(value) if isinstance(value, (tuple, list)) else [value]
    if len(given) not in (1, axes):
        if axes == 2:
            either = "omitted, a single int" if name == "stride" else "a single int"
            raise RuntimeError(f"{operation}: {name} must either be {either}, or a tuple of two ints")
        raise RuntimeError(f"{operation}() {name} must be an int or a tuple of one int, but got size {len(given)}")
    return tuple([operator.index(number) for number in given * (axes // len(given))])


def settings(
    operation: str, axes: int, x: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> tuple[tuple[int, ...], ...]:
    """Sizes of a window, stride, padding, dilation, and the count of windows, each per axis.

    Raises
    ------
    RuntimeError
        For settings that no pool has, or that leave no window.
    """
    kernel = numbers(operation, axes, "kernel_size", kernel_size)
    step = kernel if stride is None or stride == () or stride == [] else numbers(operation, axes, "stride", stride)
    pad, dilate = numbers(operation, axes, "padding", padding), numbers(operation, axes, "dilation", dilation)
    for name, given in (("kernel_size", kernel), ("stride", step), ("dilation", dilate)):
        if min(given) < 1:
            raise RuntimeError(f"{operation}() {name} must be greater than zero, but got {shown(given)}")
    if min(pad) < 0:
        raise RuntimeError(f"{operation}() padding must be non-negative, but got {shown(pad)}")
    if any(2 * p > k for p, k in zip(pad, kernel, strict=True)):
        raise RuntimeError(
            f"{operation}() padding should be at most half of kernel size, but got padding={shown(pad)} and "
            f"kernel_size={shown(kernel)}"
        )
    sizes = x.array.shape[-axes:]
    counts = []
    for size, k, s, p, d in zip(sizes, kernel, step, pad, dilate, strict=True):
        span = size + 2 * p - d * (k - 1) - 1
        count = (span + (s - 1 if ceil_mode else 0)) // s + 1
        if ceil_mode and (count - 1) * s >= size + p:
            count -= 1
        counts.append(count)
    if min(counts) < 1:
        raise RuntimeError(
            f"{operation}() Invalid computed output size: {shown(tuple(counts))}; a window of {shown(kernel)} does not "
            f"fit into {shown(sizes)}"
        )
    return kernel, step, pad, dilate, tuple(counts)


def shown(sizes: tuple[int, ...]) -> Any:
    """One size as a number, several as a tuple."""
    return sizes[0] if len(sizes) == 1 else sizes


def choose(op: Op, axes: int, x: Tensor, windows: list[Windows], return_indices: bool) -> Any:
    """The largest of each window, recorded, and its place if it is asked for."""
    rows, columns = windows if axes == 2 else [ONE_ROW, *windows]
    inside = x.dtype.wide or x.dtype
    sizes = (len(columns),) if axes == 1 else (len(rows), len(columns))
    shape = (*x.array.shape[:-axes], *sizes)
    out, indices = table.empty(shape, inside.numpy), table.empty(shape, dtypes.int64.numpy)
    image = widened(as_image(x.array, axes), inside)
    table.max_pool2d(image, as_image(out, axes), as_image(indices, axes), rows, columns)
    result = record(fresh(rounded(out, inside, x.dtype), x.dtype), op, (x,), (axes, indices))
    return (result, fresh(indices.copy(), dtypes.int64)) if return_indices else result


def take_mean(op: Op, axes: int, x: Tensor, windows: list[Windows], divisor: int = 0) -> Tensor:
    """The mean of each window, recorded; of int64 the whole part, which float64 finds up to sums of 2**53."""
    rows, columns = windows if axes == 2 else [ONE_ROW, *windows]
    inside = dtypes.float64 if x.dtype is dtypes.int64 else x.dtype.wide or x.dtype
    sizes = (len(columns),) if axes == 1 else (len(rows), len(columns))
    out = table.empty((*x.array.shape[:-axes], *sizes), inside.numpy)
    table.avg_pool2d(widened(as_image(x.array, axes), inside), as_image(out, axes), rows, columns, divisor)
    return record(fresh(rounded(out, inside, x.dtype), x.dtype), op, (x,), (axes, rows, columns, divisor))


def max_pool(
    op: Op, axes: int, x: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool,
    return_indices: bool,
) -> Any:  # fmt: skip
    """A pool that chooses, along one or two axes."""
    check_image(op.name, axes, x)
    if x.dtype.category == 0 or (axes == 1 and not x.dtype.is_floating_point):
        raise NotImplementedError(f'"{op.name}" not implemented for {x.dtype.name}; cast it to floating point first')
    each = settings(op.name, axes, x, kernel_size, stride, padding, dilation, ceil_mode)
    windows = [
        spaced(size, count, k, s, p, d) for size, k, s, p, d, count in zip(x.array.shape[-axes:], *each, strict=True)
    ]
    return choose(op, axes, x, windows, return_indices)


def max_pool1d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window along an axis; see `max_pool2d`.

    Parameters
    ----------
    x : Tensor of shape (N, C, L) or (C, L)
        The signals.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.max_pool1d(kael.tensor([[1.0, 5.0, 2.0, 2.0, 8.0]]), 2)
    tensor([[5., 2.]])
    """
    return max_pool(MAX_POOL1D, 1, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window of an image.

    Parameters
    ----------
    x : Tensor of shape (N, C, H, W) or (C, H, W)
        The images.
    kernel_size : int or pair of int
        Size of a window.
    stride : int or pair of int, optional
        By how much one window lies from the next; its size when left out.
    padding : int or pair of int
        How far the windows reach beyond the image; what lies there is never the largest.
    dilation : int or pair of int
        By how much the pixels of a window lie apart.
    ceil_mode : bool
        Whether a last window may reach beyond the padding.
    return_indices : bool
        Whether to give the places of the largest elements too: ``row * W + column``, int64.

    Returns
    -------
    Tensor, or tuple of two
        The largest elements, and their places if they are asked for.

    Raises
    ------
    RuntimeError
        For another number of axes, for settings that no pool has, and for windows that do not fit.
    NotImplementedError
        For bool.

    Notes
    -----
    The first of equal elements is taken, and gets the gradient; of several nan it is the last. Overlapping windows
    that choose one element add their gradients.

    Examples
    --------
    >>> import kael
    >>> values, places = kael.nn.functional.max_pool2d(kael.tensor([[[1.0, 7.0], [7.0, 0.0]]]), 2, return_indices=True)
    >>> values.tolist(), places.tolist()
    ([[[7.0]]], [[[1]]])
    """
    return max_pool(MAX_POOL2D, 2, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def avg_pool(
    op: Op, axes: int, x: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, counts_padding: bool,
    divisor: Any,
) -> Tensor:  # fmt: skip
    """A pool that averages, along one or two axes."""
    check_image(op.name, axes, x)
    if x.dtype is not dtypes.int64:
        check_floating(op.name, x)
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    kernel, step, pad, _, counts = settings(op.name, axes, x, kernel_size, stride, padding, 1, ceil_mode)
    windows = [
        averaged(size, count, k, s, p, bool(counts_padding))
        for size, count, k, s, p in zip(x.array.shape[-axes:], counts, kernel, step, pad, strict=True)
    ]
    return take_mean(op, axes, x, windows, int(divisor or 0))


def avg_pool1d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """The mean of each window along an axis; see `avg_pool2d`.

    Parameters
    ----------
    x : Tensor of shape (N, C, L) or (C, L)
        The signals.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.avg_pool1d(kael.tensor([[1.0, 5.0, 2.0, 2.0, 8.0]]), 2, ceil_mode=True)
    tensor([[3., 2., 8.]])
    """
    return avg_pool(AVG_POOL1D, 1, x, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window of an image.

    Parameters
    ----------
    x : Tensor of shape (N, C, H, W) or (C, H, W)
        The images, floating point or int64, whose means are cut to whole numbers.
    kernel_size : int or pair of int
        Size of a window.
    stride : int or pair of int, optional
        By how much one window lies from the next; its size when left out.
    padding : int or pair of int
        Zeros around the image.
    ceil_mode : bool
        Whether a last window may reach beyond the padding; what reaches beyond is not counted.
    count_include_pad : bool
        Whether padding is counted.
    divisor_override : int, optional
        What every sum is divided by instead of its count.

    Raises
    ------
    RuntimeError
        For another number of axes, for settings that no pool has, and for windows that do not fit.
    NotImplementedError
        For bool and for integers other than int64.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.avg_pool2d(kael.tensor([[[1.0, 7.0], [4.0, 0.0]]]), 2)
    tensor([[[3.]]])
    """
    return avg_pool(AVG_POOL2D, 2, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def evenly(op: Op, axes: int, x: Any, output_size: Any, steps: bool) -> list[Windows]:
    """The windows of an adaptive pool along each axis.

    Raises
    ------
    RuntimeError
        For another number of axes or of sizes, for a size below 0, and for an image without pixels.
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"{op.name}(): argument 'input' must be Tensor, not {type(x).__name__}")
    check_floating(op.name, x)
    shape = x.array.shape
    if len(shape) not in (axes + 1, axes + 2):
        raise RuntimeError(f"{op.name}(): Expected {axes + 1}D or {axes + 2}D tensor, but got {shape}")
    if 0 in shape[-axes:]:
        raise RuntimeError(
            f"{op.name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {shape}"
        )
    given = list(output_size) if isinstance(output_size, (tuple, list)) else [output_size] * axes
    if len(given) != axes:
        raise RuntimeError(f"{op.name}: output_size must be {axes}, but got {len(given)} sizes")
    if axes == 1 and given[0] is None:
        raise TypeError(f"{op.name}(): argument 'output_size' must be int, not NoneType")
    sizes = [size if wanted is None else int(wanted) for size, wanted in zip(shape[-axes:], given, strict=True)]
    if min(sizes) < 0:
        raise RuntimeError(
            f"{op.name}: elements of output_size must be greater than or equal to 0 but received {tuple(sizes)}"
        )
    return [even(size, count, steps) for size, count in zip(shape[-axes:], sizes, strict=True)]


def adaptive_avg_pool1d(x: Any, output_size: Any) -> Tensor:
    """The means of as many windows as are asked for, which cover an axis evenly; see `adaptive_avg_pool2d`.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.adaptive_avg_pool1d(kael.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]]), 3)
    tensor([[1.5000, 3.0000, 4.5000]])
    """
    return take_mean(ADAPTIVE_AVG_POOL1D, 1, x, evenly(ADAPTIVE_AVG_POOL1D, 1, x, output_size, False))


def adaptive_avg_pool2d(x: Any, output_size: Any) -> Tensor:
    """The means of as many windows as are asked for, which cover an image evenly.

    Parameters
    ----------
    x : Tensor of shape (N, C, H, W) or (C, H, W)
        The images, floating point.
    output_size : int or pair of int or None
        How many windows along each axis; None for as many as there are pixels.

    Raises
    ------
    RuntimeError
        For another number of axes or of sizes, for a size below 0, and for an image without pixels.
    NotImplementedError
        For integers and bool.

    Notes
    -----
    Window k of n along an axis of L goes from ``floor(k*L/n)`` to before ``ceil((k + 1)*L/n)``, so that neighbours
    share a pixel where n does not divide L.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.adaptive_avg_pool2d(kael.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """
    return take_mean(ADAPTIVE_AVG_POOL2D, 2, x, evenly(ADAPTIVE_AVG_POOL2D, 2, x, output_size, False))


def adaptive_max_pool1d(x: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of as many windows as are asked for, which cover an axis evenly.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.adaptive_max_pool1d(kael.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]]), 3)
    tensor([[2., 4., 5.]])
    """
    op = ADAPTIVE_MAX_POOL1D
    return choose(op, 1, x, evenly(op, 1, x, output_size, True), return_indices)


def adaptive_max_pool2d(x: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of as many windows as are asked for, which cover an image evenly.

    The windows are those of `adaptive_avg_pool2d`; ties and places are as in `max_pool2d`.
    """
    op = ADAPTIVE_MAX_POOL2D
    return choose(op, 2, x, evenly(op, 2, x, output_size, True), return_indices)


FUNCTIONS = (adaptive_avg_pool1d, adaptive_max_pool1d, avg_pool1d, max_pool1d, max_pool2d)
