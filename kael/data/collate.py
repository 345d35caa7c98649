"""How a list of samples becomes a batch."""

from __future__ import annotations

from typing import Any

import numpy

from kael import dtypes
from kael.creation import tensor
from kael.ops.joining import stack
from kael.tensors import Tensor

__all__ = ["default_collate"]


def default_collate(samples: list[Any]) -> Any:
    """A batch of samples: tensors stacked, numbers made a tensor, tuples, lists and dicts taken apart, strings listed.

    Raises
    ------
    TypeError
        For samples of another kind.
    ValueError
        When there is no sample, or the samples do not agree in their sizes or keys.

    Notes
    -----
    As in PyTorch, Python's floats become float64; arrays and numbers of NumPy keep their dtype.

    Examples
    --------
    >>> from kael.data import default_collate
    >>> default_collate([{"x": 1, "name": "a"}, {"x": 2, "name": "b"}])
    {'x': tensor([1, 2]), 'name': ['a', 'b']}
    """
    if not samples:
        raise ValueError("default_collate: there is no sample; a batch has 1 or more")
    first = samples[0]
    for place, sample in enumerate(samples):
        if type(sample) is not type(first):
            raise TypeError(
                f"default_collate: sample 0 is {type(first).__name__} but sample {place} is {type(sample).__name__}; "
                "samples of a batch must be of one kind"
            )
    if isinstance(first, Tensor):
        check_alike("shape", [tuple(sample.shape) for sample in samples])
        return stack(samples)
    if isinstance(first, (numpy.ndarray, numpy.generic)):
        check_alike("shape", [sample.shape for sample in samples])
        return tensor(numpy.stack(samples))
    if isinstance(first, float):
        return tensor(samples, dtype=dtypes.float64)
    if isinstance(first, int):
        return tensor(samples)
    if isinstance(first, (str, bytes)):
        return samples
    if isinstance(first, dict):
        check_alike("keys", [sorted(map(str, sample)) for sample in samples])
        return {key: default_collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        check_alike("length", [len(sample) for sample in samples])
        parts = [default_collate(list(part)) for part in zip(*samples, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    raise TypeError(
        f"default_collate: samples are {type(first).__name__}; tensors, arrays, numbers, strings, and tuples, lists "
        "and dicts of them are taken, pass collate_fn for others"
    )


def check_alike(what: str, found: list[Any]) -> None:
    """Raise ValueError unless all samples have the same of something."""
    for place, each in enumerate(found):
        if each != found[0]:
            raise ValueError(
                f"default_collate: sample 0 has {what} {found[0]} but sample {place} has {what} {each}; pass a "
                "collate_fn that makes them equal"
            )
