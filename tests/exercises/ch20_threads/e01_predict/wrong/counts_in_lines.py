# misconception: in_lines
# fails: test_cuts
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
    (1, 4),
    (2, 8),
]
