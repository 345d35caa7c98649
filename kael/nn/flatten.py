"""The layer that joins axes."""

from __future__ import annotations

from kael.nn.module import Module
from kael.ops.shape import flatten
from kael.tensors import Tensor

__all__ = ["Flatten"]


class Flatten(Module):
    """Axes joined into one, by default all but the first; shape ``(N, *)`` to ``(N, product of *)``.

    Parameters
    ----------
    start_dim, end_dim : int
        The first and the last axis to join.

    Examples
    --------
    >>> import kael
    >>> kael.nn.Flatten()(kael.zeros(2, 8, 8)).shape
    (2, 64)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.flatten`."""
        return flatten(x, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The axes."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
