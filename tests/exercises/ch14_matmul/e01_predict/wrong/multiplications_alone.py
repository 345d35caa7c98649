# misconception: forgot_two
# fails: test_operations
MOVES = [
    ("jik", 1, 5, 0),
    ("kij", 0, 1, 1),
    ("kji", 8, 0, 5),
]

WORK = [
    ("C = A @ B", 3, 8, 5, 120, 120 / 316),
    ("dA = dC @ B.T", 3, 5, 8, 120, 120 / 316),
    ("dB = A.T @ dC", 8, 3, 5, 120, 120 / 316),
]
