"""Rung 1, the definition of the activations and losses: one rule per kernel, chapter 12's loop for all of them.

A rule is computed in float64 and rounded once to the element type. Where its docstring says "exact, step by step", it
is rounded after every step instead, so that each rung gives the same bits. `NAME_vjp` multiplies the gradient `g` of
the result by the derivative of `NAME`. Every rule is written so that no number on the way overflows where the result
does not: by way of e**-|x|, which is at most 1.

"Within 8 eps of |x|" means that a result is off by at most 8 times the element type's eps (2**-23 or 2**-52) times |x|.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from chapters import ieee
from chapters.ch12_elementwise.checks import check
from chapters.ch12_elementwise.reference import logistic, offsets
from chapters.flat import rounded, store, values

__all__ = [
    "elu",
    "elu_vjp",
    "gelu",
    "gelu_tanh",
    "gelu_tanh_vjp",
    "gelu_vjp",
    "glu",
    "glu_gate_vjp",
    "hardsigmoid",
    "hardsigmoid_vjp",
    "hardswish",
    "hardswish_vjp",
    "hardtanh",
    "hardtanh_vjp",
    "leaky_relu",
    "leaky_relu_vjp",
    "logsigmoid",
    "logsigmoid_vjp",
    "mish",
    "mish_vjp",
    "prelu",
    "prelu_vjp",
    "prelu_weight_vjp",
    "silu",
    "silu_vjp",
    "softplus",
    "softplus_vjp",
    "softsign",
    "softsign_vjp",
]


# region [elementwise]
def elementwise(rule: Callable[..., float], out: Any, *operands: Any) -> None:
    """``out[k] = rule(...)`` of the elements that `out[k]` reads from each operand, which broadcasts to `out`."""
    given = [values(x) for x in operands]
    results = []
    for places in zip(*(offsets(x, out) for x in operands), strict=True):
        results.append(rule(*(x[place] for x, place in zip(given, places, strict=True))))
    store(out, results)


# endregion [elementwise]


def bell(x: float) -> float:
    """The density of the normal distribution: exp(-x*x/2) / sqrt(2 pi)."""
    return math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


def below(x: float) -> float:
    """The normal distribution: the share of it that lies below x."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def gelu(x: Any, out: Any) -> None:
    """``out = x * P(X < x)`` for a normal X, of floats: ``x/2 * (1 + erf(x / sqrt 2))``.

    Parameters
    ----------
    x : float32 or float64
        The argument; it broadcasts to the shape of `out`.
    out : of the type of `x`
        Receives the result. It may be `x` itself, but must not overlap it otherwise.

    Raises
    ------
    TypeError
        When the element types differ, or are not floating point.
    ValueError
        When `x` does not broadcast to `out`, or `out` cannot be written.

    Notes
    -----
    Within 8 eps of |x| on every rung; nan at -inf. One pass over memory; nothing is allocated. The other kernels of
    this module take their operands in the same way and raise the same errors.

    Hendrycks and Gimpel, Gaussian Error Linear Units, 2016.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (3,))
    >>> gelu(Buffer([-1000.0, 0.0, 1000.0]), out)
    >>> out.tolist()
    [-0.0, 0.0, 1000.0]
    """
    check("gelu", "fd", "", x=x, out=out)
    elementwise(lambda v: v * below(v), out, x)


def gelu_vjp(g: Any, x: Any, out: Any) -> None:
    """``out = g * (P(X < x) + x * density(x))``. Within 8 eps of |g|."""
    check("gelu_vjp", "fd", "", g=g, x=x, out=out)
    elementwise(lambda up, v: up * (below(v) + v * bell(v)), out, g, x)


BEND = math.sqrt(2 / math.pi)
CUBIC = 0.044715


def bent(x: float) -> float:
    """What the approximation of gelu puts into sigmoid: twice sqrt(2/pi) * (x + 0.044715 * x**3)."""
    return 2 * BEND * x * (1 + CUBIC * x * x)


def gelu_tanh(x: Any, out: Any) -> None:
    """``out = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x**3)))``, as ``x * sigmoid(...)``. Within 8 eps of |x|."""
    check("gelu_tanh", "fd", "", x=x, out=out)
    elementwise(lambda v: v * logistic(bent(v)), out, x)


def gelu_tanh_vjp(g: Any, x: Any, out: Any) -> None:
    """The gradient through `gelu_tanh`; 0 and g far out, where x**2 overflows. Within 16 eps of |g|."""
    check("gelu_tanh_vjp", "fd", "", g=g, x=x, out=out)

    def rule(up: float, v: float) -> float:
        share = logistic(bent(v))
        near = min(max(v, -30.0), 30.0)
        slope = 2 * BEND * (1 + 3 * CUBIC * near * near)
        return up * (share + near * (share * logistic(-bent(v)) * slope))

    elementwise(rule, out, g, x)


# region [silu]
def silu(x: Any, out: Any) -> None:
    """``out = x * sigmoid(x)``, also called swish. Within 8 eps of |x|; nan at -inf."""
    check("silu", "fd", "", x=x, out=out)
    elementwise(lambda v: v * logistic(v), out, x)


def silu_vjp(g: Any, x: Any, out: Any) -> None:
    """``out = g * s * (1 + x * (1 - s))`` with s = sigmoid(x). Within 8 eps of |g|."""
    check("silu_vjp", "fd", "", g=g, x=x, out=out)
    elementwise(lambda up, v: up * (logistic(v) * (1 + v * logistic(-v))), out, g, x)


# endregion [silu]


def mish(x: Any, out: Any) -> None:
    """``out = x * tanh(log(1 + e**x))``. Within 8 eps of |x|; nan at -inf.

    With e = e**x the tangent is ``(e*e + 2*e) / (e*e + 2*e + 2)``: no logarithm is taken. Above 0 it is written with
    e**-x, which does not overflow. Misra, Mish: A Self Regularized Non-Monotonic Activation Function, 2019.
    """
    check("mish", "fd", "", x=x, out=out)

    def rule(v: float) -> float:
        e = ieee.exp(-abs(v))
        if v > 0:
            return v * ((1 + 2 * e) / (1 + 2 * e + 2 * e * e))
        return v * ((e * e + 2 * e) / (e * e + 2 * e + 2))

    elementwise(rule, out, x)


def mish_vjp(g: Any, x: Any, out: Any) -> None:
    """``out = g * (t + x * (1 - t*t) * sigmoid(x))`` with t = tanh(log(1 + e**x)). Within 8 eps of |g|."""
    check("mish_vjp", "fd", "", g=g, x=x, out=out)

    def rule(up: float, v: float) -> float:
        e = ieee.exp(-abs(v))
        if v > 0:
            below = 1 + 2 * e + 2 * e * e
            return up * ((1 + 2 * e) / below + v * (4 * e * e * (1 + e) / (below * below)))
        below = e * e + 2 * e + 2
        return up * ((e * e + 2 * e) / below + v * (4 * e * (1 + e) / (below * below)))

    elementwise(rule, out, g, x)


def softplus(x: Any, beta: float, threshold: float, out: Any) -> None:
    """``out = log(1 + e**(beta*x)) / beta``, and x itself where beta*x exceeds the threshold.

    Within 8 eps of the result and of |x|, whichever is larger.
    """
    code = check("softplus", "fd", "", x=x, out=out)
    beta, threshold = rounded(beta, code), rounded(threshold, code)

    def rule(v: float) -> float:
        steep = v * beta
        return v if steep > threshold else ieee.div(max(steep, 0.0) + math.log1p(ieee.exp(-abs(steep))), beta)

    elementwise(rule, out, x)


def softplus_vjp(g: Any, x: Any, beta: float, threshold: float, out: Any) -> None:
    """``out = g * sigmoid(beta*x)``, and g itself beyond the threshold. Within 8 eps of (1 + |beta*x|) |g|."""
    code = check("softplus_vjp", "fd", "", g=g, x=x, out=out)
    beta, threshold = rounded(beta, code), rounded(threshold, code)
    elementwise(lambda up, v: up if v * beta > threshold else up * logistic(v * beta), out, g, x)


def logsigmoid(x: Any, out: Any) -> None:
    """``out = log(sigmoid(x))``, as ``min(x, 0) - log(1 + e**-|x|)``. Within 8 eps of the result."""
    check("logsigmoid", "fd", "", x=x, out=out)
    elementwise(lambda v: (0.0 if v > 0 else v) - math.log1p(ieee.exp(-abs(v))), out, x)


def logsigmoid_vjp(g: Any, x: Any, out: Any) -> None:
    """``out = g * sigmoid(-x)``. Within 8 eps of |g|."""
    check("logsigmoid_vjp", "fd", "", g=g, x=x, out=out)
    elementwise(lambda up, v: up * logistic(-v), out, g, x)


# region [elu]
def elu(x: Any, alpha: float, scale: float, steepness: float, out: Any) -> None:
    """``out = scale * x`` above 0, else ``scale * alpha * (e**(steepness*x) - 1)``: elu, celu and selu in one.

    The steepness is positive. Within 8 eps of the result (of a float64 steepness*x, where it is not 1).
    """
    code = check("elu", "fd", "", x=x, out=out)
    scale, steepness = rounded(scale, code), rounded(steepness, code)
    lower = rounded(alpha * scale, code)
    elementwise(lambda v: v * scale if v > 0 else math.expm1(v * steepness) * lower, out, x)


def elu_vjp(g: Any, x: Any, alpha: float, scale: float, steepness: float, out: Any) -> None:
    """``out = g * scale`` above 0 and at nan, else ``g * scale * alpha * steepness * e**(steepness*x)``.

    Within 8 eps of the largest slope times |g|.
    """
    code = check("elu_vjp", "fd", "", g=g, x=x, out=out)
    upper, lower = rounded(scale, code), rounded(alpha * scale * steepness, code)
    steepness = rounded(steepness, code)
    elementwise(lambda up, v: up * (math.exp(v * steepness) * lower) if v <= 0 else up * upper, out, g, x)


# endregion [elu]


def hardtanh(x: Any, low: float, high: float, out: Any) -> None:
    """``out = x``, held between low and high; nan stays nan. Exact."""
    code = check("hardtanh", "fd", "", x=x, out=out)
    low, high = rounded(low, code), rounded(high, code)
    elementwise(lambda v: high if v > high else low if v < low else v, out, x)


def hardtanh_vjp(g: Any, x: Any, low: float, high: float, out: Any) -> None:
    """``out = 0 where x <= low or x >= high, else g``: nothing at the bounds, all of g at nan. Exact."""
    code = check("hardtanh_vjp", "fd", "", g=g, x=x, out=out)
    low, high = rounded(low, code), rounded(high, code)
    elementwise(lambda up, v: 0.0 if v <= low or v >= high else up, out, g, x)


def shifted(x: float, code: str) -> float:
    """x + 3, held between 0 and 6."""
    x = rounded(x + 3, code)
    return 0.0 if x < 0 else 6.0 if x > 6 else x


def hardsigmoid(x: Any, out: Any) -> None:
    """``out = (x + 3) / 6``, held between 0 and 1. Exact, step by step."""
    code = check("hardsigmoid", "fd", "", x=x, out=out)
    elementwise(lambda v: shifted(v, code) / 6, out, x)


def hardsigmoid_vjp(g: Any, x: Any, out: Any) -> None:
    """``out = g / 6`` between -3 and 3, 0 elsewhere and at nan. Exact."""
    check("hardsigmoid_vjp", "fd", "", g=g, x=x, out=out)
    elementwise(lambda up, v: up / 6 if -3 < v < 3 else 0.0, out, g, x)


def hardswish(x: Any, out: Any) -> None:
    """``out = x * hardsigmoid(x)``. Exact, step by step. Howard et al., Searching for MobileNetV3, 2019."""
    code = check("hardswish", "fd", "", x=x, out=out)
    elementwise(lambda v: v * rounded(shifted(v, code) / 6, code), out, x)


def hardswish_vjp(g: Any, x: Any, out: Any) -> None:
    """``out = g * (x/3 + 1/2)`` between -3 and 3, 0 from -3 down, g from 3 up and at nan. Exact, step by step."""
    code = check("hardswish_vjp", "fd", "", g=g, x=x, out=out)

    def rule(up: float, v: float) -> float:
        if v <= -3:
            return 0.0
        return up * rounded(rounded(v / 3, code) + 0.5, code) if v < 3 else up

    elementwise(rule, out, g, x)


def softsign(x: Any, out: Any) -> None:
    """``out = x / (1 + |x|)``; nan at both infinities. Exact, step by step."""
    code = check("softsign", "fd", "", x=x, out=out)
    elementwise(lambda v: ieee.div(v, rounded(1 + abs(v), code)), out, x)


def softsign_vjp(g: Any, x: Any, out: Any) -> None:
    """``out = g / (1 + |x|)**2``. Exact, step by step."""
    code = check("softsign_vjp", "fd", "", g=g, x=x, out=out)

    def rule(up: float, v: float) -> float:
        base = rounded(1 + abs(v), code)
        return ieee.div(rounded(ieee.div(up, base), code), base)

    elementwise(rule, out, g, x)


def leaky_relu(x: Any, negative_slope: float, out: Any) -> None:
    """``out = x`` above 0, else ``negative_slope * x``. Exact."""
    code = check("leaky_relu", "fd", "", x=x, out=out)
    slope = rounded(negative_slope, code)
    elementwise(lambda v: v if v > 0 else v * slope, out, x)


def leaky_relu_vjp(g: Any, x: Any, negative_slope: float, out: Any) -> None:
    """``out = g`` where x > 0, else ``negative_slope * g``. Exact."""
    code = check("leaky_relu_vjp", "fd", "", g=g, x=x, out=out)
    slope = rounded(negative_slope, code)
    elementwise(lambda up, v: up if v > 0 else up * slope, out, g, x)


def prelu(x: Any, weight: Any, out: Any) -> None:
    """``out = x`` above 0, else ``weight * x``: leaky_relu with a slope that is learned. Exact."""
    check("prelu", "fd", "", x=x, weight=weight, out=out)
    elementwise(lambda v, w: v if v > 0 else w * v, out, x, weight)


def prelu_vjp(g: Any, x: Any, weight: Any, out: Any) -> None:
    """``out = g`` where x > 0, else ``weight * g``: the gradient of x. Exact."""
    check("prelu_vjp", "fd", "", g=g, x=x, weight=weight, out=out)
    elementwise(lambda up, v, w: up if v > 0 else w * up, out, g, x, weight)


def prelu_weight_vjp(g: Any, x: Any, out: Any) -> None:
    """``out = 0`` where x > 0, else ``x * g``: what each element adds to the gradient of its weight. Exact."""
    check("prelu_weight_vjp", "fd", "", g=g, x=x, out=out)
    elementwise(lambda up, v: 0.0 if v > 0 else v * up, out, g, x)


def glu(x: Any, gate: Any, out: Any) -> None:
    """``out = x * sigmoid(gate)``; it is also the gradient of x. Within 8 eps of |x|."""
    check("glu", "fd", "", x=x, gate=gate, out=out)
    elementwise(lambda v, w: v * logistic(w), out, x, gate)


def glu_gate_vjp(g: Any, x: Any, gate: Any, out: Any) -> None:
    """``out = g * x * s * (1 - s)`` with s = sigmoid(gate): the gradient of the gate. Within 8 eps of |g * x|."""
    check("glu_gate_vjp", "fd", "", g=g, x=x, gate=gate, out=out)
    elementwise(lambda up, v, w: up * (logistic(w) * logistic(-w)) * v, out, g, x, gate)
