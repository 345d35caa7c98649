"""A whole training: steps, evaluation, checkpoints and a record of all numbers, until it is done or stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from kael.random import fork_rng
from kael.replacing import replaced
from kael.training.checkpoint import save_checkpoint
from kael.training.interrupt import Interrupt
from kael.training.loop import NotFinite, Step, Training

__all__ = ["Outcome", "Report", "fit"]


class Report(NamedTuple):
    """What is known after a step.

    Attributes
    ----------
    step : Step
        What it did.
    seconds : float
        Since the beginning.
    evaluation : dict
        What `evaluate` gave after this step; empty where it was not asked.
    """

    step: Step
    seconds: float
    evaluation: dict[str, float]


class Outcome(NamedTuple):
    """How a training ended.

    Attributes
    ----------
    step : int
        The last step.
    why : {"done", "interrupted", "no better"}
        All steps are made; Ctrl-C was pressed; the evaluation has not become better for too long.
    best : float, optional
        The smallest first number of an evaluation.
    best_step : int
        The step it was found after.
    """

    step: int
    why: str
    best: float | None
    best_step: int


def fit(
    training: Training, steps: int, *, evaluate: Callable[[], dict[str, float]] | None = None, every: int = 100,
    patience: int | None = None, checkpoint: Path | None = None, save_every: int | None = None,
    metrics: Path | None = None, about: dict[str, Any] | None = None, show: Callable[[Report], None] | None = None,
) -> Outcome:  # fmt: skip
    """Train up to a step.

    Parameters
    ----------
    training : Training
        Fresh, or loaded from a checkpoint.
    steps : int
        The number of the last step.
    evaluate : callable, optional
        Numbers that tell how good the model is, the first one the smaller the better. It finds the model in evaluation
        mode, and the dice as they were are put back after it: a training does not depend on how often it is looked at.
    every : int
        Steps between two evaluations; there is one after the last step too.
    patience : int, optional
        Evaluations in a row that may be no better than the best one before the training ends.
    checkpoint : path, optional
        Where to save: after every `save_every` steps, after each evaluation that is the best so far (under the name
        with ``.best`` in it), at the end, and when Ctrl-C is pressed.
    save_every : int, optional
        `every` when left out.
    metrics : path, optional
        A file of JSON, one line for each step. Of a training that is resumed, lines of later steps are dropped first.
    about : dict, optional
        Is written into the checkpoints.
    show : callable, optional
        Is given each report.

    Returns
    -------
    Outcome

    Raises
    ------
    NotFinite
        When the loss is infinite or nan, with the last good checkpoint.
    OSError
        When a file cannot be written.

    Notes
    -----
    At the first Ctrl-C the step under way is finished and a checkpoint saved; a second one interrupts at once.
    """
    save_every = every if save_every is None else save_every
    saved = training.step if checkpoint is not None and checkpoint.exists() and training.step else None
    record = None if metrics is None else open_record(metrics, training.step)
    begun = time.monotonic()
    why = "done"
    try:
        with Interrupt() as interrupt:
            while training.step < steps:
                step = training.advance()
                last = step.number == steps
                evaluation = {}
                if evaluate is not None and (last or step.number % every == 0 or interrupt.asked):
                    evaluation = evaluated(training, evaluate)
                report = Report(step, time.monotonic() - begun, evaluation)
                if record is not None:
                    record.write(json.dumps(line_of(report)) + "\n")
                    record.flush()
                if show is not None:
                    show(report)
                if evaluation:
                    better = training.judge(next(iter(evaluation.values())))
                    if better and checkpoint is not None:
                        save_checkpoint(best_name(checkpoint), training, about)
                if interrupt.asked:
                    why = "interrupted"
                elif patience is not None and training.waited > patience:
                    why = "no better"
                if checkpoint is not None and (last or why != "done" or step.number % save_every == 0):
                    save_checkpoint(checkpoint, training, about)
                    saved = step.number
                if why != "done":
                    break
    except NotFinite as error:
        kept = "" if saved is None else f"; {checkpoint} is the training after step {saved}"
        raise NotFinite(f"{error}{kept}") from None
    finally:
        if record is not None:
            record.close()
    return Outcome(training.step, why, training.best, training.best_step)


def evaluated(training: Training, evaluate: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Numbers of a model in evaluation mode; its mode and the dice are put back."""
    training.model.eval()
    with fork_rng():
        found = evaluate()
    training.model.train()
    return found


def best_name(checkpoint: Path) -> Path:
    """The name beside a checkpoint's under which the best one is kept.

    Examples
    --------
    >>> best_name(Path("gpt.safetensors")).name
    'gpt.best.safetensors'
    """
    return checkpoint.with_name(f"{checkpoint.stem}.best{checkpoint.suffix}")


def line_of(report: Report) -> dict[str, Any]:
    """A report as one flat line."""
    return {
        "step": report.step.number, "epoch": report.step.epoch, "loss": report.step.loss, "lr": report.step.lr,
        "norm": report.step.norm, "seconds": round(report.seconds, 3), **report.evaluation,
    }  # fmt: skip


def open_record(path: Path, step: int) -> Any:
    """The file of metrics, ready for the lines after a step."""
    if path.exists():
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if whole(line) and number(line) <= step]
        with replaced(path) as partial:
            partial.write_text("".join(line + "\n" for line in lines if step), encoding="utf-8")
    return path.open("a", encoding="utf-8")


def whole(line: str) -> bool:
    """Whether a line is one of metrics: a process that was killed may leave half of one."""
    try:
        return "step" in json.loads(line)
    except ValueError:
        return False


def number(line: str) -> int:
    """The step of a line."""
    return int(json.loads(line)["step"])
