"""Rung 2: the steps in NumPy, an operation on whole arrays at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters.ch23_optimizers.checks import check
from chapters.ch23_optimizers.rates import adam_rates

__all__ = ["adagrad_step", "adam_step", "rmsprop_step", "sgd_step"]

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
    param: Array, grad: Array, mean: Array, square: Array, largest: Array | None, rate: float, beta1: float,
    beta2: float, eps: float, decay: float, decoupled: bool, step: int,
) -> None:  # fmt: skip
    """A step of Adam: along the running mean of gradients, over the root of that of their squares."""
    kept = {} if largest is None else {"largest": largest}
    check("adam_step", param=param, grad=grad, mean=mean, square=square, **kept)
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
        if largest is not None:
            largest[...] = np.where(largest > square, largest, square)
        below = np.sqrt(square if largest is None else largest) * grown
        below += param.dtype.type(eps)
        param -= mean * size / below


# endregion [adam]


# region [rmsprop]
def rmsprop_step(
    param: Array, grad: Array, square: Array, mean: Array | None, velocity: Array | None, rate: float, alpha: float,
    eps: float, momentum: float, decay: float,
) -> None:  # fmt: skip
    """A step along the gradient over the root of the running mean of its squares."""
    kept = {name: x for name, x in (("mean", mean), ("velocity", velocity)) if x is not None}
    check("rmsprop_step", param=param, grad=grad, square=square, **kept)
    numbers = (rate, alpha, 1.0 - alpha, eps, momentum, decay)
    rate, alpha, fresh, eps, momentum, decay = (param.dtype.type(v) for v in numbers)
    with np.errstate(all="ignore"):
        if decay:
            grad = grad + param * decay
        square *= alpha
        square += grad * fresh * grad
        spread = square
        if mean is not None:
            mean += (grad - mean) * fresh
            spread = square - mean * mean
        along = grad / (np.sqrt(spread) + eps)
        if velocity is not None:
            velocity *= momentum
            velocity += along
            along = velocity
        param -= along * rate


# endregion [rmsprop]


# region [adagrad]
def adagrad_step(param: Array, grad: Array, total: Array, rate: float, eps: float, decay: float) -> None:
    """A step along the gradient over the root of the sum of its squares."""
    check("adagrad_step", param=param, grad=grad, total=total)
    rate, eps, decay = (param.dtype.type(v) for v in (rate, eps, decay))
    with np.errstate(all="ignore"):
        if decay:
            grad = grad + param * decay
        total += grad * grad
        param -= grad / (np.sqrt(total) + eps) * rate


# endregion [adagrad]
