"""The counts and the steps of loss = a*b + a with a = x*y, b = x*x at x = 2, y = 5, written down by hand."""

from kael.exercises import blank

absent = "absent"
x, y, a, b, c, d, loss = "x", "y", "a", "b", "c", "d", "loss"

COUNTS = [
    # node of, contributions it waits for
    (loss, blank),
    (a, blank),
    (b, blank),
    (c, blank),
    (d, blank),
    (x, blank),
    (y, blank),
]

STEPS = [
    # step, node that runs, gradient that had arrived, ready list afterwards
    (1, blank, blank, blank),
    (2, blank, blank, blank),
    (3, blank, blank, blank),
    (4, blank, blank, blank),
    (5, blank, blank, blank),
    (6, blank, blank, blank),
]
