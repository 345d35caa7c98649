"""Visits, lines and cuts, written down by hand."""

from kael.exercises import blank

VISITS = [
    # how, reads and writes of 100 elements
    ("in three passes", blank),
    ("in one pass", blank),
]

LINES = [
    # walk, lines fetched
    ("along the rows", blank),
    ("down the columns", blank),
]

CUTS = [
    # part, its first element
    (0, blank),
    (1, blank),
    (2, blank),
]
