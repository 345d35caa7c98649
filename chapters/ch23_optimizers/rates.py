"""The numbers of a step that are the same for every element, in float64 and rounded once by whoever uses them."""

from __future__ import annotations

import math

__all__ = ["adam_rates"]


def adam_rates(
    rate: float, beta1: float, beta2: float, eps: float, decay: float, step: int
) -> tuple[float, float, float, float, float, float, float]:
    """What a step of Adam multiplies with.

    Returns
    -------
    shrink : float
        ``1 - rate * decay``: what decay apart from the gradient leaves of a parameter.
    decay : float
        As it is.
    fresh1, kept2, fresh2 : float
        ``1 - beta1``, ``beta2`` and ``1 - beta2``: shares of the running means.
    grown : float
        ``1 / sqrt(1 - beta2**step)``: the root of means that begin at 0 is too small by such a factor.
    size : float
        ``rate / (1 - beta1**step)``.
    """
    grown = 1.0 / math.sqrt(1.0 - beta2**step)
    return 1.0 - rate * decay, decay, 1.0 - beta1, beta2, 1.0 - beta2, grown, rate / (1.0 - beta1**step)
