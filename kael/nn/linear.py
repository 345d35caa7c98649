"""The linear layer."""

from __future__ import annotations

import math
from typing import Any

from kael.creation import empty
from kael.dtypes import DType
from kael.nn import functional, init
from kael.nn.module import Module
from kael.nn.parameter import Parameter
from kael.tensors import Tensor

__all__ = ["Identity", "Linear"]


class Linear(Module):
    """``y = x @ weight.T + bias``; shape ``(*, in_features)`` to ``(*, out_features)``.

    Parameters
    ----------
    in_features, out_features : int
        Sizes of the last axis of input and output.
    bias : bool
        Whether to add a bias.
    dtype : DType, optional
        Of the parameters; float32 when left out.

    Attributes
    ----------
    weight : Parameter of shape (out_features, in_features)
        Uniform in ±1/sqrt(in_features) at first.
    bias : Parameter of shape (out_features,) or None
        As the weight.

    Examples
    --------
    >>> import kael
    >>> layer = kael.nn.Linear(3, 2)
    >>> layer(kael.zeros(5, 3)).shape
    (5, 2)
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, dtype: DType | None = None) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty(out_features, in_features, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew: He's uniform range with a leak of sqrt(5), which is ±1/sqrt(in_features)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features else 0.0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.linear`."""
        return functional.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Identity(Module):
    """The input as it is, in the place of a layer; its arguments are taken and forgotten.

    Examples
    --------
    >>> import kael
    >>> kael.nn.Identity(54, unused=True)(kael.ones(1))
    tensor([1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input."""
        return input
