"""The tokenizer whose tokens are frequent runs of bytes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy

from kael import kernels
from kael.data.sampler import positive
from kael.data.tokenizer import Array, Tokenizer, check_text

__all__ = ["BytePairTokenizer"]

BYTES = 256

# Letters with all that lies beyond ASCII, or marks, each with the space before them; or white space, of which the last
# goes to what follows. Said in bytes, so that no table of Unicode, which differs between versions, takes part.
WORDS = re.compile(rb" ?[A-Za-z0-9_\x80-\xff]+| ?[^\sA-Za-z0-9_\x80-\xff]+|\s+(?!\S)|\s+")

LARGEST = 2**28
"""Bytes that all tokens written out may take: a crafted file doubles them with every merge."""


class BytePairTokenizer(Tokenizer):
    """The 256 bytes are tokens, and so are pairs of tokens that were frequent side by side: it writes every string.

    Parameters
    ----------
    merges : sequence of pairs of int
        Pair k makes token ``256 + k``.
    special : iterable of str
        Further tokens, which stand behind the others.

    Raises
    ------
    ValueError
        When a pair names a token that is not there before it, or the tokens are unreasonably long.

    Notes
    -----
    Text is cut into words first, and no token reaches over the edge of one. Strings that UTF-8 cannot write, with lone
    surrogates, come back unchanged too. Tokens that a model strings together need not be UTF-8: such bytes are decoded
    as U+FFFD.

    Examples
    --------
    >>> import kael
    >>> tokenizer = kael.data.BytePairTokenizer.train("low low low lower lowest", vocab_size=259)
    >>> tokenizer.encode("lowlow"), tokenizer.decode([257, 119])
    (tensor([257, 257]), 'loww')
    """

    kind = "byte pairs"

    def __init__(self, merges: Sequence[Sequence[int]] | Array, special: Iterable[str] = ()) -> None:
        pairs = numpy.asarray(merges)
        if pairs.size and pairs.dtype.kind not in "iu":
            raise TypeError(f"BytePairTokenizer: merges are {pairs.dtype}; they must be integers")
        if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
            raise ValueError(f"BytePairTokenizer: merges are {pairs.shape}; they must be pairs")
        self.merges: Array = pairs.astype(numpy.int64).reshape(-1, 2)
        super().__init__(BYTES + len(self.merges), special)
        self._bytes = [bytes([number]) for number in range(BYTES)]
        total = 0
        for number, (left, right) in enumerate(self.merges.tolist()):
            if not (0 <= left < BYTES + number and 0 <= right < BYTES + number):
                raise ValueError(
                    f"BytePairTokenizer: merge {number} is of {left} and {right}; before it there are tokens 0 to "
                    f"{BYTES + number - 1}"
                )
            total += len(self._bytes[left]) + len(self._bytes[right])
            if total > LARGEST:
                raise ValueError(f"BytePairTokenizer: up to merge {number}, the tokens take more than {LARGEST} bytes")
            self._bytes.append(self._bytes[left] + self._bytes[right])
        self._bytes += [token.encode() for token in self.special]

    @classmethod
    def train(
        cls, text: str | Iterable[str], vocab_size: int, special: Iterable[str] = (), least: int = 2
    ) -> BytePairTokenizer:
        """Learn the most frequent pairs of a text.

        Parameters
        ----------
        text : str or iterable of str
            What to learn from.
        vocab_size : int
            How many tokens there shall be: 256 bytes, the special tokens, and merges. There are fewer when the text has
            no more pairs.
        special : iterable of str
            Special tokens.
        least : int
            A pair that occurs less often is not merged.

        Raises
        ------
        TypeError
            For a text that is no string.
        ValueError
            When the text is empty, or `vocab_size` too small for bytes and special tokens.

        Notes
        -----
        The same text gives the same tokens on every machine: of pairs that are equally frequent, the smaller one is
        merged first. The loop is chapter 27's `learn_merges`.
        """
        special = list(special)
        positive("BytePairTokenizer", "least", least)
        wanted = positive("BytePairTokenizer", "vocab_size", vocab_size) - BYTES - len(special)
        if wanted < 0:
            raise ValueError(
                f"BytePairTokenizer: vocab_size is {vocab_size}, but {BYTES} bytes and {len(special)} special tokens "
                "need more"
            )
        total: Counter[bytes] = Counter()
        for part in [text] if isinstance(text, (str, bytes)) else text:
            check_text("BytePairTokenizer", "the text", part)
            total.update(words(part))
        if not total:
            raise ValueError("BytePairTokenizer: the text to learn from is empty")
        merges = numpy.zeros((wanted, 2), numpy.int64)
        counts = numpy.fromiter(total.values(), numpy.int64, len(total))
        found = kernels.chapter("ch27_transformer").learn_merges(*laid_out(list(total)), counts, least, merges)
        return cls(merges[:found], special)

    def encoded(self, text: str) -> Array:
        """The tokens of a text: each different word is merged once."""
        pieces = words(text)
        places = {word: place for place, word in enumerate(dict.fromkeys(pieces))}
        symbols, offsets = laid_out(list(places))
        tokens, lengths = numpy.empty_like(symbols), numpy.empty(len(places), numpy.int64)
        kernels.chapter("ch27_transformer").apply_merges(symbols, offsets, self.merges, tokens, lengths)
        which = numpy.fromiter(map(places.__getitem__, pieces), numpy.int64, len(pieces))
        sizes = lengths[which]
        ends = numpy.cumsum(sizes)
        starts = (numpy.cumsum(lengths) - lengths)[which]
        # Place k of the result is so far behind the start of its word there as among the different words.
        spread = numpy.repeat(starts - (ends - sizes), sizes)
        result: Array = tokens[spread + numpy.arange(len(spread))]
        return result

    def decoded(self, tokens: list[int]) -> str:
        """The text that the bytes of the tokens are in UTF-8."""
        written = b"".join([self._bytes[token] for token in tokens])
        try:
            return written.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return written.decode("utf-8", "replace")

    def described(self) -> dict[str, Any]:
        """The merges."""
        return {"merges": self.merges.tolist()}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> BytePairTokenizer:
        """The tokenizer that `described` told of."""
        return cls(state["merges"], state["special"])


def words(text: str) -> list[bytes]:
    """A text in UTF-8, cut into words that give it again when they are put together."""
    return WORDS.findall(text.encode("utf-8", "surrogatepass"))


def laid_out(pieces: list[bytes]) -> tuple[Array, Array]:
    """Words as the kernels take them: the bytes of all, and where each begins and the last ends."""
    symbols = numpy.frombuffer(b"".join(pieces), numpy.uint8).astype(numpy.int64)
    offsets = numpy.zeros(len(pieces) + 1, numpy.int64)
    numpy.cumsum(numpy.fromiter(map(len, pieces), numpy.int64, len(pieces)), out=offsets[1:])
    return symbols, offsets
