"""What four rules return, what each path contributes and what each rule keeps, written down by hand."""

from kael.exercises import blank

RETURNED = [
    # call, receiver, number
    (1, "x", blank),
    (1, "y", blank),
    (2, "x", blank),
    (2, "y", blank),
    (3, "x", blank),
    (4, "a11", blank),
    (4, "a12", blank),
    (4, "b11", blank),
    (4, "b12", blank),
    (4, "b21", blank),
    (4, "b22", blank),
]

PATHS = [
    # row, path, product of its local slopes (or their sum over all paths)
    (1, "x, through x*y", blank),
    (2, "x, as the last factor", blank),
    (3, "x, all paths", blank),
    (4, "y, through x*y", blank),
    (5, "y, as the second term", blank),
    (6, "y, all paths", blank),
]

KEPT = [
    # row, operation, bytes
    (1, "add", blank),
    (2, "mul", blank),
    (3, "exp", blank),
]
