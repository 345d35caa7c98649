"""Rung 1, the definition of byte-pair merges: count all pairs, merge the most frequent, and again.

A text is a list of words, each of them a list of symbols: at first its bytes, 0 to 255. Merge k puts symbol ``256 + k``
in the place of two that stand side by side. Words stay apart.
"""

from __future__ import annotations

from typing import Any

from chapters.ch27_transformer.checks import BYTES, check_apply, check_learn
from chapters.flat import shape, store, values

__all__ = ["apply_merges", "learn_merges"]


def words_of(symbols: Any, offsets: Any) -> list[list[int]]:
    """The words as lists of symbols."""
    flat, cuts = [int(symbol) for symbol in values(symbols)], [int(cut) for cut in values(offsets)]
    return [flat[cuts[k] : cuts[k + 1]] for k in range(len(cuts) - 1)]


# region [merged]
def merged(word: list[int], left: int, right: int, new: int) -> list[int]:
    """A word with one symbol in the place of each such pair, found from the left."""
    result: list[int] = []
    place = 0
    while place < len(word):
        if word[place] == left and place + 1 < len(word) and word[place + 1] == right:
            result.append(new)
            place += 2
        else:
            result.append(word[place])
            place += 1
    return result


# endregion [merged]


# region [learn]
def learn_merges(symbols: Any, offsets: Any, counts: Any, least: int, out: Any) -> int:
    """Find the pairs to merge, the most frequent one first.

    Parameters
    ----------
    symbols : int64, of shape (n,)
        The bytes of all words, one word behind the other.
    offsets : int64, of shape (words + 1,)
        Word k is ``symbols[offsets[k]:offsets[k + 1]]``.
    counts : int64, of shape (words,)
        How often each word occurs.
    least : int
        A pair that occurs less often is not merged.
    out : int64, of shape (merges, 2)
        Receives the pairs; rows that no pair is left for stay as they are.

    Returns
    -------
    int
        How many pairs were found.

    Raises
    ------
    TypeError
        For an element type that is not int64.
    ValueError
        For symbols that are no bytes, offsets that do not cut them into words, counts that are not one for each word,
        negative or too large, `least` below 1, or an `out` that cannot be written.

    Notes
    -----
    Exact on every rung. Every two neighbours count, so *aaa* holds the pair *aa* twice, though it is merged once. Of
    pairs that are equally frequent, the one with the smaller left symbol is taken, then the one with the smaller right.

    Source: R. Sennrich, B. Haddow and A. Birch, "Neural machine translation of rare words with subword units", ACL
    2016.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (3, 2), "q")
    >>> text = Buffer(list(b"abababc"), typecode="q")
    >>> learn_merges(text, Buffer([0, 7], typecode="q"), Buffer([1], typecode="q"), 2, out)
    2
    >>> out.tolist()
    [[97, 98], [256, 256], [0, 0]]
    """
    check_learn("learn_merges", symbols, offsets, counts, least, out)
    words = words_of(symbols, offsets)
    found: list[int] = []
    for k in range(shape(out)[0]):
        total: dict[tuple[int, int], int] = {}
        for word, count in zip(words, values(counts), strict=True):
            for place in range(len(word) - 1):
                pair = (word[place], word[place + 1])
                total[pair] = total.get(pair, 0) + int(count)
        if not total:
            break
        best = min(total, key=lambda pair: (-total[pair], pair))
        if total[best] < least:
            break
        words = [merged(word, *best, BYTES + k) for word in words]
        found.extend(best)
    store(out, [*found, *values(out)[len(found) :]])
    return len(found) // 2


# endregion [learn]


# region [apply]
def apply_merges(symbols: Any, offsets: Any, merges: Any, out: Any, lengths: Any) -> None:
    """Merge the pairs of words in the order in which they were learned.

    Parameters
    ----------
    symbols, offsets
        The words, as in `learn_merges`.
    merges : int64, of shape (m, 2)
        The pairs; merge k makes symbol ``256 + k``.
    out : int64, of the shape of `symbols`
        Receives the words, one behind the other; what lies behind the last stays as it is.
    lengths : int64, of shape (words,)
        Receives how many symbols each word has now.

    Raises
    ------
    TypeError
        For an element type that is not int64.
    ValueError
        For symbols that are no bytes, offsets that do not cut them into words, a merge of symbols that are not there
        before it, or results of another size or read-only.

    Notes
    -----
    Exact on every rung.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out, lengths = Buffer.full(0, (5,), "q"), Buffer.full(0, (1,), "q")
    >>> text = Buffer(list(b"ababc"), typecode="q")
    >>> merges = Buffer([97, 98, 256, 256], (2, 2), "q")
    >>> apply_merges(text, Buffer([0, 5], typecode="q"), merges, out, lengths)
    >>> out.tolist(), lengths.tolist()
    ([257, 99, 0, 0, 0], [2])
    """
    check_apply("apply_merges", symbols, offsets, merges, out, lengths)
    pairs = [int(symbol) for symbol in values(merges)]
    words = words_of(symbols, offsets)
    for k in range(len(pairs) // 2):
        words = [merged(word, pairs[2 * k], pairs[2 * k + 1], BYTES + k) for word in words]
    results = [symbol for word in words for symbol in word]
    store(out, [*results, *values(out)[len(results) :]])
    store(lengths, [len(word) for word in words])


# endregion [apply]
