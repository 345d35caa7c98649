"""Layers that apply one function of `kael.nn.functional` to every element; shape ``(*)`` to ``(*)``.

Those with ``inplace=True`` write into their input, under the rules of in-place operations.
"""

from __future__ import annotations

from kael.creation import full
from kael.dtypes import DType
from kael.nn import functional
from kael.nn.module import Module
from kael.nn.parameter import Parameter
from kael.tensors import Tensor

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "PReLU",
    "SELU",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
]


class InPlace(Module):
    """A layer that may write into its input.

    Parameters
    ----------
    inplace : bool
        Whether it does.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Whether the layer works in place."""
        return "inplace=True" if self.inplace else ""

    def described(self, **settings: object) -> str:
        """Settings for the repr, and whether the layer works in place."""
        shown = [f"{name}={value}" for name, value in settings.items()]
        return ", ".join(shown + (["inplace=True"] if self.inplace else []))


class ReLU(InPlace):
    """The positive part, ``y = max(x, 0)``.

    Examples
    --------
    >>> import kael
    >>> kael.nn.ReLU()(kael.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.relu`."""
        return functional.relu(x, self.inplace)


class Tanh(Module):
    """The hyperbolic tangent, ``y = tanh(x)``.

    Examples
    --------
    >>> import kael
    >>> kael.nn.Tanh()(kael.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.tanh`."""
        return functional.tanh(x)


class Sigmoid(Module):
    """The logistic function, ``y = 1/(1 + e**-x)``.

    Examples
    --------
    >>> import kael
    >>> kael.nn.Sigmoid()(kael.tensor([0.0]))
    tensor([0.5000])
    """

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.sigmoid`."""
        return functional.sigmoid(x)


class GELU(Module):
    """``y = x * P(X < x)`` for a normal X, or its approximation by tanh.

    Parameters
    ----------
    approximate : {"none", "tanh"}
        Which of the two.
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.gelu`."""
        return functional.gelu(x, approximate=self.approximate)

    def extra_repr(self) -> str:
        """The approximation."""
        return f"approximate={self.approximate!r}"


class SiLU(InPlace):
    """``y = x * sigmoid(x)``."""

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.silu`."""
        return functional.silu(x, self.inplace)


class Mish(InPlace):
    """``y = x * tanh(log(1 + e**x))``."""

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.mish`."""
        return functional.mish(x, self.inplace)


class Softplus(Module):
    """``y = log(1 + e**(beta*x)) / beta``, and x where beta*x exceeds the threshold.

    Parameters
    ----------
    beta, threshold : float
        As of `kael.nn.functional.softplus`.
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.softplus`."""
        return functional.softplus(x, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Both numbers."""
        return f"beta={self.beta}, threshold={self.threshold}"


class LeakyReLU(InPlace):
    """``y = x`` above 0, else ``negative_slope * x``.

    Parameters
    ----------
    negative_slope : float
        The slope below 0.
    inplace : bool
        Write into the input.
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.leaky_relu`."""
        return functional.leaky_relu(x, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The slope."""
        return self.described(negative_slope=self.negative_slope)


class ELU(InPlace):
    """``y = x`` above 0, else ``alpha * (e**x - 1)``.

    Parameters
    ----------
    alpha : float
        Minus the limit far below 0.
    inplace : bool
        Write into the input.
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.elu`."""
        return functional.elu(x, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The alpha."""
        return self.described(alpha=self.alpha)


class CELU(InPlace):
    """``y = x`` above 0, else ``alpha * (e**(x/alpha) - 1)``.

    Parameters
    ----------
    alpha : float
        Minus the limit far below 0; positive.
    inplace : bool
        Write into the input.
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.celu`."""
        return functional.celu(x, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The alpha."""
        return self.described(alpha=self.alpha)


class SELU(InPlace):
    """The scaled elu that keeps mean 0 and variance 1."""

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.selu`."""
        return functional.selu(x, self.inplace)


class Hardtanh(InPlace):
    """``y = x``, held between `min_val` and `max_val`.

    Parameters
    ----------
    min_val, max_val : float
        The bounds.
    inplace : bool
        Write into the input.
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        if min_val > max_val:
            raise ValueError("min_val cannot be greater than max_val")
        self.min_val = min_val
        self.max_val = max_val

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.hardtanh`."""
        return functional.hardtanh(x, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """The bounds."""
        return self.described(min_val=self.min_val, max_val=self.max_val)


class ReLU6(InPlace):
    """``y = x``, held between 0 and 6."""

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.relu6`."""
        return functional.relu6(x, self.inplace)


class Hardswish(InPlace):
    """``y = x * hardsigmoid(x)``."""

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.hardswish`."""
        return functional.hardswish(x, self.inplace)

    def extra_repr(self) -> str:
        """Nothing, as PyTorch has it."""
        return ""


class Hardsigmoid(InPlace):
    """``y = (x + 3) / 6``, held between 0 and 1."""

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.hardsigmoid`."""
        return functional.hardsigmoid(x, self.inplace)

    def extra_repr(self) -> str:
        """Nothing, as PyTorch has it."""
        return ""


class LogSigmoid(Module):
    """``y = log(sigmoid(x))``."""

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.logsigmoid`."""
        return functional.logsigmoid(x)


class Softsign(Module):
    """``y = x / (1 + |x|)``."""

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.softsign`."""
        return functional.softsign(x)


class PReLU(Module):
    """``y = x`` above 0, else ``weight * x``.

    Parameters
    ----------
    num_parameters : int
        One slope for all, or one per channel: the size of axis 1.
    init : float
        The slopes at first.
    dtype : DType, optional
        Of the slopes; float32 when left out.

    Attributes
    ----------
    weight : Parameter of shape (num_parameters,)
        The slopes.
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: DType | None = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(full((num_parameters,), init, dtype=dtype))

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.prelu`."""
        return functional.prelu(x, self.weight)

    def extra_repr(self) -> str:
        """The number of slopes."""
        return f"num_parameters={self.num_parameters}"


class GLU(Module):
    """The first half along an axis times the sigmoid of the second.

    Parameters
    ----------
    dim : int
        The axis, whose size is halved.
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.glu`."""
        return functional.glu(x, self.dim)

    def extra_repr(self) -> str:
        """The axis."""
        return f"dim={self.dim}"


class Softmax(Module):
    """Exponentials over their sum along an axis.

    Parameters
    ----------
    dim : int, optional
        The axis; left out it is implied, with a warning.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.softmax`."""
        return functional.softmax(x, self.dim)

    def extra_repr(self) -> str:
        """The axis."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of `Softmax`.

    Parameters
    ----------
    dim : int, optional
        The axis; left out it is implied, with a warning.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.log_softmax`."""
        return functional.log_softmax(x, self.dim)

    def extra_repr(self) -> str:
        """The axis."""
        return f"dim={self.dim}"
