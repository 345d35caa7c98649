# misconception: reads_alone
# fails: test_visits
VISITS = [
    ("three passes", 300),
    ("one pass", 100),
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
