"""What the kernels of byte pairs refuse, and in which words: one place, so that every rung raises the same error."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from chapters.ch15_graph.checks import check_vector
from chapters.flat import NAMES, shape, typecode, values

__all__ = ["BYTES", "MOST", "check_apply", "check_learn"]

BYTES = 256
"""How many symbols there are before the first merge."""
MOST = 2**31 - 1
"""How often a word may occur, so that no count of pairs leaves int64."""


def check_words(op: str, symbols: Any, offsets: Any) -> None:
    """Raise unless `symbols` are bytes and `offsets` cut them into words."""
    check_vector(op, "symbols", symbols, "q")
    check_vector(op, "offsets", offsets, "q")
    cuts, count = values(offsets), shape(symbols)[0]
    if not cuts or cuts[0] != 0 or cuts[-1] != count or any(a > b for a, b in pairwise(cuts)):
        raise ValueError(f"{op}: offsets must rise from 0 to {count}, the number of symbols")
    for place, symbol in enumerate(values(symbols)):
        if not 0 <= symbol < BYTES:
            raise ValueError(f"{op}: symbols[{place}] is {symbol}; a byte is 0 to {BYTES - 1}")


def check_pairs(op: str, name: str, pairs: Any) -> None:
    """Raise unless these are rows of two int64."""
    if len(shape(pairs)) != 2 or shape(pairs)[1] != 2:
        raise ValueError(f"{op}: {name} is {shape(pairs)}; it must have rows of 2")
    if typecode(pairs) != "q":
        raise TypeError(f"{op}: {name} is {NAMES[typecode(pairs)]}; it must be int64")


def check_writable(op: str, **results: Any) -> None:
    """Raise for a result that is read-only."""
    for name, result in results.items():
        if not getattr(getattr(result, "flags", None), "writeable", True):
            raise ValueError(f"{op}: {name} is read-only; pass a writable array")


def check_learn(op: str, symbols: Any, offsets: Any, counts: Any, least: int, out: Any) -> None:
    """Raise for operands from which no merges can be learned.

    Raises
    ------
    TypeError
        For an element type that is not int64.
    ValueError
        For symbols that are no bytes, offsets that do not cut them into words, counts that are not one for each word,
        negative or too large, `least` below 1, or an `out` that cannot be written.
    """
    check_words(op, symbols, offsets)
    check_vector(op, "counts", counts, "q", shape(offsets)[0] - 1)
    for place, count in enumerate(values(counts)):
        if not 0 <= count <= MOST:
            raise ValueError(f"{op}: counts[{place}] is {count}; a word occurs 0 to {MOST} times")
    if least < 1:
        raise ValueError(f"{op}: least is {least}; it must be 1 or more")
    check_pairs(op, "out", out)
    check_writable(op, out=out)


def check_apply(op: str, symbols: Any, offsets: Any, merges: Any, out: Any, lengths: Any) -> None:
    """Raise for operands that cannot be merged.

    Raises
    ------
    TypeError
        For an element type that is not int64.
    ValueError
        For symbols that are no bytes, offsets that do not cut them into words, a merge of symbols that are not there
        before it, or results of another size or read-only.
    """
    check_words(op, symbols, offsets)
    check_pairs(op, "merges", merges)
    for place, symbol in enumerate(values(merges)):
        if not 0 <= symbol < BYTES + place // 2:
            raise ValueError(
                f"{op}: merges[{place // 2}] holds {symbol}; before it there are symbols 0 to {BYTES - 1 + place // 2}"
            )
    check_vector(op, "out", out, "q", shape(symbols)[0])
    check_vector(op, "lengths", lengths, "q", shape(offsets)[0] - 1)
    check_writable(op, out=out, lengths=lengths)
