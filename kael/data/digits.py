"""The handwritten digits that come with scikit-learn."""

from __future__ import annotations

from kael import dtypes
from kael.creation import tensor
from kael.data.dataset import TensorDataset
from kael.extras import need
from kael.generators import Generator
from kael.random import randperm

__all__ = ["load_digits"]


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
    images = tensor(samples.data / 16.0, dtype=dtypes.float32)
    labels = tensor(samples.target, dtype=dtypes.int64)
    count = round(len(labels) * test_fraction)
    if not 0 < count < len(labels):
        raise ValueError(
            f"load_digits: test_fraction {test_fraction} leaves one side empty; choose one between 0 and 1"
        )
    order = randperm(len(labels), generator=Generator(seed))
    held_out, kept = order[:count], order[count:]
    return TensorDataset(images[kept], labels[kept]), TensorDataset(images[held_out], labels[held_out])
