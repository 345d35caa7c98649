"""``kael train mnist``: a convolutional network learns handwritten digits from files that the user has."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kael.autograd import no_grad
from kael.data import DataLoader, TensorDataset, load_mnist
from kael.generators import Generator
from kael.models import LeNet
from kael.nn import Module
from kael.nn.functional import cross_entropy
from kael.ops.reduction import argmax
from kael.optim import AdamW
from kael.random import manual_seed
from kael.tensors import Tensor
from kael.training.checkpoint import load_checkpoint
from kael.training.curve import check_target, save_metrics
from kael.training.fitting import fit
from kael.training.loop import NotFinite, Training
from kael.training.options import (
    INTERRUPTED,
    Shown,
    positive,
    run_options,
    threads,
    vacant,
    whole,
)

__all__ = ["image_loss", "mnist_parser", "mnist_training", "train"]

AT_ONCE = 500


def mnist_parser(parser: argparse.ArgumentParser) -> None:
    """What ``kael train mnist`` takes."""
    add = parser.add_argument
    add("data", type=Path, metavar="FOLDER", help="where the four IDX files lie, plain or as .gz")
    add("--epochs", type=whole(1), default=3, help="passes over the images (default %(default)s)")
    add("--batch-size", type=whole(1), default=64, help="images per step (default %(default)s)")
    add("--lr", type=positive, default=1e-3, help="step size (default %(default)s)")
    add("--seed", type=whole(0), default=0, help="decides every random number (default %(default)s)")
    run_options(parser, "mnist.safetensors")


def train(options: argparse.Namespace) -> int:
    """Train until all passes are made or Ctrl-C is pressed."""
    if options.plot is not None:
        check_target(options.plot)
    if not options.resume:
        vacant(options.checkpoint)
    learned, tested = load_mnist(options.data)
    print(f"{len(learned)} training and {len(tested)} test images, seed {options.seed}", flush=True)
    training = mnist_training(learned, options.seed, options.batch_size, options.lr)
    if options.resume:
        load_checkpoint(options.checkpoint, training)
    in_a_pass = len(learned) // options.batch_size
    steps = options.epochs * in_a_pass
    with threads(options.threads), Shown(steps, training.step, plain=options.plain) as show:
        try:
            outcome = fit(
                training, steps, evaluate=lambda: measured(training.model, tested), every=max(in_a_pass, 1),
                checkpoint=options.checkpoint, metrics=options.metrics, about={"kind": "mnist"},
                show=show,
            )  # fmt: skip
        except NotFinite as error:
            print(f"kael train: {error}", file=sys.stderr)
            return 1
    if options.plot is not None and show.reports:
        save_metrics(options.plot, show.reports)
        print(f"loss curve in {options.plot}")
    print(
        f"test accuracy {1 - measured(training.model.eval(), tested)['error']:.4f}; checkpoint in {options.checkpoint}"
    )
    return INTERRUPTED if outcome.why == "interrupted" else 0


def mnist_training(images: TensorDataset, seed: int, batch_size: int, lr: float) -> Training:
    """The network with its optimizer and batches.

    Raises
    ------
    ValueError
        When there are fewer images than a batch.
    """
    if len(images) < batch_size:
        raise ValueError(f"{len(images)} images are fewer than a batch of {batch_size}; choose a smaller --batch-size")
    manual_seed(seed)
    model = LeNet()
    loader = DataLoader(images, batch_size, shuffle=True, drop_last=True, generator=Generator(seed))
    return Training(model, AdamW(model.parameters(), lr=lr), loader, image_loss)


def image_loss(model: Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    """Cross entropy of the scores of images."""
    images, digits = batch
    return cross_entropy(model(images), digits)


def measured(model: Module, images: TensorDataset) -> dict[str, float]:
    """The part of the images whose largest score is not that of the right digit."""
    wrong = 0
    with no_grad():
        for batch, digits in DataLoader(images, AT_ONCE):
            wrong += int((argmax(model(batch), 1) != digits).sum())
    return {"error": wrong / len(images)}
