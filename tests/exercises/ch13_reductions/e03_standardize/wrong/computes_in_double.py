# misconception: rounds_up
# fails: test_a_new_array_of_the_same_type
import numpy as np


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    away = x - x.mean(axis=1, keepdims=True, dtype=np.float64)
    variance = (away * away).mean(axis=1, keepdims=True)
    variance[variance == 0] = 1
    return away / np.sqrt(variance)
