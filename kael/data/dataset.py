"""Datasets: samples by number, and streams of samples."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from kael.creation import tensor
from kael.data.collate import default_collate
from kael.generators import Generator
from kael.random import randperm
from kael.tensors import Tensor

__all__ = ["ConcatDataset", "Dataset", "IterableDataset", "Subset", "TensorDataset", "random_split"]


class Dataset:
    """The base of datasets: a subclass defines ``__getitem__`` and ``__len__``."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} defines no __getitem__")

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])

    def batch(self, indices: Sequence[int]) -> Any:
        """The samples of these numbers, collated; a subclass may have a quicker way to the same batch."""
        return default_collate([self[index] for index in indices])


class IterableDataset:
    """The base of datasets that are streams: a subclass defines ``__iter__``, whose samples come in its own order."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} defines no __iter__")


class TensorDataset(Dataset):
    """Tensors whose first axis counts the samples; sample k is the tuple of their k-th slices.

    Parameters
    ----------
    *tensors : Tensor
        Tensors with first axes of one size.

    Raises
    ------
    ValueError
        When there is no tensor, or the first axes differ.

    Examples
    --------
    >>> import kael
    >>> dataset = kael.data.TensorDataset(kael.tensor([[1.0], [2.0]]), kael.tensor([0, 1]))
    >>> len(dataset), dataset[1]
    (2, (tensor([2.]), tensor(1)))
    """

    def __init__(self, *tensors: Tensor) -> None:
        if not tensors:
            raise ValueError("TensorDataset: no tensor was given")
        for place, each in enumerate(tensors):
            if not each.ndim:
                raise ValueError(f"TensorDataset: tensor {place} has no axis; its first axis counts the samples")
        sizes = [each.shape[0] for each in tensors]
        if len(set(sizes)) > 1:
            raise ValueError(
                f"TensorDataset: the first axes have sizes {', '.join(map(str, sizes))}; they must be equal"
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(each[index] for each in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])

    def batch(self, indices: Sequence[int]) -> Any:
        """The samples of these numbers as a tuple of tensors, gathered at once."""
        if type(self).__getitem__ is not TensorDataset.__getitem__:
            return super().batch(indices)
        rows = tensor(indices)
        return tuple(each[rows] for each in self.tensors)


class Subset(Dataset):
    """The samples of another dataset that have these numbers, in this order.

    Parameters
    ----------
    dataset : Dataset
        Where they are taken from.
    indices : sequence of int
        Their numbers there.

    Examples
    --------
    >>> from kael.data import Subset
    >>> list(Subset("abcdef", [4, 1]))
    ['e', 'b']
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: int) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)

    def batch(self, indices: Sequence[int]) -> Any:
        """The samples of these numbers, collated as the dataset does it."""
        if type(self).__getitem__ is not Subset.__getitem__ or not isinstance(self.dataset, Dataset):
            return super().batch(indices)
        return self.dataset.batch([self.indices[index] for index in indices])


class ConcatDataset(Dataset):
    """Several datasets, one behind the other.

    Parameters
    ----------
    datasets : iterable of Dataset
        At least one; each with a length.

    Raises
    ------
    ValueError
        When there is none.
    TypeError
        For a stream, which has no numbers.

    Examples
    --------
    >>> from kael.data import ConcatDataset
    >>> both = ConcatDataset(["ab", "cde"])
    >>> len(both), both[0], both[2], both[-1]
    (5, 'a', 'c', 'e')
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise ValueError("ConcatDataset: no dataset was given")
        for place, each in enumerate(self.datasets):
            if isinstance(each, IterableDataset):
                raise TypeError(f"ConcatDataset: dataset {place} is an IterableDataset, whose samples have no numbers")
        self.cumulative_sizes = list(accumulate(map(len, self.datasets)))

    def __getitem__(self, index: int) -> Any:
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"ConcatDataset: sample {index} of {len(self)} is not there")
        which = bisect_right(self.cumulative_sizes, place)
        return self.datasets[which][place - (self.cumulative_sizes[which - 1] if which else 0)]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]


def random_split(dataset: Any, lengths: Sequence[int | float], generator: Generator | None = None) -> list[Subset]:
    """Divide a dataset at random into parts that have no sample in common.

    Parameters
    ----------
    dataset : Dataset
        What is divided.
    lengths : sequence of int or float
        The sizes of the parts, which add up to that of the dataset; or fractions that add up to 1, whose sizes are
        rounded down, and what remains goes to the first parts, one sample each.
    generator : Generator, optional
        Decides who goes where; the default generator when left out.

    Raises
    ------
    ValueError
        When the lengths do not add up, or one is negative.

    Examples
    --------
    >>> import kael
    >>> parts = kael.data.random_split(range(10), [0.75, 0.25], generator=kael.Generator(0))
    >>> [len(part) for part in parts], sorted([*parts[0], *parts[1]]) == list(range(10))
    ([8, 2], True)
    """
    count = len(dataset)
    if any(length < 0 for length in lengths):
        raise ValueError(f"random_split: lengths are {list(lengths)}; none may be negative")
    if abs(sum(lengths) - 1) < 1e-9 and any(isinstance(length, float) for length in lengths):
        sizes = [int(count * length) for length in lengths]
        for extra in range(count - sum(sizes)):
            sizes[extra % len(sizes)] += 1
    else:
        sizes = [int(length) for length in lengths]
        if sizes != list(lengths) or sum(sizes) != count:
            raise ValueError(
                f"random_split: lengths {list(lengths)} add up to {sum(lengths)} but the dataset has {count} samples; "
                "they must add up to that, or be fractions that add up to 1"
            )
    order = randperm(count, generator=generator).tolist()
    ends = list(accumulate(sizes))
    return [Subset(dataset, order[end - size : end]) for size, end in zip(sizes, ends, strict=True)]
