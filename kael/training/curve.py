"""The loss curve as a picture."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kael.extras import need
from kael.replacing import replaced
from kael.training.digits import Epoch
from kael.training.fitting import Report

__all__ = ["check_target", "save_curve", "save_metrics"]


def check_target(path: Path) -> None:
    """Find out before the training whether the picture can be written after it; nothing is left behind.

    Raises
    ------
    MissingExtra
        When matplotlib is not installed.
    OSError
        When the folder is missing or cannot be written, or the path is a folder.
    ValueError
        When the name does not end in ``.png``.
    """
    if path.suffix.lower() != ".png":
        raise ValueError(f"the picture is a PNG; name it {path.with_suffix('.png')}")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}; make it first, or name another")
    need("matplotlib", "train", "--plot")
    if path.exists():
        with path.open("r+b"):
            return
    try:
        with tempfile.TemporaryFile(dir=path.parent) as trial:
            trial.write(bytes(64 * 1024))
    except OSError as error:  # it would name the trial's file, which the caller knows nothing of
        raise OSError(f"{path} cannot be written: {error.strerror}; name another folder") from error


def save_curve(path: Path, epochs: Sequence[Epoch]) -> None:
    """Draw the training loss and the test accuracy of each epoch.

    The picture is written beside its place and moved there when it is whole.

    Raises
    ------
    OSError
        When it cannot be written.
    """
    Figure: Any = need("matplotlib.figure", "train", "--plot").Figure
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    numbers = [epoch.number for epoch in epochs]
    loss = figure.add_subplot()
    loss.plot(
        numbers, [epoch.loss for epoch in epochs], color="tab:blue", marker="o", markersize=3, label="training loss"
    )
    loss.set_xlabel("epoch")
    loss.xaxis.get_major_locator().set_params(integer=True)
    loss.set_ylabel("cross entropy")
    loss.set_ylim(bottom=0)
    right = loss.twinx()
    right.plot(
        numbers, [epoch.test_accuracy for epoch in epochs], color="tab:orange", marker="s", markersize=3,
        linestyle="--", label="test accuracy",
    )  # fmt: skip
    right.set_ylabel("accuracy")
    right.set_ylim(0, 1.02)
    figure.legend(loc="outside upper center", ncols=2)
    with replaced(path) as partial:
        figure.savefig(partial, format="png", dpi=150)


def save_metrics(path: Path, reports: Sequence[Report]) -> None:
    """Draw the loss of each step, its running mean, and the evaluations.

    Raises
    ------
    OSError
        When it cannot be written.
    """
    Figure: Any = need("matplotlib.figure", "train", "--plot").Figure
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.add_subplot()
    numbers, losses = [report.step.number for report in reports], [report.step.loss for report in reports]
    axes.plot(numbers, losses, color="tab:blue", alpha=0.25, linewidth=0.5)
    axes.plot(numbers, running_mean(losses), color="tab:blue", label="training loss, mean of 50 steps")
    evaluated = [
        (report.step.number, next(iter(report.evaluation.values()))) for report in reports if report.evaluation
    ]
    axes.plot(*zip(*evaluated, strict=True), color="tab:orange", marker="s", markersize=3, label="validation loss")
    axes.set_xlabel("step")
    axes.set_ylabel("nats")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=2)
    with replaced(path) as partial:
        figure.savefig(partial, format="png", dpi=150)


def running_mean(values: Sequence[float], length: int = 50) -> list[float]:
    """The mean of each value and those before it, up to so many.

    Examples
    --------
    >>> running_mean([1.0, 3.0, 8.0], 2)
    [1.0, 2.0, 5.5]
    """
    return [sum(values[max(0, k + 1 - length) : k + 1]) / min(k + 1, length) for k in range(len(values))]
