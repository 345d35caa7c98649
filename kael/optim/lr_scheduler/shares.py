"""Schedules whose rate is a share of the first one: steps, lines, powers."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable

from kael.optim.lr_scheduler.scheduler import LRScheduler
from kael.optim.optimizer import Optimizer

__all__ = ["ConstantLR", "ExponentialLR", "LinearLR", "MultiStepLR", "PolynomialLR", "StepLR"]


class _Shares(LRScheduler):
    """A schedule whose rate is a share of the first one, which depends on the step alone."""

    def share(self, epoch: int) -> float:
        """The share at a step."""
        raise NotImplementedError

    def ratio(self, epoch: int) -> float:
        """What a step multiplies the rate with: the share over the last one."""
        before, now = self.share(epoch - 1), self.share(epoch)
        return 1.0 if now == before else now / before

    def get_lr(self) -> list[float]:
        """The rates at `last_epoch`, from those that the groups have now."""
        epoch = self.last_epoch
        if self._is_initial and epoch > 0:
            return self._rates()
        if epoch > 0 and self.share(epoch - 1) == 0.0:
            return self._get_closed_form_lr()  # nothing comes from a rate of 0 by multiplying
        ratio = self.share(0) if epoch == 0 else self.ratio(epoch)
        return [rate * ratio for rate in self._rates()]

    def _get_closed_form_lr(self) -> list[float]:
        return [base * self.share(self.last_epoch) for base in self.base_lrs]


class StepLR(_Shares):
    """``lr = last * gamma`` each `step_size` steps.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates.
    step_size : int
        How many steps a rate lasts.
    gamma : float
        What it is multiplied with then.
    last_epoch : int
        The step to go on from, or -1 to begin.
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """The share at a step."""
        return float(self.gamma ** (epoch // self.step_size))

    def ratio(self, epoch: int) -> float:
        """What a step multiplies the rate with."""
        return self.gamma if epoch % self.step_size == 0 else 1.0


class MultiStepLR(_Shares):
    """``lr = last * gamma`` at each milestone.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates.
    milestones : iterable of int
        The steps at which the rate changes; one that is there twice counts twice.
    gamma : float
        What it is multiplied with.
    last_epoch : int
        The step to go on from, or -1 to begin.
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """The share at a step."""
        return float(self.gamma ** bisect_right(sorted(Counter(self.milestones).elements()), epoch))

    def ratio(self, epoch: int) -> float:
        """What a step multiplies the rate with."""
        return float(self.gamma ** self.milestones.get(epoch, 0))


class ConstantLR(_Shares):
    """``lr = first * factor`` for `total_iters` steps, and then the first.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates.
    factor : float
        From 0 to 1.
    total_iters : int
        How many steps it lasts.
    last_epoch : int
        The step to go on from, or -1 to begin.

    Raises
    ------
    ValueError
        For a factor outside 0 to 1.
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0.0 <= factor <= 1.0:
            raise ValueError(f"Constant multiplicative factor expected to be between 0 and 1, but got {factor}")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """The share at a step."""
        return 1.0 if epoch >= self.total_iters else self.factor


class LinearLR(_Shares):
    """A share of the first rate that goes from `start_factor` to `end_factor` in `total_iters` steps: a warm-up.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates.
    start_factor, end_factor : float
        The share at first and at last, from 0 to 1, the first above 0.
    total_iters : int
        How many steps it takes.
    last_epoch : int
        The step to go on from, or -1 to begin.

    Raises
    ------
    ValueError
        For a share outside 0 to 1.
    """

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not 0.0 < start_factor <= 1.0:
            raise ValueError(
                f"Starting multiplicative factor expected to be greater than 0 and less or equal to 1, but got "
                f"{start_factor}"
            )
        if not 0.0 <= end_factor <= 1.0:
            raise ValueError(f"Ending multiplicative factor expected to be between 0 and 1, but got {end_factor}")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """The share at a step."""
        gone = min(self.total_iters, epoch) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * gone


class ExponentialLR(_Shares):
    """``lr = last * gamma`` each step.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates.
    gamma : float
        What each step multiplies with.
    last_epoch : int
        The step to go on from, or -1 to begin.
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """The share at a step."""
        return float(self.gamma**epoch)

    def ratio(self, epoch: int) -> float:
        """What a step multiplies the rate with."""
        return self.gamma


class PolynomialLR(_Shares):
    """``lr = first * (1 - step / total_iters) ** power``, then 0.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates.
    total_iters : int
        How many steps it takes to 0.
    power : float
        1 for a line.
    last_epoch : int
        The step to go on from, or -1 to begin.
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """The share at a step."""
        return float((1.0 - min(self.total_iters, epoch) / self.total_iters) ** self.power)
