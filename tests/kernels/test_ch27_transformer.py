"""Byte pairs are learned and merged alike on all rungs, and bad operands are refused in the same words."""

from __future__ import annotations

import inspect
from collections import Counter
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.fuzzing import examples
from tests.kernels.parity import layouts
from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch27_transformer")
REFERENCE = RUNGS["python"]

Words = list[bytes]


def laid_out(words: Words) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Words as symbols and offsets."""
    symbols = np.frombuffer(b"".join(words), np.uint8).astype(np.int64)
    return symbols, np.cumsum([0, *map(len, words)]).astype(np.int64)


def learned(rung: ModuleType, words: Words, counts: list[int], wanted: int, least: int = 1) -> list[tuple[int, int]]:
    """The merges that a rung finds."""
    out = np.full((wanted, 2), -7, np.int64)
    found = rung.learn_merges(*laid_out(words), np.array(counts, np.int64), least, out)
    assert (out[found:] == -7).all()  # rows without a pair stay as they are
    return [(left, right) for left, right in out[:found].tolist()]


def applied(rung: ModuleType, words: Words, merges: list[tuple[int, int]]) -> list[list[int]]:
    """The words after the merges, on a rung."""
    symbols, offsets = laid_out(words)
    out, lengths = np.full(len(symbols), -7, np.int64), np.full(len(words), -7, np.int64)
    rung.apply_merges(symbols, offsets, np.array(merges, np.int64).reshape(-1, 2), out, lengths)
    ends = np.cumsum([0, *lengths.tolist()]).tolist()
    assert (out[ends[-1] :] == -7).all()  # what is not needed stays as it is
    return [out[a:b].tolist() for a, b in pairwise(ends)]


@pytest.fixture(params=RUNGS)
def rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


def texts(letters: str) -> st.SearchStrategy[Words]:
    word = st.lists(st.sampled_from(letters), max_size=12).map("".join).map(str.encode)
    return st.lists(word, max_size=8)


@settings(max_examples=examples(150), deadline=None)
@given(words=st.one_of(texts("ab"), texts("abcdef"), st.lists(st.binary(max_size=9), max_size=6)), data=st.data())
@example(words=[b"aaaaaaa", b"aaa", b"aa"], data=None)
def test_rungs_learn_and_merge_alike(words, data):
    counts = [data.draw(st.integers(0, 4)) if data else 1 for _ in words]
    least = data.draw(st.integers(1, 3)) if data else 1
    merges = learned(REFERENCE, words, counts, 12, least)
    pieces = applied(REFERENCE, words, merges)
    for module in RUNGS.values():
        assert learned(module, words, counts, 12, least) == merges
        assert applied(module, words, merges) == pieces


@settings(max_examples=examples(100), deadline=None)
@given(words=texts("ab"), data=st.data())
def test_any_merges_are_applied_alike(words, data):
    """Also those that no text would teach: of symbols that never occur, or of one pair twice."""
    merges = []
    for k in range(data.draw(st.integers(0, 8))):
        symbol = st.sampled_from([97, 98, *range(256, 256 + k)])
        merges.append((data.draw(symbol), data.draw(symbol)))
    results = [applied(module, words, merges) for module in RUNGS.values()]
    assert all(result == results[0] for result in results)


def test_a_long_word_and_many_words_alike():
    numbers = np.random.default_rng(0)
    words = [bytes(numbers.choice([97, 98, 99], 400, p=[0.6, 0.3, 0.1]).tolist()) for _ in range(3)]
    words += [bytes(numbers.integers(97, 105, size).tolist()) for size in numbers.integers(0, 9, 200)]
    counts = numbers.integers(0, 1000, len(words)).tolist()
    merges = learned(REFERENCE, words, counts, 60)
    assert len(merges) == 60
    for module in RUNGS.values():
        assert learned(module, words, counts, 60) == merges
        assert applied(module, words, merges) == applied(REFERENCE, words, merges)


class TestDefinition:
    def test_the_most_frequent_pair_comes_first(self, rung):
        # we occurs 2 + 6 times, then lo 5 + 2 times; of what occurs 6 times, e and the new we are the smallest
        assert learned(rung, [b"low", b"lower", b"newest"], [5, 2, 6], 3) == [(119, 101), (108, 111), (101, 256)]

    def test_of_equally_frequent_pairs_the_smaller_comes_first(self, rung):
        assert learned(rung, [b"xy", b"ab", b"ax", b"aa"], [3, 3, 3, 3], 9)[:4] == [
            (97, 97), (97, 98), (97, 120), (120, 121)
        ]  # fmt: skip

    def test_every_two_neighbours_count_but_merge_once(self, rung):
        # aaa holds aa twice, as often as bc and before it
        assert learned(rung, [b"aaa", b"bc"], [1, 2], 1) == [(97, 97)]
        assert applied(rung, [b"aaa", b"aaaa"], [(97, 97)]) == [[256, 97], [256, 256]]

    def test_words_stay_apart(self, rung):
        assert learned(rung, [b"a", b"b", b"", b"a"], [9, 9, 9, 9], 4) == []
        assert applied(rung, [b"a", b"b"], [(97, 98)]) == [[97], [98]]

    def test_rare_pairs_are_not_merged(self, rung):
        assert learned(rung, [b"ab", b"cd"], [1, 2], 5, least=2) == [(99, 100)]

    def test_words_that_do_not_occur_teach_nothing(self, rung):
        assert learned(rung, [b"ab"], [0], 5) == []

    def test_without_words_there_is_nothing(self, rung):
        assert learned(rung, [], [], 3) == []
        assert applied(rung, [], [(97, 98)]) == []
        assert learned(rung, [b"ab"], [1], 0) == []
        assert applied(rung, [b"ab", b""], []) == [[97, 98], []]

    def test_the_merges_written_on_the_text_are_its_pieces(self, rung):
        """A law that holds for every text: the pieces, written out as bytes, are the words."""
        words = [b"banana", b"bandana", b"ananas"]
        merges = learned(rung, words, [1, 1, 1], 20)
        written = [bytes([k]) for k in range(256)]
        for left, right in merges:
            written.append(written[left] + written[right])
        assert [b"".join(written[k] for k in piece) for piece in applied(rung, words, merges)] == words


def test_the_most_frequent_pair_by_a_count_of_its_own():
    words = [bytes(np.random.default_rng(k).integers(97, 101, 30).tolist()) for k in range(10)]
    pairs = Counter(pair for word in words for pair in pairwise(word))
    best = min(pairs, key=lambda pair: (-pairs[pair], pair))
    for module in RUNGS.values():
        assert learned(module, words, [1] * len(words), 1) == [best]


def test_every_layout_of_the_operands(rung):
    symbols, offsets = laid_out([b"abab", b"aab"])
    counts, merges = np.array([2, 3]), np.array([[97, 98], [97, 256]])
    want = learned(REFERENCE, [b"abab", b"aab"], [2, 3], 2)
    for _, text in layouts(symbols):
        for (_, cuts), (_, numbers), (_, rules) in zip(
            layouts(offsets), layouts(counts), layouts(merges), strict=False
        ):
            for _, out in layouts(np.zeros((2, 2), np.int64)):
                rung.learn_merges(text, cuts, numbers, 1, out)
                assert [tuple(row) for row in out.tolist()] == want
            for (_, out), (_, lengths) in zip(
                layouts(np.zeros(7, np.int64)), layouts(np.zeros(2, np.int64)), strict=True
            ):
                rung.apply_merges(text, cuts, rules, out, lengths)
                assert (out.tolist(), lengths.tolist()) == ([256, 256, 257, 0, 0, 0, 0], [2, 1])


def vector(*numbers: int) -> np.ndarray[Any, Any]:
    return np.array(numbers, np.int64)


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


GOOD: dict[str, dict[str, Any]] = {
    "learn_merges": {
        "symbols": vector(97, 98), "offsets": vector(0, 2), "counts": vector(1), "least": 1,
        "out": np.zeros((1, 2), np.int64),
    },
    "apply_merges": {
        "symbols": vector(97, 98), "offsets": vector(0, 2), "merges": np.array([[97, 98]]), "out": vector(0, 0),
        "lengths": vector(0),
    },
}  # fmt: skip
BAD = [
    ("learn_merges", "symbols", vector(97, 256), ValueError, r"symbols\[1\] is 256; a byte is 0 to 255"),
    ("learn_merges", "symbols", vector(-1, 97), ValueError, r"symbols\[0\] is -1"),
    ("learn_merges", "symbols", np.zeros(2), TypeError, "symbols is float64; it must be int64"),
    ("learn_merges", "symbols", np.zeros((1, 2), np.int64), ValueError, r"symbols is \(1, 2\); it must have one axis"),
    ("learn_merges", "offsets", vector(0, 1), ValueError, "offsets must rise from 0 to 2"),
    ("learn_merges", "offsets", vector(), ValueError, "offsets must rise from 0 to 2"),
    ("learn_merges", "offsets", vector(0, 3, 2), ValueError, "offsets must rise"),
    ("learn_merges", "offsets", vector(1, 2), ValueError, "offsets must rise"),
    ("learn_merges", "counts", vector(1, 1), ValueError, "counts has 2 elements; it must have 1"),
    ("learn_merges", "counts", vector(-1), ValueError, r"counts\[0\] is -1; a word occurs 0 to 2147483647 times"),
    ("learn_merges", "counts", vector(2**31), ValueError, r"counts\[0\] is 2147483648"),
    ("learn_merges", "least", 0, ValueError, "least is 0; it must be 1 or more"),
    ("learn_merges", "out", np.zeros((1, 3), np.int64), ValueError, r"out is \(1, 3\); it must have rows of 2"),
    ("learn_merges", "out", vector(0, 0), ValueError, r"out is \(2,\); it must have rows of 2"),
    ("learn_merges", "out", np.zeros((1, 2)), TypeError, "out is float64"),
    ("learn_merges", "out", read_only(np.zeros((1, 2), np.int64)), ValueError, "out is read-only"),
    ("apply_merges", "symbols", vector(97, 300), ValueError, r"symbols\[1\] is 300"),
    ("apply_merges", "merges", np.array([[97, 256]]), ValueError, r"merges\[0\] holds 256; .* symbols 0 to 255"),
    ("apply_merges", "merges", np.array([[-1, 97]]), ValueError, r"merges\[0\] holds -1"),
    ("apply_merges", "merges", vector(1, 2), ValueError, r"merges is \(2,\); it must have rows of 2"),
    ("apply_merges", "out", vector(0), ValueError, "out has 1 elements; it must have 2"),
    ("apply_merges", "lengths", vector(0, 0), ValueError, "lengths has 2 elements; it must have 1"),
    ("apply_merges", "out", read_only(vector(0, 0)), ValueError, "out is read-only"),
    ("apply_merges", "lengths", read_only(vector(0)), ValueError, "lengths is read-only"),
]


@pytest.mark.parametrize(("name", "operand", "value", "error", "text"), BAD)
def test_bad_operands_are_refused_in_the_same_words(name, operand, value, error, text):
    said = set()
    for module in RUNGS.values():
        with pytest.raises(error, match=f"^{name}: {text}") as caught:
            getattr(module, name)(**{**GOOD[name], operand: value})
        said.add(str(caught.value))
    assert len(said) == 1


@pytest.mark.parametrize("name", GOOD)
def test_compiled_rungs_take_arrays_alone(name):
    for rung, module in RUNGS.items():
        if rung.startswith("cython"):
            with pytest.raises(TypeError, match=f"{name}: symbols is a list; this rung takes NumPy arrays"):
                getattr(module, name)(**{**GOOD[name], "symbols": [97, 98]})


def test_operands_stay_as_they_are(rung):
    symbols, offsets = laid_out([b"abab"])
    counts, merges = vector(2), np.array([[97, 98]])
    before = [array.tolist() for array in (symbols, offsets, counts, merges)]
    rung.learn_merges(symbols, offsets, counts, 1, np.zeros((3, 2), np.int64))
    rung.apply_merges(symbols, offsets, merges, np.zeros(4, np.int64), np.zeros(1, np.int64))
    assert [array.tolist() for array in (symbols, offsets, counts, merges)] == before


def test_rungs_offer_the_same_functions_with_the_same_parameters():
    for module in RUNGS.values():
        assert module.__all__ == REFERENCE.__all__
        for name in module.__all__:
            ours = inspect.signature(getattr(module, name)).parameters.values()
            theirs = inspect.signature(getattr(REFERENCE, name)).parameters.values()
            assert [(p.name, p.default) for p in ours] == [(p.name, p.default) for p in theirs]
