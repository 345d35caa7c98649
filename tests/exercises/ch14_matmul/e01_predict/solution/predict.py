"""C = A @ B with A 3x8 and B 8x5, row-major: who moves, and what it costs, written down by hand."""

MOVES = [
    ("jik", 1, 5, 0),
    ("kij", 0, 1, 1),
    ("kji", 8, 0, 5),
]

WORK = [
    ("C = A @ B", 3, 8, 5, 240, 240 / 316),
    ("dA = dC @ B.T", 3, 5, 8, 240, 240 / 316),
    ("dB = A.T @ dC", 8, 3, 5, 240, 240 / 316),
]
