# misconception: library
# fails: test_same_bits
import numpy as np


def total(x):
    """The sum of a float64 array with one axis: lanes in a block, pairs of blocks."""
    return float(np.sum(x))
