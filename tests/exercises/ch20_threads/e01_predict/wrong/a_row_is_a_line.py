# misconception: row_is_one
# fails: test_lines
VISITS = [
    ("three passes", 600),
    ("one pass", 200),
]

LINES = [
    ("along rows", 32),
    ("down columns", 1024),
]

CUTS = [
    (0, 0),
    (1, 64),
    (2, 128),
]
