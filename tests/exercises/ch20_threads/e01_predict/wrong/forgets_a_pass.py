# misconception: only_once
# fails: test_visits
VISITS = [
    ("in three passes", 400),
    ("in one pass", 200),
]

LINES = [
    ("along the rows", 64),
    ("down the columns", 1024),
]

CUTS = [
    (0, 0),
    (1, 64),
    (2, 128),
]
