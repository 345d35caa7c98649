# misconception: taken_for_equal
# fails: test_small_rows_keep_their_scale
import numpy as np


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    moved = x - x[:, :1]
    away = moved - moved.mean(axis=1, keepdims=True)
    variance = (away * away).mean(axis=1, keepdims=True)
    equal = variance < 1e-16
    variance[equal] = 1
    return np.where(equal, 0, away / np.sqrt(variance))
