"""Rotary positions: a place in the text as an angle, by which pairs of numbers are turned."""

from __future__ import annotations

from math import log

from kael.creation import arange
from kael.ops.elementary import cos, exp, sin
from kael.ops.joining import cat
from kael.tensors import Tensor

__all__ = ["rotate"]


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """Turn the pairs ``(x[i], x[i + E/2])`` of each place by ``position * base**(-2i/E)``.

    The product of a query and a key turned so depends on how far apart they stand, and not on where.

    Parameters
    ----------
    x : Tensor of shape (*, L, E)
        Queries or keys; E is even.
    positions : Tensor of shape (L,)
        Where each of them stands.
    base : float
        The last pair turns about this many times slower than the first.

    Raises
    ------
    ValueError
        When E is odd, or there are not L positions.

    Notes
    -----
    Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021, equation 34, with the pairs half a
    head apart, so that they are two slices.

    Examples
    --------
    >>> import kael
    >>> from kael.nn.rotary import rotate
    >>> rotate(kael.tensor([[1.0, 0.0], [1.0, 0.0]]), kael.arange(2))
    tensor([[1.0000, 0.0000],
            [0.5403, 0.8415]])
    """
    size = x.shape[-1]
    if size % 2:
        raise ValueError(f"rotate: x is {tuple(x.shape)}; the last size {size} is odd, and pairs are turned")
    if positions.shape != (x.shape[-2],):
        raise ValueError(f"rotate: x is {tuple(x.shape)} but positions are {tuple(positions.shape)}")
    half = size // 2
    speeds = exp(arange(half, dtype=x.dtype) * (-log(base) / half))
    angles = positions.to(x.dtype).unsqueeze(-1) * speeds
    cosines, sines = cos(angles), sin(angles)
    first, second = x[..., :half], x[..., half:]
    return cat([first * cosines - second * sines, second * cosines + first * sines], -1)
