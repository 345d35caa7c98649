"""Convolutions, pools, padding and resizing beside PyTorch: kinks, many settings, dtypes, and errors."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest

import kael

torch = pytest.importorskip("torch")

from tests.ops.test_torch import compare, differentiated, in_our_words, outcome, plain, promised  # noqa: E402

NAN, INF = math.nan, math.inf


def f(name: str, *arguments: Any, **options: Any) -> Any:
    """A call of a function of `nn.functional`, with everything but the library and the operands."""
    return lambda k, *operands: getattr(k.nn.functional, name)(*operands, *arguments, **options)


def signal(*values: float) -> list[list[float]]:
    return [list(values)]


GRADIENTS = {
    "what a stride leaves out gets 0": differentiated(
        f("conv1d", stride=2), signal(1.0, 2.0, 3.0, 4.0), [[[1.0, 10.0, 100.0]]]
    ),
    "conv with bias": differentiated(
        f("conv1d", padding=1), signal(1.0, 2.0, 3.0), [[[1.0, 10.0, 100.0]]], [0.5], weights=signal(1.0, 2.0, 3.0)
    ),
    "one tensor as image and kernel": differentiated(lambda k, x: k.nn.functional.conv1d(x, x), [[[1.0, 2.0, 3.0]]]),
    "an infinite pixel": differentiated(f("conv1d", padding=1), signal(1.0, INF, 3.0), [[[1.0, 2.0, 3.0]]]),
    "a nan beside": differentiated(f("conv1d"), signal(1.0, NAN, 3.0, 4.0, 5.0), [[[1.0, 2.0]]]),
    "float32": differentiated(f("conv2d"), [[[1.0, 2.0], [3.0, 4.0]]], [[[[1.0, -1.0]]]], dtype="float32"),
    "ties go to the first": differentiated(f("max_pool1d", 3, 1), signal(1.0, 5.0, 5.0, 5.0, 2.0)),
    "windows add": differentiated(
        f("max_pool1d", 3, 1), signal(1.0, 2.0, 9.0, 2.0, 1.0), weights=signal(1.0, 10.0, 100.0)
    ),
    "padding never wins": differentiated(f("max_pool1d", 3, 2, 1), signal(-5.0, -3.0, -4.0, -9.0)),
    "nan wins": differentiated(f("max_pool1d", 2), signal(1.0, NAN, 3.0, 2.0, NAN, NAN)),
    "nan wins along two axes": differentiated(f("max_pool2d", 2), [[[1.0, NAN], [NAN, 2.0]]]),
    "-inf everywhere": differentiated(f("max_pool2d", 2, padding=1), [[[-INF, -INF], [-INF, -INF]]]),
    "ceil mode": differentiated(f("max_pool1d", 2, ceil_mode=True), signal(1.0, 2.0, 3.0, 0.0, 7.0)),
    "dilated": differentiated(f("max_pool1d", 2, 1, dilation=2), signal(1.0, 2.0, 3.0, 0.0, 7.0)),
    "overhanging mean": differentiated(f("avg_pool1d", 2, ceil_mode=True), signal(1.0, 2.0, 3.0, 4.0, 5.0)),
    "padding counts": differentiated(f("avg_pool1d", 3, 2, 1), signal(1.0, 2.0, 3.0, 4.0)),
    "padding does not count": differentiated(
        f("avg_pool1d", 3, 2, 1, count_include_pad=False), signal(1.0, 2.0, 3.0, 4.0)
    ),
    "negative divisor": differentiated(f("avg_pool2d", 2, divisor_override=-3), [[[1.0, 2.0], [3.0, 4.0]]]),
    "inf in a mean": differentiated(f("avg_pool1d", 2), signal(1.0, INF, -INF, 2.0)),
    "even windows": differentiated(f("adaptive_avg_pool1d", 3), signal(1.0, 2.0, 3.0, 4.0, 5.0)),
    "more windows than pixels": differentiated(f("adaptive_avg_pool1d", 7), signal(1.0, 2.0, 3.0, 4.0, 5.0)),
    "as many as there are": differentiated(f("adaptive_avg_pool2d", (None, 1)), [[[1.0, 2.0], [3.0, 4.0]]]),
    "even windows that choose": differentiated(f("adaptive_max_pool1d", 3), signal(5.0, 5.0, 3.0, NAN, 5.0)),
    "reflected": differentiated(f("pad", (2, 2), "reflect"), signal(1.0, 2.0, 3.0)),
    "repeated": differentiated(f("pad", (2, 3), "replicate"), signal(1.0, 2.0, 3.0)),
    "wrapped": differentiated(f("pad", (2, 3), "circular"), signal(1.0, 2.0, 3.0)),
    "cut": differentiated(f("pad", (-1, 1)), signal(1.0, 2.0, 3.0)),
    "cut to nothing": differentiated(f("pad", (-2, -1)), signal(1.0, 2.0, 3.0)),
    "padded by nan": differentiated(f("pad", (1, 0), value=NAN), signal(1.0, 2.0)),
    "0-d": differentiated(f("pad", ()), 2.0),
    "overlapping windows": differentiated(f("unfold", (1, 2)), [[[1.0, 2.0, 3.0]]]),
    "columns added": differentiated(f("fold", (1, 3), (1, 2)), [[1.0, 2.0], [3.0, 4.0]]),
    "nearest": differentiated(f("interpolate", 5), [[[1.0, 2.0, 3.0]]], weights=[[[1.0, 2.0, 3.0, 4.0, 5.0]]]),
    "between": differentiated(f("interpolate", 5, mode="linear"), [[[1.0, 2.0, 4.0]]]),
    "between inf": differentiated(f("interpolate", 4, mode="linear"), [[[1.0, INF, 4.0]]]),
    "area": differentiated(f("interpolate", 2, mode="area"), [[[1.0, 2.0, 4.0]]]),
    "shuffled": differentiated(f("pixel_shuffle", 2), [[[1.0]], [[2.0]], [[3.0]], [[4.0]]]),
    "unshuffled": differentiated(f("pixel_unshuffle", 2), [[[1.0, 2.0], [3.0, 4.0]]]),
}


def ramp(k: Any, *shape: int, dtype: str = "float32") -> Any:
    count = math.prod(shape)
    return ((k.arange(count) * 37) % 101).reshape(*shape).to(getattr(k, dtype))


VALUES = {
    "no window": lambda k: k.nn.functional.adaptive_avg_pool2d(ramp(k, 1, 3, 3), (0, 2)),
    "places": lambda k: k.nn.functional.max_pool2d(ramp(k, 2, 3, 6, 7), 3, 2, 1, return_indices=True),
    "places of a line": lambda k: k.nn.functional.max_pool1d(ramp(k, 3, 9), 3, 2, return_indices=True),
    "places of even windows": lambda k: k.nn.functional.adaptive_max_pool2d(ramp(k, 2, 5, 7), (2, 3), True),
    "integers": lambda k: [
        k.nn.functional.conv2d(ramp(k, 1, 2, 4, 4, dtype="int64"), ramp(k, 3, 2, 2, 2, dtype="int64")),
        k.nn.functional.conv1d(ramp(k, 1, 2, 4, dtype="int32"), ramp(k, 3, 2, 2, dtype="int32")),
        k.nn.functional.conv_transpose2d(ramp(k, 1, 2, 3, 3, dtype="int64"), ramp(k, 2, 2, 2, 2, dtype="int64")),
        k.nn.functional.max_pool2d(ramp(k, 1, 4, 4, dtype="int64"), 2),
        k.nn.functional.max_pool2d(ramp(k, 1, 4, 4, dtype="uint8"), 2),
        k.nn.functional.pad(ramp(k, 3, dtype="int64"), (1, 1), value=1.7),
        k.nn.functional.pad(ramp(k, 1, 3, dtype="int64"), (1, 1), "circular"),
        k.nn.functional.pad(k.tensor([True]), (1, 1)),
        k.nn.functional.interpolate(ramp(k, 1, 1, 2, 2, dtype="uint8"), 4),
        k.nn.functional.avg_pool2d(ramp(k, 1, 4, 5, dtype="int64") - 50, 3, 1, 1),
    ],
    "bool": lambda k: [
        k.nn.functional.unfold(k.tensor([[[True, False, True]]]), (1, 2)),
        k.nn.functional.fold(k.tensor([[True, False], [True, True]]), (1, 3), (1, 2)),
    ],
    "float16": lambda k: [
        k.nn.functional.conv2d(ramp(k, 1, 2, 4, 4, dtype="float16") / 100, ramp(k, 3, 2, 2, 2, dtype="float16") / 100),
        k.nn.functional.avg_pool2d(ramp(k, 1, 4, 4, dtype="float16"), 2),
        k.nn.functional.max_pool2d(ramp(k, 1, 4, 4, dtype="float16"), 2),
        k.nn.functional.pad(ramp(k, 3, dtype="float16"), (1, 1), value=0.1),
        k.nn.functional.interpolate(ramp(k, 1, 1, 2, 2, dtype="float16"), 4, mode="bilinear"),
    ],
    "no sample": lambda k: [
        k.nn.functional.conv2d(k.zeros(0, 2, 4, 4), k.zeros(3, 2, 2, 2)),
        k.nn.functional.conv_transpose2d(k.zeros(0, 2, 4, 4), k.zeros(2, 3, 2, 2)),
        k.nn.functional.max_pool2d(k.zeros(0, 2, 4, 4), 2),
        k.nn.functional.avg_pool1d(k.zeros(0, 2, 4), 2),
        k.nn.functional.adaptive_avg_pool2d(k.zeros(0, 2, 4, 4), 3),
        k.nn.functional.unfold(k.zeros(0, 2, 4, 4), 2),
        k.nn.functional.fold(k.zeros(0, 4, 4), 3, 2),
        k.nn.functional.interpolate(k.zeros(0, 2, 4, 4), 2),
        k.nn.functional.pad(k.zeros(0, 3), (1, 1, 1, 1)),
        k.nn.functional.pad(k.zeros(0, 3, 8, 8), (1, 1, 1, 1), "reflect"),
    ],
}

X, W, LINE = (2, 3, 8, 8), (4, 3, 3, 3), (2, 3, 8)


def refused(
    name: str, text: str, *shapes: Any, dtypes: str = "", arguments: tuple[Any, ...] = (), **options: Any
) -> Any:
    """A program that calls a function with zeros of some shapes, and how the text of its error begins."""
    kinds = dtypes.split() or ["float32"] * len(shapes)
    return (
        lambda k: getattr(k.nn.functional, name)(
            *[None if s is None else k.zeros(s, dtype=getattr(k, d)) for s, d in zip(shapes, kinds, strict=True)],
            *arguments, **options,
        ),
        text,
    )  # fmt: skip


def pool(name: str, text: str, *arguments: Any, shape: Any = X, dtype: str = "float32", **options: Any) -> Any:
    return refused(name, text, shape, dtypes=dtype, arguments=arguments, **options)


ERRORS = {
    "channels": refused(
        "conv2d", "Given groups=1, weight of size (4, 2, 3, 3), expected input(2, 3, 8, 8) to have 2 channels, but got "
        "3 channels instead", X, (4, 2, 3, 3),
    ),
    "channels of groups": refused("conv2d", "Given groups=2, weight of size (4, 1, 3, 3), ", X, (4, 1, 3, 3), groups=2),
    "no group": refused("conv2d", "non-positive groups is not supported", X, W, groups=0),
    "kernel larger": refused(
        "conv2d", "Calculated padded input size per channel: (2 x 2). Kernel size: (3 x 3). Kernel size can't be "
        "greater than actual input size", (1, 3, 2, 2), W,
    ),
    "dilated kernel larger": refused(
        "conv2d", "Calculated padded input size per channel: (4 x 4). Kernel size: (5 x 5).", (1, 3, 2, 2), W,
        padding=1, dilation=2,
    ),
    "line longer": refused(
        "conv1d", "Calculated padded input size per channel: (2). Kernel size: (3).", (2, 3, 2), (4, 3, 3)
    ),
    "axes": refused(
        "conv2d", "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: (3,)", (3,), W
    ),
    "axes of a line": refused(
        "conv1d", "Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: (2, 3, 8, 8)", X,
        (4, 3, 3),
    ),
    "bias": refused(
        "conv2d", "Given weight of size (4, 3, 3, 3), expected bias to be 1-dimensional with 4 elements, but got bias "
        "of size (3,) instead", X, W, (3,),
    ),
    "stride": refused("conv2d", "non-positive stride is not supported", X, W, stride=0),
    "padding": refused("conv2d", "negative padding is not supported", X, W, padding=-1),
    "dilation": refused("conv2d", "non-positive dilation is not supported", X, W, dilation=0),
    "three strides": refused(
        "conv2d", "expected stride to be a single integer value or a list of 2 values to match the convolution "
        "dimensions, but got stride=", X, W, stride=(1, 1, 1),
    ),
    "three paddings": refused("conv2d", "expected padding to be a single ", X, W, padding=(1, 1, 1)),
    "three dilations": refused("conv2d", "expected dilation to be a single ", X, W, dilation=(1, 1, 1)),
    "same and strided": refused(
        "conv2d", "padding='same' is not supported for strided convolutions", X, W, padding="same", stride=2
    ),
    "padding of a name": refused("conv2d", "Invalid padding string: 'full'", X, W, padding="full"),
    "bool": refused("conv2d", " not implemented for ", X, W, dtypes="bool bool"),
    "dtypes": refused("conv2d", "expected scalar type float64 but found float32", X, W, dtypes="float64 float32"),
    "dtype of the bias": refused(
        "conv2d", "Input type (float32) and bias type (float64) should be the same", X, W, (4,),
        dtypes="float32 float32 float64",
    ),
    "no filter": refused(
        "conv2d", "Given groups=1, expected weight to be at least 1 at dimension 0, but got weight of size "
        "(0, 3, 3, 3) instead", X, (0, 3, 3, 3),
    ),
    "transposed channels": refused(
        "conv_transpose2d", "Given transposed=1, weight of size (3, 4, 3, 3), expected input(2, 4, 8, 8) to have 3 "
        "channels, but got 4 channels instead", (2, 4, 8, 8), (3, 4, 3, 3),
    ),
    "transposed bias": refused(
        "conv_transpose2d", "Given transposed=1, weight of size (4, 2, 3, 3), expected bias to be 1-dimensional with "
        "2 elements, but got bias of size (3,) instead", (2, 4, 8, 8), (4, 2, 3, 3), (3,),
    ),
    "output padding": refused(
        "conv_transpose2d", "output padding must be smaller than either stride or dilation, but got ", (2, 4, 8, 8),
        (4, 2, 3, 3), output_padding=1,
    ),
    "negative output padding": refused(
        "conv_transpose2d", "negative output_padding is not supported", (2, 4, 8, 8), (4, 2, 3, 3), output_padding=-1
    ),
    "transposed axes": refused(
        "conv_transpose2d", "Expected 3D (unbatched) or 4D (batched) input to conv_transpose2d, but got input of size: "
        "(4,)", (4,), (4, 2, 3, 3),
    ),
    "pool padding": pool("max_pool2d", "", 2, padding=2),
    "pool of a line padding": pool(
        "max_pool1d", "max_pool1d() padding should be at most half of kernel size, but got padding=2 and kernel_size=2",
        2, padding=2, shape=LINE,
    ),
    "negative pool padding": pool(
        "max_pool1d", "max_pool1d() padding must be non-negative, but got -1", 2, padding=-1, shape=LINE
    ),
    "no pool": pool("max_pool1d", "max_pool1d() kernel_size must be greater than zero, but got 0", 0, shape=LINE),
    "pool stride": pool("max_pool1d", "max_pool1d() stride must be greater than zero, but got 0", 2, 0, shape=LINE),
    "pool dilation": pool(
        "max_pool1d", "max_pool1d() dilation must be greater than zero, but got 0", 2, dilation=0, shape=LINE
    ),
    "pool larger": pool("max_pool1d", "max_pool1d() Invalid computed output size: 0", 9, shape=LINE),
    "pool of three": pool(
        "max_pool2d", "max_pool2d: kernel_size must either be a single int, or a tuple of two ints", (2, 2, 2)
    ),
    "pool stride of three": pool(
        "max_pool2d", "max_pool2d: stride must either be omitted, a single int, or a tuple of two ints", 2, (2, 2, 2)
    ),
    "pool padding of three": pool(
        "avg_pool2d", "avg_pool2d: padding must either be a single int, or a tuple of two ints", 2, padding=(1, 1, 1)
    ),
    "pool of a matrix": pool("max_pool2d", "", 2, shape=(8, 8)),
    "pool of no channel": pool("max_pool2d", "", 2, shape=(2, 0, 8, 8)),
    "pool axes": pool(
        "max_pool1d", "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
        "got:", 2, shape=(8,),
    ),
    "pool of bool": pool("max_pool2d", " not implemented for ", 2, dtype="bool"),
    "line of integers": pool("max_pool1d", " not implemented for ", 2, shape=LINE, dtype="int64"),
    "divisor": pool("avg_pool2d", "divisor must be not zero", 2, divisor_override=0),
    "mean of bool": pool("avg_pool2d", " not implemented for ", 2, dtype="bool"),
    "even of three": pool("adaptive_avg_pool2d", "adaptive_avg_pool2d: output_size must be 2", (1, 2, 3)),
    "even below none": pool(
        "adaptive_avg_pool2d", "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
        "received ", -1,
    ),
    "even axes": pool(
        "adaptive_avg_pool2d", "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got (8, 8)", 2, shape=(8, 8)
    ),
    "even of nothing": pool(
        "adaptive_avg_pool2d", "adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch dimensions, "
        "but input has sizes (2, 3, 0, 8)", 2, shape=(2, 3, 0, 8),
    ),
    "even of integers": pool("adaptive_avg_pool2d", " not implemented for ", 2, dtype="int64"),
    "even of None": pool("adaptive_avg_pool1d", "adaptive_avg_pool1d(): argument 'output_size' ", None, shape=LINE),
    "odd padding": pool("pad", "Padding length must be divisible by 2", (1,)),
    "too many paddings": pool(
        "pad", "Padding length should be less than or equal to two times the input dimension but got padding length 10 "
        "and input of dimension 4", (1,) * 10,
    ),
    "too much is cut": pool("pad", "narrow(): length must be non-negative.", (-5, -5)),
    "padding mode": pool("pad", "Unrecognised padding mode foo", (1, 1), "foo"),
    "padding with a value": pool(
        "pad", 'Padding mode "reflect" doesn\'t take in value argument', (1, 1, 1, 1), "reflect", 1.0
    ),
    "reflected too far": pool(
        "pad", "Padding size should be less than the corresponding input dimension, but got: padding (8, 1) at "
        "dimension 3 of input (2, 3, 8, 8)", (8, 1, 1, 1), "reflect",
    ),
    "reflected axes": pool("pad", "Padding size 2 is not supported for 4D input tensor.", (1, 1), "reflect"),
    "wrapped too far": pool("pad", "Padding value causes wrapping around more than once.", (9, 1, 1, 1), "circular"),
    "wrapped to nothing": pool(
        "pad", "Negative padding value is resulting in an empty dimension", (-9, 0, 0, 0), "circular"
    ),
    "reflected nothing": pool(
        "pad", "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
        "input, but got: (2, 0, 8, 8)", (1, 1, 1, 1), "reflect", shape=(2, 0, 8, 8),
    ),
    "reflected bool": pool("pad", " not implemented for ", (1, 1, 1, 1), "reflect", dtype="bool"),
    "padding of a number": pool("pad", "pad(): argument 'pad' (position 2) must be tuple of ints, not int", 1),
    "padding by half": pool(
        "pad", "pad(): argument 'pad' (position 2) must be tuple of ints, but found element of type ",
        (1.5, 1),
    ),
    "window of three": pool("unfold", "It is expected kernel_size equals to 2, but got size 3", (3, 3, 3)),
    "window larger": pool(
        "unfold", "Given input with spatial size (8, 8), kernel_size=(9, 9), dilation=(1, 1), padding=(0, 0), "
        "calculated shape of the array of sliding blocks as (0, 0), but its components must be at least one.", 9,
    ),
    "no window": pool(
        "unfold", "kernel size should be greater than zero, but got kernel_height: 0 kernel_width: 0", 0
    ),
    "window stride": pool(
        "unfold", "stride should be greater than zero, but got stride_height: 0 stride_width: 0", 3, stride=0
    ),
    "window dilation": pool(
        "unfold", "dilation should be greater than zero, but got dilation_height: 0 dilation_width: 0", 3, dilation=0
    ),
    "window padding": pool(
        "unfold", "padding should be non-negative, but got pad_height: -1 pad_width: -1", 3, padding=-1
    ),
    "windows of integers": pool("unfold", " not implemented for ", 3, dtype="int64"),
    "columns": pool(
        "fold", "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
        "input.size(1)=28 and kernel_size=(3, 3).", 8, 3, shape=(2, 28, 36),
    ),
    "count of columns": pool(
        "fold", "Given output_size=(8, 8), kernel_size=(3, 3), dilation=(1, 1), padding=(0, 0), stride=(1, 1), "
        "expected size of input's dimension 2 to match the calculated number of sliding blocks 6 * 6 = 36, but got "
        "input.size(2)=35.", 8, 3, shape=(2, 27, 35),
    ),
    "axes of columns": pool(
        "fold", "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions "
        "for input, but got: (1, 1, 27, 36)", 8, 3, shape=(1, 1, 27, 36),
    ),
    "no size": pool("interpolate", "either size or scale_factor should be defined"),
    "two sizes": pool("interpolate", "only one of size or scale_factor should be defined", 4, 2),
    "mode": pool("interpolate", "Input Error: Only 3D, 4D and 5D input Tensors supported (got 4D) for ", 4, mode="foo"),
    "corners": pool(
        "interpolate", "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
        "| trilinear", 4, align_corners=False,
    ),
    "mode and axes": pool("interpolate", "Got 4D input, but linear mode needs 3D input", 4, mode="linear"),
    "axes of an image": pool("interpolate", "Input Error: Only 3D, 4D and 5D ", 4, shape=(3, 8)),
    "size of nothing": pool(
        "interpolate", "Input and output sizes should be greater than 0, but got input ", 0
    ),
    "three sizes": pool(
        "interpolate", "Input and output must have the same number of spatial dimensions, but got input with spatial "
        "dimensions of ", (1, 2, 3),
    ),
    "three factors": pool(
        "interpolate", "Input and scale_factor must have the same number of spatial dimensions, but got input with ",
        scale_factor=(1, 2, 3),
    ),
    "recomputed": pool(
        "interpolate", "recompute_scale_factor is not meaningful with an explicit size.", 4, recompute_scale_factor=True
    ),
    "image of integers": pool("interpolate", " not implemented for ", 4, dtype="int64"),
    "channels to shuffle": pool(
        "pixel_shuffle", "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
        "upscale_factor, but input.size(-3)=3 is not divisible by 4", 2,
    ),
    "shuffled by none": pool("pixel_shuffle", "pixel_shuffle expects a positive upscale_factor, but got 0", 0),
    "shuffled matrix": pool(
        "pixel_shuffle", "pixel_shuffle expects input to have at least 3 dimensions, but got input with 2 dimension(s)",
        2, shape=(8, 8),
    ),
    "height to shuffle": pool(
        "pixel_unshuffle", "pixel_unshuffle expects height to be divisible by downscale_factor, but input.size(-2)=8 "
        "is not divisible by 3", 3,
    ),
    "unshuffled by none": pool("pixel_unshuffle", "pixel_unshuffle expects a positive downscale_factor, but got 0", 0),
    "unshuffled matrix": pool(
        "pixel_unshuffle", "pixel_unshuffle expects input to have at least 3 dimensions, but got ", 2, shape=(8, 8)
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    promised(
        GRADIENTS,
        {
            "162": ("reflected", "cut", "padded"),
            "171": ("what a stride leaves out", "conv with bias"),
            "172": ("ties go", "windows add", "padding never wins", "nan wins", "ceil mode", "dilated"),
            "173": ("overhanging mean", "padding counts", "padding does not count"),
            "174": ("even windows",),
        },
    ),
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_values_and_gradients(name):
    compare(plain(GRADIENTS[name](kael)), plain(GRADIENTS[name](torch)))


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_values_and_dtypes(name):
    compare(plain(VALUES[name](kael)), plain(VALUES[name](torch)))


NOT_WHOLE = {
    "stride": lambda k: k.nn.functional.conv2d(k.zeros(X), k.zeros(W), stride=1.5),
    "padding of a name": lambda k: k.nn.functional.conv_transpose2d(k.zeros(2, 4, 8, 8), k.zeros(W), padding="same"),
    "kernel": lambda k: k.nn.functional.max_pool2d(k.zeros(X), 2.0),
    "one of two": lambda k: k.nn.functional.avg_pool2d(k.zeros(X), (2, 2.5)),
    "window": lambda k: k.nn.functional.unfold(k.zeros(X), 2.0),
    "a list for a tensor": lambda k: k.nn.functional.conv2d([[1.0]], k.zeros(W)),
}


@pytest.mark.parametrize("name", NOT_WHOLE)
def test_what_is_no_integer_or_no_tensor_is_a_type_error(name):
    assert outcome(NOT_WHOLE[name], kael)[0] is outcome(NOT_WHOLE[name], torch)[0] is TypeError


@pytest.mark.parametrize(
    "name",
    promised(
        ERRORS,
        {
            "171": ("channels", "kernel larger"),
            "172": ("pool padding",),
        },
    ),
)
def test_errors(name):
    program, text = ERRORS[name]
    ours, theirs = outcome(program, kael), outcome(program, torch)
    assert ours[0] is theirs[0]
    assert text in ours[1]
    assert text in in_our_words(theirs[1])


def both(name: str, array: Any, *arguments: Any, **options: Any) -> list[Any]:
    """What both libraries make of an array; an error as its type."""
    results = []
    for k in (kael, torch):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                given = getattr(k.nn.functional, name)(k.from_numpy(array), *arguments, **options)
            results.append([np.asarray(part.tolist()) for part in (given if isinstance(given, tuple) else (given,))])
        except (RuntimeError, ValueError) as error:
            results.append(type(error))
    return results


def agree(name: str, array: Any, *arguments: Any, rtol: float = 1e-12, **options: Any) -> None:
    ours, theirs = both(name, array, *arguments, **options)
    if isinstance(ours, type) or isinstance(theirs, type):
        assert ours is theirs, (arguments, options, ours, theirs)
        return
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.shape == other.shape, (arguments, options)
        np.testing.assert_allclose(mine, other, rtol=rtol, atol=rtol, err_msg=f"{arguments} {options}")


def drawn(*shape: int, dtype: str = "float64") -> Any:
    return np.random.default_rng(math.prod(shape)).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("size", [1, 2, 5, 6, 7])
def test_every_pool_of_small_images_agrees(size, ceil_mode):
    x = drawn(1, 2, size, size + 1)
    for kernel, stride, padding, dilation in itertools.product((1, 2, 3), (1, 2, 3, 4), (0, 1), (1, 2)):
        if dilation > 1 and padding and dilation * (kernel - 1) - padding >= size:
            continue
        agree("max_pool2d", x, kernel, stride, padding, dilation, ceil_mode=ceil_mode, return_indices=True)
        if dilation == 1:
            for counts in (False, True):
                agree("avg_pool2d", x, kernel, stride, padding, ceil_mode=ceil_mode, count_include_pad=counts)
                agree("avg_pool1d", x[0], kernel, stride, padding, ceil_mode=ceil_mode, count_include_pad=counts)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8])
def test_every_even_pool_agrees(size):
    for wanted in range(1, 12):
        for name in ("adaptive_avg_pool1d", "adaptive_max_pool1d"):
            agree(name, drawn(2, size), wanted)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "linear", "corners"])
def test_every_size_of_a_line_agrees(mode, dtype):
    options = {"mode": "linear", "align_corners": True} if mode == "corners" else {"mode": mode}
    rtol = 1e-5 if dtype == "float32" else 1e-12
    for size in (1, 2, 3, 5, 7, 10):
        x = drawn(1, 1, size, dtype=dtype)
        for wanted in range(1, 24):
            agree("interpolate", x, wanted, rtol=rtol, **options)
        for factor in (0.3, 0.5, 0.7, 1.0, 1.3, 1.5, 2.0, 2.6, 3.0):
            for recompute in (None, False, True):
                agree("interpolate", x, None, factor, rtol=rtol, recompute_scale_factor=recompute, **options)
