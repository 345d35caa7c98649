"""The same, worked out."""

VISITS = [
    ("three passes", 3 * 2 * 100),
    ("one pass", 2 * 100),
]

LINES = [
    ("along rows", 32 * 32 // 16),
    ("down columns", 32 * 32),
]

CUTS = [
    (0, 0),
    (1, 12 // 3 * 16),
    (2, 2 * 12 // 3 * 16),
]
