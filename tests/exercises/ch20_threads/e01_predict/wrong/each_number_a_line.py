# misconception: one_each
# fails: test_lines
VISITS = [
    ("in three passes", 600),
    ("in one pass", 200),
]

LINES = [
    ("along the rows", 1024),
    ("down the columns", 1024),
]

CUTS = [
    (0, 0),
    (1, 64),
    (2, 128),
]
