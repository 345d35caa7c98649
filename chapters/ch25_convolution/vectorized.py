"""Rung 2: convolutions and pools in NumPy. A shift of the image at a time, all windows at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from chapters.ch25_convolution.checks import check, column_errors, convolution_errors, place_errors, pool_errors

__all__ = [
    "avg_pool2d",
    "avg_pool2d_vjp",
    "conv2d",
    "conv2d_input_vjp",
    "conv2d_weight_vjp",
    "fold2d",
    "max_pool2d",
    "max_pool2d_vjp",
    "unfold2d",
]

Array = np.ndarray[Any, Any]
Pair = Sequence[int]


# region [met]
def met(size: int, windows: int, stride: int, first: int) -> tuple[slice, slice]:
    """Which windows have their k-th pixel in the image when the first has it at `first`, and those pixels."""
    start = max(0, -(first // stride))
    stop = max(start, min(windows, (size - 1 - first) // stride + 1))
    pixel = start * stride + first
    return slice(start, stop), slice(pixel, pixel + (stop - start) * stride, stride)


def shifts(image: Array, columns: Array, stride: Pair, padding: Pair, dilation: Pair) -> Iterator[tuple[Array, Array]]:
    """For each place in a window, the pixels there of all windows, and where they stand in the columns, as views."""
    for ky in range(columns.shape[2]):
        oy, y = met(image.shape[2], columns.shape[4], stride[0], ky * dilation[0] - padding[0])
        for kx in range(columns.shape[3]):
            ox, x = met(image.shape[3], columns.shape[5], stride[1], kx * dilation[1] - padding[1])
            yield image[:, :, y, x], columns[:, :, ky, kx, oy, ox]


# endregion [met]


def unfold2d(x: Array, out: Array, stride: Pair = (1, 1), padding: Pair = (0, 0), dilation: Pair = (1, 1)) -> None:
    """Copy every window of an image to `out`; what lies outside of the image is zero."""
    check(column_errors("unfold2d", x, out, (stride, padding, dilation)))
    # region [unfold2d]
    out[...] = 0
    for pixels, column in shifts(x, out, stride, padding, dilation):
        column[...] = pixels
    # endregion [unfold2d]


def fold2d(columns: Array, out: Array, stride: Pair = (1, 1), padding: Pair = (0, 0), dilation: Pair = (1, 1)) -> None:
    """Write the sum of all windows, each laid where `unfold2d` took it, to `out`."""
    check(column_errors("fold2d", out, columns, (stride, padding, dilation)))
    # region [fold2d]
    out[...] = 0
    with np.errstate(all="ignore"):
        for pixels, column in shifts(out, columns, stride, padding, dilation):
            pixels += column
    # endregion [fold2d]


# region [conv2d]
def as_columns(x: Array, weight: Array, out: Array, stride: Pair, padding: Pair, dilation: Pair, groups: int) -> Array:
    """The windows of a convolution as matrices: (N, groups, C / groups * kernel, windows)."""
    columns = np.empty((*x.shape[:2], *weight.shape[2:], *out.shape[2:]), x.dtype)
    unfold2d(x, columns, stride, padding, dilation)
    return matrices(columns, groups, prod(weight.shape[1:]), prod(out.shape[2:]))


def matrices(array: Array, groups: int, rows: int, columns: int) -> Array:
    """An array that begins with samples and channels as a matrix per sample and group."""
    return array.reshape(array.shape[0], groups, rows, columns)


def conv2d(
    x: Array, weight: Array, bias: Array | None, out: Array, stride: Pair = (1, 1), padding: Pair = (0, 0),
    dilation: Pair = (1, 1), groups: int = 1,
) -> None:  # fmt: skip
    """Write to `out` what a kernel makes of each window of an image."""
    check(convolution_errors("conv2d", x, weight, out, bias, (stride, padding, dilation), groups))
    columns = as_columns(x, weight, out, stride, padding, dilation, groups)
    with np.errstate(all="ignore"):
        product = weight.reshape(groups, len(weight) // groups, columns.shape[2]) @ columns
        out[...] = product.reshape(out.shape)
        if bias is not None:
            out += bias[:, None, None]


# endregion [conv2d]


def conv2d_input_vjp(
    g: Array, weight: Array, out: Array, stride: Pair = (1, 1), padding: Pair = (0, 0), dilation: Pair = (1, 1),
    groups: int = 1,
) -> None:  # fmt: skip
    """Write the gradient of the images of `conv2d` to `out`."""
    check(convolution_errors("conv2d_input_vjp", out, weight, g, None, (stride, padding, dilation), groups))
    # region [conv2d_input_vjp]
    filters, inner = len(weight) // groups, prod(weight.shape[1:])
    with np.errstate(all="ignore"):
        gradient = matrices(g, groups, filters, prod(g.shape[2:]))
        columns = weight.reshape(groups, filters, inner).transpose(0, 2, 1) @ gradient
    fold2d(columns.reshape(*out.shape[:2], *weight.shape[2:], *g.shape[2:]), out, stride, padding, dilation)
    # endregion [conv2d_input_vjp]


def conv2d_weight_vjp(
    g: Array, x: Array, out: Array, stride: Pair = (1, 1), padding: Pair = (0, 0), dilation: Pair = (1, 1),
    groups: int = 1,
) -> None:  # fmt: skip
    """Write the gradient of the kernels of `conv2d` to `out`."""
    check(convolution_errors("conv2d_weight_vjp", x, out, g, None, (stride, padding, dilation), groups))
    # region [conv2d_weight_vjp]
    columns = as_columns(x, out, g, stride, padding, dilation, groups)
    with np.errstate(all="ignore"):
        gradient = matrices(g, groups, len(out) // groups, columns.shape[3])
        out[...] = (gradient @ columns.transpose(0, 1, 3, 2)).sum(0).reshape(out.shape)
    # endregion [conv2d_weight_vjp]


def max_pool2d(x: Array, out: Array, indices: Array, rows: Array, columns: Array) -> None:
    """Write the largest element of each window to `out`, and where it is to `indices`."""
    check(pool_errors("max_pool2d", x, out, indices, rows, columns))
    # region [max_pool2d]
    out[...] = np.iinfo(np.int64).min if x.dtype.kind == "i" else -np.inf
    indices[...] = -1
    for i, (top, bottom, down) in enumerate(rows.tolist()):
        for j, (left, right, across) in enumerate(columns.tolist()):
            best, place = out[:, :, i, j], indices[:, :, i, j]
            for y in range(top, bottom, down):
                for x_ in range(left, right, across):
                    candidate = x[:, :, y, x_]
                    wins = (place < 0) | (candidate > best) | (candidate != candidate)
                    np.copyto(best, candidate, where=wins)
                    np.copyto(place, y * x.shape[3] + x_, where=wins)
    # endregion [max_pool2d]


def max_pool2d_vjp(g: Array, indices: Array, out: Array) -> None:
    """Write the gradient of the images of `max_pool2d` to `out`."""
    check(place_errors("max_pool2d_vjp", g, indices, out))
    # region [max_pool2d_vjp]
    pixels = out.shape[2] * out.shape[3]
    flat = np.zeros(out.size, out.dtype)
    inside = (indices >= 0) & (indices < pixels)
    first = np.arange(out.shape[0] * out.shape[1]).reshape(*out.shape[:2], 1, 1) * pixels
    with np.errstate(all="ignore"):
        np.add.at(flat, (indices + first)[inside], g[inside])
    out[...] = flat.reshape(out.shape)
    # endregion [max_pool2d_vjp]


def avg_pool2d(x: Array, out: Array, rows: Array, columns: Array, divisor: int = 0) -> None:
    """Write the mean of each window to `out`."""
    check(pool_errors("avg_pool2d", x, out, None, rows, columns))
    # region [avg_pool2d]
    with np.errstate(all="ignore"):
        for i, (top, bottom, tall) in enumerate(rows.tolist()):
            for j, (left, right, wide) in enumerate(columns.tolist()):
                total = x[:, :, top:bottom, left:right].sum((2, 3))
                out[:, :, i, j] = total / (divisor or tall * wide)
    # endregion [avg_pool2d]


def avg_pool2d_vjp(g: Array, out: Array, rows: Array, columns: Array, divisor: int = 0) -> None:
    """Write the gradient of the images of `avg_pool2d` to `out`."""
    check(pool_errors("avg_pool2d_vjp", out, g, None, rows, columns))
    # region [avg_pool2d_vjp]
    out[...] = 0
    with np.errstate(all="ignore"):
        for i, (top, bottom, tall) in enumerate(rows.tolist()):
            for j, (left, right, wide) in enumerate(columns.tolist()):
                share = g[:, :, i, j] / (divisor or tall * wide)
                out[:, :, top:bottom, left:right] += share[:, :, None, None]
    # endregion [avg_pool2d_vjp]
