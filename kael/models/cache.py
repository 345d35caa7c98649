"""What attention has computed of the tokens before: a token is read once, not once for each that follows it."""

from __future__ import annotations

from kael.creation import zeros
from kael.dtypes import DType
from kael.tensors import Tensor

__all__ = ["KeyValueCache"]


class KeyValueCache:
    """The keys and values of every layer, for the tokens read so far.

    Parameters
    ----------
    layers : int
        How many layers keep them.
    shape : (B, H, S, E)
        Of a layer's keys: texts, heads, the most tokens, and the size of a head.
    dtype : DType
        Theirs.

    Attributes
    ----------
    length : int
        Tokens read; the model counts them when all layers have theirs.

    Examples
    --------
    >>> import kael
    >>> cache = KeyValueCache(1, (1, 1, 4, 2), kael.float32)
    >>> keys, values = cache.extended(0, kael.ones(1, 1, 1, 2), kael.zeros(1, 1, 1, 2))
    >>> keys.shape
    (1, 1, 1, 2)
    """

    def __init__(self, layers: int, shape: tuple[int, int, int, int], dtype: DType) -> None:
        self.keys = [zeros(*shape, dtype=dtype) for _ in range(layers)]
        self.values = [zeros(*shape, dtype=dtype) for _ in range(layers)]
        self.length = 0

    def extended(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """A layer's keys and values with those of the tokens now read at their end."""
        end = self.length + keys.shape[2]
        self.keys[layer][:, :, self.length : end] = keys
        self.values[layer][:, :, self.length : end] = values
        return self.keys[layer][:, :, :end], self.values[layer][:, :, :end]
