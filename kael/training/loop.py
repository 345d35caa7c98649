"""The training loop: batches, loss, gradients, a step, again and again, and all that it takes to go on from there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from kael.nn import Module
from kael.nn.utils import clip_grad_norm_
from kael.optim import Optimizer
from kael.random import get_rng_state, set_rng_state
from kael.tensors import Tensor

__all__ = ["NotFinite", "Step", "Training"]


class NotFinite(ArithmeticError):
    """The loss of a step is infinite or no number; the model is what it was before that step."""


class Step(NamedTuple):
    """What one step did.

    Attributes
    ----------
    number : int
        From 1.
    epoch : int
        Passes over the batches, this one included.
    loss : float
        The mean over the step's batches.
    lr : float
        The step size of the first group of parameters.
    norm : float, optional
        Of all gradients together, before they were clipped; None where they are not.
    """

    number: int
    epoch: int
    loss: float
    lr: float
    norm: float | None


class Training:
    """A model on its way: what learns, by what, from what, and how far it has come.

    Parameters
    ----------
    model : Module
        Changed in place.
    optimizer : Optimizer
        Of the model's parameters.
    batches : iterable
        A pass each time it is walked through, such as a `DataLoader`. One with ``state_dict`` and ``load_state_dict``
        is resumed within a pass, another one at the next pass.
    loss : callable
        The loss, a tensor of one element, of the model and a batch.
    scheduler : object, optional
        Its ``step`` is called after each of the optimizer's.
    accumulate : int
        Batches whose gradients are added before a step; the gradient is that of their mean loss.
    clip : float, optional
        The largest norm of all gradients together; larger ones are scaled down to it.

    Attributes
    ----------
    step, epoch : int
        Steps made, and passes begun.
    best : float, optional
        The smallest value that `judge` was given, after step `best_step`; `waited` values since were not smaller.

    Raises
    ------
    ValueError
        When `accumulate` is below 1, or `clip` is not above 0.

    Examples
    --------
    >>> import kael
    >>> from kael.training import Training
    >>> model = kael.nn.Linear(1, 1)
    >>> data = kael.data.TensorDataset(kael.arange(8.0).reshape(8, 1), 3 * kael.arange(8.0).reshape(8, 1))
    >>> training = Training(
    ...     model, kael.optim.SGD(model.parameters(), lr=0.01), kael.data.DataLoader(data, 4),
    ...     lambda model, batch: kael.nn.functional.mse_loss(model(batch[0]), batch[1]),
    ... )
    >>> [step.epoch for step in training.steps(4)]
    [1, 1, 2, 2]
    """

    def __init__(
        self, model: Module, optimizer: Optimizer, batches: Iterable[Any], loss: Callable[[Module, Any], Tensor], *,
        scheduler: Any = None, accumulate: int = 1, clip: float | None = None,
    ) -> None:  # fmt: skip
        if accumulate < 1:
            raise ValueError(f"Training: accumulate is {accumulate}; it must be 1 or more")
        if clip is not None and not clip > 0:
            raise ValueError(f"Training: clip is {clip}; it must be above 0")
        self.model = model
        self.optimizer = optimizer
        self.batches = batches
        self.loss = loss
        self.scheduler = scheduler
        self.accumulate = accumulate
        self.clip = clip
        self.step = 0
        self.epoch = 0
        self.best: float | None = None
        self.best_step = 0
        self.waited = 0
        self._pass: Iterator[Any] | None = None
        self._resumed = False

    def steps(self, until: int) -> Iterator[Step]:
        """Train up to the step of this number.

        Yields
        ------
        Step
            After each. What the caller does in between, such as saving, finds everything in step.

        Raises
        ------
        NotFinite
            Before a step whose loss is infinite or nan is made.
        ValueError
            When there is not one batch.
        """
        while self.step < until:
            yield self.advance()

    def advance(self) -> Step:
        """Make one step."""
        self.model.train()
        self.optimizer.zero_grad()
        total = 0.0
        for _ in range(self.accumulate):
            loss = self.loss(self.model, self._next_batch())
            value = loss.item()
            if not math.isfinite(value):
                raise NotFinite(
                    f"the loss is {value} in step {self.step + 1}; a smaller step size or clipped gradients often "
                    "help, and `with kael.autograd.detect_anomaly():` shows the operation that a nan comes from"
                )
            (loss if self.accumulate == 1 else loss / self.accumulate).backward()
            total += value
        norm = None if self.clip is None else clip_grad_norm_(self.model.parameters(), self.clip).item()
        lr = float(self.optimizer.param_groups[0]["lr"])
        self.optimizer.step()
        if self.scheduler is not None:
            self.scheduler.step()
        self.step += 1
        return Step(self.step, self.epoch, total / self.accumulate, lr, norm)

    def _next_batch(self) -> Any:
        for _ in range(2):  # a pass that is resumed, or was left, may be at its end
            if self._pass is None:
                self.epoch += not self._resumed
                self._resumed = False
                self._pass = iter(self.batches)
            for batch in self._pass:
                return batch
            self._pass = None
        raise ValueError("Training: there is no batch to train on; is the data set empty, or smaller than a batch?")

    def state_dict(self) -> dict[str, Any]:
        """Everything that the next steps depend on, for `kael.save`: the model, the optimizer, the order, the dice."""
        state: dict[str, Any] = {"step": self.step, "epoch": self.epoch, "model": self.model.state_dict()}
        state["optimizer"] = self.optimizer.state_dict()
        state["scheduler"] = None if self.scheduler is None else self.scheduler.state_dict()
        state["batches"] = self.batches.state_dict() if hasattr(self.batches, "state_dict") else None
        state["random"] = get_rng_state()
        return state | {"best": self.best, "best_step": self.best_step, "waited": self.waited}

    def judge(self, value: float) -> bool:
        """Note how good the model is, the smaller the better; whether it never was as good."""
        if self.best is None or value < self.best:
            self.best, self.best_step, self.waited = value, self.step, 0
            return True
        self.waited += 1
        return False

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a state: the next steps are those that would have been made there, to the bit.

        Raises
        ------
        ValueError
            When it is no state of a training, or one with another scheduler or other batches.
        RuntimeError
            When the model has other parameters.
        """
        missing = [key for key in self.state_dict() if key not in state]
        if missing:
            raise ValueError(f"Training: the state has no {', '.join(missing)}; it is none of a training")
        if (state["scheduler"] is None) != (self.scheduler is None):
            there, here = ("a", "none") if self.scheduler is None else ("no", "one")
            raise ValueError(f"Training: the state was saved with {there} scheduler, and this training has {here}")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        if self.scheduler is not None:
            self.scheduler.load_state_dict(state["scheduler"])
        self.step, self.epoch, self._pass = state["step"], state["epoch"], None
        self.best, self.best_step, self.waited = state["best"], state["best_step"], state["waited"]
        self._resumed = False
        if state["batches"] is not None and hasattr(self.batches, "load_state_dict"):
            self.batches.load_state_dict(state["batches"])
            self._resumed = bool(state["batches"].get("under_way", False))
        set_rng_state(state["random"])
