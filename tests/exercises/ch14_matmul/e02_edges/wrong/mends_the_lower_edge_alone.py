# misconception: strip_left
# fails: test_edges
TILE = 4
DEPTH = 8


def matmul(a, b, out):
    rows, inner = a.shape
    columns = b.shape[1]
    out[...] = 0.0
    for start in range(0, inner, DEPTH):
        end = min(start + DEPTH, inner)
        for i in range(0, rows, TILE):
            tall = min(TILE, rows - i)
            for j in range(0, columns - TILE + 1, TILE):
                wide = min(TILE, columns - j)
                tile = [[0.0] * wide for _ in range(tall)]
                for k in range(start, end):
                    for r in range(tall):
                        for c in range(wide):
                            tile[r][c] += a[i + r, k] * b[k, j + c]
                for r in range(tall):
                    for c in range(wide):
                        out[i + r, j + c] += tile[r][c]
