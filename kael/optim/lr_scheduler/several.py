"""Several schedules of one optimizer: in turn, or one upon the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from kael.optim.lr_scheduler.plateau import ReduceLROnPlateau
from kael.optim.lr_scheduler.scheduler import LRScheduler
from kael.optim.optimizer import Optimizer

__all__ = ["ChainedScheduler", "SequentialLR"]


class _Several(LRScheduler):
    """Schedules of one optimizer."""

    _schedulers: list[LRScheduler]

    def _gather(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler]) -> None:
        for number, scheduler in enumerate(schedulers):
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{type(self).__name__} does not support `ReduceLROnPlateau`, whose step needs a metric, but got "
                    f"one at index {number}"
                )
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"{type(self).__name__} expects all schedulers to belong to the same optimizer, but that of "
                    f"{type(scheduler).__name__} at index {number} is another"
                )
        self._attach(optimizer)
        self._schedulers = list(schedulers)

    def _apart(self) -> tuple[str, ...]:
        return ("optimizer", "_schedulers")

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer, with the state of each schedule."""
        return {**super().state_dict(), "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def _take(self, state: dict[str, Any]) -> None:
        super()._take(state)
        for scheduler, kept in zip(self._schedulers, state["_schedulers"], strict=True):
            scheduler.load_state_dict(kept)


class SequentialLR(_Several):
    """One schedule after another, each from its own beginning.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates.
    schedulers : list of LRScheduler
        The schedules in order.
    milestones : list of int
        The steps at which the second and each later one begins.
    last_epoch : int
        The step to go on from, or -1 to begin.

    Raises
    ------
    ValueError
        When there is no schedule, the number of milestones does not fit, or the optimizers differ.
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        if not schedulers:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._gather(optimizer, schedulers)
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        # Each schedule has set the rates of its beginning when it was made: back to what was before them.
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        pending: list[LRScheduler] = list(self._schedulers)
        while pending:
            scheduler = pending.pop()
            if isinstance(scheduler, _Several):
                pending += scheduler._schedulers
            else:
                scheduler.last_epoch -= 1
        first = self._schedulers[bisect_right(self._milestones, 0)]
        first._begin()
        self._last_lr = first.get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """Set the rates of the next step, by the schedule whose turn it is."""
        if epoch is not None:
            raise ValueError("SequentialLR takes no epoch: it goes forward, step by step")
        self.last_epoch += 1
        turn = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[turn]
        if turn and self._milestones[turn - 1] == self.last_epoch:
            scheduler._move(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Several):
    """All schedules at each step, one upon the other.

    Parameters
    ----------
    schedulers : sequence of LRScheduler
        The schedules, in the order in which they step.
    optimizer : Optimizer, optional
        That of the first, when left out.

    Raises
    ------
    ValueError
        When there is no schedule, or the optimizers differ.
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if not schedulers:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        self._gather(optimizer or schedulers[0].optimizer, schedulers)
        self._last_lr = self._rates()

    def step(self, epoch: int | None = None) -> None:
        """Let each schedule step."""
        for scheduler in self._schedulers:
            scheduler.step(epoch)
        self._last_lr = self._rates()
