"""Layers and losses as functions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy

from kael.absent import absent
from kael.creation import zeros_like
from kael.dtypes import DType
from kael.generators import default_generator
from kael.ops import normalization
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
from kael.ops.attention import scaled_dot_product_attention
from kael.ops.convolution import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from kael.ops.dispatch import as_tensor
from kael.ops.elementary import sigmoid, tanh
from kael.ops.embedding import embedding
from kael.ops.folding import fold, pixel_shuffle, pixel_unshuffle, unfold
from kael.ops.interpolation import interpolate
from kael.ops.loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from kael.ops.matmul import bilinear, linear
from kael.ops.normalization import logsumexp
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
from kael.ops.standardization import batch_norm, group_norm, layer_norm, rms_norm
from kael.ops.unit_vectors import cosine_similarity, normalize, one_hot
from kael.tensors import Tensor

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "conv1d",
    "conv2d",
    "conv_transpose1d",
    "conv_transpose2d",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "elu",
    "embedding",
    "fold",
    "gelu",
    "glu",
    "group_norm",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "huber_loss",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "logsumexp",
    "max_pool1d",
    "max_pool2d",
    "mish",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pixel_shuffle",
    "pixel_unshuffle",
    "prelu",
    "relu",
    "relu6",
    "rms_norm",
    "scaled_dot_product_attention",
    "selu",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
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
        For integers and bool, unless p is 1.

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
    if not x.dtype.is_floating_point and p == 1.0:
        return zeros_like(x)
    if not x.dtype.is_floating_point:
        raise RuntimeError(f"result type float32 can't be cast to the desired output type {x.dtype.name}")
    kept = default_generator.numpy.random(x.array.shape, numpy.float32) >= p
    return masked(x, kept * (0.0 if p == 1.0 else 1.0 / (1.0 - p)), inplace)


def implied(name: str, x: Tensor, dim: int | None) -> int:
    """The axis that PyTorch takes for a softmax without one, with its warning."""
    if dim is not None:
        return dim
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=3,
    )
    return 0 if x.array.ndim in (0, 1, 3) else 1


def softmax(x: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """As `kael.softmax`; without `dim` along the first axis of 0, 1 or 3, else along the second, with a warning."""
    return normalization.softmax(x, implied("softmax", x, dim), dtype)


def log_softmax(x: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """As `kael.log_softmax`; without `dim` as `softmax`."""
    return normalization.log_softmax(x, implied("log_softmax", x, dim), dtype)


__getattr__ = absent("kael.nn.functional")
