"""Points in the plane whose kinds no straight line divides: spirals and moons."""

from __future__ import annotations

import numpy

from kael.creation import tensor
from kael.data.dataset import TensorDataset
from kael.data.sampler import positive
from kael.dtypes import float32, int64
from kael.generators import Generator

__all__ = ["moons", "spirals"]


def spirals(
    samples: int = 300, classes: int = 3, turns: float = 0.75, noise: float = 0.05, seed: int = 0
) -> TensorDataset:
    """Points on spirals around the origin, one spiral for each class.

    The points of class c lie at ``r (cos a, sin a)`` with ``a = 2 pi (c / classes + turns r)``, for r from 0 to 1.

    Parameters
    ----------
    samples : int
        How many points in all; the classes take turns, so that each has as many as another, or one less.
    classes : int
        How many spirals.
    turns : float
        How often each goes around.
    noise : float
        Standard deviation of what is added to both coordinates.
    seed : int
        Decides the noise.

    Returns
    -------
    TensorDataset
        Points of shape (samples, 2) as float32, and classes of shape (samples,) as int64.

    Raises
    ------
    ValueError
        When there is no sample or class, or the noise is negative.

    Examples
    --------
    >>> import kael
    >>> points, kinds = kael.data.spirals(6, classes=2, noise=0.0).tensors
    >>> kinds.tolist(), [round(x, 3) for x in points[4].tolist()]
    ([0, 1, 0, 1, 0, 1], [-0.0, -1.0])
    """
    positive("spirals", "samples", samples)
    positive("spirals", "classes", classes)
    kinds = numpy.arange(samples) % classes
    each = numpy.bincount(kinds, minlength=classes)[kinds]
    radius = (numpy.arange(samples) // classes) / numpy.maximum(each - 1, 1)
    angle = 2 * numpy.pi * (kinds / classes + turns * radius)
    return noisy("spirals", radius * numpy.cos(angle), radius * numpy.sin(angle), kinds, noise, seed)


def moons(samples: int = 200, noise: float = 0.1, seed: int = 0) -> TensorDataset:
    """Points on two half circles that reach into each other.

    Class 0 lies at ``(cos a, sin a)`` and class 1 at ``(1 - cos a, 1/2 - sin a)``, for a evenly from 0 to pi.

    Parameters
    ----------
    samples : int
        How many points in all; class 1 has one more if the number is odd.
    noise : float
        Standard deviation of what is added to both coordinates.
    seed : int
        Decides the noise.

    Returns
    -------
    TensorDataset
        Points of shape (samples, 2) as float32, and classes of shape (samples,) as int64.

    Raises
    ------
    ValueError
        When there is no sample, or the noise is negative.

    Examples
    --------
    >>> import kael
    >>> points, kinds = kael.data.moons(4, noise=0.0).tensors
    >>> kinds.tolist(), [[round(x, 3) for x in point] for point in points.tolist()]
    ([0, 0, 1, 1], [[1.0, 0.0], [-1.0, 0.0], [0.0, 0.5], [2.0, 0.5]])
    """
    positive("moons", "samples", samples)
    first, second = numpy.linspace(0, numpy.pi, samples // 2), numpy.linspace(0, numpy.pi, samples - samples // 2)
    x = numpy.concatenate([numpy.cos(first), 1 - numpy.cos(second)])
    y = numpy.concatenate([numpy.sin(first), 0.5 - numpy.sin(second)])
    kinds = numpy.repeat([0, 1], [len(first), len(second)])
    return noisy("moons", x, y, kinds, noise, seed)


def noisy(
    name: str, x: numpy.ndarray, y: numpy.ndarray, kinds: numpy.ndarray, noise: float, seed: int
) -> TensorDataset:
    """Points as a dataset, each a little off its place."""
    if not noise >= 0:
        raise ValueError(f"{name}: noise is {noise}; a standard deviation is 0 or more")
    points = numpy.stack([x, y], 1)
    points += noise * Generator(seed).numpy.standard_normal(points.shape)
    return TensorDataset(tensor(points, dtype=float32), tensor(kinds, dtype=int64))
