"""Lower rates when a metric gets no better."""

from __future__ import annotations

import math
from typing import Any

from kael.optim.lr_scheduler.scheduler import LRScheduler
from kael.optim.optimizer import Optimizer

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(LRScheduler):
    """``lr = last * factor`` when a metric has not become better for more than `patience` steps.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates.
    mode : {"min", "max"}
        Whether lower or higher is better.
    factor : float
        Below 1.
    patience : int
        How many steps without progress are let pass.
    threshold : float
        How much better is better.
    threshold_mode : {"rel", "abs"}
        Whether that is a share of the best or a difference.
    cooldown : int
        How many steps after a change are not counted.
    min_lr : float or list of float
        No rate goes below, or one for each group.
    eps : float
        A change smaller than this is not made.

    Raises
    ------
    ValueError
        For a factor of 1 or more, an unknown mode, or a list of another length than the groups.

    Examples
    --------
    >>> import kael
    >>> optimizer = kael.optim.SGD([kael.zeros(1, requires_grad=True)], lr=0.5)
    >>> schedule = kael.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    >>> for loss in (1.0, 2.0, 2.0):
    ...     schedule.step(loss)
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4,
        threshold_mode: str = "rel", cooldown: int = 0, min_lr: list[float] | float = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ValueError(f"Factor should be < 1.0, but got {factor}")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown! It is min or max")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown! It is rel or abs")
        self._attach(optimizer)
        count = len(optimizer.param_groups)
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * count
        if len(self.min_lrs) != count:
            raise ValueError(f"expected {count} min_lrs, got {len(self.min_lrs)}")
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.factor, self.patience, self.cooldown, self.eps = factor, patience, cooldown, eps
        self.best = math.inf if mode == "min" else -math.inf
        self.last_epoch = self.num_bad_epochs = self.cooldown_counter = 0
        self._last_lr = self._rates()

    def _better(self, metric: float) -> bool:
        sign = -1.0 if self.mode == "min" else 1.0
        if self.threshold_mode == "rel":
            return sign * metric > sign * self.best * (1.0 + sign * self.threshold)
        return sign * metric > sign * self.best + self.threshold

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Hear of a metric, a number or a tensor of one, and lower the rates when it is time to."""
        metric = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._better(metric):
            self.best, self.num_bad_epochs = metric, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._lower()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._rates()

    def _lower(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"ReduceLROnPlateau was made for {len(self.min_lrs)} groups but the optimizer has {len(groups)}; "
                    "set min_lrs anew"
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            lower = max(group["lr"] * self.factor, least)
            if group["lr"] - lower > self.eps:
                group["lr"] = lower
