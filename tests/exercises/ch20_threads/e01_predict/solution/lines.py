"""Visits, lines and cuts, written down by hand."""

VISITS = [
    ("in three passes", 600),
    ("in one pass", 200),
]

LINES = [
    ("along the rows", 64),
    ("down the columns", 1024),
]

CUTS = [
    (0, 0),
    (1, 64),
    (2, 128),
]
