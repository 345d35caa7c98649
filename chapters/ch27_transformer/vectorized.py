"""Rung 2: the same merges with NumPy, each step over all places at once.

All words lie in one array, a gap (-1) behind each. A step still reads the whole text, as in the definition, though not
in a Python loop. Where a pair of two equal symbols overlaps itself, as in *aaa*, every second place of a run counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters.ch27_transformer.checks import BYTES, check_apply, check_learn

__all__ = ["apply_merges", "learn_merges"]

Array = np.ndarray[Any, Any]

GAP = -1


def laid_out(symbols: Array, offsets: Array) -> Array:
    """All words in one array, with a gap behind each."""
    return np.insert(symbols, offsets[1:], GAP)


def merged(text: Array, left: int, right: int, new: int) -> Array:
    """Write the new symbol at each first place of a pair, and return which places of the text stay."""
    places = np.flatnonzero((text[:-1] == left) & (text[1:] == right))
    if left == right and len(places):
        first = np.diff(places, prepend=places[0] - 2) > 1
        begins = np.maximum.accumulate(np.where(first, places, 0))
        places = places[(places - begins) % 2 == 0]
    text[places] = new
    kept = np.ones(len(text), np.bool_)
    kept[places + 1] = False
    return kept


def learn_merges(symbols: Array, offsets: Array, counts: Array, least: int, out: Array) -> int:
    """Find the pairs to merge, the most frequent one first."""
    check_learn("learn_merges", symbols, offsets, counts, least, out)
    # [learn-loop]
    text = laid_out(symbols, offsets)
    weights = np.repeat(counts, np.diff(offsets) + 1)
    for k in range(len(out)):
        inside = np.flatnonzero((text[:-1] != GAP) & (text[1:] != GAP))
        pairs, which = np.unique(text[inside] * (BYTES + k) + text[inside + 1], return_inverse=True)
        total = np.zeros(len(pairs), np.int64)
        np.add.at(total, which, weights[inside])
        if not len(total) or total.max() < least:
            return k
        left, right = divmod(int(pairs[total.argmax()]), BYTES + k)  # the first of the largest has the smallest symbols
        kept = merged(text, left, right, BYTES + k)
        text, weights = text[kept], weights[kept]
        out[k] = left, right
    # [/learn-loop]
    return len(out)


def apply_merges(symbols: Array, offsets: Array, merges: Array, out: Array, lengths: Array) -> None:
    """Merge the pairs of words in the order in which they were learned."""
    check_apply("apply_merges", symbols, offsets, merges, out, lengths)
    # [apply-loop]
    text = laid_out(symbols, offsets)
    for k, (left, right) in enumerate(merges.tolist()):
        text = text[merged(text, left, right, BYTES + k)]
    # [/apply-loop]
    ends = np.flatnonzero(text == GAP)
    results = text[text != GAP]
    out[: len(results)] = results
    lengths[...] = np.diff(ends, prepend=-1) - 1
