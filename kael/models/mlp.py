"""The multilayer perceptron."""

from __future__ import annotations

from itertools import pairwise

from kael.nn import Linear, Module, ReLU, Sequential
from kael.tensors import Tensor

__all__ = ["MLP"]


class MLP(Module):
    """Linear layers with ReLU between them; shape ``(*, sizes[0])`` to ``(*, sizes[-1])``.

    Parameters
    ----------
    *sizes : int
        Sizes of the input, of each hidden layer and of the output; two or more.

    Raises
    ------
    ValueError
        For fewer than two sizes.

    Examples
    --------
    >>> import kael
    >>> from kael.models import MLP
    >>> MLP(64, 32, 10)(kael.zeros(5, 64)).shape
    (5, 10)
    """

    def __init__(self, *sizes: int) -> None:
        super().__init__()
        if len(sizes) < 2:
            raise ValueError(f"MLP: {len(sizes)} size given; it takes those of the input and the output at least")
        layers: list[Module] = []
        for before, after in pairwise(sizes[:-1]):
            layers += [Linear(before, after), ReLU()]
        self.layers = Sequential(*layers, Linear(sizes[-2], sizes[-1]))

    def forward(self, x: Tensor) -> Tensor:
        """Hand `x` through the layers."""
        scores: Tensor = self.layers(x)
        return scores
