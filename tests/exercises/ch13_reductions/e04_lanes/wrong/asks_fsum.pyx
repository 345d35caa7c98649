# misconception: library
# fails: test_same_bits
from math import fsum


def total(x):
    """The sum of a float64 array with one axis: lanes in a block, pairs of blocks."""
    return fsum(x)
