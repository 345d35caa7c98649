"""Whole numbers, and the arithmetic written out."""

G = (10, 1)

RETURNED = [
    (1, "x", -3),
    (1, "y", -3),
    (2, "x", -2 * 7),
    (2, "y", -2 * 4),
    (3, "x", 8 / 2),
    (4, "a11", G[0] * 3 + G[1] * 5),
    (4, "a12", G[0] * 4 + G[1] * 6),
    *((4, f"b{i}{j}", i * G[j - 1]) for i in (1, 2) for j in (1, 2)),
]

PATHS = [
    (1, "through the product", 5 * 1 * 2),
    (2, "last factor", 2 * 5 + 5),
    (3, "both", 10 + 15),
    (4, "through the product", 2 * 1 * 2),
    (5, "second term", 1 * 2),
    (6, "both", 4 + 2),
]

KEPT = [(1, "add", 0), (2, "mul", 2 * 500 * 8 * 4), (3, "exp", 500 * 8 * 4)]
