# misconception: runs_for_lanes
# fails: test_lanes
LANES = [
    (0, 1500.0),
    (1, 638.0),
    (2, 1770.0),
    (3, 8.0),
]

FOLDS = [
    ("lane 0 + lane 2", 3270.0),
    ("lane 1 + lane 3", 646.0),
    ("the two that are left", 3920.0),
]

TOTALS = [
    ("in turn", 3910.0),
    ("in pairs", 3920.0),
    ("in four lanes", 3920.0),
]
