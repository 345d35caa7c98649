"""Initialization: functions that fill a tensor in place, with recording off."""

from __future__ import annotations

import math

from kael.autograd import without_grad
from kael.generators import Generator
from kael.random import rand, randn
from kael.tensors import Tensor

__all__ = [
    "calculate_gain",
    "constant_",
    "fan_in_and_fan_out",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "uniform_",
    "xavier_uniform_",
    "zeros_",
]

GAINS = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5 / 3, "relu": math.sqrt(2)}


@without_grad
def uniform_(x: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with uniform numbers from `a` to before `b`."""
    return x.copy_(rand(x.shape, dtype=x.dtype, generator=generator) * (b - a) + a)


@without_grad
def normal_(x: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with normal numbers."""
    return x.copy_(randn(x.shape, dtype=x.dtype, generator=generator) * std + mean)


@without_grad
def constant_(x: Tensor, value: float) -> Tensor:
    """Fill with one number."""
    return x.fill_(value)


@without_grad
def zeros_(x: Tensor) -> Tensor:
    """Fill with 0."""
    return x.zero_()


@without_grad
def ones_(x: Tensor) -> Tensor:
    """Fill with 1."""
    return x.fill_(1)


def calculate_gain(nonlinearity: str, a: float = 0.0) -> float:
    """By how much weights must be larger before a nonlinearity so that the variance stays.

    Parameters
    ----------
    nonlinearity : {"linear", "sigmoid", "tanh", "relu", "leaky_relu"}
        What follows the layer.
    a : float
        Slope below 0 of ``leaky_relu``.

    Raises
    ------
    ValueError
        For another name.

    Examples
    --------
    >>> calculate_gain("relu") ** 2
    2.0000000000000004
    """
    if nonlinearity == "leaky_relu":
        return math.sqrt(2 / (1 + a * a))
    if nonlinearity not in GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}; choose {', '.join([*GAINS, 'leaky_relu'])}")
    return GAINS[nonlinearity]


def fan_in_and_fan_out(x: Tensor) -> tuple[int, int]:
    """How many inputs each output of a weight ``(out, in, *kernel)`` sees, and how many outputs each input reaches.

    Raises
    ------
    ValueError
        For fewer than two axes.
    """
    if x.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(x.shape[2:])
    return x.shape[1] * field, x.shape[0] * field


def kaiming_uniform_(
    x: Tensor, a: float = 0.0, nonlinearity: str = "leaky_relu", generator: Generator | None = None
) -> Tensor:
    """Fill with uniform numbers in ±gain*sqrt(3/fan_in), which keeps the variance of activations.

    Notes
    -----
    Source: He, Zhang, Ren and Sun, "Delving deep into rectifiers" (2015).
    """
    fan_in, _ = fan_in_and_fan_out(x)
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan_in) if fan_in else 0.0
    return uniform_(x, -bound, bound, generator)


def xavier_uniform_(x: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with uniform numbers in ±gain*sqrt(6/(fan_in + fan_out)), for the variance of activations and gradients.

    Notes
    -----
    Source: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks" (2010).
    """
    fan_in, fan_out = fan_in_and_fan_out(x)
    bound = gain * math.sqrt(6 / (fan_in + fan_out)) if fan_in + fan_out else 0.0
    return uniform_(x, -bound, bound, generator)
