# misconception: one_each
# fails: test_lines
VISITS = [
    ("three passes", 600),
    ("one pass", 200),
]

LINES = [
    ("along rows", 1024),
    ("down columns", 1024),
]

CUTS = [
    (0, 0),
    (1, 64),
    (2, 128),
]
