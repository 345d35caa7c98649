"""Strides and counts written as sums of the sizes; each product named once."""

M, K, N = 3, 8, 5

MOVES = [("jik", 1.0, float(N), 0.0), ("kij", 0.0, 1.0, 1.0), ("kji", float(K), 0.0, float(N))]


def row(name, rows, inner, columns):
    operations = 2.0 * rows * inner * columns
    return name, rows, inner, columns, operations, operations / (4 * (rows * inner + inner * columns + rows * columns))


WORK = [row("C = A @ B", M, K, N), row("dA = dC @ B.T", M, N, K), row("dB = A.T @ dC", K, M, N)]
