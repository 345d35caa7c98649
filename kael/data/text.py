"""Text to learn from: Python's own help, and windows that slide over tokens."""

from __future__ import annotations

import hashlib
import importlib
import operator
import platform
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy

from kael.creation import from_numpy
from kael.data.dataset import Dataset
from kael.data.sampler import positive
from kael.tensors import Tensor

__all__ = ["Corpus", "TextDataset", "python_docs"]


class Corpus(NamedTuple):
    """A text, and what tells it from others.

    Attributes
    ----------
    name : str
        Where it is from.
    text : str
        All of it.
    """

    name: str
    text: str

    @property
    def length(self) -> int:
        """How many characters it has."""
        return len(self.text)

    @property
    def sha256(self) -> str:
        """The SHA-256 of the text in UTF-8, as hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def train(self) -> str:
        """All but the last tenth of the characters."""
        return self.text[: self.length - self.length // 10]

    @property
    def validation(self) -> str:
        """The last tenth of the characters."""
        return self.text[self.length - self.length // 10 :]

    def __repr__(self) -> str:
        return f"{self.name}, {self.length:,} characters, SHA-256 {self.sha256[:16]}"


def python_docs() -> Corpus:
    """The help texts of the running Python, what ``help("lambda")`` and its kind print: half a million characters.

    Returns
    -------
    Corpus
        The texts of ``pydoc_data.topics``, one behind the other. They differ between versions of Python, so length and
        hash belong to every result.

    Raises
    ------
    ModuleNotFoundError
        When this Python came without them.

    Examples
    --------
    >>> import kael
    >>> docs = kael.data.python_docs()
    >>> docs.length == len(docs.train) + len(docs.validation), len(docs.validation) == docs.length // 10
    (True, True)
    """
    try:
        topics = importlib.import_module("pydoc_data.topics").topics
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"python_docs: Python {platform.python_version()} came without its help texts, the module pydoc_data.topics"
            "; use a full installation, or read a text of your own",
            name=error.name,
        ) from error
    return Corpus(f"help texts of Python {platform.python_version()}", "".join(topics.values()))


class TextDataset(Dataset):
    """Windows over a line of tokens; sample k is a window and the same one token later, what comes next at each place.

    Parameters
    ----------
    tokens : Tensor, array or sequence of int
        The text as numbers, in one line.
    context : int
        Tokens in a window.
    stride : int
        How far each window begins behind the one before: `context` for windows that do not overlap.

    Raises
    ------
    TypeError
        For tokens that are no integers.
    ValueError
        When the tokens are not in one line or too few for a window, or a size is below 1.

    Notes
    -----
    Random windows come from a sampler, ``RandomSampler(dataset, replacement=True, num_samples=...)``: a loader can be
    resumed then as with any other order. What is left of the text behind the last whole window is not used.

    Examples
    --------
    >>> import kael
    >>> dataset = kael.data.TextDataset([5, 6, 7, 8, 9], context=2, stride=2)
    >>> len(dataset), [(x.tolist(), y.tolist()) for x, y in dataset]
    (2, [([5, 6], [6, 7]), ([7, 8], [8, 9])])
    """

    def __init__(self, tokens: Any, context: int, stride: int = 1) -> None:
        self.context = positive("TextDataset", "context", context)
        self.stride = positive("TextDataset", "stride", stride)
        array = numpy.asarray(tokens.array if isinstance(tokens, Tensor) else tokens)
        if array.ndim != 1:
            raise ValueError(f"TextDataset: tokens are {array.shape}; they must lie in one line")
        if array.size and array.dtype.kind not in "iu":
            raise TypeError(f"TextDataset: tokens are {array.dtype}; they must be integers")
        if len(array) <= self.context:
            raise ValueError(
                f"TextDataset: {len(array)} tokens are too few for one window of {self.context} and the token behind "
                "it; take a longer text or a shorter context"
            )
        self.tokens = array.astype(numpy.int64)

    def __len__(self) -> int:
        return (len(self.tokens) - self.context - 1) // self.stride + 1

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        place = operator.index(index)
        if not -len(self) <= place < len(self):
            raise IndexError(f"TextDataset: window {index} of {len(self)} is not there")
        start = place % len(self) * self.stride
        window = self.tokens[start : start + self.context + 1]
        return from_numpy(window[:-1].copy()), from_numpy(window[1:].copy())

    def batch(self, indices: Sequence[int]) -> Any:
        """The windows of these numbers and their targets, both of shape (number, context), gathered at once."""
        places = numpy.asarray(indices, numpy.int64)
        beyond = (places < -len(self)) | (places >= len(self))
        if type(self).__getitem__ is not TextDataset.__getitem__ or beyond.any():
            return super().batch(indices)
        starts = places % len(self) * self.stride
        windows = self.tokens[starts[:, None] + numpy.arange(self.context + 1)]
        return from_numpy(windows[:, :-1].copy()), from_numpy(windows[:, 1:].copy())
