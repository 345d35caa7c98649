"""Zeros at the edges of copies of both factors, and whole tiles of which a part is kept."""

import numpy as np

TILE = 4
DEPTH = 8


def padded(x, rows, columns):
    larger = np.zeros((-(-x.shape[0] // rows) * rows, -(-x.shape[1] // columns) * columns))
    larger[: x.shape[0], : x.shape[1]] = x
    return larger


def matmul(a, b, out):
    left, right = padded(a, TILE, DEPTH), padded(b, DEPTH, TILE)
    for i in range(0, left.shape[0], TILE):
        for j in range(0, right.shape[1], TILE):
            tile = np.zeros((TILE, TILE))
            for start in range(0, left.shape[1], DEPTH):
                for k in range(start, start + DEPTH):
                    tile += np.outer(left[i : i + TILE, k], right[k, j : j + TILE])
            part = out[i : i + TILE, j : j + TILE]
            part[...] = tile[: part.shape[0], : part.shape[1]]
