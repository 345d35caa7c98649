"""The axis kept, the distances taken first, from a row's first number and then from the mean; zeros divided by one."""

import numpy as np


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    moved = x - x[:, :1]  # makes rows of equal numbers exact zeros
    away = moved - moved.mean(axis=1, keepdims=True)
    variance = (away * away).mean(axis=1, keepdims=True)
    variance[variance == 0] = 1
    return away / np.sqrt(variance)
