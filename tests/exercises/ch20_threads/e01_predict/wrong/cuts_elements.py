# misconception: by_elements
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
    (1, 66),
    (2, 133),
]
