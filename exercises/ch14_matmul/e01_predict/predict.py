"""C = A @ B with A 3x8 and B 8x5, row-major: who moves, and what it costs, written down by hand."""

from kael.exercises import blank

MOVES = [
    # order, move of A, move of B, move of C: numbers from one step of the innermost loop to the next
    ("jik", blank, blank, blank),
    ("kij", blank, blank, blank),
    ("kji", blank, blank, blank),
]

WORK = [
    # product, M, K, N, operations, operations for each byte
    ("C = A @ B", blank, blank, blank, blank, blank),
    ("dA = dC @ B.T", blank, blank, blank, blank, blank),
    ("dB = A.T @ dC", blank, blank, blank, blank, blank),
]
