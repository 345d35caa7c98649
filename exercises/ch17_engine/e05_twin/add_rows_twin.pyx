"""The twin of the loop in add_rows.py."""

from kael.exercises import NotStarted


def add_rows(grad, index, out):
    """Add row i of `grad` to row ``index[i]`` of `out`."""
    raise NotStarted
