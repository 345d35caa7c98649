# misconception: only_once
# fails: test_visits
VISITS = [
    ("three passes", 400),
    ("one pass", 200),
]

LINES = [
    ("along rows", 64),
    ("down columns", 1024),
]

CUTS = [
    (0, 0),
    (1, 64),
    (2, 128),
]
