# misconception: rounded_mean
# fails: test_equal_numbers_whose_mean_is_rounded
import numpy as np


def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    away = x - x.mean(axis=1, keepdims=True)
    spread = np.sqrt((away * away).mean(axis=1, keepdims=True))
    spread[spread < 1e-14] = 1
    return away / spread
