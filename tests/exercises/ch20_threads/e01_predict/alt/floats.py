"""The same, as floats."""

VISITS = [
    ("three passes", 600.0),
    ("one pass", 200.0),
]

LINES = [
    ("along rows", 64.0),
    ("down columns", 1024.0),
]

CUTS = [
    (0, 0.0),
    (1, 64.0),
    (2, 128.0),
]
