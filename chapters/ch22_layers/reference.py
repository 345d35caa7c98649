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
from chapters.ch22_layers.checks import check_rows, check_scores
from chapters.flat import rounded, shape, store, typecode, values

__all__ = [
    "absolute_error",
    "absolute_error_vjp",
    "binary_cross_entropy",
    "binary_cross_entropy_vjp",
    "binary_cross_entropy_with_logits",
    "binary_cross_entropy_with_logits_vjp",
    "cross_entropy",
    "cross_entropy_vjp",
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
    "smooth_l1",
    "smooth_l1_vjp",
    "softplus",
    "softplus_vjp",
    "softsign",
    "softsign_vjp",
    "squared_error",
    "squared_error_vjp",
    "standardize",
    "standardize_given",
    "standardize_vjp",
    "standardize_weight_vjp",
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
    """``out = g * scale`` above 0, else ``g * scale * alpha * steepness * e**(steepness*x)``, which is nan at nan.

    Within 8 eps of the largest slope times |g|.
    """
    code = check("elu_vjp", "fd", "", g=g, x=x, out=out)
    upper, lower = rounded(scale, code), rounded(alpha * scale * steepness, code)
    steepness = rounded(steepness, code)
    elementwise(lambda up, v: up * upper if v > 0 else up * (math.exp(v * steepness) * lower), out, g, x)


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
    """``out = g * (x/3 + 1/2)`` between -3 and 3, 0 from -3 down, g from 3 up. Exact, step by step."""
    code = check("hardswish_vjp", "fd", "", g=g, x=x, out=out)

    def rule(up: float, v: float) -> float:
        if v <= -3:
            return 0.0
        return up if v >= 3 else up * rounded(rounded(v / 3, code) + 0.5, code)

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


# region [rows]
def rows_of(out: Any, mean: Any) -> list[list[int]]:
    """For each element of `mean`, the places of `out` that it stands for, in row-major order."""
    members: list[list[int]] = [[] for _ in values(mean)]
    for place, row in enumerate(offsets(mean, out)):
        members[row].append(place)
    return members


# endregion [rows]


def total(numbers: list[float]) -> float:
    """The sum of some numbers, from the first to the last."""
    result = 0.0
    for number in numbers:
        result += number
    return result


# region [standardize]
def standardize(x: Any, weight: Any, bias: Any, eps: float, centred: bool, mean: Any, var: Any, out: Any) -> None:
    """``out = (x - mean) / sqrt(var + eps) * weight + bias``, with the mean and variance of each row of x.

    A row is what one element of `mean` stands for: all of x along the axes where `mean` has size 1. So one kernel is
    the normalization of a layer, of groups of channels, of a batch, and without a mean that by the root mean square.

    Parameters
    ----------
    x : float32 or float64
        What is normalized, of the shape of `out`.
    weight, bias : of the type of `x`
        They broadcast to the shape of `out`.
    eps : float
        Added to the variance, so that a constant row is divided by more than 0.
    centred : bool
        Subtract the mean. If not, 0 is written to `mean`, and to `var` the mean of the squares.
    mean, var : of the type of `x`
        Receive the statistics: size 1 along the axes that are normalized together, else the size of `out`.
    out : of the type of `x`
        Receives the result; it may be `x` itself.

    Raises
    ------
    TypeError
        When the element types differ, or are not floating point.
    ValueError
        When an operand does not broadcast to `out`, when `x` or the statistics have not the shapes described, or when
        what is written cannot be.

    Notes
    -----
    Computed in float64 and rounded once, but by the twin: it computes float32 in float32, with sums of at most 32
    numbers, and float64 where squares would leave float32's range. With n elements in a row, within ``(n + 8) eps64
    + 40 eps`` of ``|weight| * rate * max |x| + |bias|``, where rate is ``1 / sqrt(var + eps)``. The variance
    is that of the population, divided by n: the mean of (x - mean)**2, in a second pass, so that nothing cancels. The
    other kernels of this group take their operands in the same way and raise the same errors.

    Ba, Kiros and Hinton, Layer Normalization, 2016; Ioffe and Szegedy, Batch Normalization, 2015; Wu and He, Group
    Normalization, 2018; Zhang and Sennrich, Root Mean Square Layer Normalization, 2019.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out, mean, var = Buffer.full(0, (2, 2)), Buffer.full(0, (2, 1)), Buffer.full(0, (2, 1))
    >>> standardize(Buffer([1, 3, 7, 7], (2, 2)), Buffer([1]), Buffer([0]), 0.25, True, mean, var, out)
    >>> mean.tolist(), var.tolist(), out.tolist()[1]
    ([[2.0], [7.0]], [[1.0], [0.0]], [0.0, 0.0])
    """
    check_rows(check, "standardize", True, x=x, weight=weight, bias=bias, mean=mean, var=var, out=out)
    given, scale, shift = values(x), spread_to(weight, out), spread_to(bias, out)
    means, squares, results = [], [], [0.0] * len(given)
    for places in rows_of(out, mean):
        centre = ieee.div(total([given[k] for k in places]), len(places)) if centred else 0.0
        away = [given[k] - centre for k in places]
        square = ieee.div(total([d * d for d in away]), len(places))
        rate = ieee.div(1.0, ieee.sqrt(square + eps))
        for k, d in zip(places, away, strict=True):
            results[k] = d * rate * scale[k] + shift[k]
        means.append(centre)
        squares.append(square)
    store(mean, means)
    store(var, squares)
    store(out, results)


# endregion [standardize]


def spread_to(x: Any, out: Any) -> list[Any]:
    """The element that each element of `out` reads from an operand that broadcasts to it."""
    given = values(x)
    return [given[place] for place in offsets(x, out)]


def standardize_given(x: Any, weight: Any, bias: Any, eps: float, mean: Any, var: Any, out: Any) -> None:
    """As `standardize`, with a mean and a variance that are given instead of measured."""
    check_rows(check, "standardize_given", False, x=x, weight=weight, bias=bias, mean=mean, var=var, out=out)

    def rule(v: float, w: float, b: float, centre: float, square: float) -> float:
        return (v - centre) * ieee.div(1.0, ieee.sqrt(square + eps)) * w + b

    elementwise(rule, out, x, weight, bias, mean, var)


# region [standardize_vjp]
def standardize_vjp(g: Any, x: Any, weight: Any, eps: float, centred: bool, mean: Any, var: Any, out: Any) -> None:
    """The gradient of x through `standardize`: ``rate * (h - mean of h - y * mean of h*y)``, with ``h = g * weight``.

    y is x normalized, before weight and bias. The two means are what flows through the statistics; without `centred`
    the first is left out. With n elements in a row, within ``(n + 8) eps64 + 40 eps`` of ``rate * max |h| * (2 + y*y)``
    for the largest y.
    """
    check_rows(check, "standardize_vjp", False, g=g, x=x, weight=weight, mean=mean, var=var, out=out)
    up, given, scale = values(g), values(x), spread_to(weight, out)
    results = [0.0] * len(given)
    for places, centre, square in zip(rows_of(out, mean), values(mean), values(var), strict=True):
        rate = ieee.div(1.0, ieee.sqrt(square + eps))
        h = [up[k] * scale[k] for k in places]
        y = [(given[k] - centre) * rate for k in places]
        level = ieee.div(total(h), len(places)) if centred else 0.0
        tilt = ieee.div(total([a * b for a, b in zip(h, y, strict=True)]), len(places))
        for k, a, b in zip(places, h, y, strict=True):
            results[k] = rate * (a - level - b * tilt)
    store(out, results)


# endregion [standardize_vjp]


def standardize_weight_vjp(g: Any, x: Any, eps: float, mean: Any, var: Any, out: Any) -> None:
    """``out = g * (x - mean) / sqrt(var + eps)``: what each element adds to the gradient of its weight.

    Within 4 eps of ``|g| * rate * max |x|``.
    """
    check_rows(check, "standardize_weight_vjp", False, g=g, x=x, mean=mean, var=var, out=out)

    def rule(up: float, v: float, centre: float, square: float) -> float:
        return up * ((v - centre) * ieee.div(1.0, ieee.sqrt(square + eps)))

    elementwise(rule, out, g, x, mean, var)


def squared_error(x: Any, y: Any, out: Any) -> None:
    """``out = (x - y)**2``. Exact, step by step."""
    code = check("squared_error", "fd", "", x=x, y=y, out=out)

    def rule(v: float, w: float) -> float:
        difference = rounded(v - w, code)
        return difference * difference

    elementwise(rule, out, x, y)


# region [squared_error_vjp]
def squared_error_vjp(g: Any, x: Any, y: Any, scale: float, out: Any) -> None:
    """``out = g * (scale * 2 * (x - y))``, with 1/n for the scale of a mean. Exact, step by step."""
    code = check("squared_error_vjp", "fd", "", g=g, x=x, y=y, out=out)
    scale = rounded(2 * scale, code)
    elementwise(lambda up, v, w: up * rounded(scale * rounded(v - w, code), code), out, g, x, y)


# endregion [squared_error_vjp]


def absolute_error(x: Any, y: Any, out: Any) -> None:
    """``out = |x - y|``. Exact."""
    check("absolute_error", "fd", "", x=x, y=y, out=out)
    elementwise(lambda v, w: abs(v - w), out, x, y)


def absolute_error_vjp(g: Any, x: Any, y: Any, scale: float, out: Any) -> None:
    """``out = g * (scale * sign(x - y))``: nothing where they are equal. Exact."""
    code = check("absolute_error_vjp", "fd", "", g=g, x=x, y=y, out=out)
    scale = rounded(scale, code)
    elementwise(lambda up, v, w: up * (scale * ((v > w) - (v < w))), out, g, x, y)


def smooth_l1(x: Any, y: Any, beta: float, factor: float, out: Any) -> None:
    """``out = factor * (d*d / (2*beta))`` where d = |x - y| < beta, else ``factor * (d - beta/2)``.

    Exact, step by step. With beta for the factor it is Huber's loss. Huber, Robust Estimation of a Location Parameter,
    1964.
    """
    code = check("smooth_l1", "fd", "", x=x, y=y, out=out)
    beta, factor = rounded(beta, code), rounded(factor, code)

    def rule(v: float, w: float) -> float:
        d = abs(rounded(v - w, code))
        if d < beta:
            return factor * rounded(rounded(0.5 * d * d, code) / beta, code)
        return factor * rounded(d - 0.5 * beta, code)

    elementwise(rule, out, x, y)


def smooth_l1_vjp(g: Any, x: Any, y: Any, beta: float, scale: float, out: Any) -> None:
    """``out = g * (scale * d)`` with d = (x - y)/beta, held between -1 and 1. Exact, step by step."""
    code = check("smooth_l1_vjp", "fd", "", g=g, x=x, y=y, out=out)
    beta, scale = rounded(beta, code), rounded(scale, code)

    def rule(up: float, v: float, w: float) -> float:
        d = rounded(v - w, code)
        d = 1.0 if d >= beta else -1.0 if d <= -beta else rounded(d / beta, code)
        return up * rounded(scale * d, code)

    elementwise(rule, out, g, x, y)


def binary_cross_entropy(x: Any, y: Any, out: Any) -> None:
    """``out = -y*log(x) - (1 - y)*log(1 - x)``, each logarithm at least -100. Within 8 eps of 100 (1 + |y|)."""
    check("binary_cross_entropy", "fd", "", x=x, y=y, out=out)

    def rule(p: float, t: float) -> float:
        return (t - 1) * held(ieee.log1p(-p)) - t * held(ieee.log(p))

    elementwise(rule, out, x, y)


def held(logarithm: float) -> float:
    """A logarithm, at least -100; nan stays nan."""
    return -100.0 if logarithm < -100 else logarithm


def binary_cross_entropy_vjp(g: Any, x: Any, y: Any, scale: float, out: Any) -> None:
    """``out = g * (scale * (x - y) / (x*(1 - x)))``, the divisor at least 1e-12. Exact, step by step."""
    code = check("binary_cross_entropy_vjp", "fd", "", g=g, x=x, y=y, out=out)
    scale, least = rounded(scale, code), rounded(1e-12, code)

    def rule(up: float, p: float, t: float) -> float:
        room = rounded(rounded(1 - p, code) * p, code)
        slope = rounded(rounded(p - t, code) / (least if room < least else room), code)
        return up * rounded(scale * slope, code)

    elementwise(rule, out, g, x, y)


# region [binary_cross_entropy_with_logits]
def binary_cross_entropy_with_logits(x: Any, y: Any, out: Any) -> None:
    """``out = x*([x > 0] - y) + log(1 + e**-|x|)``: the loss of sigmoid(x), without its overflow; inf at infinities.

    Within 8 eps of (1 + |x|) (1 + |y|).
    """
    code = check("binary_cross_entropy_with_logits", "fd", "", x=x, y=y, out=out)
    elementwise(lambda v, t: v * rounded((v > 0) - t, code) + math.log1p(ieee.exp(-abs(v))), out, x, y)


def binary_cross_entropy_with_logits_vjp(g: Any, x: Any, y: Any, scale: float, out: Any) -> None:
    """``out = g * (scale * (sigmoid(x) - y))``. Within 8 eps of |g * scale| (1 + |y|)."""
    code = check("binary_cross_entropy_with_logits_vjp", "fd", "", g=g, x=x, y=y, out=out)
    scale = rounded(scale, code)
    elementwise(lambda up, v, t: up * (scale * (logistic(v) - t)), out, g, x, y)


# endregion [binary_cross_entropy_with_logits]


def score_rows(x: Any) -> list[list[Any]]:
    """The rows of the last axis, in row-major order."""
    size, flat = shape(x)[-1], values(x)
    return [flat[start : start + size] for start in range(0, len(flat), size or 1)]


# region [cross_entropy]
def cross_entropy(x: Any, target: Any, level: Any, out: Any) -> None:
    """The loss of each row of scores, ``log(sum of e**x) - x[target]``: softmax, logarithm and choice in one pass.

    Parameters
    ----------
    x : float32 or float64, of shape (..., C)
        The scores of C classes.
    target : int64, of shape (...)
        The right class of each row; a row with a negative one does not count, and its loss is 0.
    level : of the type of `x`, of shape (..., 2)
        Receives what `cross_entropy_vjp` needs of each row: the largest score, and the logarithm of the sum of
        ``e**(x - largest)``.
    out : of the type of `x`, of shape (...)
        Receives the losses.

    Raises
    ------
    TypeError, ValueError, IndexError
        When types or shapes are others, or a target is none of the classes.

    Notes
    -----
    Within 8 eps of the loss and of the row's largest |x|. A row that counts and has nothing but -inf, +inf or nan is
    nan.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> level, out = Buffer.full(0, (2, 2)), Buffer.full(0, (2,))
    >>> cross_entropy(Buffer([0, 0, 1000, 0], (2, 2)), Buffer([1, 1], (2,), "q"), level, out)
    >>> [round(loss, 4) for loss in out]
    [0.6931, 1000.0]
    """
    check_scores("cross_entropy", x, target, level, out)
    code = typecode(x)
    losses, levels = [], []
    for row, chosen in zip(score_rows(x), values(target), strict=False):
        if chosen < 0:
            losses.append(0.0)
            levels += [0.0, 0.0]
            continue
        peak = max(row)
        rest = ieee.log(math.fsum(ieee.exp(rounded(v - peak, code)) for v in row)) if finite(row, peak) else math.nan
        losses.append(rest - rounded(row[int(chosen)] - peak, code))
        levels += [peak, rest]
    store(out, losses)
    store(level, levels)


# endregion [cross_entropy]


def finite(row: list[float], peak: float) -> bool:
    """Whether the largest score is finite and none is nan, so that the shifted exponentials are numbers."""
    return math.isfinite(peak) and not any(math.isnan(v) for v in row)


def cross_entropy_vjp(g: Any, x: Any, target: Any, level: Any, out: Any) -> None:
    """The gradient of the scores: ``out = g * (softmax(x) - onehot(target))``, row by row.

    Parameters
    ----------
    g : of the type of `x`, of shape (...)
        The gradient of each row's loss.
    x, target : as for `cross_entropy`
        The operands of the forward pass. A row with a negative target gets zeros.
    level : of the type of `x`, of shape (..., 2)
        As `cross_entropy` has written it.
    out : of the type and shape of `x`
        Receives the gradient.

    Notes
    -----
    Within 8 eps of |g| (1 + the distance from the largest score). The softmax is computed here and never stored.
    """
    check_scores("cross_entropy_vjp", x, target, level, out, g)
    code = typecode(x)
    gradients: list[float] = []
    for up, row, chosen, (peak, rest) in zip(values(g), score_rows(x), values(target), score_rows(level), strict=False):
        for place, v in enumerate(row):
            share = ieee.exp(rounded(rounded(v - peak, code) - rest, code)) if chosen >= 0 else 0.0
            gradients.append(up * (share - (place == chosen)) if chosen >= 0 else 0.0)
    store(out, gradients)
