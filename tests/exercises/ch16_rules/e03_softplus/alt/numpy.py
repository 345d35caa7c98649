"""One line of NumPy."""

import numpy as np

from chapters.flat import Buffer


def softplus_vjp(grad, y):
    slopes = -np.expm1(-np.array(list(y)))
    return Buffer((np.array(list(grad)) * slopes).tolist(), grad.shape, grad.typecode)
