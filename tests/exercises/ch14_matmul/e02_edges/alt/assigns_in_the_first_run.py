"""The first run assigns, later ones add; without any run there is nothing but zeros."""

TILE = 4
DEPTH = 8


def matmul(a, b, out):
    rows, inner = a.shape
    columns = b.shape[1]
    for start in range(0, max(inner, 1), DEPTH):
        for i in range(0, rows, TILE):
            for j in range(0, columns, TILE):
                for r in range(i, min(i + TILE, rows)):
                    for c in range(j, min(j + TILE, columns)):
                        total = sum(a[r, k] * b[k, c] for k in range(start, min(start + DEPTH, inner)))
                        out[r, c] = total if start == 0 else out[r, c] + total
