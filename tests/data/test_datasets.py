"""Datasets that are parts and chains of others."""

from contextlib import nullcontext
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kael
from kael.data import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split


@settings(deadline=None)
@given(sizes=st.lists(st.integers(0, 5), min_size=1, max_size=5))
def test_a_chain_numbers_its_samples_as_pytorchs(sizes):
    data = pytest.importorskip("torch.utils.data")
    parts = [[(which, place) for place in range(size)] for which, size in enumerate(sizes)]
    chain, theirs = ConcatDataset(parts), data.ConcatDataset(parts)
    assert len(chain) == len(theirs) == sum(sizes)
    assert [chain[k] for k in range(-len(chain), len(chain))] == [theirs[k] for k in range(-len(chain), len(chain))]
    for beyond in (len(chain), -len(chain) - 1):
        with pytest.raises(IndexError, match=f"sample {beyond} of {len(chain)} is not there"):
            chain[beyond]


def test_a_sum_of_datasets_is_their_chain():
    both = TensorDataset(kael.arange(2)) + TensorDataset(kael.arange(3))
    assert [sample.item() for (sample,) in both] == [0, 1, 0, 1, 2]


@settings(deadline=None)
@given(count=st.integers(0, 40), seed=st.integers(0, 5), cuts=st.lists(st.integers(0, 40), max_size=4))
def test_a_split_gives_each_sample_to_one_part(count, seed, cuts):
    ends = [0, *sorted(min(cut, count) for cut in cuts), count]
    lengths = [b - a for a, b in pairwise(ends)]
    parts = random_split(range(count), lengths, generator=kael.Generator(seed))
    again = random_split(range(count), lengths, generator=kael.Generator(seed))
    assert [len(part) for part in parts] == lengths
    assert sorted(sample for part in parts for sample in part) == list(range(count))
    assert [list(part) for part in parts] == [list(part) for part in again]


@pytest.mark.parametrize("fractions", [[0.5, 0.5], [0.8, 0.1, 0.1], [0.3, 0.3, 0.4], [1.0], [0.25, 0.75]])
@pytest.mark.parametrize("count", [1, 7, 10, 1797])
def test_fractions_are_rounded_as_in_pytorch(fractions, count):
    data = pytest.importorskip("torch.utils.data")
    ours = [len(part) for part in random_split(range(count), fractions)]
    with pytest.warns() if 0 in ours else nullcontext():
        assert ours == [len(part) for part in data.random_split(range(count), fractions)]


def test_refused():
    with pytest.raises(ValueError, match=r"lengths \[2, 3\] add up to 5 but the dataset has 6 samples"):
        random_split(range(6), [2, 3])
    with pytest.raises(ValueError, match=r"lengths are \[-1, 7\]; none may be negative"):
        random_split(range(6), [-1, 7])
    with pytest.raises(ValueError, match="no dataset was given"):
        ConcatDataset([])

    class Stream(IterableDataset):
        def __iter__(self):
            return iter("ab")

    with pytest.raises(TypeError, match="dataset 1 is an IterableDataset"):
        ConcatDataset(["ab", Stream()])
    with pytest.raises(ValueError, match="tensor 1 has no axis"):
        TensorDataset(kael.zeros(1), kael.tensor(1.0))
    with pytest.raises(NotImplementedError, match="Dataset defines no __getitem__"):
        Dataset()[0]
    with pytest.raises(NotImplementedError, match="IterableDataset defines no __iter__"):
        iter(IterableDataset())


def test_a_part_of_anything_is_collated():
    (batch,) = kael.data.DataLoader(Subset([5, 6, 7], [2, 0]), batch_size=2)
    assert batch.tolist() == [7, 5]
