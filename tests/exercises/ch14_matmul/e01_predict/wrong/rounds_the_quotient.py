# misconception: rounded_off
# fails: test_operations_for_each_byte
MOVES = [
    ("jik", 1, 5, 0),
    ("kij", 0, 1, 1),
    ("kji", 8, 0, 5),
]

WORK = [
    ("C = A @ B", 3, 8, 5, 240, 0.76),
    ("dA = dC @ B.T", 3, 5, 8, 240, 0.76),
    ("dB = A.T @ dC", 8, 3, 5, 240, 0.76),
]
