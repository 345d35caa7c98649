# misconception: zero_for_leaf
# fails: test_sources

SOURCES = [
    (0, 0, 0),
    (1, 0, 0),
    (2, 1, 1),
    (3, 1, 0),
    (4, 0, 3),
]

REACHABLE = [
    (0, True),
    (1, True),
    (2, False),
    (3, True),
    (4, True),
]

RUNS = [
    (1, 4, 1.0),
    (2, 3, -6.0),
    (3, 1, 18.0),
    (4, 0, 30.0),
]

FIRST_COME = [
    (1, 4, 1.0),
    (2, 0, 12.0),
    (3, 3, -6.0),
    (4, 1, 18.0),
]
