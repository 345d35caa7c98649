# misconception: column_major
# fails: test_how_far_the_others_move
MOVES = [
    ("jik", 3, 1, 0),
    ("kij", 0, 8, 3),
    ("kji", 1, 0, 1),
]

WORK = [
    ("C = A @ B", 3, 8, 5, 240, 240 / 316),
    ("dA = dC @ B.T", 3, 5, 8, 240, 240 / 316),
    ("dB = A.T @ dC", 8, 3, 5, 240, 240 / 316),
]
