# misconception: lines_stay
# fails: test_lines
VISITS = [
    ("three passes", 600),
    ("one pass", 200),
]

LINES = [
    ("along rows", 64),
    ("down columns", 64),
]

CUTS = [
    (0, 0),
    (1, 64),
    (2, 128),
]
