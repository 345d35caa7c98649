"""The same, as floats."""

VISITS = [
    ("in three passes", 600.0),
    ("in one pass", 200.0),
]

LINES = [
    ("along the rows", 64.0),
    ("down the columns", 1024.0),
]

CUTS = [
    (0, 0.0),
    (1, 64.0),
    (2, 128.0),
]
