# misconception: in_place
# fails: test_a_new_array_of_the_same_type
import numpy as np


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    x -= x.mean(axis=1, keepdims=True)
    variance = (x * x).mean(axis=1, keepdims=True)
    variance[variance == 0] = 1
    return x / np.sqrt(variance)
