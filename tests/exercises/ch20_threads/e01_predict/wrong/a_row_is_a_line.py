# misconception: row_is_one
# fails: test_lines
VISITS = [
    ("in three passes", 600),
    ("in one pass", 200),
]

LINES = [
    ("along the rows", 32),
    ("down the columns", 1024),
]

CUTS = [
    (0, 0),
    (1, 64),
    (2, 128),
]
