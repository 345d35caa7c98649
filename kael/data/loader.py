"""The loader: a dataset in batches, shuffled from a seed, read ahead by threads, resumed where it was left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from kael.data.ahead import Ahead
from kael.data.collate import default_collate
from kael.data.dataset import Dataset, IterableDataset
from kael.data.sampler import BatchSampler, RandomSampler, SequentialSampler, positive
from kael.generators import Generator, default_generator
from kael.tensors import Tensor

__all__ = ["DataLoader"]


class DataLoader:
    """Deals out the samples of a dataset in batches, each pass in a new order if `shuffle`.

    Parameters
    ----------
    dataset : Dataset or IterableDataset
        Anything with ``__getitem__`` and ``__len__``, or a stream.
    batch_size : int
        Samples in a batch; the last may hold fewer.
    shuffle : bool
        Deal in random order.
    sampler : iterable of int, optional
        The numbers of the samples, in place of `shuffle`.
    batch_sampler : iterable of lists of int, optional
        The numbers of each batch, in place of `batch_size`, `shuffle`, `sampler` and `drop_last`.
    num_workers : int
        Threads that load batches ahead, while the caller computes; 0 loads each when it is asked for.
    collate_fn : callable, optional
        Makes a batch of a list of samples; `default_collate` when left out.
    drop_last : bool
        Leave out a last batch that is not full.
    generator : Generator, optional
        Where the order comes from; the default generator when left out.
    prefetch_factor : int, optional
        How many batches each thread may be ahead; 2 when left out.

    Raises
    ------
    ValueError
        When `batch_size` is below 1, or the arguments exclude each other.

    Notes
    -----
    The batches and their order do not depend on the number of workers, as long as a sample does not depend on when it
    is loaded: a dataset that draws random numbers should draw them from a generator made of its number. Workers
    are threads, where PyTorch has processes: nothing is copied or pickled, and Python code of a dataset takes turns
    with the caller's, while files, NumPy and kael's kernels run beside it. Of a stream, one thread reads at a time.

    What a worker raises is raised in the place of its batch, with the worker's traceback, and ends the pass. A pass
    that is given up, by ``break``, an error or Ctrl-C, ends its threads once each has finished its batch.

    Examples
    --------
    >>> import kael
    >>> dataset = kael.data.TensorDataset(kael.arange(5))
    >>> loader = kael.data.DataLoader(dataset, batch_size=2)
    >>> [batch.tolist() for (batch,) in loader], len(loader)
    ([[0, 1], [2, 3], [4]], 3)
    """

    def __init__(
        self, dataset: Any, batch_size: int = 1, shuffle: bool = False, sampler: Iterable[int] | None = None,
        batch_sampler: Iterable[list[int]] | None = None, num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None, *, drop_last: bool = False,
        generator: Generator | None = None, prefetch_factor: int | None = None,
    ) -> None:  # fmt: skip
        if num_workers:
            positive("DataLoader", "num_workers", num_workers)
        if prefetch_factor is not None and not num_workers:
            raise ValueError(
                f"DataLoader: prefetch_factor is {prefetch_factor} but num_workers is 0; nothing is loaded ahead"
            )
        if sampler is not None and shuffle:
            raise ValueError("DataLoader: sampler and shuffle exclude each other; the sampler decides the order")
        streamed = isinstance(dataset, IterableDataset)
        if streamed and (shuffle or sampler is not None or batch_sampler is not None):
            raise ValueError(
                "DataLoader: the samples of an IterableDataset come in its own order; leave out shuffle, sampler and "
                "batch_sampler"
            )
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError("DataLoader: batch_sampler excludes batch_size, shuffle, sampler and drop_last")
        self.dataset = dataset
        self.batch_size = positive("DataLoader", "batch_size", batch_size) if batch_sampler is None else None
        self.drop_last = drop_last
        self.num_workers = num_workers
        self.collate_fn = collate_fn
        self.generator = generator
        self.prefetch_factor = positive(
            "DataLoader", "prefetch_factor", 2 if prefetch_factor is None else prefetch_factor
        )
        self.sampler: Any = sampler
        self.batch_sampler: Any = batch_sampler
        if self.sampler is None and not streamed:
            self.sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if self.batch_sampler is None and not streamed:
            self.batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        self._progress = Progress()
        self._resumed = False

    def __len__(self) -> int:
        if self.batch_sampler is None:
            raise TypeError("DataLoader: nobody knows how many samples an IterableDataset has before it ends")
        return len(self.batch_sampler)

    def __iter__(self) -> Batches:
        numbers, resumed = self._numbers(), self._progress if self._resumed else Progress()
        self._resumed = False
        self._progress = progress = Progress(True, numbers.get_state() if numbers is not None else None)
        if resumed.under_way:
            progress.start, progress.batches = resumed.start, resumed.batches
        if numbers is not None and resumed.under_way and resumed.start is not None:
            now = numbers.get_state()
            numbers.set_state(resumed.start)
            work = self._work(resumed.batches)
            numbers.set_state(now)
        else:
            work = self._work(resumed.batches)
        load = Load(self.dataset, self.collate_fn)
        if not self.num_workers:
            return Batches(map(load, work), progress)
        return Batches(Ahead(work, load, self.num_workers, self.num_workers * self.prefetch_factor), progress)

    def _work(self, done: int) -> Iterator[Any]:
        """What a pass loads: lists of numbers, or of a stream's samples, without those of the first `done` batches."""
        if self.batch_sampler is None:
            assert self.batch_size is not None
            work = iter(BatchSampler(self.dataset, self.batch_size, self.drop_last))
        else:
            work = iter(self.batch_sampler)
        next(islice(work, done, done), None)
        return work

    def _numbers(self) -> Generator | None:
        """The generator that decides the order, as far as the loader can see."""
        holders: tuple[Any, ...] = (self.batch_sampler, getattr(self.batch_sampler, "sampler", None))
        for holder in holders:
            if hasattr(holder, "generator"):
                found = default_generator if holder.generator is None else holder.generator
                return found if isinstance(found, Generator) else None
        return None

    def state_dict(self) -> dict[str, Any]:
        """Where the last pass that was begun stands, and the random state, for `load_state_dict`.

        Returns
        -------
        dict
            Tensors and numbers, which `kael.save` writes. Batches that are loaded ahead but not handed out do not
            count as done.

        Examples
        --------
        >>> import kael
        >>> def loader():
        ...     dataset = kael.data.TensorDataset(kael.arange(4))
        ...     return kael.data.DataLoader(dataset, shuffle=True, generator=kael.Generator(0))
        >>> first, second = loader(), loader()
        >>> batches = iter(first)
        >>> _ = next(batches)
        >>> second.load_state_dict(first.state_dict())
        >>> [batch.item() for (batch,) in batches] == [batch.item() for (batch,) in second]
        True
        """
        numbers, progress = self._numbers(), self._progress
        return {
            "under_way": progress.under_way,
            "batches": progress.batches,
            "start": progress.start,
            "generator": None if numbers is None else numbers.get_state(),
            "samples": None if self.batch_sampler is None else len(self.dataset),
            "batch_size": self.batch_size,
            "drop_last": self.drop_last,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Let the next pass go on where `state_dict` was called, and later ones follow as they would have.

        Parameters
        ----------
        state : dict
            What `state_dict` returned, of a loader with the same dataset and the same arguments; the number of workers
            may differ.

        Raises
        ------
        ValueError
            When keys are missing, or the state is that of another dataset or other batches.

        Notes
        -----
        The generator of the order is set to what it was as well, also where it is the default generator. A stream is
        read again up to its place.
        """
        own = self.state_dict()
        missing = [key for key in own if key not in state]
        if missing:
            raise ValueError(f"DataLoader: the state has no {', '.join(missing)}; it is none of a DataLoader")
        for key in ("samples", "batch_size", "drop_last"):
            if state[key] != own[key]:
                raise ValueError(
                    f"DataLoader: the state was saved with {key} {state[key]} but this loader has {own[key]}; a pass "
                    "can be resumed with the same dataset and batches only"
                )
        if (state["generator"] is None) != (own["generator"] is None):
            kinds = ["in random order" if of["generator"] is not None else "in a fixed order" for of in (state, own)]
            raise ValueError(f"DataLoader: the state was saved {kinds[0]} but this loader deals {kinds[1]}")
        numbers = self._numbers()
        if numbers is not None:
            numbers.set_state(state["generator"])
        self._progress = Progress(bool(state["under_way"]), state["start"], int(state["batches"]))
        self._resumed = True


class Progress:
    """How far a pass has come: known to the pass and to its loader, so that the loader does not keep the pass alive."""

    __slots__ = ("batches", "start", "under_way")

    def __init__(self, under_way: bool = False, start: Tensor | None = None, batches: int = 0) -> None:
        self.under_way = under_way
        self.start = start
        self.batches = batches


class Batches:
    """One pass: hands out batches and counts them."""

    def __init__(self, results: Iterator[Any], progress: Progress) -> None:
        self._results: Iterator[Any] | None = results
        self._progress = progress

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> Any:
        if self._results is None:
            raise StopIteration
        try:
            batch = next(self._results)
        except StopIteration:
            self._progress.under_way, self._progress.start, self._progress.batches = False, None, 0
            self._results = None
            raise
        except BaseException:
            self.close()
            raise
        self._progress.batches += 1
        return batch

    def close(self) -> None:
        """Hand out nothing more, and let the threads end."""
        if isinstance(self._results, Ahead):
            self._results.close()
        self._results = None


class Load:
    """Makes a batch of numbers of samples, or of a stream's samples."""

    def __init__(self, dataset: Any, collate_fn: Callable[[list[Any]], Any] | None) -> None:
        self.dataset = dataset
        self.collate_fn = collate_fn

    def __call__(self, taken: list[Any]) -> Any:
        """The batch; a StopIteration of the user's code becomes an error, or it would end the pass unseen."""
        try:
            if isinstance(self.dataset, IterableDataset):
                return (self.collate_fn or default_collate)(taken)
            if self.collate_fn is None and isinstance(self.dataset, Dataset):
                return self.dataset.batch(taken)
            return (self.collate_fn or default_collate)([self.dataset[number] for number in taken])
        except StopIteration as error:
            raise RuntimeError("DataLoader: the dataset or collate_fn raised StopIteration while it loaded") from error
