"""NumPy's variance has two passes; np.divide leaves zeros where it is told to."""

import numpy as np


def standardize(x):
    mean, spread = x.mean(axis=1)[:, None], x.std(axis=1)[:, None]
    differ = (x != x[:, :1]).any(axis=1, keepdims=True)
    return np.divide(x - mean, spread, out=np.zeros_like(x), where=differ)
