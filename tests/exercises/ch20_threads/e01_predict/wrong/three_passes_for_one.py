# misconception: three_for_one
# fails: test_visits
VISITS = [
    ("three passes", 600),
    ("one pass", 600),
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
