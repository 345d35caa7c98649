"""Windows of text, in any order and resumed; and Python's own help as the text."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kael
from kael.data import CharacterTokenizer, DataLoader, RandomSampler, TextDataset, default_collate, python_docs


@settings(deadline=None)
@given(count=st.integers(2, 60), context=st.integers(1, 12), stride=st.integers(1, 15))
def test_each_window_is_followed_by_its_targets(count, context, stride):
    if count <= context:
        return
    dataset = TextDataset(np.arange(count), context, stride)
    starts = range(0, count - context, stride)
    assert len(dataset) == len(starts)
    for place, start in enumerate(starts):
        x, y = dataset[place]
        assert x.tolist() == list(range(start, start + context))
        assert y.tolist() == list(range(start + 1, start + context + 1))


def test_a_batch_is_its_samples():
    dataset = TextDataset(kael.arange(50), context=4, stride=3)
    for indices in ([0, 5, 5, 2], [-1], [len(dataset) - 1]):
        quick, slow = dataset.batch(indices), default_collate([dataset[index] for index in indices])
        assert [part.tolist() for part in quick] == [part.tolist() for part in slow]
        assert quick[0].dtype is slow[0].dtype is kael.int64


def test_a_batch_may_be_written_to():
    dataset = TextDataset(kael.arange(9), context=4)
    x, y = dataset.batch([0, 1])
    x.fill_(-1)
    assert (y >= 0).all() and dataset[0][0].tolist() == [0, 1, 2, 3]


def test_random_windows_are_resumed_to_the_bit():
    dataset = TextDataset(kael.arange(1000), context=8)

    def loader(workers):
        sampler = RandomSampler(dataset, replacement=True, num_samples=60, generator=kael.Generator(4))
        return DataLoader(dataset, batch_size=16, sampler=sampler, num_workers=workers)

    first, second = loader(0), loader(2)
    batches = iter(first)
    next(batches)
    second.load_state_dict(first.state_dict())
    assert [x.tolist() for x, _ in batches] == [x.tolist() for x, _ in second]
    assert [x.tolist() for x, _ in first] == [x.tolist() for x, _ in second]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([1, 2, 3], 3), ValueError, "3 tokens are too few for one window of 3 and the token behind it"),
        (([], 1), ValueError, "0 tokens are too few"),
        (([[1, 2]], 1), ValueError, r"tokens are \(1, 2\); they must lie in one line"),
        (([1.5, 2.5], 1), TypeError, "tokens are float64; they must be integers"),
        ((["a", "b"], 1), TypeError, "they must be integers"),
        (([1, 2], 0), ValueError, "context is 0; it must be 1 or more"),
        (([1, 2], 1, 0), ValueError, "stride is 0; it must be 1 or more"),
    ],
)
def test_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        TextDataset(*arguments)


@pytest.mark.parametrize("index", [3, -4])
def test_a_window_that_is_not_there(index):
    dataset = TextDataset([1, 2, 3, 4], 1)
    with pytest.raises(IndexError, match=f"window {index} of 3 is not there"):
        dataset[index]
    with pytest.raises(IndexError, match=f"window {index} of 3 is not there"):
        dataset.batch([0, index])


class TestPythonDocs:
    def test_it_is_the_help_of_this_python(self):
        docs = python_docs()
        assert "lambda" in docs.text
        assert docs.length == len(docs.text) > 400_000
        assert docs.train + docs.validation == docs.text
        assert len(docs.validation) == docs.length // 10

    @pytest.mark.skipif(sys.version_info[:3] != (3, 11, 7), reason="the text of another Python")
    def test_of_one_python_length_and_hash_are_known(self):
        docs = python_docs()
        assert (docs.length, docs.sha256[:8]) == (464_970, "37d06970")

    def test_it_says_which_it_is(self):
        docs = python_docs()
        version = ".".join(map(str, sys.version_info[:3]))
        assert repr(docs) == f"help texts of Python {version}, {docs.length:,} characters, SHA-256 {docs.sha256[:16]}"

    def test_a_python_without_help_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
        with pytest.raises(ModuleNotFoundError, match="came without its help texts"):
            python_docs()

    def test_its_characters_make_a_data_set(self):
        docs = python_docs()
        tokenizer = CharacterTokenizer.train(docs.text)
        x, y = TextDataset(tokenizer.encode(docs.train), context=64)[100]
        assert tokenizer.decode(x) == docs.text[100:164] and tokenizer.decode(y) == docs.text[101:165]
