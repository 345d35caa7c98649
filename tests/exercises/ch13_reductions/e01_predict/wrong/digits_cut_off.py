# misconception: cut_off
# fails: test_lanes
LANES = [
    (0, 1840.0),
    (1, 1420.0),
    (2, 588.0),
    (3, 58.0),
]

FOLDS = [
    ("lane 0 + lane 2", 2420.0),
    ("lane 1 + lane 3", 1470.0),
    ("the two that are left", 3890.0),
]

TOTALS = [
    ("in turn", 3890.0),
    ("in pairs", 3900.0),
    ("in four lanes", 3890.0),
]
