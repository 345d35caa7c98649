"""Layers that apply one function to every element."""

from __future__ import annotations

from kael.nn.module import Module
from kael.ops.elementwise import relu, sigmoid, tanh
from kael.tensors import Tensor

__all__ = ["ReLU", "Sigmoid", "Tanh"]


class ReLU(Module):
    """The positive part, ``y = max(x, 0)``; shape ``(*)`` to ``(*)``.

    Examples
    --------
    >>> import kael
    >>> kael.nn.ReLU()(kael.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.relu`."""
        return relu(x)


class Tanh(Module):
    """The hyperbolic tangent, ``y = tanh(x)``; shape ``(*)`` to ``(*)``.

    Examples
    --------
    >>> import kael
    >>> kael.nn.Tanh()(kael.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.tanh`."""
        return tanh(x)


class Sigmoid(Module):
    """The logistic function, ``y = 1/(1 + e**-x)``; shape ``(*)`` to ``(*)``.

    Examples
    --------
    >>> import kael
    >>> kael.nn.Sigmoid()(kael.tensor([0.0]))
    tensor([0.5000])
    """

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.sigmoid`."""
        return sigmoid(x)
