"""One cycle: rates up and far down, momentum the other way."""

from __future__ import annotations

import math
from typing import Any

from kael.optim.lr_scheduler.cosine import cosine
from kael.optim.lr_scheduler.scheduler import LRScheduler
from kael.optim.optimizer import Optimizer

__all__ = ["OneCycleLR"]


def line(start: float, end: float, gone: float) -> float:
    """From `start` to `end` along a line, of which a share is gone."""
    return start + (end - start) * gone


class OneCycleLR(LRScheduler):
    """From a low rate up to `max_lr`, and down to a much lower one, while momentum goes the other way.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates.
    max_lr : float or list of float
        The highest rate, or one for each group.
    total_steps : int, optional
        How many steps the cycle has; ``epochs * steps_per_epoch`` when left out.
    epochs, steps_per_epoch : int, optional
        Instead of `total_steps`.
    pct_start : float
        The share of the steps that goes up.
    anneal_strategy : {"cos", "linear"}
        Along what.
    cycle_momentum : bool
        Change momentum too, or of Adam the first beta.
    base_momentum, max_momentum : float or list of float
        Momentum at the highest rate, and at first and last.
    div_factor : float
        The first rate is ``max_lr / div_factor``.
    final_div_factor : float
        The last rate is the first over this.
    three_phase : bool
        Come down to the first rate as fast as it went up, and then to the last.
    last_epoch : int
        The step to go on from, or -1 to begin.

    Raises
    ------
    ValueError
        For numbers of steps below 1, a share outside 0 to 1, another strategy, an optimizer without momentum, and for
        more steps than the cycle has.

    Notes
    -----
    Source: Smith and Topin, "Super-convergence: very fast training of neural networks using large learning rates"
    (2018).
    """

    def __init__(
        self, optimizer: Optimizer, max_lr: float | list[float], total_steps: int | None = None,
        epochs: int | None = None, steps_per_epoch: int | None = None, pct_start: float = 0.3,
        anneal_strategy: str = "cos", cycle_momentum: bool = True, base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95, div_factor: float = 25.0, final_div_factor: float = 1e4,
        three_phase: bool = False, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self._attach(optimizer)
        counts = {"total_steps": total_steps}
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
            counts = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        for name, count in counts.items():
            if not isinstance(count, int) or count <= 0:
                raise ValueError(f"Expected positive integer {name}, but got {count}")
        self.total_steps = math.prod(count for count in counts.values() if count is not None)
        if not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        top = pct_start * self.total_steps - 1.0
        ends = [(top, "max_lr", "base_momentum"), (self.total_steps - 1, "min_lr", "max_momentum")]
        if three_phase:
            ends.insert(1, (2 * pct_start * self.total_steps - 2.0, "initial_lr", "max_momentum"))
        starts = [("initial_lr", "max_momentum"), *[names for _, *names in ends]]
        self._schedule_phases: list[dict[str, Any]] = [
            {"end_step": end, "start_lr": rate0, "end_lr": rate, "start_momentum": momentum0, "end_momentum": momentum}
            for (rate0, momentum0), (end, rate, momentum) in zip(starts, ends, strict=False)
        ]
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = "betas" in optimizer.defaults
        if cycle_momentum and not self.use_beta1 and "momentum" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        options = {"max_lr": max_lr, "max_momentum": max_momentum, "base_momentum": base_momentum}
        each = {name: self._for_groups(name, value) for name, value in options.items()}
        if last_epoch == -1:
            for number, group in enumerate(optimizer.param_groups):
                group["initial_lr"] = each["max_lr"][number] / div_factor
                group["max_lr"] = each["max_lr"][number]
                group["min_lr"] = group["initial_lr"] / final_div_factor
                if cycle_momentum:
                    group["max_momentum"] = each["max_momentum"][number]
                    group["base_momentum"] = each["base_momentum"][number]
        super().__init__(optimizer, last_epoch)

    def _for_groups(self, name: str, value: float | list[float]) -> list[float]:
        count = len(self.optimizer.param_groups)
        if not isinstance(value, (list, tuple)):
            return [value] * count
        if len(value) != count:
            raise ValueError(f"{name} must have the same length as optimizer.param_groups: {len(value)} != {count}")
        return list(value)

    def get_lr(self) -> list[float]:
        """The rates at `last_epoch`; sets momentum on the way."""
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        start = 0.0
        for phase in self._schedule_phases:
            if self.last_epoch <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        gone = (self.last_epoch - start) / (phase["end_step"] - start)
        between = cosine if self._anneal_func_type == "cos" else line
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(between(group[phase["start_lr"]], group[phase["end_lr"]], gone))
            if self.cycle_momentum:
                momentum = between(group[phase["start_momentum"]], group[phase["end_momentum"]], gone)
                if self.use_beta1:
                    group["betas"] = (momentum, *group["betas"][1:])
                else:
                    group["momentum"] = momentum
        return rates
