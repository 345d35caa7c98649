# misconception: calls_the_product
# fails: test_the_loops_are_still_there
TILE = 4  # rows and columns of a tile
DEPTH = 8  # k runs over this many at a time


def matmul(a, b, out):
    """Write the product of `a` (M, K) and `b` (K, N), arrays of float64, to `out` (M, N)."""
    out[...] = a @ b
