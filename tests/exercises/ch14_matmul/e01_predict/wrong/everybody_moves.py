# misconception: nobody_stays
# fails: test_which_operands_stay
MOVES = [
    ("jik", 1, 5, 1),
    ("kij", 1, 1, 1),
    ("kji", 8, 1, 5),
]

WORK = [
    ("C = A @ B", 3, 8, 5, 240, 240 / 316),
    ("dA = dC @ B.T", 3, 5, 8, 240, 240 / 316),
    ("dB = A.T @ dC", 8, 3, 5, 240, 240 / 316),
]
