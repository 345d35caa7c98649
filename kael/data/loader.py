"""The loader: a dataset in batches, shuffled from a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kael.creation import tensor
from kael.data.dataset import TensorDataset
from kael.generators import Generator
from kael.ops.joining import stack
from kael.random import randperm
from kael.tensors import Tensor

__all__ = ["DataLoader", "default_collate"]


class DataLoader:
    """Deals out the samples of a dataset in batches, each pass in a new order if `shuffle`.

    Parameters
    ----------
    dataset : Dataset
        Anything with ``__getitem__`` and ``__len__``.
    batch_size : int
        Samples in a batch; the last may hold fewer.
    shuffle : bool
        Deal in random order.
    drop_last : bool
        Leave out a last batch that is not full.
    collate_fn : callable, optional
        Makes a batch of a list of samples; `default_collate` when left out.
    generator : Generator, optional
        Where the order comes from; the default generator when left out.

    Raises
    ------
    ValueError
        When `batch_size` is below 1.

    Examples
    --------
    >>> import kael
    >>> dataset = kael.data.TensorDataset(kael.arange(5))
    >>> loader = kael.data.DataLoader(dataset, batch_size=2)
    >>> [batch.tolist() for (batch,) in loader], len(loader)
    ([[0, 1], [2, 3], [4]], 3)
    """

    def __init__(
        self, dataset: Any, batch_size: int = 1, shuffle: bool = False, drop_last: bool = False,
        collate_fn: Callable[[list[Any]], Any] | None = None, generator: Generator | None = None,
    ) -> None:  # fmt: skip
        if batch_size < 1:
            raise ValueError(f"DataLoader: batch_size is {batch_size}; it must be 1 or more")
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.collate_fn = collate_fn
        self.generator = generator

    def __len__(self) -> int:
        whole, rest = divmod(len(self.dataset), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[Any]:
        count = len(self.dataset)
        order = randperm(count, generator=self.generator).tolist() if self.shuffle else range(count)
        for number in range(len(self)):
            yield self._batch(list(order[number * self.batch_size : (number + 1) * self.batch_size]))

    def _batch(self, indices: list[int]) -> Any:
        if self.collate_fn is not None:
            return self.collate_fn([self.dataset[index] for index in indices])
        if isinstance(self.dataset, TensorDataset):
            return self.dataset[tensor(indices)]
        return default_collate([self.dataset[index] for index in indices])


def default_collate(samples: list[Any]) -> Any:
    """A batch of samples: tensors stacked, numbers made a tensor, tuples and dicts taken apart.

    Raises
    ------
    TypeError
        For samples of another kind.

    Examples
    --------
    >>> from kael.data.loader import default_collate
    >>> default_collate([(1, 0.5), (2, 1.5)])
    (tensor([1, 2]), tensor([0.5000, 1.5000]))
    """
    first = samples[0]
    if isinstance(first, Tensor):
        return stack(samples)
    if isinstance(first, (int, float)):
        return tensor(samples)
    if isinstance(first, dict):
        return {key: default_collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        return type(first)(default_collate(list(part)) for part in zip(*samples, strict=True))
    raise TypeError(
        f"default_collate: samples are {type(first).__name__}; tensors, numbers, tuples and dicts of them are taken, "
        "pass collate_fn for others"
    )
