# misconception: who_uses_it
# fails: test_sources

SOURCES = [
    (0, 1, 1),
    (1, 0, 2),
    (2, None, None),
    (3, 4, None),
    (4, None, None),
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
