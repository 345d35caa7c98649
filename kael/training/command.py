"""``kael train``: train, show how it goes, and say how good it is; here the digits, the others in their own modules."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from kael.data import load_digits
from kael.training import gpt_command, mnist_command
from kael.training.curve import check_target, save_curve
from kael.training.digits import Epoch, Settings, accuracy, model_for, train_digits
from kael.training.options import positive, progress_bar, whole

__all__ = ["main"]

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``kael train``; returns the exit code: 130 when Ctrl-C stopped it, 1 when something could not be had."""
    outer = argparse.ArgumentParser(prog="kael train", description="Train a model.")
    models = outer.add_subparsers(dest="model", required=True, metavar="MODEL")
    digits_parser(models.add_parser("digits", help="a perceptron on 8x8 handwritten digits"))
    mnist_command.mnist_parser(
        models.add_parser("mnist", help="a convolutional network on MNIST, from a folder of its files")
    )
    gpt_command.gpt_parser(models.add_parser("gpt", help="a transformer on text: Python's own help texts, or a file"))
    options = outer.parse_args(arguments)
    try:
        return {"digits": train, "mnist": mnist_command.train, "gpt": gpt_command.train}[options.model](options)
    except ValueError as error:
        print(f"kael train: {error}", file=sys.stderr)
        return 1


def digits_parser(parser: argparse.ArgumentParser) -> None:
    """What ``kael train digits`` takes."""
    base = Settings()
    parser.add_argument(
        "--seed", type=whole(0), default=base.seed, help="decides every random number (default %(default)s)"
    )
    parser.add_argument(
        "--epochs", type=whole(1), default=base.epochs, help="passes over the samples (default %(default)s)"
    )
    parser.add_argument("--lr", type=positive, default=base.lr, help="step size at the start (default %(default)s)")
    parser.add_argument(
        "--batch-size", type=whole(1), default=base.batch_size, help="samples per step (default %(default)s)"
    )
    parser.add_argument(
        "--hidden", type=whole(1), nargs="+", default=base.hidden, metavar="SIZE", help="hidden layers (default 256)"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="save the loss curve as PNG")
    parser.add_argument("--plain", action="store_true", help="no progress bar")


def train(options: argparse.Namespace) -> int:
    """Train, also to the first Ctrl-C, and report what was reached, whatever happens to the picture."""
    if options.plot is not None:
        check_target(options.plot)
    settings = Settings(options.seed, options.epochs, options.lr, options.batch_size, tuple(options.hidden))
    train_set, test_set = load_digits(settings.seed)
    model = model_for(settings)
    layers = "-".join(map(str, (64, *settings.hidden, 10)))
    print(
        f"{len(train_set)} training and {len(test_set)} test images, layers {layers}, seed {settings.seed}", flush=True
    )
    reached: list[Epoch] = []
    code = 0
    try:
        for epoch in shown(train_digits(model, train_set, test_set, settings), settings.epochs, plain=options.plain):
            reached.append(epoch)
            if not math.isfinite(epoch.loss):
                raise ArithmeticError(f"the loss is {epoch.loss} in epoch {epoch.number}; try a smaller --lr")
    except KeyboardInterrupt:
        code = INTERRUPTED
        print(f"\nkael train: stopped in epoch {len(reached) + 1} of {settings.epochs}", file=sys.stderr)
    except ArithmeticError as error:
        code = 1
        print(f"kael train: {error}", file=sys.stderr)
    if options.plot is not None and reached:
        code = plot(options.plot, reached) or code
    print(f"test accuracy {accuracy(model, test_set):.2f}")
    return code


def plot(path: Path, reached: Sequence[Epoch]) -> int:
    """Save the curve and say where; 1 where it could not be written."""
    try:
        save_curve(path, reached)
    except OSError as error:
        print(f"kael train: the loss curve is not saved: {error}", file=sys.stderr)
        return 1
    print(f"loss curve in {path}")
    return 0


def shown(epochs: Iterable[Epoch], count: int, *, plain: bool) -> Iterator[Epoch]:
    """Hand the epochs on and show each: as a bar where stderr is a terminal and tqdm is installed, else a line each."""
    bar = None if plain else progress_bar(count, "epoch")
    with contextlib.closing(bar) if bar is not None else contextlib.nullcontext():
        for epoch in epochs:
            if bar is not None:
                bar.set_postfix_str(f"loss {epoch.loss:.4f}, test accuracy {epoch.test_accuracy:.3f}", refresh=False)
                bar.update()
            else:
                print(
                    f"epoch {epoch.number:3} loss {epoch.loss:.4f} test accuracy {epoch.test_accuracy:.3f}", flush=True
                )
            yield epoch
