# misconception: own_factor
# fails: test_gradients_that_are_complete

SOURCES = [
    (0, None, None),
    (1, 0, None),
    (2, 1, 1),
    (3, 1, None),
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
    (3, 1, 24.0),
    (4, 0, 36.0),
]

FIRST_COME = [
    (1, 4, 1.0),
    (2, 0, 12.0),
    (3, 3, -6.0),
    (4, 1, 18.0),
]
