"""The walk of y - x, the traffic of its square, and three exponents, written down by hand."""

WALK = [
    (0, 0, 0, 7.0),
    (1, 2, 0, 5.0),
    (2, 4, 0, 1.0),
    (3, 1, 1, 12.0),
    (4, 3, 1, 19.0),
    (5, 5, 1, 16.0),
]

TRAFFIC = [
    ("two", 3, 2, 20_000_000.0),
    ("one", 2, 1, 12_000_000.0),
]

EXPONENT = [
    ("3.0", 4, 1027),
    ("-5.0", -7, 1016),
    ("0.5", 1, 1024),
]
