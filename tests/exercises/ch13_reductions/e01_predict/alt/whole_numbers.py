"""The same, in whole numbers."""

LANES = [
    (0, 1850),
    (1, 1430),
    (2, 588),
    (3, 58),
]

FOLDS = [
    ("lane 0 + lane 2", 2440),
    ("lane 1 + lane 3", 1490),
    ("the two that are left", 3930),
]

TOTALS = [
    ("in turn", 3910),
    ("in pairs", 3920),
    ("in four lanes", 3930),
]
