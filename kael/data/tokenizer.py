"""What tokenizers have in common: special tokens, and a JSON file of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import numpy

from kael.creation import from_numpy
from kael.replacing import replaced
from kael.tensors import Tensor

__all__ = ["Tokenizer", "check_text"]

FORMAT, VERSION = "kael tokenizer", 1

Array = numpy.ndarray[Any, Any]


class Tokenizer:
    """The base of tokenizers: text to numbers and back.

    A subclass numbers its own tokens from 0 and defines `encoded`, `decoded`, `described` and `restored`; special
    tokens come behind them.

    Attributes
    ----------
    special : dict of str to int
        The special tokens and their numbers.
    """

    kind: ClassVar[str]
    kinds: ClassVar[dict[str, type[Tokenizer]]] = {}

    def __init_subclass__(cls) -> None:
        Tokenizer.kinds.setdefault(cls.kind, cls)

    def __init__(self, ordinary: int, special: Iterable[str]) -> None:
        if isinstance(special, str):
            raise TypeError(f"{self._name}: special is the string {special!r}; pass a list of tokens")
        self.ordinary = ordinary
        self.special: dict[str, int] = {}
        for token in special:
            check_text(self._name, "a special token", token)
            if not token or token in self.special:
                raise ValueError(f"{self._name}: the special token {token!r} is {'named twice' if token else 'empty'}")
            try:
                token.encode()
            except UnicodeEncodeError:
                raise ValueError(f"{self._name}: the special token {token!r} cannot be written in UTF-8") from None
            self.special[token] = ordinary + len(self.special)
        longest_first = sorted(self.special, key=lambda token: (-len(token), token))
        self._specials = re.compile(f"({'|'.join(map(re.escape, longest_first))})") if longest_first else None

    @property
    def _name(self) -> str:
        return type(self).__name__

    @property
    def vocab_size(self) -> int:
        """How many tokens there are, special ones among them."""
        return self.ordinary + len(self.special)

    def encode(self, text: str, special: bool = False) -> Tensor:
        """The tokens of a text.

        Parameters
        ----------
        text : str
            Any string.
        special : bool
            Read special tokens that stand in the text as such. Left out, they are text like any other, so that nobody's
            input can smuggle one in.

        Returns
        -------
        Tensor
            Numbers of tokens, of shape (n,) as int64.

        Raises
        ------
        TypeError
            When it is no string.
        """
        check_text(self._name, "the text", text)
        if not special or self._specials is None:
            return from_numpy(self.encoded(text))
        parts = [
            numpy.array([self.special[part]]) if place % 2 else self.encoded(part)
            for place, part in enumerate(self._specials.split(text))
        ]
        return from_numpy(numpy.concatenate(parts))

    def decode(self, tokens: Any) -> str:
        """The text of tokens, with special ones as they are written.

        Parameters
        ----------
        tokens : Tensor, array or sequence of int
            Numbers of tokens, in one line.

        Raises
        ------
        TypeError
            For numbers that are no integers.
        ValueError
            For a number that is no token, or more than one line.
        """
        array = numpy.asarray(tokens.array if isinstance(tokens, Tensor) else tokens)
        if array.ndim != 1:
            raise ValueError(f"{self._name}: tokens are {array.shape}; decode takes one line of them")
        if not array.size:
            return ""
        if array.dtype.kind not in "iu":
            raise TypeError(f"{self._name}: tokens are {array.dtype}; they must be integers")
        beyond = numpy.flatnonzero((array < 0) | (array >= self.vocab_size))
        if beyond.size:
            raise ValueError(
                f"{self._name}: token {array[beyond[0]]} at place {beyond[0]} is not in the vocabulary of "
                f"{self.vocab_size}"
            )
        return self.decoded(array.tolist())

    def encoded(self, text: str) -> Array:
        """The tokens of a text without special ones, as int64."""
        raise NotImplementedError

    def decoded(self, tokens: list[int]) -> str:
        """The text of tokens that are in the vocabulary."""
        raise NotImplementedError

    def described(self) -> dict[str, Any]:
        """What makes the tokenizer, for JSON."""
        raise NotImplementedError

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Tokenizer:
        """The tokenizer that `described` told of."""
        raise NotImplementedError

    def to_json(self) -> str:
        """The whole tokenizer as JSON in ASCII, for `from_json`; equal tokenizers give equal texts."""
        head = {"format": FORMAT, "version": VERSION, "kind": self.kind}
        return json.dumps({**head, **self.described(), "special": list(self.special)})

    @classmethod
    def from_json(cls, text: str) -> Any:
        """The tokenizer that `to_json` wrote; called on `Tokenizer`, of whichever kind.

        Raises
        ------
        ValueError
            When the text is not that of a tokenizer, or of another kind.
        """
        try:
            state = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"this is no tokenizer: {error}") from error
        if not isinstance(state, dict) or state.get("format") != FORMAT:
            raise ValueError(f'this is no tokenizer: it does not say "format": "{FORMAT}"')
        if state.get("version") != VERSION:
            raise ValueError(f"this tokenizer has version {state.get('version')}; this kael reads version {VERSION}")
        kind = state.get("kind")
        known = [cls] if hasattr(cls, "kind") else list(Tokenizer.kinds.values())
        made = [each for each in known if each.kind == kind]
        if not made:
            wanted = " or ".join(each.kind for each in known)
            raise ValueError(f"this tokenizer is of kind {kind!r}; expected {wanted}")
        try:
            return made[0].restored(state)
        except (KeyError, TypeError, OverflowError) as error:
            raise ValueError(f"this tokenizer is damaged: {type(error).__name__}: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write the tokenizer into a JSON file; one that is there is replaced when the new one is whole.

        Raises
        ------
        OSError
            When it cannot be written.
        """
        with replaced(Path(path)) as partial:
            partial.write_text(self.to_json() + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Any:
        """The tokenizer of a file that `save` wrote; called on `Tokenizer`, of whichever kind.

        Raises
        ------
        OSError
            When it cannot be read.
        ValueError
            When it is none, or of another kind.
        """
        try:
            return cls.from_json(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    def __repr__(self) -> str:
        return f"{self._name}({self.vocab_size} tokens)"


def check_text(name: str, what: str, text: Any) -> None:
    """Raise TypeError for what is no string."""
    if not isinstance(text, str):
        raise TypeError(f"{name}: {what} is a {type(text).__name__}; it must be a string")
