"""Losses: each one node with a fused gradient where one kernel can do it, else a composition of operations.

PyTorch has them in ``torch.nn.functional`` alone, and so has kael: `kael.nn.functional`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import Op
from kael.autograd.recording import record, requires_grad
from kael.kernels import table
from kael.ops.activation import floating, logsigmoid
from kael.ops.dispatch import as_tensor, cast, common_shape, compute_of, promoted, rounded, sum_to
from kael.ops.elementary import exp, log, xlogy
from kael.ops.elementwise import abs, add, div, mul, neg, sub, where
from kael.ops.normalization import log_softmax
from kael.ops.reduction import mean, sum
from kael.ops.shape import expand
from kael.tensors import Tensor, fresh

REDUCTIONS = ("none", "sum", "mean")


def check_reduction(reduction: str, size_average: Any = None, reduce: Any = None, *more: str) -> str:
    """The reduction asked for, also by the two arguments that PyTorch had for it once.

    Raises
    ------
    ValueError
        For one that there is not.
    """
    if size_average is not None or reduce is not None:
        average = size_average is None or size_average
        reduction = "none" if reduce is not None and not reduce else "mean" if average else "sum"
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            stacklevel=3,
        )
    if reduction not in REDUCTIONS + more:
        raise ValueError(f"{reduction} is not a valid value for reduction; choose {', '.join(REDUCTIONS + more)}")
    return reduction


def reduced(losses: Tensor, reduction: str) -> Tensor:
    """The losses added up, averaged, or as they are."""
    if reduction == "none":
        return losses
    return mean(losses) if reduction == "mean" else sum(losses)


# Losses of two operands, element by element


def pointwise(
    op: Op, kernel: Callable[..., None], x: Tensor, y: Tensor, reduction: str, *numbers: float, factor: float = 1.0
) -> Tensor:
    """A loss of two operands of one dtype: a kernel, then the reduction, as one node.

    The node's attributes are what the gradient's kernel takes beside arrays; its last one is the scale.
    """
    losses = compute_of(kernel, x.dtype, x.array, y.array)
    scale = factor / max(losses.array.size, 1) if reduction == "mean" else factor
    return record(reduced(losses, reduction), op, (x, y), (*numbers, scale))


VJPS = {
    "mse_loss": "squared_error_vjp",
    "l1_loss": "absolute_error_vjp",
    "smooth_l1_loss": "smooth_l1_vjp",
    "huber_loss": "smooth_l1_vjp",
    "binary_cross_entropy": "binary_cross_entropy_vjp",
    "binary_cross_entropy_with_logits": "binary_cross_entropy_with_logits_vjp",
}


def pointwise_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    """One kernel over `g` and both operands; of a difference the second gets the negative."""
    kernel = getattr(table, VJPS[node.op.name])
    *numbers, scale = node.attributes
    if position == 1:
        scale = -scale
    x, y = node.saved[0].get(), node.saved[1].get()
    gradient = compute_of(
        lambda up, a, b, out: kernel(up, a, b, *numbers, scale, out), g.dtype, g.array, x.array, y.array
    )
    return sum_to(gradient, node.inputs[position].shape)


def binary_cross_entropy_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    if position == 0:
        return pointwise_vjp(node, g, 0)
    x = node.saved[0].get()
    return mul(mul(g, node.attributes[-1]), sub(log(sub(1, x)), log(x)))


def binary_cross_entropy_with_logits_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    if position == 0:
        return pointwise_vjp(node, g, 0)
    return mul(mul(g, -node.attributes[-1]), node.saved[0].get())


def kl_div_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    log_target, scale = node.attributes
    shape = common_shape(node.inputs[0].shape, node.inputs[1].shape)
    y, up = expand(node.saved[1].get(), shape), mul(g, scale)
    weight = exp(y) if log_target else y
    if position == 0:
        return sum_to(mul(up, neg(weight)), node.inputs[0].shape)
    x = node.saved[0].get()
    slope = mul(weight, add(sub(y, x), 1)) if log_target else sub(add(log(y), 1), x)
    return sum_to(mul(up, slope), node.inputs[1].shape)


BOTH = ((0, 1), (0, 1))
FLOATING = "floating point only"

MSE_LOSS = Op("mse_loss", "(x - y)**2, averaged or summed", pointwise_vjp, "2*g*(x - y) to x, the negative to y", BOTH)
L1_LOSS = Op("l1_loss", "|x - y|, averaged or summed", pointwise_vjp, "g*sign(x - y) to x, the negative to y", BOTH,
             kinks="0 where x = y")  # fmt: skip
SMOOTH_L1_LOSS = Op(
    "smooth_l1_loss", "d**2/(2*beta) where d = |x - y| < beta, else d - beta/2; averaged or summed", pointwise_vjp,
    "g*(x - y)/beta, held between -g and g, to x, the negative to y", BOTH,
)  # fmt: skip
HUBER_LOSS = Op(
    "huber_loss", "d**2/2 where d = |x - y| < delta, else delta*(d - delta/2); averaged or summed", pointwise_vjp,
    "g*(x - y), held between -g*delta and g*delta, to x, the negative to y", BOTH,
)  # fmt: skip
BINARY_CROSS_ENTROPY = Op(
    "binary_cross_entropy", "-y*log(x) - (1 - y)*log(1 - x), logarithms at least -100; averaged or summed",
    binary_cross_entropy_vjp, "g*(x - y)/(x*(1 - x)) to x, g*(log(1 - x) - log(x)) to y", ((0, 1), (0,)),
    kinks="the divisor is at least 1e-12", dtypes=FLOATING,
)  # fmt: skip
BINARY_CROSS_ENTROPY_WITH_LOGITS = Op(
    "binary_cross_entropy_with_logits", "x*([x > 0] - y) + log(1 + e**-|x|), averaged or summed",
    binary_cross_entropy_with_logits_vjp, "g*(sigmoid(x) - y) to x, -g*x to y", ((0, 1), (0,)), dtypes=FLOATING,
)  # fmt: skip
KL_DIV = Op(
    "kl_div", "y*(log(y) - x), or e**y*(y - x); averaged or summed", kl_div_vjp,
    "-g*y to x, g*(log(y) + 1 - x) to y", ((1,), (0, 1)), kinks="the value is 0 at y = 0", dtypes=FLOATING,
)  # fmt: skip


def weighted(losses: Tensor, weight: Any, shape: tuple[int, ...], reduction: str, over_weights: bool = True) -> Tensor:
    """Losses times weights of the input's shape, reduced; the mean is over the sum of the weights."""
    weight = as_tensor(weight, "loss")
    if weight.array.shape != shape:
        raise ValueError("Weights and input must have the same size.")
    losses = mul(losses, weight)
    if reduction == "mean" and over_weights:
        return div(sum(losses), sum(weight))
    return reduced(losses, reduction)


def pair(operation: str, x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """A prediction and its target in their common dtype, with a warning where their shapes differ.

    (N, 1) and (N,) make N*N differences, which nobody means.
    """
    x, y = as_tensor(x, operation), as_tensor(y, operation)
    if x.array.shape != y.array.shape:
        warnings.warn(
            f"Using a target size ({y.array.shape}) that is different to the input size ({x.array.shape}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=3,
        )
    return promoted(operation, x, y)


def mse_loss(
    x: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", weight: Any = None
) -> Tensor:
    """The squared error ``(x - target)**2``, averaged.

    Parameters
    ----------
    x, target : Tensor
        Predictions and what they should be, of one shape: they broadcast, with a warning.
    size_average, reduce : bool, optional
        PyTorch's former names of the reduction.
    reduction : {"mean", "sum", "none"}
        Average over all elements, add them up, or leave them.
    weight : Tensor, optional
        Of the shape of `x`, a factor for each element; the mean is then over the sum of the weights.

    Raises
    ------
    ValueError
        For another reduction, or weights of another shape.
    NotImplementedError
        For two integer operands.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([1.0, 2.0], requires_grad=True)
    >>> kael.nn.functional.mse_loss(x, kael.tensor([0.0, 4.0])).backward()
    >>> x.grad
    tensor([ 1., -2.])
    """
    reduction = check_reduction(reduction, size_average, reduce)
    x, y = pair("mse_loss", x, target)
    floating(x, "mse_loss")
    if weight is not None:
        return weighted(pointwise(MSE_LOSS, table.squared_error, x, y, "none"), weight, x.array.shape, reduction)
    return pointwise(MSE_LOSS, table.squared_error, x, y, reduction)


def l1_loss(
    x: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", weight: Any = None
) -> Tensor:
    """The absolute error ``|x - target|``, averaged; parameters as of `mse_loss`."""
    reduction = check_reduction(reduction, size_average, reduce)
    x, y = pair("l1_loss", x, target)
    if not x.dtype.is_floating_point:
        return reduced(abs(sub(x, y)), reduction)
    if weight is not None:
        return weighted(pointwise(L1_LOSS, table.absolute_error, x, y, "none"), weight, x.array.shape, reduction)
    return pointwise(L1_LOSS, table.absolute_error, x, y, reduction)


def smooth_l1_loss(
    x: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """``d**2/(2*beta)`` where ``d = |x - target| < beta``, else ``d - beta/2``, averaged.

    Parameters
    ----------
    x, target, size_average, reduce, reduction
        As of `mse_loss`.
    beta : float
        Where the parabola goes over into straight lines; 0 makes it `l1_loss`.

    Raises
    ------
    RuntimeError
        For a negative beta.

    Notes
    -----
    Girshick, Fast R-CNN, 2015. `huber_loss` is this times its delta.
    """
    reduction = check_reduction(reduction, size_average, reduce)
    if beta == 0:
        return l1_loss(x, target, reduction=reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    x, y = pair("smooth_l1_loss", x, target)
    floating(x, "smooth_l1_loss")
    bend = float(beta)
    return pointwise(SMOOTH_L1_LOSS, lambda a, b, out: table.smooth_l1(a, b, bend, 1.0, out), x, y, reduction, bend)


def huber_loss(x: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None) -> Tensor:
    """``d**2/2`` where ``d = |x - target| < delta``, else ``delta*(d - delta/2)``, averaged.

    Parameters
    ----------
    x, target, reduction
        As of `mse_loss`.
    delta : float
        Where the parabola goes over into straight lines.
    weight : Tensor, optional
        Of the shape of `x`, a factor for each element; the mean is over their number all the same, as in PyTorch.

    Raises
    ------
    RuntimeError
        When delta is not positive.

    Notes
    -----
    Huber, Robust Estimation of a Location Parameter, 1964.
    """
    reduction = check_reduction(reduction)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    x, y = pair("huber_loss", x, target)
    floating(x, "huber_loss")
    bend = float(delta)
    kept = reduction if weight is None else "none"
    losses = pointwise(
        HUBER_LOSS, lambda a, b, out: table.smooth_l1(a, b, bend, bend, out), x, y, kept, bend, factor=bend
    )
    return losses if weight is None else weighted(losses, weight, x.array.shape, reduction, over_weights=False)


def binary_cross_entropy(
    x: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """The cross entropy of probabilities x: ``-target*log(x) - (1 - target)*log(1 - x)``, averaged.

    Parameters
    ----------
    x : Tensor
        Floating point, from 0 to 1.
    target : Tensor
        Of the shape and dtype of `x`, from 0 to 1.
    weight : Tensor, optional
        A factor for each element; it broadcasts.
    size_average, reduce, reduction
        As of `mse_loss`; the mean is over the number of elements also with weights.

    Raises
    ------
    ValueError
        When the shapes differ.
    RuntimeError
        When the dtypes differ, or an element is not between 0 and 1.

    Notes
    -----
    A logarithm counts as -100 at least, so that a probability of 0 costs 100 and not infinity; the gradient is finite
    too. Where x comes from a sigmoid, `binary_cross_entropy_with_logits` is exact.
    """
    reduction = check_reduction(reduction, size_average, reduce)
    x, y = floating(x, "binary_cross_entropy"), as_tensor(target, "binary_cross_entropy")
    if y.array.shape != x.array.shape:
        raise ValueError(
            f"Using a target size ({y.array.shape}) that is different to the input size ({x.array.shape}) is "
            "deprecated. Please ensure they have the same size."
        )
    if y.dtype is not x.dtype:
        raise RuntimeError(f"Found dtype {y.dtype.name} but expected {x.dtype.name}")
    for name, operand in (("input", x), ("target", y)):
        if not ((operand.array >= 0) & (operand.array <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    kept = reduction if weight is None else "none"
    losses = pointwise(BINARY_CROSS_ENTROPY, table.binary_cross_entropy, x, y, kept)
    if weight is None:
        return losses
    weighted = mul(losses, weight)
    if weighted.array.shape != losses.array.shape:
        raise RuntimeError(
            f"binary_cross_entropy: the weight is {weight.array.shape} but the losses are {losses.array.shape}; a "
            "weight broadcasts to the losses, not they to it"
        )
    return reduced(weighted, reduction)


def binary_cross_entropy_with_logits(
    x: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
    pos_weight: Any = None,
) -> Tensor:  # fmt: skip
    """The cross entropy of ``sigmoid(x)``, exact for any x: ``max(x, 0) - x*target + log(1 + e**-|x|)``, averaged.

    Parameters
    ----------
    x : Tensor
        Scores (logits), any numbers.
    target : Tensor
        Of the shape of `x`, floating point, from 0 to 1.
    weight : Tensor, optional
        A factor for each element; it broadcasts.
    size_average, reduce, reduction
        As of `mse_loss`; the mean is over the number of elements also with weights.
    pos_weight : Tensor, optional
        A factor for the part ``-target*log(sigmoid(x))``; it broadcasts.

    Raises
    ------
    ValueError
        When the shapes differ.
    RuntimeError
        For an integer target.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([1000.0, -1000.0], requires_grad=True)
    >>> loss = kael.nn.functional.binary_cross_entropy_with_logits(x, kael.tensor([0.0, 1.0]), reduction="sum")
    >>> loss.backward()
    >>> loss.item(), x.grad
    (2000.0, tensor([ 1., -1.]))
    """
    reduction = check_reduction(reduction, size_average, reduce)
    operation = "binary_cross_entropy_with_logits"
    x, y = floating(x, operation), as_tensor(target, operation)
    if y.array.shape != x.array.shape:
        raise ValueError(f"Target size ({y.array.shape}) must be the same as input size ({x.array.shape})")
    if not y.dtype.is_floating_point:
        raise RuntimeError(f"result type {x.dtype.name} can't be cast to the desired output type {y.dtype.name}")
    x, y = promoted(operation, x, y)
    if pos_weight is not None:
        share = add(mul(sub(pos_weight, 1), y), 1)
        losses = sub(mul(sub(1, y), x), mul(share, logsigmoid(x)))
    else:
        kept = reduction if weight is None else "none"
        losses = pointwise(BINARY_CROSS_ENTROPY_WITH_LOGITS, table.binary_cross_entropy_with_logits, x, y, kept)
        if weight is None:
            return losses
    return reduced(losses if weight is None else mul(losses, weight), reduction)


def kl_div(
    x: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """The divergence of Kullback and Leibler from log-probabilities x to a target: ``target*(log(target) - x)``.

    Parameters
    ----------
    x : Tensor
        Logarithms of probabilities.
    target : Tensor
        Probabilities, or with `log_target` their logarithms; it broadcasts.
    size_average, reduce : bool, optional
        As of `mse_loss`.
    reduction : {"mean", "batchmean", "sum", "none"}
        ``"batchmean"`` adds up and divides by the size of the first axis: the divergence as it is defined, averaged
        over a batch. ``"mean"`` also divides by the number of classes, and warns of that.
    log_target : bool
        Whether `target` holds logarithms.

    Raises
    ------
    RuntimeError
        For integers and bool.
    """
    given = size_average is not None or reduce is not None
    reduction = check_reduction(reduction, size_average, reduce, "batchmean")
    if reduction == "mean" and not given:
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. 'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.",
            stacklevel=2,
        )
    x, y = as_tensor(x, "kl_div"), as_tensor(target, "kl_div")
    if not (x.dtype.is_floating_point and y.dtype.is_floating_point):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    x, y = promoted("kl_div", x, y)
    a, b = x.detach(), y.detach()
    losses = mul(exp(b), sub(b, a)) if log_target else sub(xlogy(b, b), mul(b, a))
    scale = 1.0
    if reduction == "mean":
        scale = 1.0 / max(losses.array.size, 1)
        losses = mean(losses)
    elif reduction != "none":
        losses = sum(losses)
        if reduction == "batchmean" and x.array.ndim:
            scale = 1.0 / max(x.array.shape[0], 1)
            losses = div(losses, x.array.shape[0])
    return record(losses, KL_DIV, (x, y), (log_target, scale))


# Losses of rows of scores


def nll_loss_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    rows, reduction = node.attributes
    result = filled(node.inputs[0].shape, g.dtype, 0.0)
    if result.array.size:
        rows.put(result.array, neg(rows.gradient(g, reduction)).array)
    return result


def cross_entropy_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    rows, reduction, level = node.attributes
    inside = g.dtype.wide or g.dtype
    x = node.saved[0].get().array.astype(inside.numpy, copy=False)
    out = table.empty(x.shape, inside.numpy)
    up = cast(rows.gradient(g, reduction), inside).array
    table.cross_entropy_vjp(up, rows.last(x), rows.chosen, level, rows.last(out))
    return fresh(rounded(out, inside, g.dtype), g.dtype)


NLL_LOSS = Op(
    "nll_loss", "-weight * x at the target of each row, averaged or summed", nll_loss_vjp,
    "-weight * g at the target of each row, over the sum of the weights", dtypes=FLOATING, numpy=True,
    kinks="0 in ignored rows",
)  # fmt: skip
CROSS_ENTROPY = Op(
    "cross_entropy", "weight * (log(sum of e**x) - x at the target) of each row, averaged or summed",
    cross_entropy_vjp, "weight * g * (softmax(x) - onehot(target)), over the sum of the weights", ((0,),),
    dtypes=FLOATING, kinks="0 in ignored rows",
)  # fmt: skip


class Rows:
    """The right class of each row, checked against the scores.

    Attributes
    ----------
    axis : int
        The axis of classes.
    chosen : ndarray of int64
        The right class of each row, -1 for rows that do not count.
    weights : Tensor or None
        What each row's loss is multiplied by; 0 where it does not count. None where every row counts once.
    """

    __slots__ = ("axis", "chosen", "weights")

    def __init__(self, x: Tensor, target: Any, weight: Any, ignore_index: int) -> None:
        shape = x.array.shape
        if not shape:
            raise ValueError("Expected 1 or more dimensions (got 0)")
        if not isinstance(target, Tensor) or target.dtype not in (dtypes.int64, dtypes.uint8):
            kind = target.dtype.name if isinstance(target, Tensor) else type(target).__name__
            raise RuntimeError(
                f"expected target dtype to be int64 or uint8, but got {kind}: it holds the numbers of classes"
            )
        self.axis = 0 if len(shape) == 1 else 1
        rows, aim = shape[: self.axis] + shape[self.axis + 1 :], target.array
        if len(shape) > 1 and (not aim.ndim or aim.shape[0] != shape[0]):
            size = aim.shape[0] if aim.ndim else 0
            raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({size}).")
        if len(shape) < 3 and aim.ndim > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if aim.shape != rows:
            if len(shape) > 1 or aim.size != 1:
                raise RuntimeError(f"Expected target size {rows}, got {aim.shape}")
            aim = aim.reshape(())
        self.chosen = aim.astype(numpy.int64)
        self.weights: Tensor | None = None
        if weight is not None or ignore_index >= 0 or (self.chosen.size and self.chosen.min() < 0):
            self.weigh(x, weight, ignore_index)
        elif self.chosen.size and self.chosen.max() >= shape[self.axis]:
            self.refuse(self.chosen.max(), x)

    def weigh(self, x: Tensor, weight: Any, ignore_index: int) -> None:
        """Mark the rows that do not count, and give the others the weight of their class."""
        counts = self.chosen != ignore_index
        for wrong in self.chosen[counts & ((self.chosen < 0) | (self.chosen >= x.array.shape[self.axis]))].flat:
            self.refuse(wrong, x)
        self.chosen = numpy.asarray(numpy.where(counts, self.chosen, -1))
        weights = counts if weight is None else class_weights(x, weight, self.axis).array[self.chosen] * counts
        self.weights = fresh(numpy.asarray(weights, x.dtype.numpy), x.dtype)

    def refuse(self, wrong: int, x: Tensor) -> None:
        """Raise for a class that does not exist."""
        raise IndexError(f"Target {wrong} is out of bounds: x has {x.array.shape[self.axis]} classes, from 0.")

    def reduced(self, losses: Tensor, reduction: str) -> Tensor:
        """The losses times their weights; the mean is over the sum of the weights."""
        if self.weights is None:
            return reduced(losses, reduction)
        losses = mul(losses, self.weights)
        return div(sum(losses), sum(self.weights)) if reduction == "mean" else reduced(losses, reduction)

    def gradient(self, g: Tensor, reduction: str) -> Tensor:
        """The gradient of each row's loss; 0 for a row that does not count, also where none does."""
        if self.weights is None:
            if reduction == "none":
                return g
            count = self.chosen.size if reduction == "mean" else 1
            return filled(self.chosen.shape, g.dtype, g.array.item() / max(count, 1))
        share = div(self.weights, sum(self.weights)) if reduction == "mean" else self.weights
        ups = mul(g, share)
        return fresh(numpy.asarray(numpy.where(self.chosen < 0, 0, ups.array), ups.array.dtype), ups.dtype)

    def last(self, x: Any) -> Any:
        """A view of scores with the classes on the last axis."""
        return x if self.axis == x.ndim - 1 else numpy.moveaxis(x, self.axis, -1)

    def place(self) -> tuple[Any, ...]:
        """Where the right classes stand in an array with the classes on the last axis."""
        shape = self.chosen.shape
        rows = (numpy.arange(shape[0]),) if len(shape) == 1 else numpy.indices(shape, sparse=True)
        return (*rows, numpy.maximum(self.chosen, 0))

    def take(self, x: Any) -> Any:
        """The scores of the right classes, 0 for rows that do not count."""
        if not x.size:
            return numpy.zeros(self.chosen.shape, x.dtype)
        found = self.last(x)[self.place()]
        return numpy.asarray(found if self.weights is None else numpy.where(self.chosen < 0, 0, found), x.dtype)

    def put(self, x: Any, values: Any) -> None:
        """Write a value for each row at its right class."""
        self.last(x)[self.place()] = values


def class_weights(x: Tensor, weight: Any, axis: int) -> Tensor:
    """One weight per class, of the dtype of the scores.

    Raises
    ------
    RuntimeError
        For another number or dtype, and for weights that require grad.
    """
    weights = as_tensor(weight, "cross_entropy")
    if requires_grad(weights):
        raise RuntimeError(
            "cross_entropy is not differentiable with respect to argument 'weight'. This input cannot have "
            "requires_grad True."
        )
    classes = x.array.shape[axis]
    if weights.array.shape != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {weights.array.shape}"
        )
    if weights.dtype is not x.dtype:
        raise RuntimeError(f"expected scalar type {x.dtype.name} but found {weights.dtype.name}")
    return weights


def nll_loss(
    x: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log-likelihood of the right classes: ``-weight[target[k]] * x[k, target[k]]``, averaged.

    Parameters
    ----------
    x : Tensor of shape (C,), (N, C) or (N, C, d1, ...)
        Log-probabilities of C classes.
    target : Tensor of int64 or uint8, shape (), (N,) or (N, d1, ...)
        The right class of each row, from 0 to before C.
    weight : Tensor of shape (C,), optional
        A factor for each class.
    size_average, reduce : bool, optional
        PyTorch's former names of the reduction.
    ignore_index : int
        A target of rows that do not count: their loss and gradient are 0.
    reduction : {"mean", "sum", "none"}
        Average over the rows that count, or over the sum of their weights; add up; or leave one loss a row.

    Raises
    ------
    IndexError
        For a class that does not exist.
    ValueError
        When the counts of rows differ, or for another reduction.
    RuntimeError
        When the target holds no classes, or the weights are not one per class.
    NotImplementedError
        For integer x.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.nll_loss(kael.tensor([[-0.5, -2.0]]), kael.tensor([1]))
    tensor(2.)
    """
    reduction = check_reduction(reduction, size_average, reduce)
    x = floating(x, "nll_loss")
    rows = Rows(x, target, weight, ignore_index)
    losses = neg(fresh(rows.take(x.array), x.dtype))
    return record(rows.reduced(losses, reduction), NLL_LOSS, (x,), (rows, reduction))


def cross_entropy(
    x: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
    reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """The cross entropy of scores and the right classes: ``log(sum of exp(x)) - x[target]`` per row, averaged.

    Parameters
    ----------
    x : Tensor of shape (C,), (N, C) or (N, C, d1, ...)
        Scores (logits), any numbers; the softmax is taken here.
    target : Tensor
        The right class of each row, of shape (), (N,) or (N, d1, ...), int64 or uint8; or of the shape of `x` and
        floating point, the probability of each class.
    weight : Tensor of shape (C,), optional
        A factor for each class.
    size_average, reduce : bool, optional
        PyTorch's former names of the reduction.
    ignore_index : int
        A target of rows that do not count: their loss and gradient are 0.
    reduction : {"mean", "sum", "none"}
        Average over the rows that count, or over the sum of their weights; add up; or leave one loss a row.
    label_smoothing : float
        From 0 to 1: the share of the target that is spread over all classes alike.

    Raises
    ------
    IndexError, ValueError, RuntimeError, NotImplementedError
        As `nll_loss`; RuntimeError also for a label_smoothing outside 0 to 1, and for an ignore_index beside
        probabilities.

    Notes
    -----
    With classes for the target and without smoothing it is one node, whose gradient
    ``softmax(x) - onehot(target)`` is computed in one pass; else `log_softmax` and what follows are recorded.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([[0.0, 0.0]], requires_grad=True)
    >>> loss = kael.nn.functional.cross_entropy(x, kael.tensor([1]))
    >>> loss.backward()
    >>> loss, x.grad
    (tensor(0.6931, grad_fn=<CrossEntropyBackward>), tensor([[ 0.5000, -0.5000]]))
    """
    reduction = check_reduction(reduction, size_average, reduce)
    x = floating(x, "cross_entropy")
    smoothing = float(label_smoothing)
    if not 0.0 <= smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if isinstance(target, Tensor) and target.array.shape == x.array.shape:
        return probable(x, target, weight, ignore_index, reduction, smoothing)
    rows = Rows(x, target, weight, ignore_index)
    if smoothing:
        return smoothed(x, rows, weight, reduction, smoothing)
    inside = x.dtype.wide or x.dtype
    scores = rows.last(x.array.astype(inside.numpy, copy=False))
    level = table.empty((*rows.chosen.shape, 2), inside.numpy)
    losses = table.empty(rows.chosen.shape, inside.numpy)
    table.cross_entropy(scores, rows.chosen, level, losses)
    result = rows.reduced(fresh(rounded(losses, inside, x.dtype), x.dtype), reduction)
    return record(result, CROSS_ENTROPY, (x,), (rows, reduction, level))


def spread(weight: Tensor, x: Tensor, axis: int) -> Tensor:
    """Class weights in a shape that broadcasts to the scores."""
    return fresh(weight.array.reshape(-1, *[1] * (x.array.ndim - 1 - axis)), weight.dtype)


def smoothed(x: Tensor, rows: Rows, weight: Any, reduction: str, smoothing: float) -> Tensor:
    """`cross_entropy` where a share of the target is spread over all classes."""
    axis, classes = rows.axis, x.array.shape[rows.axis]
    logarithms = log_softmax(x, axis)
    given = logarithms if weight is None else mul(logarithms, spread(class_weights(x, weight, axis), x, axis))
    everywhere = neg(sum(given, axis))
    if rows.weights is not None:
        everywhere = where(fresh(rows.chosen >= 0, dtypes.bool), everywhere, 0.0)
    if reduction == "mean" and rows.weights is not None:
        everywhere = div(sum(everywhere), sum(rows.weights))
    else:
        everywhere = reduced(everywhere, reduction)
    places = fresh(rows.chosen, dtypes.int64)
    right = nll_loss(logarithms, places, weight, ignore_index=-1, reduction=reduction)
    return add(mul(right, 1 - smoothing), mul(everywhere, smoothing / classes))


def probable(x: Tensor, target: Tensor, weight: Any, ignore_index: int, reduction: str, smoothing: float) -> Tensor:
    """`cross_entropy` where the target has a probability for each class."""
    if not target.dtype.is_floating_point:
        raise RuntimeError(f"Expected floating point type for target with class probabilities, got {target.dtype.name}")
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if not x.array.ndim:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    axis = 0 if x.array.ndim == 1 else 1
    classes = x.array.shape[axis]
    if smoothing:
        target = add(mul(target, 1 - smoothing), smoothing / classes)
    products = mul(log_softmax(x, axis), target)
    if weight is not None:
        products = mul(products, spread(class_weights(x, weight, axis), x, axis))
    losses = neg(sum(products, axis))
    if reduction == "none":
        return losses
    return div(sum(losses), x.array.size / max(classes, 1)) if reduction == "mean" else sum(losses)
