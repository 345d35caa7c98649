"""The twin of total.py."""

from kael.exercises import NotStarted


def total(x):
    """The sum of a float64 array with one axis: lanes in a block, pairs of blocks."""
    raise NotStarted
