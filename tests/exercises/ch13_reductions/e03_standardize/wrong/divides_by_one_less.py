# misconception: one_less
# fails: test_more_columns_than_rows
import numpy as np


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    away = x - x.mean(axis=1, keepdims=True)
    variance = (away * away).sum(axis=1, keepdims=True) / (x.shape[1] - 1)
    variance[variance == 0] = 1
    return away / np.sqrt(variance)
