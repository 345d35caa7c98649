"""The same, worked out."""

VISITS = [
    ("in three passes", 3 * 2 * 100),
    ("in one pass", 2 * 100),
]

LINES = [
    ("along the rows", 32 * 32 // 16),
    ("down the columns", 32 * 32),
]

CUTS = [
    (0, 0),
    (1, 12 // 3 * 16),
    (2, 2 * 12 // 3 * 16),
]
