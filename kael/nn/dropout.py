"""Dropout as a layer."""

from __future__ import annotations

from kael.nn import functional
from kael.nn.module import Module
from kael.tensors import Tensor

__all__ = ["Dropout"]


class Dropout(Module):
    """In training mode, zeros with probability p and a factor 1/(1 - p) elsewhere; in evaluation mode the input.

    Parameters
    ----------
    p : float
        From 0 to 1.
    inplace : bool
        Write into the input.

    Examples
    --------
    >>> import kael
    >>> layer = kael.nn.Dropout(0.5)
    >>> sorted(set(layer(kael.ones(100)).tolist())), layer.eval()(kael.ones(2)).tolist()
    ([0.0, 2.0], [1.0, 1.0])
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.dropout`."""
        return functional.dropout(x, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, inplace={self.inplace}"
