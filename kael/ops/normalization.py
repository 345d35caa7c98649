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
from kael.kernels import table
from kael.ops.dispatch import as_tensor, axes_of, axis_of, cast, compute
from kael.ops.elementwise import exp, fused, mul, neg, sub
from kael.ops.reduction import dropped_shape, kept_shape, mean, sum
from kael.ops.shape import unsqueeze
from kael.tensors import Tensor, fresh

REDUCTIONS = ("none", "sum", "mean")


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
    return mul(fresh(g.array.reshape(kept), g.dtype), weights)


def nll_loss_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    scale, rows = node.attributes
    target = node.saved[1].get().array
    result = filled(node.inputs[0].shape, g.dtype, 0.0)
    result.array[rows, target] = g.array * -scale
    return result


SOFTMAX = Op(
    "softmax", "e**x / sum of e**x", softmax_vjp, "y*(g - sum of g*y)", ((OUTPUT,),), dtypes="floating point only"
)
LOG_SOFTMAX = Op(
    "log_softmax", "x - log(sum of e**x)", log_softmax_vjp, "g - e**y * sum of g", ((OUTPUT,),),
    dtypes="floating point only",
)  # fmt: skip
LOGSUMEXP = Op(
    "logsumexp", "log(sum of e**x)", logsumexp_vjp, "g * e**(x - y)", ((0, OUTPUT),), dtypes="floating point only"
)
NLL_LOSS = Op(
    "nll_loss", "-x[k, target[k]], averaged or summed", nll_loss_vjp, "-g at the target of each row, over the count",
    ((1,), ()), dtypes="floating point only", numpy=True,
)  # fmt: skip


def floating(x: Any, operation: str) -> Tensor:
    """An operand whose dtype is floating point.

    Raises
    ------
    RuntimeError
        For integers and bool.
    """
    operand = as_tensor(x, operation)
    if not operand.dtype.is_floating_point:
        raise RuntimeError(f"{operation}: x is {operand.dtype.name}; cast it to a floating point dtype first")
    return operand


def softmax(x: Any, dim: int) -> Tensor:
    """The exponentials along an axis over their sum: ``softmax(x)[k] = exp(x[k]) / sum of exp(x[j])``.

    Parameters
    ----------
    x : Tensor
        Floating point.
    dim : int
        The axis whose elements sum to 1.

    Raises
    ------
    IndexError
        When there is no such axis.
    RuntimeError
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
    x = floating(x, "softmax")
    axis = axis_of(dim, x.array.ndim)
    result = compute(partial(along, table.softmax, axis), x.array.shape, x.dtype, x.dtype, x.array)
    return record(result, SOFTMAX, (x,), (axis,))


def log_softmax(x: Any, dim: int) -> Tensor:
    """The logarithm of `softmax`, exact also where the softmax itself would round to 0.

    Parameters
    ----------
    x : Tensor
        Floating point.
    dim : int
        The axis over which the softmax is taken.

    Raises
    ------
    IndexError
        When there is no such axis.
    RuntimeError
        For integers and bool.

    Examples
    --------
    >>> import kael
    >>> kael.log_softmax(kael.tensor([0.0, 1000.0]), dim=0)
    tensor([-1000.,     0.])
    """
    x = floating(x, "log_softmax")
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


def nll_loss(x: Any, target: Any, reduction: str = "mean") -> Tensor:
    """The negative log-likelihood of the right classes: ``-x[k, target[k]]``.

    Parameters
    ----------
    x : Tensor of shape (N, C) or (C,)
        Log-probabilities of C classes.
    target : Tensor of int64, shape (N,) or ()
        The right class of each row, from 0 to before C.
    reduction : {"mean", "sum", "none"}
        Average over the rows, add them up, or leave one loss a row.

    Raises
    ------
    IndexError
        For a class that does not exist.
    ValueError
        When the counts of rows differ, or for another reduction.
    RuntimeError
        When the target is not int64, or x is not floating point.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.nll_loss(kael.tensor([[-0.5, -2.0]]), kael.tensor([1]))
    tensor(2.)
    """
    x = floating(x, "nll_loss")
    check_target(x, target, reduction)
    if x.array.ndim == 1:
        return nll_loss(unsqueeze(x, 0), unsqueeze(target, 0), "sum" if reduction == "none" else reduction)
    rows = numpy.arange(x.array.shape[0])
    losses = neg(fresh(x.array[rows, target.array], x.dtype))
    scale: Any = 1.0
    if reduction == "mean":
        losses, scale = mean(losses), 1.0 / max(len(rows), 1)
    elif reduction == "sum":
        losses = sum(losses)
    return record(losses, NLL_LOSS, (x, target), (scale, rows))


def check_target(x: Tensor, target: Any, reduction: str) -> None:
    """Refuse classes and options that do not fit the rows of `x`."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction; choose {', '.join(REDUCTIONS)}")
    if not isinstance(target, Tensor) or target.dtype is not dtypes.int64:
        kind = target.dtype.name if isinstance(target, Tensor) else type(target).__name__
        raise RuntimeError(f"nll_loss: the target is {kind}; it holds class numbers, so make it an int64 tensor")
    shape = x.array.shape
    if len(shape) not in (1, 2):
        raise ValueError(f"nll_loss: x is {shape}; it must be (N, C) or (C,), classes on the last axis")
    if target.array.ndim != len(shape) - 1:
        raise ValueError(f"nll_loss: x is {shape} but the target is {target.array.shape}; it must be {shape[:-1]}")
    if target.array.shape != shape[:-1]:
        raise ValueError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size ({target.array.shape[0]})."
        )
    wrong = target.array[(target.array < 0) | (target.array >= shape[-1])]
    if wrong.size:
        raise IndexError(f"Target {wrong.flat[0]} is out of bounds: x has {shape[-1]} classes, from 0.")


def cross_entropy(x: Any, target: Any, reduction: str = "mean") -> Tensor:
    """The cross entropy of scores and the right classes: ``log(sum of exp(x)) - x[target]`` per row.

    Parameters
    ----------
    x : Tensor of shape (N, C) or (C,)
        Scores (logits), any numbers; the softmax is taken here.
    target : Tensor of int64, shape (N,) or ()
        The right class of each row.
    reduction : {"mean", "sum", "none"}
        Average over the rows, add them up, or leave one loss a row.

    Raises
    ------
    IndexError, ValueError, RuntimeError
        As `nll_loss`.

    Notes
    -----
    Recorded as `log_softmax` followed by `nll_loss`; the gradient is ``softmax(x) - onehot(target)``, over N for the
    mean.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([[0.0, 0.0]], requires_grad=True)
    >>> loss = kael.nn.functional.cross_entropy(x, kael.tensor([1]))
    >>> loss.backward()
    >>> loss, x.grad
    (tensor(0.6931, grad_fn=<NllLossBackward>), tensor([[ 0.5000, -0.5000]]))
    """
    x = floating(x, "cross_entropy")
    check_target(x, target, reduction)
    return nll_loss(log_softmax(x, -1), target, reduction)


FUNCTIONS = (
    log_softmax,
    logsumexp,
    softmax,
)
METHODS = FUNCTIONS
