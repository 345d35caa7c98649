"""Whole numbers, and the sums written out."""

VISITS = [(1, 2, 1), (2, 1, 5), (3, 0, 5)]

ARRIVALS = [
    (1, "s", 1 * 5, "assign", 5),
    (1, "y", 1 * -12, "assign", -12),
    (2, "z", 5, "assign", 5),
    (2, "x", 5, "assign", 5),
    (3, "x", 5 * 5, "add", 5 + 25),
    (3, "y", 5 * -2, "add", -12 + -10),
]
