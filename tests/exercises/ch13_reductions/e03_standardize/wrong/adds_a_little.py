# misconception: softened
# fails: test_small_rows_keep_their_scale
import numpy as np


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    away = x - x.mean(axis=1, keepdims=True)
    variance = (away * away).mean(axis=1, keepdims=True)
    return away / np.sqrt(variance + 1e-8)
