"""Rates along half a cosine, once or again and again."""

from __future__ import annotations

import math

from kael.optim.lr_scheduler.scheduler import LRScheduler
from kael.optim.optimizer import Optimizer

__all__ = ["CosineAnnealingLR", "CosineAnnealingWarmRestarts", "cosine"]


def cosine(start: float, end: float, gone: float) -> float:
    """From `start` to `end` along half a wave, of which a share is gone."""
    return end + (start - end) * (1.0 + math.cos(math.pi * gone)) / 2.0


class CosineAnnealingLR(LRScheduler):
    """``lr = eta_min + (first - eta_min) * (1 + cos(pi * step / T_max)) / 2``, and after `T_max` steps up again.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates.
    T_max : int
        How many steps it takes to the bottom.
    eta_min : float
        The rate there.
    last_epoch : int
        The step to go on from, or -1 to begin.

    Notes
    -----
    Source: Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts" (2017), without restarts.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates at `last_epoch`, from those that the groups have now."""
        epoch = self.last_epoch
        if self._is_initial:
            return self._rates()
        if self._step_count == 1 and epoch > 0:
            return self._get_closed_form_lr()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # from the bottom, where there is nothing to multiply
            rise = (1.0 - math.cos(math.pi / self.T_max)) / 2.0
            return [r + (b - self.eta_min) * rise for r, b in zip(self._rates(), self.base_lrs, strict=True)]
        now, before = (1.0 + math.cos(math.pi * at / self.T_max) for at in (epoch, epoch - 1))
        return [self.eta_min + (rate - self.eta_min) * now / before for rate in self._rates()]

    def _get_closed_form_lr(self) -> list[float]:
        return [cosine(base, self.eta_min, self.last_epoch / self.T_max) for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the first rate to `eta_min`, again and again, each `T_mult` times as long as the last.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates.
    T_0 : int
        How many steps the first takes.
    T_mult : int
        How many times longer each is than the last.
    eta_min : float
        The rate at the bottom.
    last_epoch : int
        The step to go on from, or -1 to begin.

    Raises
    ------
    ValueError
        For `T_0` or `T_mult` below 1 or no whole number.

    Notes
    -----
    `step` takes fractions of an epoch: ``step(epoch + batch / batches)``.

    Source: Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts" (2017).
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates at the place in the present half wave."""
        return [cosine(base, self.eta_min, self.T_cur / self.T_i) for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Set the rates of the next step, or of step `epoch`, which may be a fraction."""
        self._step_count += 1
        if epoch is None and self.last_epoch >= 0:
            self.last_epoch += 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur % self.T_i, self.T_i * self.T_mult
        else:
            at = 0 if epoch is None else epoch
            if at < 0:
                raise ValueError(f"Expected non-negative epoch, but got {at}")
            self.last_epoch, self.T_i = math.floor(at), self.T_0
            if self.T_mult == 1:
                at %= self.T_0
            while at >= self.T_i:
                at, self.T_i = at - self.T_i, self.T_i * self.T_mult
            self.T_cur = at
        self._set(self.get_lr())
