# misconception: lost_axis
# fails: test_more_columns_than_rows
import numpy as np


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    mean = x.mean(axis=1)
    variance = (x * x).mean(axis=1) - mean * mean
    return (x - mean) / np.sqrt(variance)
