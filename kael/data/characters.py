"""The tokenizer whose tokens are characters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy

from kael.data.tokenizer import Array, Tokenizer, check_text

__all__ = ["CharacterTokenizer"]


class CharacterTokenizer(Tokenizer):
    """Each character of a vocabulary is a token.

    Parameters
    ----------
    characters : str
        The vocabulary; token k is the k-th character.
    special : iterable of str
        Further tokens, which stand behind the characters.
    unknown : str, optional
        The token, one of these, for characters that are not in the vocabulary. Left out, such a character is refused.

    Raises
    ------
    ValueError
        When a token is named twice, or `unknown` is none.

    Examples
    --------
    >>> import kael
    >>> tokenizer = kael.data.CharacterTokenizer.train("banana")
    >>> tokenizer.vocab_size, tokenizer.encode("nab")
    (3, tensor([2, 0, 1]))
    >>> tokenizer.decode([1, 0, 2])
    'ban'
    """

    kind = "characters"

    def __init__(self, characters: str, special: Iterable[str] = (), unknown: str | None = None) -> None:
        check_text("CharacterTokenizer", "the vocabulary", characters)
        super().__init__(len(characters), special)
        self.characters = characters
        self.unknown = unknown
        self._tokens = [*characters, *self.special]
        known: dict[str, int] = {}
        for number, token in enumerate(self._tokens):
            if token in known:
                raise ValueError(f"CharacterTokenizer: the token {token!r} is named twice")
            known[token] = number
        if unknown is not None and unknown not in known:
            raise ValueError(f"CharacterTokenizer: unknown is {unknown!r}, which is no token; add it to special")
        points = code_points(characters)
        # The place behind the largest code point stands for all beyond.
        self._numbers = numpy.full(int(points.max(initial=-1)) + 2, -1 if unknown is None else known[unknown])
        self._numbers[points] = numpy.arange(len(points))

    @classmethod
    def train(cls, text: str, special: Iterable[str] = (), unknown: str | None = None) -> CharacterTokenizer:
        """The tokenizer of all characters of a text, in the order of their code points.

        Raises
        ------
        ValueError
            When the text is empty.
        """
        check_text("CharacterTokenizer", "the text", text)
        if not text:
            raise ValueError("CharacterTokenizer: the text to learn from is empty")
        return cls("".join(sorted(set(text))), special, unknown)

    def encoded(self, text: str) -> Array:
        """The tokens of a text; ValueError with the character and its place for one that is not in the vocabulary."""
        points = code_points(text)
        tokens: Array = self._numbers[numpy.minimum(points, len(self._numbers) - 1)]
        if (tokens < 0).any():
            place = int((tokens < 0).argmax())
            raise ValueError(
                f"CharacterTokenizer: character {text[place]!r} (U+{ord(text[place]):04X}) at place {place} is not in "
                f"the vocabulary of {len(self.characters)}; train on a text that has it, or name an unknown token"
            )
        return tokens

    def decoded(self, tokens: list[int]) -> str:
        """The characters, one behind the other."""
        return "".join([self._tokens[token] for token in tokens])

    def described(self) -> dict[str, Any]:
        """The characters each for itself: two halves of a surrogate pair in one JSON string would become one."""
        return {"characters": list(self.characters), "unknown": self.unknown}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> CharacterTokenizer:
        """The tokenizer that `described` told of."""
        if not all(isinstance(each, str) and len(each) == 1 for each in state["characters"]):
            raise TypeError("characters must be strings of length 1")
        return cls("".join(state["characters"]), state["special"], state["unknown"])


def code_points(text: str) -> Array:
    """The numbers of characters in Unicode, lone surrogates among them."""
    return numpy.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(numpy.int64)
