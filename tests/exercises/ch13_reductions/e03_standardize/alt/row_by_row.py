"""One row after the other."""

import numpy as np


def standardize(x):
    result = np.empty_like(x)
    for row, target in zip(x, result, strict=True):
        away = row - row.mean()
        spread = np.sqrt((away**2).mean())
        target[...] = away / spread if (row != row[0]).any() else 0
    return result
