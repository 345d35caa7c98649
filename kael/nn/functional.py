"""Layers and losses as functions."""

from __future__ import annotations

from typing import Any

import numpy

from kael.generators import default_generator
from kael.ops.activation import (
    celu,
    elu,
    gelu,
    glu,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    logsigmoid,
    masked,
    mish,
    prelu,
    relu,
    relu6,
    selu,
    silu,
    softplus,
    softsign,
)
from kael.ops.convolution import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from kael.ops.dispatch import as_tensor
from kael.ops.elementwise import sigmoid, tanh
from kael.ops.folding import fold, pixel_shuffle, pixel_unshuffle, unfold
from kael.ops.interpolation import interpolate
from kael.ops.matmul import bilinear, linear
from kael.ops.normalization import cross_entropy, log_softmax, logsumexp, nll_loss, softmax
from kael.ops.padding import pad
from kael.ops.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool2d,
)
from kael.tensors import Tensor

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "bilinear",
    "celu",
    "conv1d",
    "conv2d",
    "conv_transpose1d",
    "conv_transpose2d",
    "cross_entropy",
    "dropout",
    "elu",
    "fold",
    "gelu",
    "glu",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "interpolate",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "logsumexp",
    "max_pool1d",
    "max_pool2d",
    "mish",
    "nll_loss",
    "pad",
    "pixel_shuffle",
    "pixel_unshuffle",
    "prelu",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "softsign",
    "tanh",
    "unfold",
]


def dropout(x: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training, each element is 0 with probability p, else divided by 1 - p, so that its mean stays.

    Parameters
    ----------
    x : Tensor
        Floating point.
    p : float
        From 0 to 1.
    training : bool
        With False the result is x.
    inplace : bool
        Write the result into `x`, under the rules of in-place operations.

    Raises
    ------
    ValueError
        For a p outside 0 to 1.
    RuntimeError
        For integers and bool.

    Notes
    -----
    The draws come from kael's generator (`kael.manual_seed`), and are the same on every rung. The gradient has the
    zeros of the forward pass. Srivastava et al., Dropout, 2014.

    Examples
    --------
    >>> import kael
    >>> _ = kael.manual_seed(0)
    >>> x = kael.ones(1000, requires_grad=True)
    >>> y = kael.nn.functional.dropout(x, 0.25)
    >>> y.sum().backward()
    >>> bool((x.grad == y).array.all()), sorted(set(y.tolist()))
    (True, [0.0, 1.3333333730697632])
    """
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    x = as_tensor(x, "dropout")
    if not training or p == 0.0:
        same: Tensor = x
        return same
    if not x.dtype.is_floating_point:
        raise RuntimeError(f"result type float32 can't be cast to the desired output type {x.dtype.name}")
    kept = default_generator.numpy.random(x.array.shape, numpy.float32) >= p
    return masked(x, kept * (0.0 if p == 1.0 else 1.0 / (1.0 - p)), inplace)
