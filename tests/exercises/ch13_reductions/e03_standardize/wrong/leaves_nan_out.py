# misconception: spills
# fails: test_a_nan_stays_in_its_row
import numpy as np


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    away = x - np.nanmean(x, axis=1, keepdims=True)
    variance = np.nanmean(away * away, axis=1, keepdims=True)
    variance[variance == 0] = 1
    return away / np.sqrt(variance)
