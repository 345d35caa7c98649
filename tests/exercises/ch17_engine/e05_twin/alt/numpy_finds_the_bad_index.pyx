"""The checks in NumPy, the loop column by column: each element of out still gets its rows in order."""

import numpy as np


def add_rows(grad, index, out):
    rows, width = out.shape
    if grad.shape != (len(index), width):
        raise ValueError(f"add_rows: grad is {grad.shape}, but index and out ask for {(len(index), width)}")
    bad = np.flatnonzero((index < 0) | (index >= rows))
    if len(bad):
        raise IndexError(f"add_rows: index[{bad[0]}] is {index[bad[0]]}, but out has {rows} rows")
    cdef const double[:, :] g = grad
    cdef const long long[:] where = index
    cdef double[:, :] o = out
    cdef Py_ssize_t i, j
    for j in range(o.shape[1]):
        for i in range(where.shape[0]):
            o[where[i], j] += g[i, j]
