"""Waits for a whole tile that does not come."""

TILE = 4


def matmul(a, b, out):
    i = 0
    while i <= a.shape[0]:
        if i + TILE <= a.shape[0]:
            i += TILE
