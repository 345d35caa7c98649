"""The activations and losses in NumPy: the same functions as `reference`, each a few array operations.

NumPy has no erf, so `gelu` has a polynomial of its own.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chapters.ch12_elementwise.checks import check_arrays
from chapters.ch22_layers.checks import check_rows, check_scores

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

Array = NDArray[Any]

DTYPES = (np.dtype("float32"), np.dtype("float64"))
BEND = math.sqrt(2 / math.pi)
CUBIC = 0.044715

quiet = np.errstate(all="ignore")


def _check(op: str, **operands: Array) -> None:
    """As `check_arrays`, which takes long: arrays of one shape and one type that is taken are let through before it."""
    out = operands["out"]
    alike = getattr(out, "dtype", None) in DTYPES
    for operand in operands.values():
        alike = alike and type(operand) is np.ndarray and operand.flags.behaved
        alike = alike and operand.dtype == out.dtype and operand.shape == out.shape
    if not alike:
        check_arrays(op, "fd", "", **operands)


def _write(out: Array, value: Array) -> None:
    np.copyto(out, value, casting="same_kind")


def _logistic(x: Array) -> Array:
    """1 / (1 + exp(-x)) by way of exp(-|x|), which cannot overflow."""
    decay = np.exp(-np.abs(x))
    return np.asarray(np.where(x < 0, decay, 1) / (1 + decay))


SHORT = (
    0.5270159, -0.40232596, 0.22695726, -0.08562475, 0.014178338, 0.004191566, -0.0023986807, -0.00020696249,
    0.0003296454, 1.3503565e-05, -3.5080066e-05,
)  # fmt: skip
LONG = (
    0.527015910152859, -0.40232592471957407, 0.22695705832404803, -0.08562557262305952, 0.014180775065997365,
    0.0041965221523810855, -0.0024093927616026887, -0.00021960415005290777, 0.00035134686167669456,
    2.9154029367680802e-05, -5.630241228022643e-05, -9.76666922888792e-06, 9.122154400107793e-06,
    3.378690280214977e-06, -1.1659974264433048e-06, -9.84068710438908e-07, -3.372709546704344e-09,
    2.271316334648796e-07, 6.960549778284823e-08, -3.709978032671771e-08, -2.6844636795407338e-08,
    3.2310197606679567e-09, 5.680832730538918e-09, -1.7336942572832142e-11, -5.697168788152511e-10,
)  # fmt: skip
"""Half of ``(z + 2.5) * e**(z*z) * erfc(z)`` as a polynomial in ``(z - 2.5) / (z + 2.5)``, constant first: interpolated
at Chebyshev points, to the degree that float32 and float64 need."""


def _below(x: Array) -> Array:
    """The normal distribution: the share of it that lies below x."""
    r = 1 / (np.abs(x) * math.sqrt(0.5) + 2.5)
    t = 1 - 5 * r
    powers = np.zeros_like(x)
    for coefficient in reversed(SHORT if x.dtype == np.float32 else LONG):
        powers = powers * t + coefficient
    tail = np.exp(-0.5 * x * x) * r * powers
    return np.asarray(np.where(x < 0, tail, 1 - tail))


def _bent(x: Array) -> Array:
    """What the approximation of gelu puts into sigmoid."""
    return np.asarray(2 * BEND * x * (1 + CUBIC * x * x))


def _shifted(x: Array) -> Array:
    """x + 3, held between 0 and 6."""
    return np.asarray(np.clip(x + 3, 0, 6))


@quiet
def gelu(x: Array, out: Array) -> None:
    """``out = x * P(X < x)`` for a normal X, of floats: ``x/2 * (1 + erf(x / sqrt 2))``."""
    _check("gelu", x=x, out=out)
    _write(out, x * _below(x))


@quiet
def gelu_vjp(g: Array, x: Array, out: Array) -> None:
    """``out = g * (P(X < x) + x * density(x))``. Within 8 eps of |g|."""
    _check("gelu_vjp", g=g, x=x, out=out)
    _write(out, g * (_below(x) + x * (np.exp(-0.5 * x * x) * x.dtype.type(1 / math.sqrt(2 * math.pi)))))


@quiet
def gelu_tanh(x: Array, out: Array) -> None:
    """``out = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x**3)))``, as ``x * sigmoid(...)``. Within 8 eps of |x|."""
    _check("gelu_tanh", x=x, out=out)
    _write(out, x * _logistic(_bent(x)))


@quiet
def gelu_tanh_vjp(g: Array, x: Array, out: Array) -> None:
    """The gradient through `gelu_tanh`; 0 and g far out, where x**2 overflows. Within 16 eps of |g|."""
    _check("gelu_tanh_vjp", g=g, x=x, out=out)
    near = np.clip(x, -30, 30)
    inside = _bent(near)
    share = _logistic(inside)
    slope = 2 * BEND * (1 + 3 * CUBIC * near * near)
    _write(out, g * (share + near * (share * _logistic(-inside) * slope)))


@quiet
def silu(x: Array, out: Array) -> None:
    """``out = x * sigmoid(x)``, also called swish. Within 8 eps of |x|; nan at -inf."""
    _check("silu", x=x, out=out)
    _write(out, x * _logistic(x))


@quiet
def silu_vjp(g: Array, x: Array, out: Array) -> None:
    """``out = g * s * (1 + x * (1 - s))`` with s = sigmoid(x). Within 8 eps of |g|."""
    _check("silu_vjp", g=g, x=x, out=out)
    _write(out, g * (_logistic(x) * (1 + x * _logistic(-x))))


@quiet
def mish(x: Array, out: Array) -> None:
    """``out = x * tanh(log(1 + e**x))``. Within 8 eps of |x|; nan at -inf."""
    _check("mish", x=x, out=out)
    e = np.exp(-np.abs(x))
    top = np.where(x > 0, 1, e * e) + 2 * e
    _write(out, x * (top / (top + 2 * np.where(x > 0, e * e, 1))))


@quiet
def mish_vjp(g: Array, x: Array, out: Array) -> None:
    """``out = g * (t + x * (1 - t*t) * sigmoid(x))`` with t = tanh(log(1 + e**x)). Within 8 eps of |g|."""
    _check("mish_vjp", g=g, x=x, out=out)
    e = np.exp(-np.abs(x))
    top = np.where(x > 0, 1, e * e) + 2 * e
    base = top + 2 * np.where(x > 0, e * e, 1)
    rise = 4 * (1 + e) * np.where(x > 0, e * e, e)
    _write(out, g * (top / base + x * (rise / (base * base))))


@quiet
def softplus(x: Array, beta: float, threshold: float, out: Array) -> None:
    """``out = log(1 + e**(beta*x)) / beta``, and x itself where beta*x exceeds the threshold."""
    _check("softplus", x=x, out=out)
    beta, threshold = x.dtype.type(beta), x.dtype.type(threshold)
    steep = x * beta
    smooth = (np.maximum(steep, 0) + np.log1p(np.exp(-np.abs(steep)))) / beta
    _write(out, np.where(steep > threshold, x, smooth))


@quiet
def softplus_vjp(g: Array, x: Array, beta: float, threshold: float, out: Array) -> None:
    """``out = g * sigmoid(beta*x)``, and g itself beyond the threshold. Within 8 eps of (1 + |beta*x|) |g|."""
    _check("softplus_vjp", g=g, x=x, out=out)
    steep = x * x.dtype.type(beta)
    _write(out, np.where(steep > x.dtype.type(threshold), g, g * _logistic(steep)))


@quiet
def logsigmoid(x: Array, out: Array) -> None:
    """``out = log(sigmoid(x))``, as ``min(x, 0) - log(1 + e**-|x|)``. Within 8 eps of the result."""
    _check("logsigmoid", x=x, out=out)
    _write(out, np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))))


@quiet
def logsigmoid_vjp(g: Array, x: Array, out: Array) -> None:
    """``out = g * sigmoid(-x)``. Within 8 eps of |g|."""
    _check("logsigmoid_vjp", g=g, x=x, out=out)
    _write(out, g * _logistic(-x))


@quiet
def elu(x: Array, alpha: float, scale: float, steepness: float, out: Array) -> None:
    """``out = scale * x`` above 0, else ``scale * alpha * (e**(steepness*x) - 1)``: elu, celu and selu in one."""
    _check("elu", x=x, out=out)
    real = x.dtype.type
    below = np.expm1(np.minimum(x, 0) * real(steepness)) * real(alpha * scale)
    _write(out, np.where(x > 0, x * real(scale), below))


@quiet
def elu_vjp(g: Array, x: Array, alpha: float, scale: float, steepness: float, out: Array) -> None:
    """``out = g * scale`` above 0, else ``g * scale * alpha * steepness * e**(steepness*x)``, which is nan at nan."""
    _check("elu_vjp", g=g, x=x, out=out)
    real = x.dtype.type
    below = np.exp(np.minimum(x, 0) * real(steepness)) * real(alpha * scale * steepness)
    _write(out, g * np.where(x > 0, real(scale), below))


@quiet
def hardtanh(x: Array, low: float, high: float, out: Array) -> None:
    """``out = x``, held between low and high; nan stays nan. Exact."""
    _check("hardtanh", x=x, out=out)
    low, high = x.dtype.type(low), x.dtype.type(high)
    _write(out, np.where(x > high, high, np.where(x < low, low, x)))


@quiet
def hardtanh_vjp(g: Array, x: Array, low: float, high: float, out: Array) -> None:
    """``out = 0 where x <= low or x >= high, else g``: nothing at the bounds, all of g at nan. Exact."""
    _check("hardtanh_vjp", g=g, x=x, out=out)
    low, high = x.dtype.type(low), x.dtype.type(high)
    _write(out, np.where((x <= low) | (x >= high), 0, g))


@quiet
def hardsigmoid(x: Array, out: Array) -> None:
    """``out = (x + 3) / 6``, held between 0 and 1. Exact, step by step."""
    _check("hardsigmoid", x=x, out=out)
    _write(out, _shifted(x) / 6)


@quiet
def hardsigmoid_vjp(g: Array, x: Array, out: Array) -> None:
    """``out = g / 6`` between -3 and 3, 0 elsewhere and at nan. Exact."""
    _check("hardsigmoid_vjp", g=g, x=x, out=out)
    _write(out, np.where((x > -3) & (x < 3), g / 6, 0))


@quiet
def hardswish(x: Array, out: Array) -> None:
    """``out = x * hardsigmoid(x)``. Exact, step by step. Howard et al., Searching for MobileNetV3, 2019."""
    _check("hardswish", x=x, out=out)
    _write(out, x * (_shifted(x) / 6))


@quiet
def hardswish_vjp(g: Array, x: Array, out: Array) -> None:
    """``out = g * (x/3 + 1/2)`` between -3 and 3, 0 from -3 down, g from 3 up. Exact, step by step."""
    _check("hardswish_vjp", g=g, x=x, out=out)
    half = x.dtype.type(0.5)
    _write(out, np.where(x <= -3, 0, np.where(x >= 3, g, g * (x / 3 + half))))


@quiet
def softsign(x: Array, out: Array) -> None:
    """``out = x / (1 + |x|)``; nan at both infinities. Exact, step by step."""
    _check("softsign", x=x, out=out)
    _write(out, x / (1 + np.abs(x)))


@quiet
def softsign_vjp(g: Array, x: Array, out: Array) -> None:
    """``out = g / (1 + |x|)**2``. Exact, step by step."""
    _check("softsign_vjp", g=g, x=x, out=out)
    base = 1 + np.abs(x)
    _write(out, g / base / base)


@quiet
def leaky_relu(x: Array, negative_slope: float, out: Array) -> None:
    """``out = x`` above 0, else ``negative_slope * x``. Exact."""
    _check("leaky_relu", x=x, out=out)
    _write(out, np.where(x > 0, x, x * x.dtype.type(negative_slope)))


@quiet
def leaky_relu_vjp(g: Array, x: Array, negative_slope: float, out: Array) -> None:
    """``out = g`` where x > 0, else ``negative_slope * g``. Exact."""
    _check("leaky_relu_vjp", g=g, x=x, out=out)
    _write(out, np.where(x > 0, g, g * g.dtype.type(negative_slope)))


@quiet
def prelu(x: Array, weight: Array, out: Array) -> None:
    """``out = x`` above 0, else ``weight * x``: leaky_relu with a slope that is learned. Exact."""
    _check("prelu", x=x, weight=weight, out=out)
    _write(out, np.where(x > 0, x, weight * x))


@quiet
def prelu_vjp(g: Array, x: Array, weight: Array, out: Array) -> None:
    """``out = g`` where x > 0, else ``weight * g``: the gradient of x. Exact."""
    _check("prelu_vjp", g=g, x=x, weight=weight, out=out)
    _write(out, np.where(x > 0, g, weight * g))


@quiet
def prelu_weight_vjp(g: Array, x: Array, out: Array) -> None:
    """``out = 0`` where x > 0, else ``x * g``: what each element adds to the gradient of its weight. Exact."""
    _check("prelu_weight_vjp", g=g, x=x, out=out)
    _write(out, np.where(x > 0, 0, x * g))


@quiet
def glu(x: Array, gate: Array, out: Array) -> None:
    """``out = x * sigmoid(gate)``; it is also the gradient of x. Within 8 eps of |x|."""
    _check("glu", x=x, gate=gate, out=out)
    _write(out, x * _logistic(gate))


@quiet
def glu_gate_vjp(g: Array, x: Array, gate: Array, out: Array) -> None:
    """``out = g * x * s * (1 - s)`` with s = sigmoid(gate): the gradient of the gate. Within 8 eps of |g * x|."""
    _check("glu_gate_vjp", g=g, x=x, gate=gate, out=out)
    _write(out, g * (_logistic(gate) * _logistic(-gate)) * x)


def _rows(op: str, written: bool, **operands: Array) -> tuple[tuple[int, ...], int]:
    """The axes that are normalized together, and how many elements they have."""
    check_rows(check_arrays, op, written, **operands)
    mean, out = operands["mean"], operands["out"]
    axes = tuple([axis for axis in range(out.ndim) if mean.shape[axis] == 1])
    return axes, math.prod(out.shape[axis] for axis in axes)


@quiet
def standardize(
    x: Array, weight: Array, bias: Array, eps: float, centred: bool, mean: Array, var: Array, out: Array
) -> None:
    """``out = (x - mean) / sqrt(var + eps) * weight + bias``, with the mean and variance of each row of x."""
    axes, count = _rows("standardize", True, x=x, weight=weight, bias=bias, mean=mean, var=var, out=out)
    centre = np.sum(x, axes, np.float64, keepdims=True) / count if centred else np.float64(0)
    away = x - centre
    square = np.sum(away * away, axes, keepdims=True) / count
    _write(mean, np.asarray(centre))
    _write(var, square)
    _write(out, away * (1 / np.sqrt(square + eps)) * weight + bias)


@quiet
def standardize_given(x: Array, weight: Array, bias: Array, eps: float, mean: Array, var: Array, out: Array) -> None:
    """As `standardize`, with a mean and a variance that are given instead of measured."""
    _rows("standardize_given", False, x=x, weight=weight, bias=bias, mean=mean, var=var, out=out)
    _write(out, (x - mean.astype(np.float64)) * (1 / np.sqrt(var.astype(np.float64) + eps)) * weight + bias)


@quiet
def standardize_vjp(
    g: Array, x: Array, weight: Array, eps: float, centred: bool, mean: Array, var: Array, out: Array
) -> None:
    """The gradient of x through `standardize`: ``rate * (h - mean of h - y * mean of h*y)``, with h = g * weight."""
    axes, count = _rows("standardize_vjp", False, g=g, x=x, weight=weight, mean=mean, var=var, out=out)
    rate = 1 / np.sqrt(var.astype(np.float64) + eps)
    h = g.astype(np.float64) * weight
    y = (x - mean.astype(np.float64)) * rate
    level = np.sum(h, axes, keepdims=True) / count if centred else 0.0
    _write(out, rate * (h - level - y * (np.sum(h * y, axes, keepdims=True) / count)))


@quiet
def standardize_weight_vjp(g: Array, x: Array, eps: float, mean: Array, var: Array, out: Array) -> None:
    """``out = g * (x - mean) / sqrt(var + eps)``: what each element adds to the gradient of its weight."""
    _rows("standardize_weight_vjp", False, g=g, x=x, mean=mean, var=var, out=out)
    _write(out, g * ((x - mean.astype(np.float64)) * (1 / np.sqrt(var.astype(np.float64) + eps))))


@quiet
def squared_error(x: Array, y: Array, out: Array) -> None:
    """``out = (x - y)**2``. Exact, step by step."""
    _check("squared_error", x=x, y=y, out=out)
    difference = x - y
    _write(out, difference * difference)


# region [squared_error_vjp]
@quiet
def squared_error_vjp(g: Array, x: Array, y: Array, scale: float, out: Array) -> None:
    """``out = g * (scale * 2 * (x - y))``, with 1/n for the scale of a mean. Exact, step by step."""
    _check("squared_error_vjp", g=g, x=x, y=y, out=out)
    _write(out, g * (x.dtype.type(2 * scale) * (x - y)))


# endregion [squared_error_vjp]


@quiet
def absolute_error(x: Array, y: Array, out: Array) -> None:
    """``out = |x - y|``. Exact."""
    _check("absolute_error", x=x, y=y, out=out)
    _write(out, np.abs(x - y))


@quiet
def absolute_error_vjp(g: Array, x: Array, y: Array, scale: float, out: Array) -> None:
    """``out = g * (scale * sign(x - y))``: nothing where they are equal. Exact."""
    _check("absolute_error_vjp", g=g, x=x, y=y, out=out)
    sign = np.subtract(x > y, x < y, dtype=np.int8).astype(x.dtype)
    _write(out, g * (x.dtype.type(scale) * sign))


@quiet
def smooth_l1(x: Array, y: Array, beta: float, factor: float, out: Array) -> None:
    """``out = factor * (d*d / (2*beta))`` where d = |x - y| < beta, else ``factor * (d - beta/2)``."""
    _check("smooth_l1", x=x, y=y, out=out)
    bend, half = x.dtype.type(beta), x.dtype.type(0.5)
    d = np.abs(x - y)
    _write(out, x.dtype.type(factor) * np.where(d < bend, half * d * d / bend, d - half * bend))


@quiet
def smooth_l1_vjp(g: Array, x: Array, y: Array, beta: float, scale: float, out: Array) -> None:
    """``out = g * (scale * d)`` with d = (x - y)/beta, held between -1 and 1. Exact, step by step."""
    _check("smooth_l1_vjp", g=g, x=x, y=y, out=out)
    bend, one = x.dtype.type(beta), x.dtype.type(1)
    d = x - y
    _write(out, g * (x.dtype.type(scale) * np.where(d >= bend, one, np.where(d <= -bend, -one, d / bend))))


@quiet
def binary_cross_entropy(x: Array, y: Array, out: Array) -> None:
    """``out = -y*log(x) - (1 - y)*log(1 - x)``, each logarithm at least -100. Within 8 eps of 100 (1 + |y|)."""
    _check("binary_cross_entropy", x=x, y=y, out=out)
    _write(out, (y - 1) * np.maximum(np.log1p(-x), -100) - y * np.maximum(np.log(x), -100))


@quiet
def binary_cross_entropy_vjp(g: Array, x: Array, y: Array, scale: float, out: Array) -> None:
    """``out = g * (scale * (x - y) / (x*(1 - x)))``, the divisor at least 1e-12. Exact, step by step."""
    _check("binary_cross_entropy_vjp", g=g, x=x, y=y, out=out)
    room = np.maximum((1 - x) * x, x.dtype.type(1e-12))
    _write(out, g * (x.dtype.type(scale) * ((x - y) / room)))


# region [binary_cross_entropy_with_logits]
@quiet
def binary_cross_entropy_with_logits(x: Array, y: Array, out: Array) -> None:
    """``out = x*([x > 0] - y) + log(1 + e**-|x|)``: the loss of sigmoid(x), without its overflow; inf at infinities."""
    _check("binary_cross_entropy_with_logits", x=x, y=y, out=out)
    _write(out, x * ((x > 0) - y) + np.log1p(np.exp(-np.abs(x))))


@quiet
def binary_cross_entropy_with_logits_vjp(g: Array, x: Array, y: Array, scale: float, out: Array) -> None:
    """``out = g * (scale * (sigmoid(x) - y))``. Within 8 eps of |g * scale| (1 + |y|)."""
    _check("binary_cross_entropy_with_logits_vjp", g=g, x=x, y=y, out=out)
    _write(out, g * (x.dtype.type(scale) * (_logistic(x) - y)))


# endregion [binary_cross_entropy_with_logits]


# region [cross_entropy]
@quiet
def cross_entropy(x: Array, target: Array, level: Array, out: Array) -> None:
    """The loss of each row of scores, ``log(sum of e**x) - x[target]``: softmax, logarithm and choice in one pass."""
    check_scores("cross_entropy", x, target, level, out)
    if not out.size:
        return
    counts = target >= 0
    peak = x.max(-1, initial=-np.inf)
    shifted = x - peak[..., None]
    rest = np.log(np.exp(shifted).sum(-1))
    chosen = np.take_along_axis(shifted, np.maximum(target, 0)[..., None], -1)[..., 0] if x.shape[-1] else peak
    _write(level, np.where(counts[..., None], np.stack([peak, rest], -1), 0))
    _write(out, np.where(counts, rest - chosen, 0))


# endregion [cross_entropy]


@quiet
def cross_entropy_vjp(g: Array, x: Array, target: Array, level: Array, out: Array) -> None:
    """The gradient of the scores: ``out = g * (softmax(x) - onehot(target))``, row by row."""
    check_scores("cross_entropy_vjp", x, target, level, out, g)
    share = np.exp((x - level[..., :1]) - level[..., 1:])
    share -= np.arange(x.shape[-1]) == target[..., None]
    _write(out, np.where((target >= 0)[..., None], g[..., None] * share, 0))
