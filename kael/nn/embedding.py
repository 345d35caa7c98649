"""The table of learned vectors."""

from __future__ import annotations

from typing import Any

from kael.autograd import no_grad
from kael.creation import empty
from kael.dtypes import DType
from kael.nn import functional, init
from kael.nn.module import Module
from kael.nn.parameter import Parameter
from kael.tensors import Tensor

__all__ = ["Embedding"]


class Embedding(Module):
    """Rows of a learned table, chosen by their numbers; shape ``(*)`` of integers to ``(*, embedding_dim)``.

    Parameters
    ----------
    num_embeddings : int
        Rows of the table.
    embedding_dim : int
        Size of a row.
    padding_idx : int, optional
        A row that starts at 0 and gets no gradient; from the end if negative.
    dtype : DType, optional
        Of the table; float32 when left out.

    Attributes
    ----------
    weight : Parameter of shape (num_embeddings, embedding_dim)
        The table, standard normal at first.

    Raises
    ------
    AssertionError
        For a padding row that is not there.

    Examples
    --------
    >>> import kael
    >>> layer = kael.nn.Embedding(10, 3, padding_idx=0)
    >>> layer(kael.tensor([[0, 4], [1, 1]])).shape
    (2, 2, 3)
    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, *, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError(f"Padding_idx must be within num_embeddings: {padding_idx} of {num_embeddings}")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        self.weight = Parameter(empty(num_embeddings, embedding_dim, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the table anew: standard normal, but for the padding row."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0.0

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Embedding:
        """A layer on a given table, which is not learned unless `freeze` is False."""
        rows, size = embeddings.shape
        layer = cls.__new__(cls)
        Module.__init__(layer)
        layer.num_embeddings, layer.embedding_dim = rows, size
        layer.padding_idx = None if padding_idx is None else padding_idx % rows
        layer.weight = Parameter(embeddings, requires_grad=not freeze)
        return layer

    def forward(self, x: Any) -> Tensor:
        """Apply `kael.nn.functional.embedding`."""
        return functional.embedding(x, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """The sizes."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
