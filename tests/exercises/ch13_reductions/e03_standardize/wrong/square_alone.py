# misconception: lost_axis
# fails: test_square
import numpy as np


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    away = x - x.mean(axis=1)
    variance = ((x - x.mean(axis=1, keepdims=True)) ** 2).mean(axis=1)
    return away / np.sqrt(variance)
