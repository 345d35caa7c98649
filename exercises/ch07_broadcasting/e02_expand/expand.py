"""Sizes and strides of a view that repeats, for an operand of any strides."""

from kael.exercises import NotStarted


def expanded(shape, strides, target):
    """Sizes and strides with which a view of `shape` and `strides` fills `target`; -1 there keeps a size."""
    raise NotStarted
