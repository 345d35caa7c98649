# misconception: lines_stay
# fails: test_lines
VISITS = [
    ("in three passes", 600),
    ("in one pass", 200),
]

LINES = [
    ("along the rows", 64),
    ("down the columns", 64),
]

CUTS = [
    (0, 0),
    (1, 64),
    (2, 128),
]
