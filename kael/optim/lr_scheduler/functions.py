"""Schedules that are functions of the step, which the user writes."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

from kael.optim.lr_scheduler.scheduler import LRScheduler
from kael.optim.optimizer import Optimizer

__all__ = ["LambdaLR", "MultiplicativeLR"]

Lambda = Callable[[int], float]


class _Lambdas(LRScheduler):
    """A schedule by functions of the step, one for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Lambda | Sequence[Lambda], last_epoch: int = -1) -> None:
        self._attach(optimizer)
        count = len(optimizer.param_groups)
        self.lr_lambdas: list[Any] = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * count
        if len(self.lr_lambdas) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(self.lr_lambdas)}")
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")
        super().__init__(optimizer, last_epoch)

    def _apart(self) -> tuple[str, ...]:
        return ("optimizer", "lr_lambdas")

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and functions; of other callables, their attributes."""
        kept = [None if isinstance(f, types.FunctionType) else dict(f.__dict__) for f in self.lr_lambdas]
        return {**super().state_dict(), "lr_lambdas": kept}

    def _take(self, state: dict[str, Any]) -> None:
        super()._take(state)
        for function, kept in zip(self.lr_lambdas, state["lr_lambdas"], strict=True):
            if kept is not None:
                function.__dict__.update(kept)


class LambdaLR(_Lambdas):
    """``lr = first * f(step)``.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates.
    lr_lambda : callable or list of callable
        f, or one for each group.
    last_epoch : int
        The step to go on from, or -1 to begin.

    Examples
    --------
    >>> import kael
    >>> optimizer = kael.optim.SGD([kael.zeros(1, requires_grad=True)], lr=0.5)
    >>> schedule = kael.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
    >>> optimizer.step(); schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def get_lr(self) -> list[float]:
        """The rates at `last_epoch`."""
        return [base * f(self.last_epoch) for base, f in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class MultiplicativeLR(_Lambdas):
    """``lr = last * f(step)``.

    Parameters
    ----------
    optimizer, lr_lambda, last_epoch
        As `LambdaLR`.
    """

    def get_lr(self) -> list[float]:
        """The rates at `last_epoch`, from those that the groups have now."""
        if self._is_initial:
            return self._rates()
        return [rate * f(self.last_epoch) for rate, f in zip(self._rates(), self.lr_lambdas, strict=True)]
