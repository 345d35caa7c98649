"""Cases of the operations in `kael.ops.convolution`, `pooling`, `padding`, `folding` and `interpolation`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from tests.ops.cases.case import Case, one, several

WHOLE = "PyTorch has no dilated or transposed convolution of int32 and uint8"


def outside(x: np.ndarray, padding: tuple[int, ...], value: float = 0.0) -> np.ndarray:
    """The last axes with a value around them."""
    return np.pad(x, [(0, 0)] * (x.ndim - len(padding)) + [(p, p) for p in padding], constant_values=value)


def conv(x: Any, w: Any, b: Any, stride: tuple[int, ...], padding: Any, dilation: tuple[int, ...], groups: int) -> Any:
    """A convolution by its definition: each weight's share of all results at once."""
    axes = len(stride)
    if padding == "same":
        total = [d * (k - 1) for d, k in zip(dilation, w.shape[2:], strict=True)]
        x = np.pad(x, [(0, 0)] * (x.ndim - axes) + [(t // 2, t - t // 2) for t in total])
    else:
        x = outside(x, padding)
    batch = x if x.ndim == axes + 2 else x[None]
    counts = [
        (size - d * (k - 1) - 1) // s + 1
        for size, k, s, d in zip(batch.shape[2:], w.shape[2:], stride, dilation, strict=True)
    ]
    out = np.zeros((len(batch), len(w), *counts), x.dtype)
    for f, c in product(range(len(w)), range(w.shape[1])):
        channel = f // (len(w) // groups) * w.shape[1] + c
        for tap in np.ndindex(*w.shape[2:]):
            window = [
                slice(t * d, t * d + (n - 1) * s + 1, s)
                for t, d, n, s in zip(tap, dilation, counts, stride, strict=True)
            ]
            out[:, f] += w[(f, c, *tap)] * batch[(slice(None), channel, *window)]
    if b is not None:
        out += b.reshape(-1, *[1] * axes)
    return out if x.ndim == axes + 2 else out[0]


def transposed(
    x: Any, w: Any, b: Any, stride: tuple[int, ...], padding: tuple[int, ...], more: tuple[int, ...], groups: int,
    dilation: tuple[int, ...],
) -> Any:  # fmt: skip
    """A transposed convolution by its definition: each pixel lays its multiples of the kernels down."""
    axes = len(stride)
    batch = x if x.ndim == axes + 2 else x[None]
    full = [
        (size - 1) * s + d * (k - 1) + 1 + m
        for size, s, d, k, m in zip(batch.shape[2:], stride, dilation, w.shape[2:], more, strict=True)
    ]
    out = np.zeros((len(batch), w.shape[1] * groups, *full), x.dtype)
    for f, c in product(range(len(w)), range(w.shape[1])):
        channel = f // (len(w) // groups) * w.shape[1] + c
        for tap in np.ndindex(*w.shape[2:]):
            places = [
                slice(t * d, t * d + (n - 1) * s + 1, s)
                for t, d, n, s in zip(tap, dilation, batch.shape[2:], stride, strict=True)
            ]
            out[(slice(None), channel, *places)] += w[(f, c, *tap)] * batch[:, f]
    out = out[(..., *[slice(p, size - p) for p, size in zip(padding, full, strict=True)])]
    if b is not None:
        out = out + b.reshape(-1, *[1] * axes)
    return out if x.ndim == axes + 2 else out[0]


def convolved(axes: int, label: str, *shapes: tuple[tuple[int, ...], ...], **options: Any) -> Case:
    """A case of a convolution."""
    each = {name: (options.get(name, 1),) * axes for name in ("stride", "dilation")}
    padding = options.get("padding", 0)

    def oracle(x: Any, w: Any, b: Any = None) -> Any:
        given = padding if padding == "same" else (padding,) * axes
        return conv(x, w, b, each["stride"], given, each["dilation"], options.get("groups", 1))

    name = f"conv{axes}d"
    differs = WHOLE if options.get("dilation", 1) > 1 else ""
    call = lambda k, *o: getattr(k.nn.functional, name)(*o, **options)  # noqa: E731
    return several(name, label, call, oracle, *shapes, differs=differs)


def deconvolved(axes: int, label: str, *shapes: tuple[tuple[int, ...], ...], **options: Any) -> Case:
    """A case of a transposed convolution."""

    def oracle(x: Any, w: Any, b: Any = None) -> Any:
        stride, padding, more, dilation = [
            (options.get(name, default),) * axes
            for name, default in (("stride", 1), ("padding", 0), ("output_padding", 0), ("dilation", 1))
        ]
        return transposed(x, w, b, stride, padding, more, options.get("groups", 1), dilation)

    name = f"conv_transpose{axes}d"
    call = lambda k, *o: getattr(k.nn.functional, name)(*o, **options)  # noqa: E731
    return several(name, label, call, oracle, *shapes, differs=WHOLE)


def pooled(
    x: Any, f: Callable[[Any], Any], kernel: tuple[int, ...], stride: tuple[int, ...], padding: tuple[int, ...],
    counts: tuple[int, ...], dilation: tuple[int, ...],
) -> Any:  # fmt: skip
    """A function of each window, what lies outside the image left out."""
    axes = len(kernel)
    out = np.empty((*x.shape[: x.ndim - axes], *counts), x.dtype)
    for at in np.ndindex(*counts):
        places = [
            [p for p in range(k * s - pad, k * s - pad + d * size, d) if 0 <= p < length]
            for k, s, pad, size, d, length in zip(at, stride, padding, kernel, dilation, x.shape[-axes:], strict=True)
        ]
        window = x
        for axis, place in enumerate(places, x.ndim - axes):
            window = window.take(place, axis)
        out[(..., *at)] = f(window.reshape(*x.shape[: x.ndim - axes], np.prod(window.shape[-axes:])))
    return out


def largest(axes: int, label: str, counts: tuple[int, ...], *shapes: tuple[int, ...], **options: Any) -> Case:
    """A case of a pool that chooses."""

    def oracle(x: Any) -> Any:
        kernel = (options["kernel_size"],) * axes
        stride = (options.get("stride", options["kernel_size"]),) * axes
        padding, dilation = (options.get("padding", 0),) * axes, (options.get("dilation", 1),) * axes
        return pooled(x, lambda window: window.max(-1), kernel, stride, padding, counts, dilation)

    name = f"max_pool{axes}d"
    return one(name, label, lambda k, x: getattr(k.nn.functional, name)(x, **options), oracle, *shapes)


def mean(axes: int, label: str, counts: tuple[int, ...], divide: Any, *shapes: tuple[int, ...], **options: Any) -> Case:
    """A case of a pool that averages: `divide` says by what, or is None where it is by the pixels of a window."""

    def oracle(x: Any) -> Any:
        kernel = (options["kernel_size"],) * axes
        stride = (options.get("stride", options["kernel_size"]),) * axes
        f = (lambda window: window.mean(-1)) if divide is None else (lambda window: window.sum(-1))
        out = pooled(x, f, kernel, stride, (options.get("padding", 0),) * axes, counts, (1,) * axes)
        return out if divide is None else (out / np.asarray(divide, out.dtype))

    name = f"avg_pool{axes}d"
    return one(name, label, lambda k, x: getattr(k.nn.functional, name)(x, **options), oracle, *shapes)


def adaptive(kind: str, axes: int, sizes: tuple[int, ...], *shapes: tuple[int, ...]) -> Case:
    """A case of an adaptive pool."""

    def oracle(x: Any) -> Any:
        out = np.empty((*x.shape[:-axes], *sizes), x.dtype)
        for at in np.ndindex(*sizes):
            window = tuple(
                slice(int(np.floor(k * n / m)), int(np.ceil((k + 1) * n / m)))
                for k, n, m in zip(at, x.shape[-axes:], sizes, strict=True)
            )
            last = tuple(range(x.ndim - axes, x.ndim))
            part = x[(..., *window)]
            out[(..., *at)] = part.max(last) if kind == "max" else part.mean(last)
        return out

    name = f"adaptive_{kind}_pool{axes}d"
    wanted = sizes if axes > 1 else sizes[0]
    label = "x".join(map(str, sizes))
    return one(name, label, lambda k, x: getattr(k.nn.functional, name)(x, wanted), oracle, *shapes)


def padded(label: str, pad: tuple[int, ...], mode: str, *shapes: tuple[int, ...], value: Any = None) -> Case:
    """A case of padding."""
    how = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode]

    def oracle(x: Any) -> Any:
        ends = [(0, 0)] * (x.ndim - len(pad) // 2) + list(zip(pad[::2], pad[1::2], strict=True))[::-1]
        more = {"constant_values": value or 0} if mode == "constant" else {}
        x = np.pad(x, [(max(a, 0), max(b, 0)) for a, b in ends], how, **more)
        return x[tuple(slice(max(-a, 0), size - max(-b, 0)) for (a, b), size in zip(ends, x.shape, strict=True))]

    return one("pad", label, lambda k, x: k.nn.functional.pad(x, pad, mode, value), oracle, *shapes)


def columns(x: Any, kernel: tuple[int, int], stride: int, padding: int, dilation: int) -> Any:
    """Windows as columns, by NumPy's own."""
    shape = tuple(dilation * (k - 1) + 1 for k in kernel)
    windows = np.lib.stride_tricks.sliding_window_view(outside(x, (padding, padding)), shape, (-2, -1))
    windows = windows[..., ::stride, ::stride, ::dilation, ::dilation]
    moved = np.moveaxis(windows, (-2, -1), (-4, -3))
    return moved.reshape(*x.shape[:-3], x.shape[-3] * kernel[0] * kernel[1], np.prod(moved.shape[-2:]))


def laid(x: Any, size: tuple[int, int], kernel: tuple[int, int], stride: int, padding: int, dilation: int) -> Any:
    """Columns added up in an image."""
    channels = x.shape[-2] // (kernel[0] * kernel[1])
    counts = [(n + 2 * padding - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(size, kernel, strict=True)]
    windows = x.reshape(*x.shape[:-2], channels, *kernel, *counts)
    out = np.zeros((*x.shape[:-2], channels, *[n + 2 * padding for n in size]), x.dtype)
    for i, j, oy, ox in np.ndindex(*kernel, *counts):
        out[..., i * dilation + oy * stride, j * dilation + ox * stride] += windows[..., i, j, oy, ox]
    return out[..., padding : padding + size[0], padding : padding + size[1]]


def resized(x: Any, sizes: tuple[int, ...], mode: str, corners: bool = False) -> Any:
    """An image of another size, axis by axis."""
    for axis, wanted in enumerate(sizes, x.ndim - len(sizes)):
        size = x.shape[axis]
        if mode == "nearest":
            x = x.take([k * size // wanted for k in range(wanted)], axis)
            continue
        if mode == "nearest-exact":
            x = x.take([int((k + 0.5) * size / wanted) for k in range(wanted)], axis)
            continue
        if corners:
            places = np.linspace(0, size - 1, wanted)
        else:
            places = np.clip((np.arange(wanted) + 0.5) * size / wanted - 0.5, 0, size - 1)
        lines = np.moveaxis(x, axis, -1)
        mixed = [[np.interp(places, np.arange(size), line) for line in lines.reshape(-1, size)]]
        x = np.moveaxis(np.reshape(mixed, (*lines.shape[:-1], wanted)).astype(x.dtype), -1, axis)
    return x


def sized(label: str, sizes: tuple[int, ...], mode: str, shape: tuple[int, ...], **options: Any) -> Case:
    """A case of `interpolate`."""
    given = options or {"size": sizes}
    return one(
        "interpolate", label, lambda k, x: k.nn.functional.interpolate(x, mode=mode, **given),
        lambda x: resized(x, sizes, mode, bool(options.get("align_corners"))), shape,
        differs="kael mixes no pixels of uint8: a mixture is floating point" if mode == "bilinear" else "",
    )  # fmt: skip


NAN, INF = np.nan, np.inf

DIFFERENTIABLE = [
    convolved(1, "", ((2, 3, 7), (4, 3, 3)), ((3, 6), (2, 3, 2)), ((0, 2, 5), (3, 2, 2))),
    convolved(1, "strided", ((2, 2, 8), (3, 2, 3), (3,)), stride=2, padding=1),
    convolved(1, "same", ((1, 2, 5), (2, 2, 4)), padding="same", dilation=2),
    convolved(2, "", ((2, 3, 5, 4), (2, 3, 3, 2)), ((1, 4, 4), (1, 1, 4, 4)), ((0, 1, 3, 3), (2, 1, 2, 2))),
    convolved(2, "bias", ((2, 2, 4, 4), (3, 2, 3, 3), (3,)), padding=1),
    convolved(2, "tail", ((1, 1, 6, 7), (2, 1, 2, 2)), stride=4),
    convolved(2, "dilated", ((1, 2, 6, 6), (2, 2, 3, 3)), dilation=2, padding=1),
    convolved(2, "groups", ((2, 4, 4, 4), (6, 2, 2, 2), (6,)), groups=2),
    convolved(2, "each", ((1, 3, 4, 4), (3, 1, 3, 3)), groups=3, padding="same"),
    deconvolved(1, "", ((2, 3, 4), (3, 2, 3)), ((3, 4), (3, 2, 2), (2,)), stride=2),
    deconvolved(2, "", ((2, 2, 3, 3), (2, 3, 2, 3)), ((2, 3, 3), (2, 1, 2, 2))),
    deconvolved(2, "wide", ((1, 2, 3, 3), (2, 2, 3, 3), (2,)), stride=2, padding=1, output_padding=1),
    deconvolved(2, "groups", ((1, 4, 3, 3), (4, 2, 2, 2)), groups=2, dilation=2),
    largest(1, "", (2,), (2, 3, 5), (3, 4), (0, 3, 4), kernel_size=2),
    largest(1, "wide", (4,), (2, 2, 6), kernel_size=3, stride=2, padding=1, ceil_mode=True),
    largest(2, "", (2, 2), (2, 3, 4, 5), (3, 4, 4), (0, 2, 4, 4), kernel_size=2),
    largest(2, "overlapping", (3, 3), (2, 2, 5, 5), kernel_size=3, stride=1),
    largest(2, "dilated", (4, 4), (1, 2, 6, 6), kernel_size=3, stride=1, padding=1, dilation=2),
    mean(1, "", (2,), None, (2, 3, 5), (3, 4), kernel_size=2),
    mean(1, "padded", (3,), [3.0, 3.0, 3.0], (2, 2, 5), kernel_size=3, stride=2, padding=1),
    mean(2, "", (2, 2), None, (2, 3, 4, 5), (3, 4, 4), (0, 2, 4, 4), kernel_size=2),
    mean(2, "uncounted", (3, 3), None, (2, 2, 5, 5), kernel_size=3, stride=2, padding=1, count_include_pad=False),
    mean(2, "overhanging", (3, 3), None, (2, 2, 5, 5), kernel_size=2, ceil_mode=True),
    mean(2, "divided", (2, 2), 3, (1, 2, 4, 4), kernel_size=2, divisor_override=3),
    adaptive("avg", 1, (3,), (2, 3, 5), (2, 7)),
    adaptive("avg", 2, (2, 3), (2, 3, 5, 4), (1, 2, 3)),
    adaptive("avg", 2, (1, 1), (2, 3, 4, 4)),
    adaptive("max", 1, (3,), (2, 3, 5), (2, 7)),
    adaptive("max", 2, (2, 3), (2, 3, 5, 4), (1, 2, 3)),
    padded("", (1, 2), "constant", (3,), (2, 3), (2, 0)),
    padded("two", (1, 0, 2, -1), "constant", (3, 4), (2, 3, 4), value=2.5),
    padded("cut", (-1, -2), "constant", (2, 5), (2, 3)),
    padded("reflect", (2, 1), "reflect", (2, 4), (2, 2, 3)),
    padded("reflect two", (2, 2, 1, 1), "reflect", (2, 3, 3), (2, 1, 3, 4)),
    padded("replicate", (3, 1), "replicate", (2, 2), (2, 2, 3)),
    padded("replicate cut", (-1, 2, 1, -1), "replicate", (2, 3, 4)),
    padded("circular", (2, 3), "circular", (2, 3), (1, 2, 4)),
    padded("circular two", (1, 2, 2, 1), "circular", (2, 3, 3)),
    one("im2col", "", lambda k, x: k.nn.functional.unfold(x, (2, 3)), lambda x: columns(x, (2, 3), 1, 0, 1),
        (2, 2, 4, 4), (2, 3, 3), (0, 1, 3, 3)),
    one("im2col", "wide", lambda k, x: k.nn.functional.unfold(x, 2, 2, 1, 2), lambda x: columns(x, (2, 2), 2, 1, 2),
        (2, 2, 5, 4)),
    one("col2im", "", lambda k, x: k.nn.functional.fold(x, (3, 4), (2, 3)),
        lambda x: laid(x, (3, 4), (2, 3), 1, 0, 1), (2, 12, 4), (6, 4)),
    one("col2im", "wide", lambda k, x: k.nn.functional.fold(x, 5, 2, 2, 1, 2),
        lambda x: laid(x, (5, 5), (2, 2), 2, 1, 2), (2, 4, 9)),
    sized("nearest", (5, 3), "nearest", (2, 2, 3, 4)),
    sized("nearest line", (7,), "nearest", (2, 2, 4)),
    sized("nearest factor", (6, 8), "nearest", (1, 2, 3, 4), scale_factor=2),
    sized("nearest-exact", (5, 3), "nearest-exact", (2, 2, 3, 4)),
    sized("linear", (5,), "linear", (2, 2, 3)),
    sized("bilinear", (5, 3), "bilinear", (2, 2, 3, 4)),
    sized("bilinear corners", (5, 7), "bilinear", (1, 2, 3, 4), size=(5, 7), align_corners=True),
    sized("bilinear factor", (4, 6), "bilinear", (1, 1, 2, 3), scale_factor=2.0),
    sized("trilinear", (3, 2, 5), "trilinear", (1, 2, 2, 3, 3)),
]  # fmt: skip
