# misconception: in_lines
# fails: test_cuts
VISITS = [
    ("three passes", 600),
    ("one pass", 200),
]

LINES = [
    ("along rows", 64),
    ("down columns", 1024),
]

CUTS = [
    (0, 0),
    (1, 4),
    (2, 8),
]
