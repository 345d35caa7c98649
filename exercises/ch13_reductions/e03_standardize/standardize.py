"""A standardization that passes its own test."""

import numpy as np

from kael.exercises import NotStarted


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    raise NotStarted  # delete this line to begin
    mean = x.mean(axis=1)
    variance = (x * x).mean(axis=1) - mean * mean
    return (x - mean) / np.sqrt(variance)
