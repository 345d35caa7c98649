# misconception: no_transpose
# fails: test_sizes_of_the_products
MOVES = [
    ("jik", 1, 5, 0),
    ("kij", 0, 1, 1),
    ("kji", 8, 0, 5),
]

WORK = [
    ("C = A @ B", 3, 8, 5, 240, 240 / 316),
    ("dA = dC @ B.T", 8, 5, 3, 240, 240 / 316),
    ("dB = A.T @ dC", 5, 3, 8, 240, 240 / 316),
]
