"""Rung 2: the steps in NumPy, an operation on whole arrays at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters.ch23_optimizers.checks import check
from chapters.ch23_optimizers.rates import adam_rates

__all__ = ["adam_step", "sgd_step"]

Array = np.ndarray[Any, Any]


# region [sgd]
def sgd_step(
    param: Array, grad: Array, velocity: Array | None, rate: float, momentum: float, dampening: float, decay: float,
    nesterov: bool, first: bool,
) -> None:  # fmt: skip
    """A step of gradient descent: ``param -= rate * v`` with ``v = momentum * v + (1 - dampening) * g``."""
    operands = {"param": param, "grad": grad} | ({} if velocity is None else {"velocity": velocity})
    check("sgd_step", **operands)
    rate, momentum, share, decay = (param.dtype.type(v) for v in (rate, momentum, 1.0 - dampening, decay))
    with np.errstate(all="ignore"):
        along = grad + param * decay if decay else grad
        if velocity is not None:
            if first:
                velocity[...] = along
            else:
                velocity *= momentum
                velocity += along * share
            along = along + velocity * momentum if nesterov else velocity
        param -= along * rate


# endregion [sgd]


# region [adam]
def adam_step(
    param: Array, grad: Array, mean: Array, square: Array, rate: float, beta1: float, beta2: float, eps: float,
    decay: float, decoupled: bool, step: int,
) -> None:  # fmt: skip
    """A step of Adam: along the running mean of gradients, over the root of that of their squares."""
    check("adam_step", param=param, grad=grad, mean=mean, square=square)
    rates = [param.dtype.type(v) for v in adam_rates(rate, beta1, beta2, eps, decay, step)]
    shrink, decay, fresh1, kept2, fresh2, grown, size = rates
    with np.errstate(all="ignore"):
        if decay and decoupled:
            param *= shrink
        elif decay:
            grad = grad + param * decay
        mean += (grad - mean) * fresh1
        square *= kept2
        square += grad * fresh2 * grad
        below = np.sqrt(square) * grown
        below += param.dtype.type(eps)
        param -= mean * size / below


# endregion [adam]
