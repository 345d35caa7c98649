"""Rung 1, the definition of a step: each element by itself, and each operation rounded to the element type.

Robbins and Monro, A Stochastic Approximation Method, 1951; Sutskever, Martens, Dahl and Hinton, On the importance of
initialization and momentum in deep learning, 2013; Duchi, Hazan and Singer, Adaptive Subgradient Methods for Online
Learning and Stochastic Optimization, 2011; Tieleman and Hinton, Lecture 6.5: RMSProp, 2012, and Graves, Generating
Sequences With Recurrent Neural Networks, 2013, for its centered form; Kingma and Ba, Adam: A Method for Stochastic
Optimization, 2015, algorithm 1; Reddi, Kale and Kumar, On the Convergence of Adam and Beyond, 2018, for the largest
mean; Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019, algorithm 2.
"""

from __future__ import annotations

from typing import Any

from chapters import ieee
from chapters.ch23_optimizers.checks import check
from chapters.ch23_optimizers.rates import adam_rates
from chapters.flat import rounded, store, values

__all__ = ["adagrad_step", "adam_step", "rmsprop_step", "sgd_step"]


# region [sgd]
def sgd_step(
    param: Any, grad: Any, velocity: Any, rate: float, momentum: float, dampening: float, decay: float, nesterov: bool,
    first: bool,
) -> None:  # fmt: skip
    """A step of gradient descent: ``param -= rate * v`` with ``v = momentum * v + (1 - dampening) * g``.

    Parameters
    ----------
    param : float32 or float64
        What is changed, in place.
    grad : like `param`
        Its gradient, read alone. With `decay`, ``decay * param`` is added to it on the way.
    velocity : like `param`, or None
        The running sum v, changed in place; without one the step is along the gradient.
    rate, momentum, dampening, decay : float
        As in the formula; rounded to the element type.
    nesterov : bool
        Step along ``g + momentum * v``.
    first : bool
        `velocity` holds nothing yet: it becomes the gradient.

    Raises
    ------
    TypeError
        When element types differ, or are not floating point.
    ValueError
        When shapes differ, or memory cannot be written.

    Notes
    -----
    The same bits on every rung. One pass: two arrays read and one written, with a velocity three and two.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> param, velocity = Buffer([1.0, 2.0]), Buffer([0.5, 0.0])
    >>> sgd_step(param, Buffer([1.0, -1.0]), velocity, 0.5, 0.5, 0.0, 0.0, False, False)
    >>> param.tolist(), velocity.tolist()
    ([0.375, 2.5], [1.25, -1.0])
    """
    operands = {"param": param, "grad": grad} | ({} if velocity is None else {"velocity": velocity})
    code = check("sgd_step", **operands)
    rate, momentum, share, decay = [rounded(v, code) for v in (rate, momentum, 1.0 - dampening, decay)]
    held: Any = [0.0] * len(values(param)) if velocity is None else values(velocity)
    params: list[float] = []
    velocities: list[float] = []
    for p, g, v in zip(values(param), values(grad), held, strict=True):
        along = g
        if decay:
            along = rounded(along + rounded(p * decay, code), code)
        if velocity is not None:
            v = along if first else rounded(rounded(v * momentum, code) + rounded(along * share, code), code)
            along = rounded(along + rounded(v * momentum, code), code) if nesterov else v
            velocities.append(v)
        params.append(rounded(p - rounded(along * rate, code), code))
    store(param, params)
    if velocity is not None:
        store(velocity, velocities)


# endregion [sgd]


# region [adam]
def adam_step(
    param: Any, grad: Any, mean: Any, square: Any, largest: Any, rate: float, beta1: float, beta2: float, eps: float,
    decay: float, decoupled: bool, step: int,
) -> None:  # fmt: skip
    """A step of Adam: along the running mean of gradients, over the root of that of their squares.

    ``mean += (1 - beta1) * (g - mean)``, ``square = beta2 * square + (1 - beta2) * g**2``,
    ``param -= rate / (1 - beta1**step) * mean / (sqrt(square / (1 - beta2**step)) + eps)``.

    Parameters
    ----------
    param : float32 or float64
        What is changed, in place.
    grad : like `param`
        Its gradient, read alone.
    mean, square : like `param`
        The running means, changed in place; zeros before the first step.
    largest : like `param`, or None
        The largest `square` so far, changed in place; with one, it stands in the quotient for `square`.
    rate, beta1, beta2, eps : float
        As in the formula. What follows from them is computed in float64 and rounded to the element type.
    decay : float
        Of the parameter: ``decay * param`` is added to the gradient.
    decoupled : bool
        Instead, the parameter is first multiplied by ``1 - rate * decay``.
    step : int
        Which step it is, from 1.

    Raises
    ------
    TypeError
        When element types differ, or are not floating point.
    ValueError
        When shapes differ, or memory cannot be written.

    Notes
    -----
    The same bits on every rung. One pass: four arrays read, three written; with `largest` five and four.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> param, mean, square = Buffer([1.0]), Buffer([0.0]), Buffer([0.0])
    >>> adam_step(param, Buffer([4.0]), mean, square, None, 0.5, 0.5, 0.75, 0.0, 0.0, False, 1)
    >>> param.tolist(), mean.tolist(), square.tolist()
    ([0.5], [2.0], [4.0])
    """
    kept = {} if largest is None else {"largest": largest}
    code = check("adam_step", param=param, grad=grad, mean=mean, square=square, **kept)
    rates = [rounded(v, code) for v in adam_rates(rate, beta1, beta2, eps, decay, step)]
    shrink, decay, fresh1, kept2, fresh2, grown, size = rates
    eps = rounded(eps, code)
    params: list[float] = []
    means: list[float] = []
    squares: list[float] = []
    tops: list[float] = []
    most: Any = [0.0] * len(values(param)) if largest is None else values(largest)
    for p, g, m, v, top in zip(values(param), values(grad), values(mean), values(square), most, strict=True):
        if decay and decoupled:
            p = rounded(p * shrink, code)
        elif decay:
            g = rounded(g + rounded(p * decay, code), code)
        m = rounded(m + rounded(rounded(g - m, code) * fresh1, code), code)
        v = rounded(rounded(v * kept2, code) + rounded(rounded(g * fresh2, code) * g, code), code)
        top = v if largest is None or not top > v else top
        below = rounded(rounded(rounded(ieee.sqrt(top), code) * grown, code) + eps, code)
        params.append(rounded(p - rounded(ieee.div(rounded(m * size, code), below), code), code))
        means.append(m)
        squares.append(v)
        tops.append(top)
    store(param, params)
    store(mean, means)
    store(square, squares)
    if largest is not None:
        store(largest, tops)


# endregion [adam]


# region [rmsprop]
def rmsprop_step(
    param: Any, grad: Any, square: Any, mean: Any, velocity: Any, rate: float, alpha: float, eps: float,
    momentum: float, decay: float,
) -> None:  # fmt: skip
    """A step along the gradient over the root of the running mean of its squares.

    ``square = alpha * square + (1 - alpha) * g**2``, ``param -= rate * g / (sqrt(square) + eps)``; with `mean`, which
    follows ``mean += (1 - alpha) * (g - mean)``, the root is of ``square - mean**2``; with `velocity`, the step is
    along ``velocity = momentum * velocity + g / (root + eps)``.

    Parameters
    ----------
    param : float32 or float64
        What is changed, in place.
    grad : like `param`
        Its gradient, read alone. With `decay`, ``decay * param`` is added to it on the way.
    square : like `param`
        The running mean of squares, changed in place.
    mean, velocity : like `param`, or None
        The running mean of gradients and the running sum of steps, changed in place.
    rate, alpha, eps, momentum, decay : float
        As in the formula; rounded to the element type.

    Raises
    ------
    TypeError
        When element types differ, or are not floating point.
    ValueError
        When shapes differ, or memory cannot be written.

    Notes
    -----
    The same bits on every rung. One pass: three arrays read and two written; one more of each for `mean` and
    `velocity`.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> param, square = Buffer([1.0]), Buffer([0.0])
    >>> rmsprop_step(param, Buffer([4.0]), square, None, None, 0.5, 0.75, 0.0, 0.0, 0.0)
    >>> param.tolist(), square.tolist()
    ([0.0], [4.0])
    """
    kept = {name: x for name, x in (("mean", mean), ("velocity", velocity)) if x is not None}
    code = check("rmsprop_step", param=param, grad=grad, square=square, **kept)
    fresh = 1.0 - alpha
    rate, alpha, fresh, eps, momentum, decay = [rounded(v, code) for v in (rate, alpha, fresh, eps, momentum, decay)]
    none = [0.0] * len(values(param))
    held: Any = (none if x is None else values(x) for x in (mean, velocity))
    params: list[float] = []
    squares: list[float] = []
    means: list[float] = []
    velocities: list[float] = []
    for p, g, s, m, v in zip(values(param), values(grad), values(square), *held, strict=True):
        if decay:
            g = rounded(g + rounded(p * decay, code), code)
        s = rounded(rounded(s * alpha, code) + rounded(rounded(g * fresh, code) * g, code), code)
        spread = s
        if mean is not None:
            m = rounded(m + rounded(rounded(g - m, code) * fresh, code), code)
            spread = rounded(s - rounded(m * m, code), code)
        along = rounded(ieee.div(g, rounded(rounded(ieee.sqrt(spread), code) + eps, code)), code)
        if velocity is not None:
            v = rounded(rounded(v * momentum, code) + along, code)
            along = v
        params.append(rounded(p - rounded(along * rate, code), code))
        squares.append(s)
        means.append(m)
        velocities.append(v)
    store(param, params)
    store(square, squares)
    if mean is not None:
        store(mean, means)
    if velocity is not None:
        store(velocity, velocities)


# endregion [rmsprop]


# region [adagrad]
def adagrad_step(param: Any, grad: Any, total: Any, rate: float, eps: float, decay: float) -> None:
    """A step along the gradient over the root of the sum of its squares.

    ``total += g**2``, ``param -= rate * g / (sqrt(total) + eps)``.

    Parameters
    ----------
    param : float32 or float64
        What is changed, in place.
    grad : like `param`
        Its gradient, read alone. With `decay`, ``decay * param`` is added to it on the way.
    total : like `param`
        The sum of all squares, changed in place.
    rate, eps, decay : float
        As in the formula; rounded to the element type.

    Raises
    ------
    TypeError
        When element types differ, or are not floating point.
    ValueError
        When shapes differ, or memory cannot be written.

    Notes
    -----
    The same bits on every rung. One pass: three arrays read, two written.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> param, total = Buffer([1.0]), Buffer([9.0])
    >>> adagrad_step(param, Buffer([4.0]), total, 0.5, 0.0, 0.0)
    >>> param.tolist(), total.tolist()
    ([0.6], [25.0])
    """
    code = check("adagrad_step", param=param, grad=grad, total=total)
    rate, eps, decay = [rounded(v, code) for v in (rate, eps, decay)]
    params: list[float] = []
    totals: list[float] = []
    for p, g, t in zip(values(param), values(grad), values(total), strict=True):
        if decay:
            g = rounded(g + rounded(p * decay, code), code)
        t = rounded(t + rounded(g * g, code), code)
        along = rounded(ieee.div(g, rounded(rounded(ieee.sqrt(t), code) + eps, code)), code)
        params.append(rounded(p - rounded(along * rate, code), code))
        totals.append(t)
    store(param, params)
    store(total, totals)


# endregion [adagrad]
