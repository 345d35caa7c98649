"""Softmax and its kind: exponentials of a slice divided by their sum, computed so that no exponential overflows."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import OUTPUT, Op
from kael.autograd.recording import record
from kael.dtypes import DType
from kael.kernels import table
from kael.ops.activation import floating
from kael.ops.dispatch import as_tensor, axes_of, axis_of, cast, compute
from kael.ops.elementary import exp
from kael.ops.elementwise import div, fused, mul, sub
from kael.ops.reduction import dropped_shape, kept_shape
from kael.tensors import Tensor, fresh


def along(kernel: Callable[..., None], axis: int, *arrays: Any) -> None:
    """Run a kernel of the softmax family, which goes along the last axis, along any axis."""
    kernel(*(array.swapaxes(axis, -1) if array.ndim else array.reshape(1) for array in arrays))


def softmax_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(partial(along, table.softmax_vjp, node.attributes[0]), g, node.saved[OUTPUT].get())


def log_softmax_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(partial(along, table.log_softmax_vjp, node.attributes[0]), g, node.saved[OUTPUT].get())


def logsumexp_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    kept = node.attributes[0]
    result = node.saved[OUTPUT].get()
    weights = exp(sub(node.saved[0].get(), fresh(result.array.reshape(kept), result.dtype)))
    # Beside a large element the result has no digits left for the logarithm of a count, and then these do not sum to 1.
    total = compute(table.sum, kept, g.dtype, g.dtype, weights.array).array
    share = numpy.where(numpy.isfinite(total), total, total.dtype.type(1))
    return mul(div(fresh(g.array.reshape(kept), g.dtype), fresh(share, g.dtype)), weights)


SOFTMAX = Op(
    "softmax", "e**x / sum of e**x", softmax_vjp, "y*(g - sum of g*y)", ((OUTPUT,),), dtypes="floating point only"
)
LOG_SOFTMAX = Op(
    "log_softmax", "x - log(sum of e**x)", log_softmax_vjp, "g - e**y * sum of g", ((OUTPUT,),),
    dtypes="floating point only",
)  # fmt: skip
LOGSUMEXP = Op(
    "logsumexp", "log(sum of e**x)", logsumexp_vjp, "g * p / sum of p, with p = e**(x - y)", ((0, OUTPUT),),
    dtypes="floating point only",
)  # fmt: skip


def softmax(x: Any, dim: int, dtype: DType | None = None) -> Tensor:
    """The exponentials along an axis over their sum: ``softmax(x)[k] = exp(x[k]) / sum of exp(x[j])``.

    Parameters
    ----------
    x : Tensor
        Floating point.
    dim : int
        The axis whose elements sum to 1.
    dtype : DType, optional
        Cast to this dtype first.

    Raises
    ------
    IndexError
        When there is no such axis.
    NotImplementedError
        For integers and bool.

    Notes
    -----
    The largest element is subtracted first, which changes nothing but the range of the exponentials. A slice of
    nothing but -inf gives nan.

    Examples
    --------
    >>> import kael
    >>> kael.softmax(kael.tensor([0.0, 0.0, 1000.0, 1000.0]), dim=0)
    tensor([0.0000, 0.0000, 0.5000, 0.5000])
    """
    x = floating(x if dtype is None else cast(as_tensor(x, "softmax"), dtype), "softmax")
    axis = axis_of(dim, x.array.ndim)
    result = compute(partial(along, table.softmax, axis), x.array.shape, x.dtype, x.dtype, x.array)
    return record(result, SOFTMAX, (x,), (axis,))


def log_softmax(x: Any, dim: int, dtype: DType | None = None) -> Tensor:
    """The logarithm of `softmax`, exact also where the softmax itself would round to 0.

    Parameters
    ----------
    x : Tensor
        Floating point.
    dim : int
        The axis over which the softmax is taken.
    dtype : DType, optional
        Cast to this dtype first.

    Raises
    ------
    IndexError
        When there is no such axis.
    NotImplementedError
        For integers and bool.

    Examples
    --------
    >>> import kael
    >>> kael.log_softmax(kael.tensor([0.0, 1000.0]), dim=0)
    tensor([-1000.,     0.])
    """
    x = floating(x if dtype is None else cast(as_tensor(x, "log_softmax"), dtype), "log_softmax")
    axis = axis_of(dim, x.array.ndim)
    result = compute(partial(along, table.log_softmax, axis), x.array.shape, x.dtype, x.dtype, x.array)
    return record(result, LOG_SOFTMAX, (x,), (axis,))


def logsumexp(x: Any, dim: Any, keepdim: bool = False) -> Tensor:
    """The logarithm of a sum of exponentials, ``log(sum of exp(x))``, without overflow.

    Parameters
    ----------
    x : Tensor
        What to add up; integers and bool become float32.
    dim : int or tuple of int
        The axes.
    keepdim : bool
        Keep the reduced axes with size 1.

    Raises
    ------
    IndexError, RuntimeError
        When an axis does not exist or is named twice.

    Examples
    --------
    >>> import kael
    >>> kael.logsumexp(kael.tensor([1000.0, 0.0]), dim=0)
    tensor(1000.)
    """
    x = as_tensor(x, "logsumexp")
    if not x.dtype.is_floating_point:
        x = cast(x, dtypes.default)
    shape = x.array.shape
    axes = axes_of(dim, len(shape))
    kept, rest = kept_shape(shape, axes), dropped_shape(shape, axes)
    final = kept if keepdim else rest
    if x.array.size == 0:
        return record(filled(final, x.dtype, -math.inf), LOGSUMEXP, (x,), (kept,))
    rows = numpy.moveaxis(x.array, axes, range(-len(axes), 0)).reshape(*rest, -1)
    sums = compute(table.logsumexp, (*rest, 1), x.dtype, x.dtype, rows)
    return record(fresh(sums.array.reshape(final), x.dtype), LOGSUMEXP, (x,), (kept,))


FUNCTIONS = (
    log_softmax,
    logsumexp,
    softmax,
)
METHODS = FUNCTIONS
