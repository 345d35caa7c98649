"""Sums of 869, 631, 584, 54, 978, 796, 4, 4 on a machine of three digits, written down by hand."""

from kael.exercises import blank

LANES = [
    # lane, what it holds after all eight numbers
    (0, blank),
    (1, blank),
    (2, blank),
    (3, blank),
]

FOLDS = [
    # what is added, the sum
    ("lane 0 + lane 2", blank),
    ("lane 1 + lane 3", blank),
    ("the two that are left", blank),
]

TOTALS = [
    # order, total
    ("in turn", blank),
    ("in pairs", blank),
    ("in four lanes", blank),
]
