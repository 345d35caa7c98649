"""Losses as modules: what each computes, and its options, stand with the function in `kael.nn.functional`."""

from __future__ import annotations

from kael.nn import functional
from kael.nn.module import Module
from kael.ops.loss import check_reduction
from kael.tensors import Tensor

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "NLLLoss",
    "SmoothL1Loss",
]


class Loss(Module):
    """The base of the losses: a reduction, and what PyTorch called it once.

    Parameters
    ----------
    size_average, reduce : bool, optional
        PyTorch's former names of the reduction.
    reduction : {"mean", "sum", "none"}
        Average, add up, or leave the losses.
    """

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:  # fmt: skip
        super().__init__()
        former = size_average is not None or reduce is not None
        self.reduction = check_reduction(reduction, size_average, reduce) if former else reduction


class MSELoss(Loss):
    """The squared error ``(x - target)**2``."""

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Apply `kael.nn.functional.mse_loss`."""
        return functional.mse_loss(x, target, reduction=self.reduction)


class L1Loss(Loss):
    """The absolute error ``|x - target|``."""

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Apply `kael.nn.functional.l1_loss`."""
        return functional.l1_loss(x, target, reduction=self.reduction)


class SmoothL1Loss(Loss):
    """``d**2/(2*beta)`` where ``d = |x - target| < beta``, else ``d - beta/2``.

    Parameters
    ----------
    size_average, reduce, reduction
        As of every loss.
    beta : float
        Where the parabola goes over into straight lines.
    """

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Apply `kael.nn.functional.smooth_l1_loss`."""
        return functional.smooth_l1_loss(x, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(Loss):
    """``d**2/2`` where ``d = |x - target| < delta``, else ``delta*(d - delta/2)``.

    Parameters
    ----------
    reduction : {"mean", "sum", "none"}
        As of every loss.
    delta : float
        Where the parabola goes over into straight lines.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Apply `kael.nn.functional.huber_loss`."""
        return functional.huber_loss(x, target, self.reduction, self.delta)


class KLDivLoss(Loss):
    """The divergence of Kullback and Leibler, ``target*(log(target) - x)``.

    Parameters
    ----------
    size_average, reduce
        As of every loss.
    reduction : {"mean", "batchmean", "sum", "none"}
        ``"batchmean"`` is the definition.
    log_target : bool
        Whether the target holds logarithms.
    """

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
        log_target: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Apply `kael.nn.functional.kl_div`."""
        return functional.kl_div(x, target, reduction=self.reduction, log_target=self.log_target)


class WeightedLoss(Loss):
    """A loss with weights, which are a buffer: they are saved and moved with the module.

    Parameters
    ----------
    weight : Tensor, optional
        As of the function.
    size_average, reduce, reduction
        As of every loss.
    """

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class BCELoss(WeightedLoss):
    """The cross entropy of probabilities, ``-target*log(x) - (1 - target)*log(1 - x)``."""

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Apply `kael.nn.functional.binary_cross_entropy`."""
        return functional.binary_cross_entropy(x, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(WeightedLoss):
    """The cross entropy of ``sigmoid(x)``, exact for any x.

    Parameters
    ----------
    weight, size_average, reduce, reduction
        As of `BCELoss`.
    pos_weight : Tensor, optional
        A factor for positive targets.
    """

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean", pos_weight: Tensor | None = None,
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Apply `kael.nn.functional.binary_cross_entropy_with_logits`."""
        return functional.binary_cross_entropy_with_logits(
            x, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )


class NLLLoss(WeightedLoss):
    """The negative log-likelihood of the right classes.

    Parameters
    ----------
    weight : Tensor of shape (C,), optional
        A factor for each class.
    size_average, reduce, reduction
        As of every loss.
    ignore_index : int
        A target of rows that do not count.
    """

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
        reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Apply `kael.nn.functional.nll_loss`."""
        return functional.nll_loss(
            x, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )  # fmt: skip


class CrossEntropyLoss(WeightedLoss):
    """The cross entropy of scores and right classes: ``log(sum of exp(x)) - x[target]``.

    Parameters
    ----------
    weight : Tensor of shape (C,), optional
        A factor for each class.
    size_average, reduce, reduction
        As of every loss.
    ignore_index : int
        A target of rows that do not count.
    label_smoothing : float
        The share of the target that is spread over all classes.

    Examples
    --------
    >>> import kael
    >>> kael.nn.CrossEntropyLoss()(kael.zeros(1, 4), kael.tensor([2]))
    tensor(1.3863)
    """

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
        reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Apply `kael.nn.functional.cross_entropy`."""
        return functional.cross_entropy(
            x, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )  # fmt: skip


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along an axis.

    Parameters
    ----------
    dim : int
        The axis.
    eps : float
        What a smaller norm counts as.
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Apply `kael.cosine_similarity`."""
        return functional.cosine_similarity(x1, x2, self.dim, self.eps)
