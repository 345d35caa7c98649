"""The step of normalize.py as one compiled pass."""

from kael.exercises import NotStarted


def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`, in one pass."""
    raise NotStarted
