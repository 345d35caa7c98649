"""A product in tiles that passes every test its author wrote."""

from kael.exercises import NotStarted

TILE = 4  # rows and columns of a tile
DEPTH = 8  # k runs over this many at a time


def matmul(a, b, out):
    """Write the product of `a` (M, K) and `b` (K, N), arrays of float64, to `out` (M, N)."""
    raise NotStarted  # delete this line to begin
    rows, inner = a.shape
    columns = b.shape[1]
    for start in range(0, inner, DEPTH):
        end = min(start + DEPTH, inner)
        for i in range(0, rows - TILE + 1, TILE):
            for j in range(0, columns - TILE + 1, TILE):
                tile = [[0.0] * TILE for _ in range(TILE)]
                for k in range(start, end):
                    for r in range(TILE):
                        for c in range(TILE):
                            tile[r][c] += a[i + r, k] * b[k, j + c]
                for r in range(TILE):
                    for c in range(TILE):
                        out[i + r, j + c] = tile[r][c]
