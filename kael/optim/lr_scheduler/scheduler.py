"""What all schedules share: the rates that groups have, changed at each step."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from kael.optim.optimizer import Optimizer

__all__ = ["LRScheduler"]


class LRScheduler:
    """The base of the schedules; a subclass defines `get_lr`.

    A schedule changes the rates that the groups have, by what lies between two steps, so that several schedules of one
    optimizer multiply, and a rate that was set by hand stays in force.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new rates. Each keeps its first rate as ``initial_lr``.
    last_epoch : int
        The step to go on from, or -1 to begin.

    Attributes
    ----------
    last_epoch : int
        How many steps were taken.
    base_lrs : list of float
        The first rate of each group.

    Raises
    ------
    TypeError
        When `optimizer` is none.
    KeyError
        When a group has no ``initial_lr`` to go on from.
    """

    last_epoch: int
    _step_count: int
    _is_initial: bool
    _last_lr: list[float]

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self._attach(optimizer)
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    f"last_epoch {last_epoch}; load the optimizer's state first"
                )
        self.base_lrs: list[float] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._begin()

    def _attach(self, optimizer: Any) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(self).__name__}: {type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer

    def _begin(self) -> None:
        """Set the rates of the first step."""
        self._step_count, self._is_initial = 0, True
        try:
            self.step()
        finally:
            self._is_initial = False

    def _rates(self) -> list[float]:
        """What the groups have now."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def get_last_lr(self) -> list[float]:
        """The rates that the last step set, one for each group."""
        return self._last_lr

    def get_lr(self) -> list[float]:
        """The rates at `last_epoch`, from those that the groups have now; `step` calls it."""
        raise NotImplementedError(f"{type(self).__name__} defines no get_lr")

    def _get_closed_form_lr(self) -> list[float]:
        """The rates at `last_epoch`, from the first ones where that can be said."""
        return self.get_lr()

    def step(self, epoch: int | None = None) -> None:
        """Set the rates of the next step, or of step `epoch`.

        Warns
        -----
        UserWarning
            When the optimizer has not stepped before the first call: the first rate would be skipped.
        """
        if self._step_count == 1 and not self.optimizer.stepped:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: call them in the opposite order, or "
                "the first value of the learning rate schedule is skipped",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        self._move(epoch)

    def _move(self, epoch: int | None) -> None:
        if epoch is None:
            self.last_epoch += 1
            self._set(self.get_lr())
        else:
            self.last_epoch = epoch
            self._set(self._get_closed_form_lr())

    def _set(self, rates: Sequence[float]) -> None:
        groups = self.optimizer.param_groups
        if len(rates) != len(groups):
            raise ValueError(
                f"{type(self).__name__} was made for {len(rates)} groups but the optimizer has {len(groups)}; add "
                "groups before the schedule is made"
            )
        for group, rate in zip(groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = self._rates()

    def _apart(self) -> tuple[str, ...]:
        """The attributes that are no part of the state as they are."""
        return ("optimizer",)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; functions are left out, and of other callables their attributes are kept."""
        return {name: value for name, value in self.__dict__.items() if name not in self._apart()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` of a schedule of this kind gave, kael's or PyTorch's.

        Raises
        ------
        ValueError
            Naming what is missing; nothing is changed then.
        """
        missing = sorted(name for name in self.state_dict() if name not in state_dict)
        if missing:
            raise ValueError(f"loaded state dict is not of a {type(self).__name__}: it lacks {', '.join(missing)}")
        self._take(state_dict)

    def _take(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: value for name, value in state.items() if name not in self._apart()})
