# misconception: spills
# fails: test_a_nan_stays_in_its_row
import numpy as np


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    away = x - x.mean(axis=1, keepdims=True)
    variance = (away * away).mean(axis=1, keepdims=True)
    variance[variance == 0] = 1
    return np.nan_to_num(away / np.sqrt(variance))
