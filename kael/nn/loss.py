"""Losses as modules."""

from __future__ import annotations

from kael.nn import functional
from kael.nn.module import Module
from kael.tensors import Tensor

__all__ = ["CrossEntropyLoss"]


class CrossEntropyLoss(Module):
    """The cross entropy of scores ``(N, C)`` and right classes ``(N,)``: ``log(sum of exp(x)) - x[target]``.

    Parameters
    ----------
    reduction : {"mean", "sum", "none"}
        Average over the rows, add them up, or leave one loss a row.

    Examples
    --------
    >>> import kael
    >>> kael.nn.CrossEntropyLoss()(kael.zeros(1, 4), kael.tensor([2]))
    tensor(1.3863)
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Apply `kael.nn.functional.cross_entropy`."""
        return functional.cross_entropy(x, target, reduction=self.reduction)
