"""Rung 2: the reductions in NumPy, in NumPy's own order of summation."""

from __future__ import annotations

from math import inf
from math import prod as product_of
from typing import Any

import numpy as np

from chapters.ch13_reductions.checks import check, check_rows, check_scan, reduced_axes

__all__ = [
    "all",
    "any",
    "argmax",
    "cumprod",
    "cumprod_vjp",
    "cumsum",
    "log_softmax",
    "log_softmax_vjp",
    "logsumexp",
    "max",
    "mean",
    "min",
    "norm",
    "prod",
    "softmax",
    "softmax_vjp",
    "sum",
    "var",
]

Array = np.ndarray[Any, Any]


def sum(x: Array, out: Array) -> None:
    """Add up the elements of `x` along every axis that `out` lacks or has with size 1."""
    check("sum", x, out)
    _add_up(x, out, reduced_axes(x, out))


def mean(x: Array, out: Array) -> None:
    """Write the sum along the reduced axes divided by the number of elements in it; nan where there are none."""
    check("mean", x, out)
    axes = reduced_axes(x, out)
    _add_up(x, out, axes)
    with np.errstate(all="ignore"):
        np.divide(out, out.dtype.type(_count(x, axes)), out=out)


def max(x: Array, out: Array) -> None:
    """Write the largest element along the reduced axes; a nan wins, and +0 is larger than -0."""
    check("max", x, out)
    _extreme(np.maximum, x, out)


def min(x: Array, out: Array) -> None:
    """Write the smallest element along the reduced axes; a nan wins, and -0 is smaller than +0."""
    check("min", x, out)
    _extreme(np.minimum, x, out)


def argmax(x: Array, out: Array) -> None:
    """Write where the largest element along the reduced axes stands first, in row-major order; a nan is largest."""
    check("argmax", x, out)
    axes = reduced_axes(x, out)
    if out.size == 0:
        return
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    rows = x.transpose([*kept, *axes]).reshape([x.shape[axis] for axis in kept] + [_count(x, axes)])
    out[...] = np.argmax(rows, axis=-1).reshape(out.shape)


def all(x: Array, out: Array) -> None:
    """Write whether every element along the reduced axes is nonzero; true of no elements, and a nan is nonzero."""
    check("all", x, out)
    np.logical_and.reduce(x, axis=reduced_axes(x, out), out=_with_axes_of(x, out), keepdims=True)


def any(x: Array, out: Array) -> None:
    """Write whether an element along the reduced axes is nonzero; false of no elements, and a nan is nonzero."""
    check("any", x, out)
    np.logical_or.reduce(x, axis=reduced_axes(x, out), out=_with_axes_of(x, out), keepdims=True)


def prod(x: Array, out: Array) -> None:
    """Write the product of the elements along the reduced axes; 1 of no elements."""
    check("prod", x, out)
    with np.errstate(all="ignore"):
        _with_axes_of(x, out)[...] = np.multiply.reduce(_wide(x), axis=reduced_axes(x, out), keepdims=True)


def var(x: Array, out: Array, correction: float = 1.0) -> None:
    """Write the sum of squared distances from the mean over (count - correction), along the reduced axes."""
    check("var", x, out)
    axes, wide = reduced_axes(x, out), _wide(x)
    count = np.float64(_count(x, axes))
    divisor = np.float64(count - correction if count > correction else 0)
    with np.errstate(all="ignore"):
        mean = np.add.reduce(wide, axis=axes, keepdims=True) / count
        _with_axes_of(x, out)[...] = np.add.reduce(np.square(wide - mean), axis=axes, keepdims=True) / divisor


def norm(x: Array, out: Array, p: float = 2.0) -> None:
    """Write the p-norm along the reduced axes, ``(sum of |x|**p) ** (1/p)``."""
    check("norm", x, out)
    axes, target, size = reduced_axes(x, out), _with_axes_of(x, out), np.abs(_wide(x))
    with np.errstate(all="ignore"):
        if p == inf:
            target[...] = np.maximum.reduce(size, axis=axes, keepdims=True, initial=0)
        elif p == -inf:
            target[...] = np.minimum.reduce(size, axis=axes, keepdims=True, initial=inf)
        elif p == 0:
            target[...] = np.add.reduce(size != 0, axis=axes, keepdims=True, dtype=np.float64)
        elif p == 1:
            target[...] = np.add.reduce(size, axis=axes, keepdims=True)
        elif p == 2:
            target[...] = np.sqrt(np.add.reduce(size * size, axis=axes, keepdims=True))
        else:
            target[...] = np.add.reduce(size**p, axis=axes, keepdims=True) ** (1 / p)


def cumsum(x: Array, out: Array) -> None:
    """Write the sum of each element and all before it, along the last axis."""
    check_scan("cumsum", x, out)
    with np.errstate(all="ignore"):
        out[...] = np.add.accumulate(_wide(x), axis=-1)


def cumprod(x: Array, out: Array) -> None:
    """Write the product of each element and all before it, along the last axis."""
    check_scan("cumprod", x, out)
    with np.errstate(all="ignore"):
        out[...] = np.multiply.accumulate(_wide(x), axis=-1)


def cumprod_vjp(g: Array, x: Array, out: Array) -> None:
    """Write the gradient through `cumprod` along the last axis, without a division, so that zeros are no exception."""
    check_rows("cumprod_vjp", g=g, x=x, out=out)
    if x.size == 0:
        return
    gradient, factors = _wide(g), _wide(x)
    with np.errstate(all="ignore"):
        later = gradient[..., -1]
        out[..., -1] = later
        for k in range(x.shape[-1] - 2, -1, -1):
            later = gradient[..., k] + factors[..., k + 1] * later
            out[..., k] = later
        out[..., 1:] *= np.multiply.accumulate(factors[..., :-1], axis=-1)


# region [softmax]
def softmax(x: Array, out: Array) -> None:
    """Write exp(x) over its sum, along the last axis; the largest element is subtracted first."""
    check_rows("softmax", x=x, out=out)
    with np.errstate(all="ignore"):
        powers = np.exp(x - _largest(x))
        np.multiply(powers, 1 / np.add.reduce(powers, axis=-1, keepdims=True), out=out)


# endregion [softmax]


def log_softmax(x: Array, out: Array) -> None:
    """Write the logarithm of `softmax`, along the last axis: x - max - log(sum(exp(x - max)))."""
    check_rows("log_softmax", x=x, out=out)
    with np.errstate(all="ignore"):
        shifted = x - _largest(x)
        np.subtract(shifted, np.log(np.add.reduce(np.exp(shifted), axis=-1, keepdims=True)), out=out)


def logsumexp(x: Array, out: Array) -> None:
    """Write log(sum(exp(x))) along the last axis, without overflow."""
    check_rows("logsumexp", x=x, out=out)
    largest = _largest(x)
    shift = np.where(np.isfinite(largest), largest, x.dtype.type(0))
    with np.errstate(all="ignore"):
        np.add(shift, np.log(np.add.reduce(np.exp(x - shift), axis=-1, keepdims=True)), out=out)


def softmax_vjp(g: Array, y: Array, out: Array) -> None:
    """Write the gradient through `softmax`, along the last axis: y * (g - sum(g * y))."""
    check_rows("softmax_vjp", g=g, y=y, out=out)
    with np.errstate(all="ignore"):
        np.multiply(y, g - np.add.reduce(g * y, axis=-1, keepdims=True), out=out)


def log_softmax_vjp(g: Array, y: Array, out: Array) -> None:
    """Write the gradient through `log_softmax`, along the last axis: g - exp(y) * sum(g)."""
    check_rows("log_softmax_vjp", g=g, y=y, out=out)
    with np.errstate(all="ignore"):
        np.subtract(g, np.exp(y) * np.add.reduce(g, axis=-1, keepdims=True), out=out)


def _largest(x: Array) -> Array:
    """The largest element of each row, -inf where there is none."""
    largest: Array = np.maximum.reduce(x, axis=-1, keepdims=True, initial=-np.inf)
    return largest


# region [add_up]
def _add_up(x: Array, out: Array, axes: tuple[int, ...]) -> None:
    """Sum over these axes; over none the elements are copied, for NumPy would add each to 0 and lose a -0."""
    target = _with_axes_of(x, out)
    if not axes:
        target[...] = x
        return
    with np.errstate(all="ignore"):
        np.add.reduce(x, axis=axes, dtype=out.dtype, out=target, keepdims=True)


# endregion [add_up]


def _wide(x: Array) -> Array:
    """The elements as float64, or as int64 where they are whole."""
    return x.astype(np.float64 if x.dtype.kind == "f" else np.int64, copy=False)


def _with_axes_of(x: Array, out: Array) -> Array:
    """A view of `out` with as many axes as `x`."""
    return out[(None,) * (x.ndim - out.ndim) + (...,)]


def _count(x: Array, axes: tuple[int, ...]) -> int:
    """How many elements of `x` are reduced to one."""
    return product_of(x.shape[axis] for axis in axes)


def _extreme(choose: np.ufunc, x: Array, out: Array) -> None:
    """Reduce with np.maximum or np.minimum, then set the sign of zeros, which NumPy leaves open."""
    axes = reduced_axes(x, out)
    target = _with_axes_of(x, out)
    choose.reduce(x, axis=axes, out=target, keepdims=True)
    if x.dtype.kind == "f" and (target == 0).any():
        signs = np.copysign(x.dtype.type(1), x)
        signs[x != 0] = -1 if choose is np.maximum else 1
        sign = choose.reduce(signs, axis=axes, keepdims=True)
        target[...] = np.where(target == 0, np.copysign(target, sign), target)
