"""The handwritten digits and the irises that come with scikit-learn."""

from __future__ import annotations

from typing import Any

from kael import dtypes
from kael.creation import tensor
from kael.data.dataset import TensorDataset
from kael.extras import need
from kael.generators import Generator
from kael.random import randperm

__all__ = ["load_digits", "load_iris"]


def load_digits(seed: int = 0, test_fraction: float = 0.2) -> tuple[TensorDataset, TensorDataset]:
    """The 1,797 images of 8x8 pixels, split at random into training and test samples.

    Parameters
    ----------
    seed : int
        Decides the split.
    test_fraction : float
        Part of the samples that is kept for the test.

    Returns
    -------
    train, test : TensorDataset
        Images of shape (N, 64) as float32 from 0 to 1, and digits of shape (N,) as int64.

    Raises
    ------
    MissingExtra
        When scikit-learn is not installed.
    ValueError
        When the fraction leaves one side empty.

    Notes
    -----
    Source: E. Alpaydin and C. Kaynak, "Optical recognition of handwritten digits", UCI Machine Learning Repository
    (1998), in the copy that scikit-learn carries; nothing is downloaded.

    Examples
    --------
    >>> import kael
    >>> train, test = kael.data.load_digits()
    >>> len(train), len(test)
    (1438, 359)
    """
    samples = need("sklearn.datasets", "train", "the digits").load_digits()
    return held_out("load_digits", samples.data / 16.0, samples.target, seed, test_fraction)


def load_iris(seed: int = 0, test_fraction: float = 0.2) -> tuple[TensorDataset, TensorDataset]:
    """The 150 irises of three kinds, split at random into training and test samples.

    Parameters
    ----------
    seed : int
        Decides the split.
    test_fraction : float
        Part of the samples that is kept for the test.

    Returns
    -------
    train, test : TensorDataset
        Length and width of sepal and petal in centimetres, of shape (N, 4) as float32, and kinds (0 setosa, 1
        versicolor, 2 virginica) of shape (N,) as int64.

    Raises
    ------
    MissingExtra
        When scikit-learn is not installed.
    ValueError
        When the fraction leaves one side empty.

    Notes
    -----
    Source: R. A. Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7 (1936), in the
    copy that scikit-learn carries; nothing is downloaded.

    Examples
    --------
    >>> import kael
    >>> train, test = kael.data.load_iris()
    >>> len(train), len(test), tuple(train.tensors[0].shape)
    (120, 30, (120, 4))
    """
    samples = need("sklearn.datasets", "train", "the irises").load_iris()
    return held_out("load_iris", samples.data, samples.target, seed, test_fraction)


def held_out(
    name: str, inputs: Any, targets: Any, seed: int, test_fraction: float
) -> tuple[TensorDataset, TensorDataset]:
    """Inputs as float32 and targets as int64, a random part of them kept for the test."""
    numbers, labels = tensor(inputs, dtype=dtypes.float32), tensor(targets, dtype=dtypes.int64)
    count = round(len(labels) * test_fraction)
    if not 0 < count < len(labels):
        raise ValueError(f"{name}: test_fraction {test_fraction} leaves one side empty; choose one between 0 and 1")
    order = randperm(len(labels), generator=Generator(seed))
    test, train = order[:count], order[count:]
    return TensorDataset(numbers[train], labels[train]), TensorDataset(numbers[test], labels[test])
