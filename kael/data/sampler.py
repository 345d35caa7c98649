"""Samplers: in which order the numbers of the samples come, and how they are gathered to batches."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import Any

import numpy

from kael.generators import Generator, source

__all__ = ["BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "positive"]


def positive(owner: str, name: str, value: Any) -> int:
    """A whole number from 1 on.

    Raises
    ------
    TypeError
        When it is no integer.
    ValueError
        When it is below 1.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{owner}: {name} is a {type(value).__name__}; it must be an integer")
    if value < 1:
        raise ValueError(f"{owner}: {name} is {value}; it must be 1 or more")
    return operator.index(value)


class Sampler:
    """The base of samplers: a subclass defines ``__iter__``, and ``__len__`` where the number is known.

    Notes
    -----
    A loader can be resumed in the middle of a pass if its sampler gives the same numbers again: from a `Generator`
    under the attribute ``generator``, whose state the loader keeps, or always the same.
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} defines no __iter__")


class SequentialSampler(Sampler):
    """The numbers of all samples in order.

    Examples
    --------
    >>> from kael.data import SequentialSampler
    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Numbers of samples in random order: each once, or drawn anew each time.

    Parameters
    ----------
    data_source : Dataset
        What is sampled.
    replacement : bool
        Draw each number among all, so that some come twice and others never.
    num_samples : int, optional
        How many; as many as there are samples when left out. Without replacement, what goes beyond is another random
        order.
    generator : Generator, optional
        Where the order comes from; the default generator when left out.

    Raises
    ------
    ValueError
        When `num_samples` is below 1.

    Notes
    -----
    All numbers of a pass are drawn when it begins: what else is drawn from the same generator meanwhile does not mix
    with them, whoever reads ahead.

    Examples
    --------
    >>> import kael
    >>> sampler = kael.data.RandomSampler("abcd", generator=kael.Generator(0))
    >>> len(sampler), sorted(sampler)
    (4, [0, 1, 2, 3])
    """

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:  # fmt: skip
        self.data_source = data_source
        self.replacement = replacement
        self.generator = generator
        self._num_samples = None if num_samples is None else positive("RandomSampler", "num_samples", num_samples)

    @property
    def num_samples(self) -> int:
        """How many numbers a pass has."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count, wanted, numbers = len(self.data_source), self.num_samples, source(self.generator)
        if not count and wanted:
            raise ValueError(f"RandomSampler: {wanted} samples are wanted of a dataset that has none")
        if self.replacement:
            drawn = numbers.integers(0, count, wanted) if wanted else numpy.empty(0, numpy.int64)
        elif wanted <= count:
            drawn = numbers.permutation(count)[:wanted]
        else:
            drawn = numpy.concatenate([numbers.permutation(count) for _ in range(-(-wanted // count))])[:wanted]
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """The numbers of another sampler in lists of one size.

    Parameters
    ----------
    sampler : iterable of int
        Where they come from.
    batch_size : int
        Numbers in a list; the last may hold fewer.
    drop_last : bool
        Leave out a last list that is not full.

    Raises
    ------
    ValueError
        When `batch_size` is below 1.

    Examples
    --------
    >>> from kael.data import BatchSampler
    >>> list(BatchSampler(range(5), 2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        self.sampler: Any = sampler
        self.batch_size = positive("BatchSampler", "batch_size", batch_size)
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        return self._lists(iter(self.sampler))  # not lazily: a random order is drawn when the pass begins

    def _lists(self, numbers: Iterator[int]) -> Iterator[list[int]]:
        batch: list[int] = []
        for number in numbers:
            batch.append(number)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)
