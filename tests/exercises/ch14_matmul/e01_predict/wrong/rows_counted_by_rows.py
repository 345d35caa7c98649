# misconception: rows_for_columns
# fails: test_how_far_the_others_move
MOVES = [
    ("jik", 1, 8, 0),
    ("kij", 0, 1, 1),
    ("kji", 3, 0, 3),
]

WORK = [
    ("C = A @ B", 3, 8, 5, 240, 240 / 316),
    ("dA = dC @ B.T", 3, 5, 8, 240, 240 / 316),
    ("dB = A.T @ dC", 8, 3, 5, 240, 240 / 316),
]
