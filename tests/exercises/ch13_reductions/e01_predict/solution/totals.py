"""Sums of 869, 631, 584, 54, 978, 796, 4, 4 on a machine of three digits, written down by hand."""

LANES = [
    (0, 1850.0),
    (1, 1430.0),
    (2, 588.0),
    (3, 58.0),
]

FOLDS = [
    ("lane 0 + lane 2", 2440.0),
    ("lane 1 + lane 3", 1490.0),
    ("the two that are left", 3930.0),
]

TOTALS = [
    ("in turn", 3910.0),
    ("in pairs", 3920.0),
    ("in four lanes", 3930.0),
]
