"""Normalization by mean and variance: of a layer, of groups of channels, of a batch, or by the root mean square.

One kernel does all four; what they share and where they differ is which elements make a row.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy

from kael.autograd.grad_mode import no_grad
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.dispatch import compute, rounded, scalar
from kael.ops.inplace import add_, mul_
from kael.tensors import Tensor, fresh

Shape = tuple[int, ...]


def standardize_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    shape, weight_shape, mean, var, eps, centred, measured = node.attributes
    dtype = g.dtype
    inside = dtype.wide or dtype
    gradient = g.array.reshape(shape).astype(inside.numpy, copy=False)
    if position == 2:
        return total(gradient, weight_shape, node, position)
    x = node.saved[0].get().array.reshape(shape).astype(inside.numpy, copy=False)
    out = table.empty(shape, inside.numpy)
    if position == 1:
        table.standardize_weight_vjp(gradient, x, eps, mean, var, out)
        return total(out, weight_shape, node, position)
    weight = seen(node.saved[1].get().array, weight_shape).astype(inside.numpy, copy=False)
    if measured:
        table.standardize_vjp(gradient, x, weight, eps, centred, mean, var, out)
    else:
        zero = scalar(0.0, inside).array
        table.standardize_given(gradient, weight, zero, eps, numpy.zeros_like(mean), var, out)
    return fresh(rounded(out.reshape(node.inputs[0].shape), inside, dtype), dtype)


def total(parts: Any, weight_shape: Shape, node: Any, position: int) -> Tensor:
    """The gradient of weight or bias: what each element adds to it, summed, and rounded once."""
    link = node.inputs[position]
    inside = link.dtype.wide or link.dtype
    result = compute(table.sum, weight_shape, inside, inside, parts)
    return fresh(rounded(result.array.reshape(link.shape), inside, link.dtype), link.dtype)


NEEDS = ((0, 1), (0,), ())

LAYER_NORM = Op(
    "layer_norm", "(x - mean)/sqrt(var + eps)*w + b over the last axes", standardize_vjp,
    "with h = g*w and y the normalized x: (h - mean of h - y*mean of h*y)/sqrt(var + eps) to x, g*y summed to w, g "
    "summed to b", NEEDS, dtypes="floating point only",
)  # fmt: skip
RMS_NORM = Op(
    "rms_norm", "x/sqrt(mean of x**2 + eps)*w over the last axes", standardize_vjp,
    "with h = g*w and y the normalized x: (h - y*mean of h*y)/sqrt(mean of x**2 + eps) to x, g*y summed to w", NEEDS,
    dtypes="floating point only",
)  # fmt: skip
GROUP_NORM = Op(
    "group_norm", "layer_norm of each group of channels, with a weight and a bias per channel", standardize_vjp,
    "as layer_norm's, with a group as the row", NEEDS, dtypes="floating point only",
)  # fmt: skip
BATCH_NORM = Op(
    "batch_norm", "(x - mean)/sqrt(var + eps)*w + b per channel, of the batch or of running statistics",
    standardize_vjp, "of the batch: as layer_norm's, with a channel as the row; else g*w/sqrt(var + eps) to x", NEEDS,
    dtypes="floating point only",
)  # fmt: skip


def standardized(
    op: Op, x: Tensor, weight: Any, bias: Any, shape: Shape, weight_shape: Shape, row: Shape, eps: float,
    centred: bool = True, given: tuple[Any, Any] | None = None,
) -> tuple[Tensor, Any, Any]:  # fmt: skip
    """The normalized tensor, recorded, and the statistics of its rows.

    Parameters
    ----------
    op : Op
        What is recorded.
    x, weight, bias : Tensor, or None for a weight of 1 and a bias of 0
        The operands.
    shape : tuple of int
        As what `x` is seen.
    weight_shape : tuple of int
        As what weight and bias are seen, so that they broadcast to `shape`.
    row : tuple of int
        The shape of the statistics: `shape` with 1 along the axes of a row.
    eps : float
        Added to the variance.
    centred : bool
        Whether the mean is subtracted.
    given : pair of arrays, optional
        A mean and a variance to use instead of measuring them.
    """
    dtype = x.dtype
    inside = dtype.wide or dtype
    operands = []
    for operand, absent in ((weight, 1.0), (bias, 0.0)):
        tensor = scalar(absent, dtype) if operand is None else operand
        if tensor.dtype is not dtype:
            raise RuntimeError(
                f"mixed dtype (CPU): expect parameter to have scalar type of {dtype.name}: {op.name} got "
                f"{tensor.dtype.name}"
            )
        operands.append(tensor)
    arrays = [x.array.reshape(shape).astype(inside.numpy, copy=False)]
    for tensor in operands:
        arrays.append(seen(tensor.array, weight_shape).astype(inside.numpy, copy=False))
    out = table.empty(shape, inside.numpy)
    if given is None:
        mean, var = table.empty(row, inside.numpy), table.empty(row, inside.numpy)
        table.standardize(*arrays, eps, centred, mean, var, out)
    else:
        mean, var = [statistic.reshape(row).astype(inside.numpy) for statistic in given]
        table.standardize_given(*arrays, eps, mean, var, out)
    result = fresh(rounded(out.reshape(x.array.shape), inside, dtype), dtype)
    record(result, op, (x, *operands), (shape, weight_shape, mean, var, eps, centred, given is None))
    return result, mean, var


def seen(array: Any, weight_shape: Shape) -> Any:
    """A weight or bias with the axes by which it broadcasts; the number that stands for an absent one as it is."""
    return array.reshape(weight_shape) if array.ndim else array


def checked(op: str, x: Any) -> Tensor:
    """The operand, refused unless it is a tensor of floating point."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{op}: x is {type(x).__name__}; it must be a tensor")
    if not x.dtype.is_floating_point:
        raise NotImplementedError(f'"{op}" not implemented for {x.dtype.name}; cast x to a floating point dtype first')
    tensor: Tensor = x
    return tensor


def last_axes(op: str, x: Tensor, normalized_shape: Any, **parameters: Any) -> Shape:
    """The axes that are normalized together, as sizes; refused where `x` or a parameter has others."""
    if not isinstance(normalized_shape, (tuple, list)):
        raise TypeError(
            f"{op}(): argument 'normalized_shape' (position 2) must be tuple of ints, not "
            f"{type(normalized_shape).__name__}"
        )
    sizes = tuple(normalized_shape)
    if not sizes:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            f"normalized_shape = {list(sizes)}"
        )
    for name, tensor in parameters.items():
        if tensor is not None and tensor.array.shape != sizes:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{tensor.array.shape} and normalized_shape = {sizes}"
            )
    shape = x.array.shape
    if shape[max(len(shape) - len(sizes), 0) :] != sizes:
        wanted = ", ".join(["*", *map(str, sizes)])
        raise RuntimeError(
            f"Given normalized_shape={sizes}, expected input with shape [{wanted}], but got input of size{shape}"
        )
    return sizes


def layer_norm(x: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """``y = (x - mean) / sqrt(var + eps) * weight + bias``, over the last axes of each element before them.

    Parameters
    ----------
    x : Tensor of shape (*, *normalized_shape)
        Floating point.
    normalized_shape : tuple of int
        The sizes of the last axes, which are normalized together.
    weight, bias : Tensor of shape normalized_shape, optional
        Scale and shift of each element of a row.
    eps : float
        Added to the variance, which is divided by the number of elements.

    Raises
    ------
    RuntimeError
        When shapes or dtypes do not fit.
    NotImplementedError
        For integers and bool.

    Notes
    -----
    Ba, Kiros and Hinton, Layer Normalization, 2016.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.layer_norm(kael.tensor([[1.0, 3.0], [5.0, 5.0]]), (2,))
    tensor([[-1.0000,  1.0000],
            [ 0.0000,  0.0000]])
    """
    x = checked("layer_norm", x)
    sizes = last_axes("layer_norm", x, normalized_shape, weight=weight, bias=bias)
    shape = x.array.shape
    row = shape[: len(shape) - len(sizes)] + (1,) * len(sizes)
    return standardized(LAYER_NORM, x, weight, bias, shape, sizes, row, eps)[0]


def rms_norm(x: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Tensor:
    """``y = x / sqrt(mean of x**2 + eps) * weight``, over the last axes of each element before them.

    Parameters
    ----------
    x : Tensor of shape (*, *normalized_shape)
        Floating point.
    normalized_shape : tuple of int
        The sizes of the last axes, which are normalized together.
    weight : Tensor of shape normalized_shape, optional
        Scale of each element of a row.
    eps : float, optional
        Added to the mean of squares; the dtype's own eps when left out.

    Raises
    ------
    RuntimeError
        When shapes or dtypes do not fit.
    NotImplementedError
        For integers and bool.

    Notes
    -----
    Zhang and Sennrich, Root Mean Square Layer Normalization, 2019.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.rms_norm(kael.tensor([3.0, -4.0]), (2,))
    tensor([ 0.8485, -1.1314])
    """
    x = checked("rms_norm", x)
    sizes = last_axes("rms_norm", x, normalized_shape, weight=weight)
    shape = x.array.shape
    row = shape[: len(shape) - len(sizes)] + (1,) * len(sizes)
    inside = x.dtype.wide or x.dtype
    added = float(numpy.finfo(inside.numpy).eps) if eps is None else eps
    return standardized(RMS_NORM, x, weight, None, shape, sizes, row, added, centred=False)[0]


def channels(op: str, x: Tensor, **parameters: Any) -> int:
    """The size of axis 1; refused where a parameter is not one number per channel."""
    shape = x.array.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}: {op}")
    for name, tensor in parameters.items():
        if tensor is not None and tensor.array.shape != (shape[1],):
            if op == "batch_norm":
                raise RuntimeError(f"{name} should contain {shape[1]} elements not {tensor.array.size}")
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {tensor.array.shape} and input of shape {shape}"
            )
    return int(shape[1])


def group_norm(x: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """`layer_norm` over groups of channels and all positions, with a weight and a bias per channel.

    Parameters
    ----------
    x : Tensor of shape (N, C, *)
        Floating point.
    num_groups : int
        Into how many groups the C channels are divided.
    weight, bias : Tensor of shape (C,), optional
        Scale and shift of each channel.
    eps : float
        Added to the variance.

    Raises
    ------
    RuntimeError
        When shapes or dtypes do not fit, or the channels do not divide.
    ValueError
        When a group has but one element in all.
    NotImplementedError
        For integers and bool.

    Notes
    -----
    Wu and He, Group Normalization, 2018.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.group_norm(kael.tensor([[1.0, 3.0, 10.0, 30.0]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    x = checked("group_norm", x)
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    count = channels("group_norm", x, weight=weight, bias=bias)
    shape = x.array.shape
    if count % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{shape} and num_groups={num_groups}"
        )
    size, rest = count // num_groups, prod(shape[2:])
    if shape[0] * size * rest == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shape}")
    seen = (shape[0], num_groups, size, rest)
    return standardized(GROUP_NORM, x, weight, bias, seen, (num_groups, size, 1), (shape[0], num_groups, 1, 1), eps)[0]


def batch_norm(
    x: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """``y = (x - mean) / sqrt(var + eps) * weight + bias`` per channel.

    Parameters
    ----------
    x : Tensor of shape (N, C, *)
        Floating point.
    running_mean, running_var : Tensor of shape (C,), or None
        Without `training`, the statistics that are used. With it, they are updated.
    weight, bias : Tensor of shape (C,), optional
        Scale and shift of each channel.
    training : bool
        Use mean and variance of this batch.
    momentum : float
        The share of this batch in the updated running statistics.
    eps : float
        Added to the variance.

    Raises
    ------
    RuntimeError
        When shapes or dtypes do not fit, or statistics are missing.
    ValueError
        When training with one value per channel, or with one running statistic of two.
    NotImplementedError
        For integers and bool.

    Notes
    -----
    The batch is normalized by its variance divided by n; `running_var` gets that divided by n - 1. In training the
    gradient flows through the statistics too. Ioffe and Szegedy, Batch Normalization, 2015.

    Examples
    --------
    >>> import kael
    >>> mean, var = kael.zeros(1), kael.ones(1)
    >>> kael.nn.functional.batch_norm(kael.tensor([[1.0], [3.0]]), mean, var, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    >>> mean, var
    (tensor([0.2000]), tensor([1.1000]))
    """
    x = checked("batch_norm", x)
    if training and (running_mean is None) is not (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    for name, statistic in (("running_mean", running_mean), ("running_var", running_var)):
        if statistic is None and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if statistic is not None and statistic.requires_grad:
            raise RuntimeError(
                f"The function 'native_batch_norm' is not differentiable with respect to argument '{name}'. This input "
                "cannot have requires_grad True."
            )
    count = channels("batch_norm", x, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    shape = x.array.shape
    each = shape[0] * prod(shape[2:])
    row = (1, count) + (1,) * (len(shape) - 2)
    given = None if training else (running_mean.array, running_var.array)
    if training and each == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shape}")
    result, mean, var = standardized(BATCH_NORM, x, weight, bias, shape, row[1:], row, eps, given=given)
    if training and running_mean is not None and each:
        with no_grad():
            for running, new in ((running_mean, mean), (running_var, var * (each / (each - 1)))):
                share = fresh(new.reshape(count).astype(running.dtype.numpy), running.dtype)
                add_(mul_(running, 1 - momentum), share, alpha=momentum)
    return result
