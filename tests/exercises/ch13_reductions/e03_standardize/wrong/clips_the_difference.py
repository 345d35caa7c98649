# misconception: cancels
# fails: test_far_from_zero_in_float32
import numpy as np


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    mean = x.mean(axis=1, keepdims=True)
    variance = np.maximum((x * x).mean(axis=1, keepdims=True) - mean * mean, 0)
    variance[variance == 0] = 1
    return (x - mean) / np.sqrt(variance)
