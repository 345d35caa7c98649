"""Rung 1, the definition of convolutions and pools: plain loops over samples, channels, places and windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isnan
from typing import Any

from chapters.ch25_convolution.checks import check, column_errors, convolution_errors, place_errors, pool_errors
from chapters.flat import element, rounded, shape, store, typecode, values
from chapters.ieee import div

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

Pair = Sequence[int]


# region [places]
def places(
    size: Sequence[int], kernel: Sequence[int], windows: Sequence[int], stride: Pair, padding: Pair, dilation: Pair
) -> Iterator[tuple[int, int, int]]:
    """Every meeting of a kernel and an image: which weight, which window, and which pixel, as flat indices.

    In order of the weights, then of the windows. A pixel outside the image is not met.
    """
    (height, width), (down, across) = size, windows
    for ky in range(kernel[0]):
        for kx in range(kernel[1]):
            for oy in range(down):
                for ox in range(across):
                    y = oy * stride[0] - padding[0] + ky * dilation[0]
                    x = ox * stride[1] - padding[1] + kx * dilation[1]
                    if 0 <= y < height and 0 <= x < width:
                        yield ky * kernel[1] + kx, oy * across + ox, y * width + x


# endregion [places]


# region [products]
def products(
    image: Any, weight: Any, result: Any, stride: Pair, padding: Pair, dilation: Pair, groups: int
) -> Iterator[tuple[int, int, int]]:
    """Every multiplication of a convolution: which pixel, which weight, which result, as flat indices."""
    (samples, channels, *size), (filters, depth, *kernel), windows = shape(image), shape(weight), shape(result)[2:]
    pixels, taps, outputs = size[0] * size[1], kernel[0] * kernel[1], windows[0] * windows[1]
    met = list(places(size, kernel, windows, stride, padding, dilation))
    for n in range(samples):
        for f in range(filters):
            group = f // (filters // groups)
            for c in range(depth):
                first = (n * channels + group * depth + c) * pixels
                for tap, window, pixel in met:
                    yield first + pixel, (f * depth + c) * taps + tap, (n * filters + f) * outputs + window


# endregion [products]


def accumulate(totals: list[Any], at: int, left: Any, right: Any, code: str) -> None:
    """Add a product to a total, each operation rounded to the element type."""
    totals[at] = element(totals[at] + element(left * right, code), code)


def conv2d(
    x: Any, weight: Any, bias: Any, out: Any, stride: Pair = (1, 1), padding: Pair = (0, 0), dilation: Pair = (1, 1),
    groups: int = 1,
) -> None:  # fmt: skip
    """Write to `out` what a kernel makes of each window of an image.

    ``out[n, f, i, j] = bias[f] + sum over c, ky, kx of weight[f, c, ky, kx] * x[n, c', i', j']`` with
    ``i' = i * stride - padding + ky * dilation``, likewise ``j'``, and ``c'`` the channel c of the group of filter f.

    Parameters
    ----------
    x : float32, float64 or int64, shape (N, C, H, W)
        The images; any strides. What lies outside of one counts as zero.
    weight : array of the type of `x`, shape (F, C / groups, kernel height, kernel width)
        The kernels.
    bias : array of the type of `x`, shape (F,), or None
        What is added to every result of a filter.
    out : array of the type of `x`, shape (N, F, any, any)
        Where the results go; its last two sizes say how many windows there are. It must not share memory with an
        operand.
    stride, padding, dilation : pairs of int
        By how much one window lies from the next, how far the first begins before the image, and by how much the
        pixels of a window lie apart; vertical, then horizontal.
    groups : int
        Channels and filters fall into so many groups, and a filter sees the channels of its own.

    Raises
    ------
    TypeError
        When the element types differ or are not taken.
    ValueError
        When shapes do not fit, or a stride, padding, dilation or number of groups is impossible.

    Notes
    -----
    With K = C / groups * kernel height * kernel width, 2 K operations for each element of `out`. The products are added
    in order of c, ky, kx on this rung, in other orders on the others, and the bias last; each rung is within
    ``(K + 3) * eps`` times the same sum of absolute values. int64 wraps. On the other rungs padding is multiplied as
    the zero that it counts as, so an infinite weight over it gives nan.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (1, 1, 2, 2))
    >>> conv2d(Buffer(range(9), (1, 1, 3, 3)), Buffer([1, 0, 0, -1], (1, 1, 2, 2)), None, out)
    >>> out.tolist()
    [[[[-4.0, -4.0], [-4.0, -4.0]]]]
    """
    check(convolution_errors("conv2d", x, weight, out, bias, (stride, padding, dilation), groups))
    # region [conv2d]
    code = typecode(x)
    image, weights = values(x), values(weight)
    filters, outputs = shape(out)[1], shape(out)[2] * shape(out)[3]
    totals: list[Any] = [0] * len(values(out))
    for pixel, tap, at in products(x, weight, out, stride, padding, dilation, groups):
        accumulate(totals, at, image[pixel], weights[tap], code)
    if bias is not None:
        added = values(bias)
        totals = [element(total + added[at // outputs % filters], code) for at, total in enumerate(totals)]
    store(out, totals)
    # endregion [conv2d]


def conv2d_input_vjp(
    g: Any, weight: Any, out: Any, stride: Pair = (1, 1), padding: Pair = (0, 0), dilation: Pair = (1, 1),
    groups: int = 1,
) -> None:  # fmt: skip
    """Write the gradient of the images of `conv2d` to `out`: each pixel gets ``g * weight`` of every window it is in.

    This is the transposed convolution of `g`.

    Parameters
    ----------
    g : float32, float64 or int64, shape (N, F, any, any)
        The gradient of what `conv2d` wrote.
    weight : array of the type of `g`, shape (F, C / groups, kernel height, kernel width)
        The kernels.
    out : array of the type of `g`, shape (N, C, H, W)
        Where the gradient goes.
    stride, padding, dilation, groups
        As for `conv2d`.

    Raises
    ------
    TypeError, ValueError
        As `conv2d`.

    Notes
    -----
    The products are added in order of the filters, then of the weights, on this rung; each rung is within
    ``(F / groups * kernel height * kernel width + 2) * eps`` times the same sum of absolute values.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (1, 1, 1, 4))
    >>> conv2d_input_vjp(Buffer([1, 10, 100], (1, 1, 1, 3)), Buffer([2, 3], (1, 1, 1, 2)), out)
    >>> out.tolist()
    [[[[2.0, 23.0, 230.0, 300.0]]]]
    """
    check(convolution_errors("conv2d_input_vjp", out, weight, g, None, (stride, padding, dilation), groups))
    # region [conv2d_input_vjp]
    code = typecode(g)
    gradient, weights = values(g), values(weight)
    totals: list[Any] = [0] * len(values(out))
    for pixel, tap, at in products(out, weight, g, stride, padding, dilation, groups):
        accumulate(totals, pixel, gradient[at], weights[tap], code)
    store(out, totals)
    # endregion [conv2d_input_vjp]


def conv2d_weight_vjp(
    g: Any, x: Any, out: Any, stride: Pair = (1, 1), padding: Pair = (0, 0), dilation: Pair = (1, 1), groups: int = 1
) -> None:
    """Write the gradient of the kernels of `conv2d` to `out`: each weight gets ``g * x`` of every pixel that it met.

    Parameters
    ----------
    g : float32, float64 or int64, shape (N, F, any, any)
        The gradient of what `conv2d` wrote.
    x : array of the type of `g`, shape (N, C, H, W)
        The images.
    out : array of the type of `g`, shape (F, C / groups, kernel height, kernel width)
        Where the gradient goes.
    stride, padding, dilation, groups
        As for `conv2d`.

    Raises
    ------
    TypeError, ValueError
        As `conv2d`.

    Notes
    -----
    The products are added in order of the samples, then of the windows, on this rung; each rung is within
    ``(N * windows + 2) * eps`` times the same sum of absolute values.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (1, 1, 1, 2))
    >>> conv2d_weight_vjp(Buffer([1, 10, 100], (1, 1, 1, 3)), Buffer([1, 2, 3, 4], (1, 1, 1, 4)), out)
    >>> out.tolist()
    [[[[321.0, 432.0]]]]
    """
    check(convolution_errors("conv2d_weight_vjp", x, out, g, None, (stride, padding, dilation), groups))
    # region [conv2d_weight_vjp]
    code = typecode(g)
    gradient, image = values(g), values(x)
    totals: list[Any] = [0] * len(values(out))
    for pixel, tap, at in products(x, out, g, stride, padding, dilation, groups):
        accumulate(totals, tap, gradient[at], image[pixel], code)
    store(out, totals)
    # endregion [conv2d_weight_vjp]


def unfold2d(x: Any, out: Any, stride: Pair = (1, 1), padding: Pair = (0, 0), dilation: Pair = (1, 1)) -> None:
    """Copy every window of an image to `out`; what lies outside of the image is zero.

    Parameters
    ----------
    x : float32, float64 or int64, shape (N, C, H, W)
        The images; any strides.
    out : array of the type of `x`, shape (N, C, kernel height, kernel width, any, any)
        Where the windows go: its middle sizes are those of a window, its last two how many there are.
    stride, padding, dilation
        As for `conv2d`.

    Raises
    ------
    TypeError, ValueError
        As `conv2d`.

    Notes
    -----
    A copy: the same bits on every rung.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (1, 1, 1, 2, 1, 3))
    >>> unfold2d(Buffer([1, 2, 3, 4], (1, 1, 1, 4)), out)
    >>> out.tolist()
    [[[[[[1.0, 2.0, 3.0]], [[2.0, 3.0, 4.0]]]]]]
    """
    check(column_errors("unfold2d", x, out, (stride, padding, dilation)))
    # region [unfold2d]
    size, kernel, windows = shape(x)[2:], shape(out)[2:4], shape(out)[4:]
    pixels, outputs = size[0] * size[1], windows[0] * windows[1]
    image = values(x)
    copied: list[Any] = [0] * len(values(out))
    met = list(places(size, kernel, windows, stride, padding, dilation))
    for plane in range(shape(x)[0] * shape(x)[1]):
        for tap, window, pixel in met:
            copied[(plane * kernel[0] * kernel[1] + tap) * outputs + window] = image[plane * pixels + pixel]
    store(out, copied)
    # endregion [unfold2d]


def fold2d(columns: Any, out: Any, stride: Pair = (1, 1), padding: Pair = (0, 0), dilation: Pair = (1, 1)) -> None:
    """Write the sum of all windows, each laid where `unfold2d` took it, to `out`; the gradient of `unfold2d`.

    Parameters
    ----------
    columns : float32, float64 or int64, shape (N, C, kernel height, kernel width, any, any)
        The windows; any strides.
    out : array of the type of `columns`, shape (N, C, H, W)
        Where the sums go.
    stride, padding, dilation
        As for `conv2d`.

    Raises
    ------
    TypeError, ValueError
        As `conv2d`.

    Notes
    -----
    Each element of `out` is added up from zero, in order of the places in a window: the same bits on every rung.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (1, 1, 1, 4))
    >>> fold2d(Buffer([1, 2, 3, 2, 3, 4], (1, 1, 1, 2, 1, 3)), out)
    >>> out.tolist()
    [[[[1.0, 4.0, 6.0, 4.0]]]]
    """
    check(column_errors("fold2d", out, columns, (stride, padding, dilation)))
    # region [fold2d]
    code = typecode(out)
    size, kernel, windows = shape(out)[2:], shape(columns)[2:4], shape(columns)[4:]
    pixels, outputs = size[0] * size[1], windows[0] * windows[1]
    given = values(columns)
    totals: list[Any] = [0] * len(values(out))
    met = list(places(size, kernel, windows, stride, padding, dilation))
    for plane in range(shape(out)[0] * shape(out)[1]):
        for tap, window, pixel in met:
            found = given[(plane * kernel[0] * kernel[1] + tap) * outputs + window]
            totals[plane * pixels + pixel] = element(totals[plane * pixels + pixel] + found, code)
    store(out, totals)
    # endregion [fold2d]


def triples(windows: Any) -> list[tuple[int, int, int]]:
    """Windows along an axis as Python numbers, three each."""
    flat = [int(number) for number in values(windows)]
    return list(zip(flat[::3], flat[1::3], flat[2::3], strict=True))


def max_pool2d(x: Any, out: Any, indices: Any, rows: Any, columns: Any) -> None:
    """Write the largest element of each window to `out`, and where it is to `indices`.

    Parameters
    ----------
    x : float32, float64 or int64, shape (N, C, H, W)
        The images; any strides.
    out : array of the type of `x`, shape (N, C, rows, columns)
        Where the largest elements go.
    indices : int64, shape of `out`
        Where the places go: ``row * W + column`` in the image of that sample and channel.
    rows, columns : int64, shape (windows, 3)
        The windows along each axis: where one starts, before where it stops, and its step.

    Raises
    ------
    TypeError
        When element types differ or are not taken.
    ValueError
        When shapes do not fit or a window leaves the image.

    Notes
    -----
    The first of equal elements is taken, a later one only where it is larger or nan: of several nan the last. A window
    without elements gives -inf (the least number of int64) and place -1. The same bits on every rung.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out, indices = Buffer.full(0, (1, 1, 1, 2)), Buffer.full(0, (1, 1, 1, 2), "q")
    >>> rows, columns = Buffer([0, 1, 1], (1, 3), "q"), Buffer([0, 2, 1, 1, 3, 1], (2, 3), "q")
    >>> max_pool2d(Buffer([1, 5, 5], (1, 1, 1, 3)), out, indices, rows, columns)
    >>> out.tolist(), indices.tolist()
    ([[[[5.0, 5.0]]]], [[[[1, 1]]]])
    """
    check(pool_errors("max_pool2d", x, out, indices, rows, columns))
    # region [max_pool2d]
    height, width = shape(x)[2:]
    image = values(x)
    least = -(2**63) if typecode(x) == "q" else -inf
    found, at = [], []
    for plane in range(shape(x)[0] * shape(x)[1]):
        for top, bottom, down in triples(rows):
            for left, right, across in triples(columns):
                best, place = least, -1
                for i in range(top, bottom, down):
                    for j in range(left, right, across):
                        candidate = image[(plane * height + i) * width + j]
                        if place < 0 or candidate > best or isnan(candidate):
                            best, place = candidate, i * width + j
                found.append(best)
                at.append(place)
    store(out, found)
    store(indices, at)
    # endregion [max_pool2d]


def max_pool2d_vjp(g: Any, indices: Any, out: Any) -> None:
    """Write the gradient of the images of `max_pool2d` to `out`: each place gets the sum of `g` where it was chosen.

    Parameters
    ----------
    g : float32 or float64, shape (N, C, any, any)
        The gradient of the largest elements.
    indices : int64, shape of `g`
        Their places; one outside the image gets nothing.
    out : array of the type of `g`, shape (N, C, H, W)
        Where the gradient goes.

    Raises
    ------
    TypeError, ValueError
        When element types or shapes do not fit.

    Notes
    -----
    Each element of `out` is added up from zero in the order of the windows: the same bits on every rung.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (1, 1, 1, 3))
    >>> max_pool2d_vjp(Buffer([2, 3], (1, 1, 1, 2)), Buffer([1, 1], (1, 1, 1, 2), "q"), out)
    >>> out.tolist()
    [[[[0.0, 5.0, 0.0]]]]
    """
    check(place_errors("max_pool2d_vjp", g, indices, out))
    # region [max_pool2d_vjp]
    code = typecode(g)
    windows, pixels = shape(g)[2] * shape(g)[3], shape(out)[2] * shape(out)[3]
    gradient, chosen = values(g), values(indices)
    totals: list[Any] = [0.0] * len(values(out))
    for at, place in enumerate(chosen):
        if 0 <= place < pixels:
            target = at // windows * pixels + int(place)
            totals[target] = rounded(totals[target] + gradient[at], code)
    store(out, totals)
    # endregion [max_pool2d_vjp]


def avg_pool2d(x: Any, out: Any, rows: Any, columns: Any, divisor: int = 0) -> None:
    """Write the mean of each window to `out`.

    Parameters
    ----------
    x : float32 or float64, shape (N, C, H, W)
        The images; any strides.
    out : array of the type of `x`, shape (N, C, rows, columns)
        Where the means go.
    rows, columns : int64, shape (windows, 3)
        The windows along each axis: where one starts, before where it stops, and its size, by which a sum is divided.
    divisor : int
        What every sum is divided by instead, unless it is 0.

    Raises
    ------
    TypeError
        When element types differ or are not taken.
    ValueError
        When shapes do not fit or a window leaves the image.

    Notes
    -----
    A window is added up from zero in row-major order, then divided: the same bits on this rung and the twin's.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (1, 1, 1, 1))
    >>> rows, columns = Buffer([0, 1, 1], (1, 3), "q"), Buffer([0, 3, 3], (1, 3), "q")
    >>> avg_pool2d(Buffer([1, 5, 6], (1, 1, 1, 3)), out, rows, columns)
    >>> out.tolist()
    [[[[4.0]]]]
    """
    check(pool_errors("avg_pool2d", x, out, None, rows, columns))
    # region [avg_pool2d]
    code = typecode(x)
    height, width = shape(x)[2:]
    image = values(x)
    means = []
    for plane in range(shape(x)[0] * shape(x)[1]):
        for top, bottom, tall in triples(rows):
            for left, right, wide in triples(columns):
                total = 0.0
                for i in range(top, bottom):
                    for j in range(left, right):
                        total = rounded(total + image[(plane * height + i) * width + j], code)
                means.append(div(total, divisor or tall * wide))
    store(out, means)
    # endregion [avg_pool2d]


def avg_pool2d_vjp(g: Any, out: Any, rows: Any, columns: Any, divisor: int = 0) -> None:
    """Write the gradient of the images of `avg_pool2d` to `out`: each window's share to all of its elements.

    Parameters
    ----------
    g : float32 or float64, shape (N, C, rows, columns)
        The gradient of the means.
    out : array of the type of `g`, shape (N, C, H, W)
        Where the gradient goes.
    rows, columns, divisor
        As for `avg_pool2d`.

    Raises
    ------
    TypeError, ValueError
        As `avg_pool2d`.

    Notes
    -----
    Each element of `out` is added up from zero in the order of the windows: the same bits on every rung.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (1, 1, 1, 3))
    >>> rows, columns = Buffer([0, 1, 1], (1, 3), "q"), Buffer([0, 3, 3], (1, 3), "q")
    >>> avg_pool2d_vjp(Buffer([6], (1, 1, 1, 1)), out, rows, columns)
    >>> out.tolist()
    [[[[2.0, 2.0, 2.0]]]]
    """
    check(pool_errors("avg_pool2d_vjp", out, g, None, rows, columns))
    # region [avg_pool2d_vjp]
    code = typecode(g)
    height, width = shape(out)[2:]
    gradient = iter(values(g))
    totals = [0.0] * len(values(out))
    for plane in range(shape(out)[0] * shape(out)[1]):
        for top, bottom, tall in triples(rows):
            for left, right, wide in triples(columns):
                share = rounded(div(next(gradient), divisor or tall * wide), code)
                for i in range(top, bottom):
                    for j in range(left, right):
                        at = (plane * height + i) * width + j
                        totals[at] = rounded(totals[at] + share, code)
    store(out, totals)
    # endregion [avg_pool2d_vjp]
