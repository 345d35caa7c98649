"""Activations: each one operation with one kernel for its value and one for its gradient.

PyTorch has most of them in ``torch.nn.functional`` alone, and so has kael: `kael.nn.functional`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops import elementwise
from kael.ops.dispatch import as_tensor, axis_of, cast, compute_like, compute_of, rounded, sum_to
from kael.ops.elementwise import fused
from kael.ops.inplace import in_place
from kael.tensors import Tensor, fresh

SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
"""Klambauer et al., Self-Normalizing Neural Networks, 2017: mean 0 and variance 1 are a fixed point of selu."""


def floating(x: Any, operation: str) -> Tensor:
    """An operand whose dtype is floating point.

    Raises
    ------
    NotImplementedError
        For integers and bool.
    """
    operand = as_tensor(x, operation)
    if not operand.dtype.is_floating_point:
        raise NotImplementedError(
            f"{operation}: not implemented for '{operand.dtype.name}'; cast it to a floating point dtype first"
        )
    return operand


def activate(op: Op, kernel: Callable[..., None], x: Any, inplace: bool, *parameters: float) -> Tensor:
    """Apply a kernel of one operand and numbers, and record it; or write what it gives into the operand."""
    a = floating(x, op.name)
    if inplace:
        return in_place(a, f"{op.name}_", lambda value: activate(op, kernel, value, False, *parameters))
    if parameters:
        result = compute_like(lambda array, out: kernel(array, *parameters, out), a.dtype, a.array)
    else:
        result = compute_like(kernel, a.dtype, a.array)
    return record(result, op, (a,), parameters)


OTHER_KERNELS = {"celu": "elu_vjp", "selu": "elu_vjp", "relu6": "hardtanh_vjp"}


def activation_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    """One kernel over `g`, the saved input, and the numbers of the call."""
    name, parameters = node.op.name, node.attributes
    kernel = getattr(table, OTHER_KERNELS.get(name, f"{name}_vjp"))
    if not parameters:
        return fused(kernel, g, node.saved[0].get())
    return fused(lambda up, x, out: kernel(up, x, *parameters, out), g, node.saved[0].get())


def activation(name: str, formula: str, gradient: str, kinks: str = "") -> Op:
    """The row of an activation, whose gradient reads its input."""
    return Op(name, formula, activation_vjp, gradient, ((0,),), kinks=kinks, dtypes="floating point only")


def prelu_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    x = node.saved[0].get().array
    if position == 0:
        return compute_of(table.prelu_vjp, g.dtype, g.array, x, by_channel(node.saved[1].get().array, x))
    part = compute_of(table.prelu_weight_vjp, g.dtype, g.array, x)
    weight = node.inputs[1].shape
    spread = by_channel(numpy.empty(weight, "?"), x).shape
    return fresh(sum_to(part, spread).array.reshape(weight), g.dtype)


def glu_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axis = node.attributes[0]
    inside = g.dtype.wide or g.dtype
    x = node.saved[0].get().array.astype(inside.numpy, copy=False)
    up = g.array.astype(inside.numpy, copy=False)
    result = table.empty(x.shape, inside.numpy)
    value, gate = halves(x, axis)
    value_gradient, gate_gradient = halves(result, axis)
    table.glu(up, gate, value_gradient)
    table.glu_gate_vjp(up, value, gate, gate_gradient)
    return fresh(rounded(result, inside, g.dtype), g.dtype)


def dropout_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(table.mul, g, node.attributes[0])


GELU = activation("gelu", "x * P(X < x), X normal", "g * (P(X < x) + x * density of X at x)")
GELU_TANH = activation("gelu_tanh", "x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x**3)))", "g times the slope of that")
SILU = activation("silu", "x * sigmoid(x)", "g * s * (1 + x*(1 - s)), s = sigmoid(x)")
SOFTPLUS = activation(
    "softplus", "log(1 + e**(beta*x)) / beta; x where beta*x > threshold", "g * sigmoid(beta*x); g beyond the threshold"
)
LEAKY_RELU = activation(
    "leaky_relu", "x above 0, else slope * x", "g above 0, else slope * g", "slope * g at 0 and nan"
)
ELU = activation(
    "elu", "x above 0, else alpha * (e**x - 1)", "g above 0, else g * alpha * e**x", "alpha * g at 0; nan at nan"
)
CELU = activation(
    "celu", "x above 0, else alpha * (e**(x/alpha) - 1)", "g above 0, else g * e**(x/alpha)", "g at 0; nan at nan"
)
SELU = activation(
    "selu",
    "scale * elu(x, alpha), alpha = 1.6733, scale = 1.0507",
    "scale times that of elu",
    "scale * alpha * g at 0; nan at nan",
)
HARDTANH = activation(
    "hardtanh", "x held between min_val and max_val", "g between them, 0 outside", "0 at both; g at nan"
)
RELU6 = activation("relu6", "x held between 0 and 6", "g between them, 0 outside", "0 at both; g at nan")
MISH = activation("mish", "x * tanh(log(1 + e**x))", "g * (t + x*(1 - t**2)*sigmoid(x)), t = tanh(log(1 + e**x))")
HARDSWISH = activation(
    "hardswish",
    "x * hardsigmoid(x)",
    "g * (x/3 + 1/2) between -3 and 3, 0 below, g above",
    "0 at -3, g at 3; nan at nan",
)
HARDSIGMOID = activation("hardsigmoid", "(x + 3)/6 held between 0 and 1", "g/6 between -3 and 3, else 0", "0 at both")
LOGSIGMOID = activation("logsigmoid", "log(sigmoid(x))", "g * sigmoid(-x)")
SOFTSIGN = activation("softsign", "x / (1 + |x|)", "g / (1 + |x|)**2")
PRELU = Op(
    "prelu", "x above 0, else weight * x", prelu_vjp, "g above 0, else weight*g, to x; x*g up to 0, summed, to weight",
    ((0, 1), (0,)), kinks="weight * g at 0", dtypes="floating point only",
)  # fmt: skip
GLU = Op(
    "glu", "first half * sigmoid(second half)", glu_vjp, "g*s to the first half, g * first * s*(1 - s) to the second",
    ((0,),), dtypes="floating point only",
)  # fmt: skip
DROPOUT = Op(
    "dropout", "0 with probability p, else x / (1 - p)", dropout_vjp, "g with the same zeros and factor",
    dtypes="floating point only",
)  # fmt: skip


def relu(x: Any, inplace: bool = False) -> Tensor:
    """The positive part ``max(x, 0)``.

    Parameters
    ----------
    x : Tensor
        Any shape; not bool.
    inplace : bool
        Write the result into `x`, under the rules of in-place operations.

    Raises
    ------
    RuntimeError
        For bool, and when `inplace` would write to a tensor that requires grad.
    """
    x = as_tensor(x, "relu")
    if x.dtype is dtypes.bool:
        raise RuntimeError("Boolean inputs not supported for relu")
    return in_place(x, "relu_", elementwise.relu) if inplace else elementwise.relu(x)


def gelu(x: Any, *, approximate: str = "none") -> Tensor:
    """The Gaussian error linear unit, ``x * P(X < x)`` for a normal X.

    Parameters
    ----------
    x : Tensor
        Floating point.
    approximate : {"none", "tanh"}
        ``"tanh"`` puts ``x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x**3)))`` in its place, as GPT-2 does: off by at
        most 0.0005.

    Raises
    ------
    RuntimeError
        For another `approximate`.
    NotImplementedError
        For integers and bool.

    Notes
    -----
    Hendrycks and Gimpel, Gaussian Error Linear Units, 2016.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.gelu(kael.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])
    """
    if approximate == "none":
        return activate(GELU, table.gelu, x, False)
    if approximate == "tanh":
        return activate(GELU_TANH, table.gelu_tanh, x, False)
    raise RuntimeError(f"approximate argument must be either none or tanh. It is {approximate!r}.")


def silu(x: Any, inplace: bool = False) -> Tensor:
    """The sigmoid linear unit ``x * sigmoid(x)``, also called swish.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.silu(kael.tensor([-1000.0, 0.0, 1.0]))
    tensor([-0.0000, 0.0000, 0.7311])
    """
    return activate(SILU, table.silu, x, inplace)


def softplus(x: Any, beta: float = 1, threshold: float = 20) -> Tensor:
    """A smooth relu, ``log(1 + e**(beta*x)) / beta``.

    Parameters
    ----------
    x : Tensor
        Floating point.
    beta : float
        How sharp the bend at 0 is.
    threshold : float
        Where ``beta * x`` exceeds it the result is x itself.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.softplus(kael.tensor([-1.0, 0.0, 1000.0]))
    tensor([3.1326e-01, 6.9315e-01, 1.0000e+03])
    """
    return activate(SOFTPLUS, table.softplus, x, False, float(beta), float(threshold))


def leaky_relu(x: Any, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """``x`` above 0, else ``negative_slope * x``."""
    return activate(LEAKY_RELU, table.leaky_relu, x, inplace, float(negative_slope))


def elu(x: Any, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The exponential linear unit: ``x`` above 0, else ``alpha * (e**x - 1)``."""
    return activate(ELU, table.elu, x, inplace, float(alpha), 1.0, 1.0)


def celu(x: Any, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The continuously differentiable elu: ``x`` above 0, else ``alpha * (e**(x/alpha) - 1)``.

    Raises
    ------
    RuntimeError
        When alpha is not positive.
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    if alpha < 0:
        raise RuntimeError(f"celu: alpha is {alpha}; it must be positive, for e**(x/alpha) would grow below 0")
    return activate(CELU, table.elu, x, inplace, float(alpha), 1.0, 1.0 / alpha)


def selu(x: Any, inplace: bool = False) -> Tensor:
    """The scaled elu that keeps mean 0 and variance 1: ``1.0507 * elu(x, 1.6733)``."""
    return activate(SELU, table.elu, x, inplace, SELU_ALPHA, SELU_SCALE, 1.0)


def bounded(op: Op, x: Any, low: float, high: float, inplace: bool) -> Tensor:
    """A kernel for floating point; integers are clipped by NumPy and have no gradient."""
    x = as_tensor(x, op.name)
    if x.dtype.is_floating_point:
        return activate(op, table.hardtanh, x, inplace, low, high)
    if x.dtype is dtypes.bool:
        raise RuntimeError(f"Bool inputs not supported for {op.name}")
    if x.dtype is dtypes.uint8 and int(low) < 0:
        raise RuntimeError(f"cannot do {op.name} on an unsigned type with negative limits")
    if inplace:
        return in_place(x, f"{op.name}_", lambda value: bounded(op, value, low, high, False))
    return fresh(numpy.asarray(numpy.clip(x.array, int(low), int(high)), x.dtype.numpy), x.dtype)


def hardtanh(x: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """``x``, held between `min_val` and `max_val`.

    Raises
    ------
    ValueError
        When `min_val` is the larger.
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return bounded(HARDTANH, x, float(min_val), float(max_val), inplace)


def relu6(x: Any, inplace: bool = False) -> Tensor:
    """``x``, held between 0 and 6."""
    return bounded(RELU6, x, 0.0, 6.0, inplace)


def mish(x: Any, inplace: bool = False) -> Tensor:
    """``x * tanh(log(1 + e**x))``; Misra, Mish, 2019."""
    return activate(MISH, table.mish, x, inplace)


def hardswish(x: Any, inplace: bool = False) -> Tensor:
    """``x * hardsigmoid(x)``: silu of straight lines; Howard et al., Searching for MobileNetV3, 2019."""
    return activate(HARDSWISH, table.hardswish, x, inplace)


def hardsigmoid(x: Any, inplace: bool = False) -> Tensor:
    """``(x + 3) / 6``, held between 0 and 1."""
    return activate(HARDSIGMOID, table.hardsigmoid, x, inplace)


def logsigmoid(x: Any) -> Tensor:
    """``log(sigmoid(x))``, exact also where the sigmoid itself would round to 0."""
    return activate(LOGSIGMOID, table.logsigmoid, x, False)


def softsign(x: Any) -> Tensor:
    """``x / (1 + |x|)``; integers become float32."""
    x = as_tensor(x, "softsign")
    return activate(SOFTSIGN, table.softsign, x if x.dtype.is_floating_point else cast(x, dtypes.default), False)


def by_channel(weight: Any, x: Any) -> Any:
    """One weight for all, or one per channel, which is axis 1, in a shape that broadcasts to x."""
    if weight.size == 1:
        return weight.reshape((1,) * x.ndim)
    return weight.reshape(-1, *[1] * (x.ndim - 2))


def prelu(x: Any, weight: Tensor) -> Tensor:
    """``x`` above 0, else ``weight * x``: a leaky relu whose slope is learned.

    Parameters
    ----------
    x : Tensor of shape (N, C, *) or any
        Floating point.
    weight : Tensor of shape (C,), (1,) or ()
        One slope per channel, or one for all.

    Raises
    ------
    RuntimeError
        When the dtypes differ, or there are neither one nor C weights.

    Notes
    -----
    He et al., Delving Deep into Rectifiers, 2015.
    """
    x, weight = as_tensor(x, "prelu"), as_tensor(weight, "prelu")
    if x.dtype is not weight.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {x.dtype.name} and {weight.dtype.name}")
    floating(x, "prelu")
    shape, count = x.array.shape, weight.array.size
    if weight.array.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.array.ndim}")
    if count != 1:
        if not shape:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = shape[1] if len(shape) > 1 else 1
        if channels != count:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {count} and channel "
                f"size = {channels}."
            )
    result = compute_of(table.prelu, x.dtype, x.array, by_channel(weight.array, x.array))
    return record(result, PRELU, (x, weight))


def halves(x: Any, axis: int) -> tuple[Any, Any]:
    """Views of the two halves of an array along an axis."""
    lead, middle = (slice(None),) * axis, x.shape[axis] // 2
    return x[(*lead, slice(None, middle))], x[(*lead, slice(middle, None))]


def glu(x: Any, dim: int = -1) -> Tensor:
    """The gated linear unit: the first half along an axis times the sigmoid of the second.

    Parameters
    ----------
    x : Tensor
        Floating point, of even size along `dim`.
    dim : int
        The axis.

    Raises
    ------
    RuntimeError
        For a 0-d tensor or an odd size.

    Notes
    -----
    Dauphin et al., Language Modeling with Gated Convolutional Networks, 2016.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.glu(kael.tensor([1.0, 2.0, 0.0, 1000.0]))
    tensor([0.5000, 2.0000])
    """
    x = floating(x, "glu")
    if x.array.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    axis = axis_of(dim, x.array.ndim)
    size = x.array.shape[axis]
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {size}")
    return record(compute_of(table.glu, x.dtype, *halves(x.array, axis)), GLU, (x,), (axis,))


def masked(x: Tensor, mask: Any, inplace: bool) -> Tensor:
    """``x * mask``, recorded as dropout: the mask is an array of zeros and one factor."""
    if inplace:
        return in_place(x, "dropout_", lambda value: masked(value, mask, False))
    factors = fresh(numpy.asarray(mask, x.dtype.numpy), x.dtype)
    return record(fused(table.mul, x, factors), DROPOUT, (x,), (factors,))


FUNCTIONS = (
    celu,
    prelu,
    selu,
)
METHODS = (prelu,)
