"""A perceptron on handwritten digits: the whole of supervised learning on one screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kael.autograd import no_grad
from kael.data import DataLoader, TensorDataset
from kael.generators import Generator
from kael.models import MLP
from kael.nn import Module
from kael.nn.functional import cross_entropy
from kael.ops.reduction import argmax
from kael.optim import SGD
from kael.random import manual_seed, randn

__all__ = ["Epoch", "Settings", "accuracy", "model_for", "train_digits"]


class Settings(NamedTuple):
    """What can be chosen about the training.

    Attributes
    ----------
    seed : int
        Decides the split, the first weights, the order of the samples and the noise.
    epochs : int
        How often every sample is seen.
    lr : float
        Step size at the start; it falls to 0 in a straight line.
    batch_size : int
        Samples per step.
    hidden : tuple of int
        Sizes of the hidden layers.
    noise : float
        Standard deviation of what is added to every pixel (0 to 1) of a training image, so that none is seen twice.
    """

    seed: int = 0
    epochs: int = 20
    lr: float = 0.2
    batch_size: int = 64
    hidden: tuple[int, ...] = (256,)
    noise: float = 0.2


class Epoch(NamedTuple):
    """What one pass over the samples gave: its number from 1, the mean loss, and the accuracy on the test samples."""

    number: int
    loss: float
    test_accuracy: float


def accuracy(model: Module, dataset: TensorDataset) -> float:
    """The part of the samples whose largest score is that of the right class.

    Parameters
    ----------
    model : Module
        Gives scores ``(N, C)`` for inputs ``(N, *)``.
    dataset : TensorDataset
        Inputs and right classes.
    """
    inputs, targets = dataset.tensors
    training = model.training
    model.eval()
    with no_grad():
        right = argmax(model(inputs), 1) == targets
    model.train(training)
    return int(right.sum()) / len(dataset)


def train_digits(model: MLP, train: TensorDataset, test: TensorDataset, settings: Settings) -> Iterator[Epoch]:
    """Train a model by gradient descent with momentum, and report after every epoch.

    Parameters
    ----------
    model : MLP
        Changed in place.
    train, test : TensorDataset
        Images and digits, as `kael.data.load_digits` gives them.
    settings : Settings
        How to train.

    Yields
    ------
    Epoch
        After each pass over `train`.

    Notes
    -----
    The same settings give the same numbers on the same rung of the kernels.

    Examples
    --------
    >>> from kael.data import load_digits
    >>> from kael.training import Settings, model_for, train_digits
    >>> train, test = load_digits(seed=0)
    >>> settings = Settings(epochs=1)
    >>> [epoch.number for epoch in train_digits(model_for(settings), train, test, settings)]
    [1]
    """
    numbers = Generator(settings.seed)
    loader = DataLoader(train, settings.batch_size, shuffle=True, generator=numbers)
    optimizer = SGD(model.parameters(), lr=settings.lr, momentum=0.9, weight_decay=1e-4)
    steps, done = settings.epochs * len(loader), 0
    for number in range(1, settings.epochs + 1):
        total = 0.0
        for images, digits in loader:
            optimizer.param_groups[0]["lr"] = settings.lr * (1 - done / steps)
            if settings.noise:
                images = images + randn(images.shape, generator=numbers) * settings.noise
            optimizer.zero_grad()
            loss = cross_entropy(model(images), digits)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(digits)
            done += 1
        yield Epoch(number, total / len(train), accuracy(model, test))


def model_for(settings: Settings) -> MLP:
    """The untrained perceptron: 64 pixels, the hidden layers, 10 digits; its weights follow from the seed."""
    manual_seed(settings.seed)
    return MLP(64, *settings.hidden, 10)
