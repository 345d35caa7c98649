"""Windows of an image as the columns of a matrix, their sum back into an image, and pixels shuffled from channels."""

from __future__ import annotations

import operator
from typing import Any

from kael import dtypes
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.convolution import as_image, widened
from kael.ops.dispatch import rounded
from kael.ops.shape import permute, reshape
from kael.tensors import Tensor, fresh

Pairs = tuple[tuple[int, int], ...]


def im2col_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return folded(g, node.inputs[0].shape, *node.attributes)


def col2im_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return unfolded(g, *node.attributes)


IM2COL = Op(
    "im2col",
    "every window of x as a column",
    im2col_vjp,
    "g added up where the windows lie",
    dtypes="floating point or bool",
)
COL2IM = Op(
    "col2im", "the sum of columns laid over an image as windows", col2im_vjp, "the windows of g",
    dtypes="floating point or bool",
)  # fmt: skip


def unfolded(x: Tensor, kernel: Any, counts: Any, steps: Pairs) -> Tensor:
    """The windows of an image as columns."""
    inside = dtypes.int64 if x.dtype is dtypes.bool else x.dtype.wide or x.dtype
    image = as_image(x.array, 2)
    samples, channels = image.shape[:2]
    out = table.empty((samples, channels, *kernel, *counts), inside.numpy)
    table.unfold2d(widened(image, inside), out, *steps)
    columns = out.reshape(samples, channels * kernel[0] * kernel[1], counts[0] * counts[1])
    return fresh(rounded(columns if x.array.ndim == 4 else columns[0], inside, x.dtype), x.dtype)


def folded(columns: Tensor, shape: tuple[int, ...], kernel: Any, counts: Any, steps: Pairs) -> Tensor:
    """The sum of columns in an image of this shape."""
    inside = dtypes.int64 if columns.dtype is dtypes.bool else columns.dtype.wide or columns.dtype
    out = table.empty(shape, inside.numpy)
    image = as_image(out, 2)
    windows = widened(columns.array, inside).reshape(*image.shape[:2], *kernel, *counts)
    table.fold2d(windows, image, *steps)
    return fresh(rounded(out, inside, columns.dtype), columns.dtype)


def pair(value: Any, name: str) -> tuple[int, int]:
    """A setting as two integers.

    Raises
    ------
    RuntimeError
        When there are more or fewer than two.
    TypeError
        When one is not an integer.
    """
    given = list(value) if isinstance(value, (tuple, list)) else [value, value]
    if len(given) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(given)}")
    return operator.index(given[0]), operator.index(given[1])


def settings(kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> tuple[tuple[int, int], Pairs]:
    """The size of a window, and stride, padding and dilation as the kernels take them.

    Raises
    ------
    RuntimeError
        For a setting that no windows have.
    """
    kernel, step = pair(kernel_size, "kernel_size"), pair(stride, "stride")
    pad, dilate = pair(padding, "padding"), pair(dilation, "dilation")
    for name, short, given in (("kernel size", "kernel", kernel), ("stride", "stride", step)):
        if min(given) < 1:
            raise RuntimeError(
                f"{name} should be greater than zero, but got {short}_height: {given[0]} {short}_width: {given[1]}"
            )
    if min(dilate) < 1:
        raise RuntimeError(
            f"dilation should be greater than zero, but got dilation_height: {dilate[0]} dilation_width: {dilate[1]}"
        )
    if min(pad) < 0:
        raise RuntimeError(f"padding should be non-negative, but got pad_height: {pad[0]} pad_width: {pad[1]}")
    return kernel, (step, pad, dilate)


def counted(sizes: Any, kernel: tuple[int, int], steps: Pairs) -> tuple[int, int]:
    """How many windows there are along each axis."""
    stride, padding, dilation = steps
    down, across = [
        (size + 2 * p - d * (k - 1) - 1) // s + 1
        for size, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True)
    ]
    return down, across


def check_dtype(operation: str, x: Any) -> None:
    """Refuse what is not a tensor, and integers, which PyTorch refuses too."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{operation}(): argument 'input' must be Tensor, not {type(x).__name__}")
    if x.dtype.category == 1:
        raise NotImplementedError(f'"{operation}" not implemented for {x.dtype.name}; cast it to floating point first')


def unfold(x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Every window of an image as one column.

    Parameters
    ----------
    x : Tensor of shape (N, C, H, W) or (C, H, W)
        The images, floating point or bool.
    kernel_size, dilation, padding, stride : int or pair of int
        The windows, as in `conv2d`.

    Returns
    -------
    Tensor of shape (N, C * kernel height * kernel width, windows)
        So that a convolution is ``weight.reshape(F, -1) @ unfold(x, ...)``.

    Raises
    ------
    RuntimeError
        For another number of axes, and for settings that leave no window.
    NotImplementedError
        For integers.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.unfold(kael.tensor([[[1.0, 2.0, 3.0]]]), (1, 2))
    tensor([[1., 2.],
            [2., 3.]])
    """
    check_dtype("unfold", x)
    kernel, steps = settings(kernel_size, dilation, padding, stride)
    shape = x.array.shape
    if len(shape) not in (3, 4) or 0 in shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {shape}"
        )
    counts = counted(shape[-2:], kernel, steps)
    if min(counts) < 1:
        raise RuntimeError(
            f"Given input with spatial size {shape[-2:]}, kernel_size={kernel}, dilation={steps[2]}, "
            f"padding={steps[1]}, calculated shape of the array of sliding blocks as {counts}, but its components must "
            "be at least one."
        )
    return record(unfolded(x, kernel, counts, steps), IM2COL, (x,), (kernel, counts, steps))


def fold(x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The sum of columns, each laid over an image as the window it is: the gradient map of `unfold`.

    Parameters
    ----------
    x : Tensor of shape (N, C * kernel height * kernel width, windows) or without N
        The columns, floating point or bool, whose sum is whether any is true.
    output_size : int or pair of int
        Height and width of the image.
    kernel_size, dilation, padding, stride : int or pair of int
        The windows, as in `unfold`.

    Returns
    -------
    Tensor of shape (N, C, height, width)
        The sums.

    Raises
    ------
    RuntimeError
        When the columns are not those of such windows.
    NotImplementedError
        For integers.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.fold(kael.ones(2, 2), (1, 3), (1, 2))
    tensor([[[1., 2., 1.]]])
    """
    check_dtype("fold", x)
    size = pair(output_size, "output_size")
    kernel, steps = settings(kernel_size, dilation, padding, stride)
    shape = x.array.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {shape}"
        )
    if shape[-2] % (kernel[0] * kernel[1]):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={shape[-2]} and kernel_size={kernel}."
        )
    counts = counted(size, kernel, steps)
    if min(counts) < 1 or counts[0] * counts[1] != shape[-1]:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={steps[2]}, padding={steps[1]}, "
            f"stride={steps[0]}, expected size of input's dimension 2 to match the calculated number of sliding "
            f"blocks {counts[0]} * {counts[1]} = {counts[0] * counts[1]}, but got input.size(2)={shape[-1]}."
        )
    whole = (*shape[:-2], shape[-2] // (kernel[0] * kernel[1]), *size)
    return record(folded(x, whole, kernel, counts, steps), COL2IM, (x,), (kernel, counts, steps))


def pixel_shuffle(x: Any, upscale_factor: int) -> Tensor:
    """Channels laid out as pixels: ``(*, C * r**2, H, W)`` to ``(*, C, H * r, W * r)``.

    Raises
    ------
    RuntimeError
        For fewer than three axes, a factor below 1, or channels that its square does not divide.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.pixel_shuffle(kael.tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]]), 2)
    tensor([[[1., 2.],
             [3., 4.]]])
    """
    shape, r = x.shape, int(upscale_factor)
    if len(shape) < 3:
        raise RuntimeError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {len(shape)} dimension(s)"
        )
    if r < 1:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *batch, channels, height, width = shape
    if channels % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {r * r}"
        )
    first = len(batch)
    split = reshape(x, (*batch, channels // (r * r), r, r, height, width))
    turned = permute(split, (*range(first + 1), first + 3, first + 1, first + 4, first + 2))
    return reshape(turned, (*batch, channels // (r * r), height * r, width * r))


def pixel_unshuffle(x: Any, downscale_factor: int) -> Tensor:
    """Pixels laid out as channels, what `pixel_shuffle` undoes: ``(*, C, H * r, W * r)`` to ``(*, C * r**2, H, W)``.

    Raises
    ------
    RuntimeError
        For fewer than three axes, a factor below 1, or a height or width that it does not divide.
    """
    shape, r = x.shape, int(downscale_factor)
    if len(shape) < 3:
        raise RuntimeError(
            f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {len(shape)} dimension(s)"
        )
    if r < 1:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *batch, channels, height, width = shape
    for axis, name, size in ((-2, "height", height), (-1, "width", width)):
        if size % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({axis})={size} is "
                f"not divisible by {r}"
            )
    first = len(batch)
    split = reshape(x, (*batch, channels, height // r, r, width // r, r))
    turned = permute(split, (*range(first + 1), first + 2, first + 4, first + 1, first + 3))
    return reshape(turned, (*batch, channels * r * r, height // r, width // r))


FUNCTIONS = (pixel_shuffle, pixel_unshuffle)
