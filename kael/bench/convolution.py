"""The cases of ``kael bench conv``: convolution and pooling of small and of middling images, forward and backward."""

from __future__ import annotations

from typing import Any

import numpy as np

from kael.bench.cases import Array, Case, Formula, backward, forward, numbers

__all__ = ["cases"]

KIND = "conv"
FLOAT = 4  # bytes


def cases() -> list[Case]:
    """Both passes of each operation, side by side."""
    root = np.float32(0.1)  # weights of about the size that layers begin with
    first, second = numbers(32, 1, 8, 8), numbers(32, 16, 8, 8)
    middling, signal = numbers(16, 32, 32, 32), numbers(32, 8, 64)
    found = [
        *convolution("conv1d 8 to 16 channels, 32x64, 5 wide", conv1d, signal, numbers(16, 8, 5, seed=1) * root),
        *convolution("conv2d 1 to 16 channels, 32x8x8", conv2d, first, numbers(16, 1, 3, 3, seed=1) * root),
        *convolution("conv2d 16 to 32 channels, 32x8x8", conv2d, second, numbers(32, 16, 3, 3, seed=1) * root),
        *convolution("conv2d 32 to 64 channels, 16x32x32", conv2d, middling, numbers(64, 32, 3, 3, seed=1) * root),
    ]
    for size, images in (("32x16x8x8", second), ("16x32x32x32", middling)):
        for name, pool in (("max_pool2d", max_pool2d), ("avg_pool2d", avg_pool2d)):
            traffic = FLOAT * images.size * 5 // 4
            found.append(forward(KIND, f"{name}, {size}", pool, images, traffic=traffic))
            found.append(backward(KIND, f"{name}, {size}", pool, images, traffic=traffic))
    return found


def convolution(name: str, formula: Formula, x: Array, weight: Array) -> list[Case]:
    """Forward, and backward for image, weight and bias; the windows overhang so that the size stays."""
    channels, window = weight.shape[0], weight[0].size
    bias = numbers(channels, seed=2)
    outputs = x.shape[0] * channels * x[0, 0].size
    traffic, work = FLOAT * (x.size + weight.size + outputs), 2 * outputs * window
    return [
        forward(KIND, name, formula, x, weight, bias, traffic=traffic, work=work),
        backward(KIND, name, formula, x, weight, bias, traffic=2 * traffic, work=2 * work),
    ]


def conv1d(library: Any, x: Any, weight: Any, bias: Any) -> Any:
    """Five wide."""
    return library.nn.functional.conv1d(x, weight, bias, padding=2)


def conv2d(library: Any, x: Any, weight: Any, bias: Any) -> Any:
    """Three by three."""
    return library.nn.functional.conv2d(x, weight, bias, padding=1)


def max_pool2d(library: Any, x: Any) -> Any:
    """The largest of every two by two."""
    return library.nn.functional.max_pool2d(x, 2)


def avg_pool2d(library: Any, x: Any) -> Any:
    """The mean of every two by two."""
    return library.nn.functional.avg_pool2d(x, 2)
