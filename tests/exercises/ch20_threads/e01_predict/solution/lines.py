"""Visits, lines and cuts, written down by hand."""

VISITS = [
    ("three passes", 600),
    ("one pass", 200),
]

LINES = [
    ("along rows", 64),
    ("down columns", 1024),
]

CUTS = [
    (0, 0),
    (1, 64),
    (2, 128),
]
