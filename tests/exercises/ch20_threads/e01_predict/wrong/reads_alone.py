# misconception: reads_alone
# fails: test_visits
VISITS = [
    ("in three passes", 300),
    ("in one pass", 100),
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
