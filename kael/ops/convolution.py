"""Convolutions and transposed convolutions: chapter 25's kernels, one node each.

An image of one axis is one of height 1, so that every convolution here is one of two axes.
"""

from __future__ import annotations

import operator
from typing import Any

from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.dtypes import DType
from kael.kernels import table
from kael.ops.dispatch import rounded
from kael.tensors import Tensor, fresh

Steps = tuple[tuple[int, int], tuple[int, int], tuple[int, int], int]

OTHER = ((1,), (0,), ())


def as_image(array: Any, axes: int) -> Any:
    """An array as the kernels take it, with four axes: a batch of one and a height of 1 where they are missing."""
    if array.ndim == axes + 1:
        array = array[None]
    return array[:, :, None, :] if axes == 1 else array


def widened(array: Any, inside: DType) -> Any:
    """An array in the type that a kernel computes in."""
    return array.astype(inside.numpy, copy=False)


def channel_sums(g: Any) -> Any:
    """The sum of a gradient over everything but its channels: the gradient of a bias."""
    out = table.empty((g.shape[1],), g.dtype)
    table.sum(g, out.reshape(1, -1, 1, 1))
    return out


def conv_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axes, steps = node.attributes
    dtype, inside = g.dtype, g.dtype.wide or g.dtype
    up = widened(as_image(g.array, axes), inside)
    if position == 2:
        return fresh(rounded(channel_sums(up), inside, dtype), dtype)
    out = table.empty(node.inputs[position].shape, inside.numpy)
    other = node.saved[1 - position].get().array
    if position == 0:
        table.conv2d_input_vjp(up, widened(as_kernel(other, axes), inside), as_image(out, axes), *steps)
    else:
        table.conv2d_weight_vjp(up, widened(as_image(other, axes), inside), as_kernel(out, axes), *steps)
    return fresh(rounded(out, inside, dtype), dtype)


def conv_transpose_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axes, steps = node.attributes
    dtype, inside = g.dtype, g.dtype.wide or g.dtype
    up = widened(as_image(g.array, axes), inside)
    if position == 2:
        return fresh(rounded(channel_sums(up), inside, dtype), dtype)
    out = table.empty(node.inputs[position].shape, inside.numpy)
    other = node.saved[1 - position].get().array
    if position == 0:
        table.conv2d(up, widened(as_kernel(other, axes), inside), None, as_image(out, axes), *steps)
    else:
        table.conv2d_weight_vjp(widened(as_image(other, axes), inside), up, as_kernel(out, axes), *steps)
    return fresh(rounded(out, inside, dtype), dtype)


def as_kernel(array: Any, axes: int) -> Any:
    """Weights as the kernels take them, with four axes."""
    return array[:, :, None, :] if axes == 1 else array


CONV1D = Op(
    "conv1d", "sum over c, k of w[f, c, k]*x[c, i*stride - padding + k*dilation] + b[f]", conv_vjp,
    "g through the transposed convolution to x, g times the windows of x to w, g summed to b", OTHER, dtypes="equal",
)  # fmt: skip
CONV2D = Op(
    "conv2d", "conv1d along two axes", conv_vjp,
    "g through the transposed convolution to x, g times the windows of x to w, g summed to b", OTHER, dtypes="equal",
)  # fmt: skip
CONV_TRANSPOSE1D = Op(
    "conv_transpose1d", "the gradient of conv1d for x, as a map of its own, + b[f]", conv_transpose_vjp,
    "the convolution of g to x, x times the windows of g to w, g summed to b", OTHER, dtypes="equal",
)  # fmt: skip
CONV_TRANSPOSE2D = Op(
    "conv_transpose2d", "conv_transpose1d along two axes", conv_transpose_vjp,
    "the convolution of g to x, x times the windows of g to w, g summed to b", OTHER, dtypes="equal",
)  # fmt: skip


def numbers(value: Any, axes: int, name: str) -> tuple[int, ...]:
    """A setting as one integer per axis.

    Raises
    ------
    RuntimeError
        When there are more or fewer.
    TypeError
        When one is not an integer.
    """
    given = [value] if not isinstance(value, (tuple, list)) else list(value)
    if len(given) == 1:
        given = given * axes
    if len(given) != axes:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {axes} values to match the convolution "
            f"dimensions, but got {name}={given}"
        )
    return tuple([operator.index(number) for number in given])


def check_operands(operation: str, axes: int, x: Any, weight: Any, bias: Any) -> None:
    """Refuse operands that are no tensors, of different dtypes, or of a wrong number of axes.

    Raises
    ------
    TypeError
        For an operand that is not a tensor.
    NotImplementedError
        For bool.
    RuntimeError
        For dtypes that differ, and for a wrong number of axes.
    """
    for operand in (x, weight) if bias is None else (x, weight, bias):
        if not isinstance(operand, Tensor):
            raise TypeError(f"{operation}: an operand is {type(operand).__name__}; all must be tensors")
    if x.array.ndim not in (axes + 1, axes + 2):
        raise RuntimeError(
            f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {operation}, but got input of size: "
            f"{x.array.shape}"
        )
    if weight.array.ndim != axes + 2:
        raise RuntimeError(
            f"{operation}: weight is {weight.array.shape}, with {weight.array.ndim} axes; it must have {axes + 2}"
        )
    if x.dtype is not weight.dtype:
        raise RuntimeError(f"expected scalar type {x.dtype.name} but found {weight.dtype.name}")
    if bias is not None and bias.dtype is not x.dtype:
        raise RuntimeError(f"Input type ({x.dtype.name}) and bias type ({bias.dtype.name}) should be the same")
    if x.dtype.category == 0:
        raise NotImplementedError(f'"{operation}" not implemented for bool; cast the operands to numbers first')


def check_steps(
    stride: tuple[int, ...], padding: tuple[int, ...], dilation: tuple[int, ...], groups: int, weight: Any
) -> None:
    """Refuse settings that no convolution has.

    Raises
    ------
    RuntimeError
        For a padding below 0, or a stride, dilation or number of groups below 1, or groups that do not divide.
    """
    if groups < 1:
        raise RuntimeError("non-positive groups is not supported")
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(stride) < 1:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) < 1:
        raise RuntimeError("non-positive dilation is not supported")
    if weight.shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{weight.shape} instead"
        )
    if weight.shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size {weight.shape} instead"
        )
    if 0 in weight.shape[2:]:
        raise RuntimeError(f"weight is {weight.shape}; a kernel must have at least one element along each axis")


def check_bias(weight: Any, bias: Any, channels: int, given: str = "Given") -> None:
    """Refuse a bias that has not one number per channel of the result.

    Raises
    ------
    RuntimeError
        When it has another shape.
    """
    if bias is not None and bias.array.shape != (channels,):
        raise RuntimeError(
            f"{given} weight of size {weight.shape}, expected bias to be 1-dimensional with {channels} elements, but "
            f"got bias of size {bias.array.shape} instead"
        )


def listed(sizes: tuple[int, ...]) -> str:
    """Sizes as errors print them."""
    return "(" + " x ".join(map(str, sizes)) + ")"


def kernel_steps(
    axes: int, stride: tuple[int, ...], padding: tuple[int, ...], dilation: tuple[int, ...], groups: int
) -> Steps:
    """Settings as the kernels take them: along a second axis of one element nothing moves."""
    if axes == 1:
        return (1, stride[0]), (0, padding[0]), (1, dilation[0]), groups
    return (stride[0], stride[1]), (padding[0], padding[1]), (dilation[0], dilation[1]), groups


def convolution(
    op: Op, axes: int, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Tensor:
    """A convolution along one or two axes, recorded."""
    check_operands(op.name, axes, x, weight, bias)
    stride, dilation = numbers(stride, axes, "stride"), numbers(dilation, axes, "dilation")
    shape, kernel = x.array.shape, weight.array
    reach = tuple([d * (size - 1) + 1 for d, size in zip(dilation, kernel.shape[2:], strict=True)])
    total: tuple[int, ...]
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        if padding == "same" and max(stride) > 1:
            raise RuntimeError("padding='same' is not supported for strided convolutions")
        total = tuple([size - 1 if padding == "same" else 0 for size in reach])
        padding = tuple([size // 2 for size in total])
    else:
        padding = numbers(padding, axes, "padding")
        total = tuple([2 * size for size in padding])
    check_steps(stride, padding, dilation, groups, kernel)
    channels = shape[-axes - 1]
    if channels != kernel.shape[1] * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {kernel.shape}, expected input{shape} to have "
            f"{kernel.shape[1] * groups} channels, but got {channels} channels instead"
        )
    check_bias(kernel, bias, kernel.shape[0])
    padded = tuple([size + more for size, more in zip(shape[-axes:], total, strict=True)])
    if any(size < least for size, least in zip(padded, reach, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: {listed(padded)}. Kernel size: {listed(reach)}. Kernel size "
            "can't be greater than actual input size"
        )
    windows = [(size - r) // s + 1 for size, r, s in zip(padded, reach, stride, strict=True)]
    steps = kernel_steps(axes, stride, padding, dilation, groups)
    inside = x.dtype.wide or x.dtype
    out = table.empty((*shape[: -axes - 1], kernel.shape[0], *windows), inside.numpy)
    table.conv2d(
        widened(as_image(x.array, axes), inside), widened(as_kernel(kernel, axes), inside),
        None if bias is None else widened(bias.array, inside), as_image(out, axes), *steps,
    )  # fmt: skip
    inputs = (x, weight) if bias is None else (x, weight, bias)
    return record(fresh(rounded(out, inside, x.dtype), x.dtype), op, inputs, (axes, steps))


def conv1d(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """A convolution along one axis: ``y[n, f, i] = b[f] + sum over c, k of w[f, c, k] * x[n, c, i*s - p + k*d]``.

    Parameters
    ----------
    x : Tensor of shape (N, C, L) or (C, L)
        The signals.
    weight : Tensor of shape (F, C / groups, K)
        The kernels, of the dtype of `x`.
    bias : Tensor of shape (F,), optional
        What is added to every result of a filter.
    stride, dilation : int
        By how much one window lies from the next, and the elements of a window from each other.
    padding : int or {"same", "valid"}
        Zeros at both ends; ``"same"`` adds as many as keep the length, ``"valid"`` none.
    groups : int
        Channels and filters fall into so many groups, and a filter sees the channels of its own.

    Returns
    -------
    Tensor of shape (N, F, windows) or (F, windows)
        ``windows = (L + 2*padding - dilation*(K - 1) - 1) // stride + 1``.

    Raises
    ------
    RuntimeError
        When shapes or dtypes do not fit, or a setting is impossible.

    Notes
    -----
    See `conv2d`.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.conv1d(kael.tensor([[1.0, 4.0, 9.0, 16.0]]), kael.tensor([[[-1.0, 1.0]]]))
    tensor([[3., 5., 7.]])
    """
    return convolution(CONV1D, 1, x, weight, bias, stride, padding, dilation, groups)


def conv2d(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """A convolution along two axes: each filter's weighted sum of every window of an image.

    Parameters
    ----------
    x : Tensor of shape (N, C, H, W) or (C, H, W)
        The images.
    weight : Tensor of shape (F, C / groups, kernel height, kernel width)
        The kernels, of the dtype of `x`.
    bias : Tensor of shape (F,), optional
        What is added to every result of a filter.
    stride, dilation : int or pair of int
        By how much one window lies from the next, and the pixels of a window from each other.
    padding : int, pair of int or {"same", "valid"}
        Zeros around the image; ``"same"`` adds as many as keep its size, ``"valid"`` none.
    groups : int
        Channels and filters fall into so many groups, and a filter sees the channels of its own.

    Returns
    -------
    Tensor of shape (N, F, rows, columns) or (F, rows, columns)
        ``rows = (H + 2*padding - dilation*(kernel height - 1) - 1) // stride + 1``, columns likewise.

    Raises
    ------
    RuntimeError
        When shapes or dtypes do not fit, or a setting is impossible.

    Notes
    -----
    ``2 * C/groups * kernel height * kernel width`` operations for each element of the result; the windows of a few
    samples at a time lie in memory beside it. What the strides do not reach gets a gradient of 0.

    Examples
    --------
    >>> import kael
    >>> image = kael.arange(9.0).reshape(1, 3, 3)
    >>> kael.nn.functional.conv2d(image, kael.tensor([[[[1.0, 0.0], [0.0, -1.0]]]]))
    tensor([[[-4., -4.],
             [-4., -4.]]])
    """
    return convolution(CONV2D, 2, x, weight, bias, stride, padding, dilation, groups)


def transposed(
    op: Op, axes: int, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, output_padding: Any, groups: int,
    dilation: Any,
) -> Tensor:  # fmt: skip
    """A transposed convolution along one or two axes, recorded."""
    check_operands(op.name, axes, x, weight, bias)
    stride, dilation = numbers(stride, axes, "stride"), numbers(dilation, axes, "dilation")
    padding, more = numbers(padding, axes, "padding"), numbers(output_padding, axes, "output_padding")
    shape, kernel = x.array.shape, weight.array
    if min(more) < 0:
        raise RuntimeError("negative output_padding is not supported")
    check_steps(stride, padding, dilation, groups, kernel)
    channels = shape[-axes - 1]
    if channels != kernel.shape[0]:
        raise RuntimeError(
            f"Given transposed=1, weight of size {kernel.shape}, expected input{shape} to have {kernel.shape[0]} "
            f"channels, but got {channels} channels instead"
        )
    check_bias(kernel, bias, kernel.shape[1] * groups, "Given transposed=1,")
    if any(m >= max(s, d) for m, s, d in zip(more, stride, dilation, strict=True)):
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got output_padding {more}, stride "
            f"{stride}, dilation {dilation}"
        )
    sizes = [
        (size - 1) * s - 2 * p + d * (k - 1) + m + 1
        for size, s, p, d, k, m in zip(shape[-axes:], stride, padding, dilation, kernel.shape[2:], more, strict=True)
    ]
    if min(sizes) < 1:
        raise RuntimeError(f"{op.name}: the padding {padding} leaves nothing of the result; its size would be {sizes}")
    steps = kernel_steps(axes, stride, padding, dilation, groups)
    inside = x.dtype.wide or x.dtype
    out = table.empty((*shape[: -axes - 1], kernel.shape[1] * groups, *sizes), inside.numpy)
    image = as_image(out, axes)
    table.conv2d_input_vjp(
        widened(as_image(x.array, axes), inside), widened(as_kernel(kernel, axes), inside), image, *steps
    )
    if bias is not None:
        table.add(image, widened(bias.array, inside)[:, None, None], image)
    inputs = (x, weight) if bias is None else (x, weight, bias)
    return record(fresh(rounded(out, inside, x.dtype), x.dtype), op, inputs, (axes, steps))


def conv_transpose1d(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Tensor:  # fmt: skip
    """A transposed convolution along one axis; see `conv_transpose2d`.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.conv_transpose1d(kael.tensor([[1.0, 10.0]]), kael.tensor([[[1.0, 2.0, 3.0]]]), stride=2)
    tensor([[ 1.,  2., 13., 20., 30.]])
    """
    return transposed(CONV_TRANSPOSE1D, 1, x, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Tensor:  # fmt: skip
    """Every pixel lays its multiple of a kernel over the result, where they are added: the gradient map of `conv2d`.

    Parameters
    ----------
    x : Tensor of shape (N, F, H, W) or (F, H, W)
        The images.
    weight : Tensor of shape (F, C / groups, kernel height, kernel width)
        The kernels, of the dtype of `x`.
    bias : Tensor of shape (C,), optional
        What is added to every result of a channel.
    stride, padding, dilation, groups
        Those of the convolution whose gradient map this is: a larger stride gives a larger result, padding cuts its
        edges off.
    output_padding : int or pair of int
        How much larger the result is at its lower and right edge: several sizes of image give a convolution of one
        size, and this says which is meant.

    Returns
    -------
    Tensor of shape (N, C, rows, columns) or (C, rows, columns)
        ``rows = (H - 1)*stride - 2*padding + dilation*(kernel height - 1) + output_padding + 1``.

    Raises
    ------
    RuntimeError
        When shapes or dtypes do not fit, or a setting is impossible.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.conv_transpose2d(kael.tensor([[[1.0, 10.0]]]), kael.ones(1, 1, 2, 2))
    tensor([[[ 1., 11., 10.],
             [ 1., 11., 10.]]])
    """
    return transposed(CONV_TRANSPOSE2D, 2, x, weight, bias, stride, padding, output_padding, groups, dilation)


FUNCTIONS = (conv1d, conv2d, conv_transpose1d, conv_transpose2d)
