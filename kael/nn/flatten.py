"""The layers that join axes and split them."""

from __future__ import annotations

from typing import Any

from kael.nn.module import Module
from kael.ops.shape import flatten, unflatten
from kael.tensors import Tensor

__all__ = ["Flatten", "Unflatten"]


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


class Unflatten(Module):
    """One axis split into several; shape ``(*, product of sizes, *)`` to ``(*, *sizes, *)``.

    Parameters
    ----------
    dim : int
        The axis.
    unflattened_size : tuple of int
        The sizes it is split into; one may be -1.

    Examples
    --------
    >>> import kael
    >>> kael.nn.Unflatten(1, (4, 8, 8))(kael.zeros(2, 256)).shape
    (2, 4, 8, 8)
    """

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.unflatten`."""
        return unflatten(x, self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The axis and its sizes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
