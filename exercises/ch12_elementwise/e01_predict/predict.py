"""The walk of y - x, the traffic of its square, and three exponents, written down by hand."""

from kael.exercises import blank

WALK = [
    # k, place in the memory of x, place in the memory of y, result y - x
    (0, blank, blank, blank),
    (1, blank, blank, blank),
    (2, blank, blank, blank),
    (3, blank, blank, blank),
    (4, blank, blank, blank),
    (5, blank, blank, blank),
]

TRAFFIC = [
    # kernels, elements read and elements written per element of out, bytes for a million float32 elements
    ("two", blank, blank, blank),
    ("one", blank, blank, blank),
]

EXPONENT = [
    # x, m, exponent field of 2**m
    ("3.0", blank, blank),
    ("-5.0", blank, blank),
    ("0.5", blank, blank),
]
