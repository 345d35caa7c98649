"""The graph of a = x*y, b = a + x, d = b*b, c = b*y, w = a*c at x = 2, y = -3, and two walks back from w."""

from kael.exercises import blank

SOURCES = [
    # node, grad_fn_index of its first operand, of its second
    (0, blank, blank),
    (1, blank, blank),
    (2, blank, blank),
    (3, blank, blank),
    (4, blank, blank),
]

REACHABLE = [
    # node, does w lead back to it
    (0, blank),
    (1, blank),
    (2, blank),
    (3, blank),
    (4, blank),
]

RUNS = [
    # step, node that runs, gradient on which it runs
    (1, blank, blank),
    (2, blank, blank),
    (3, blank, blank),
    (4, blank, blank),
]

FIRST_COME = [
    # step, node that runs, gradient on which it runs
    (1, blank, blank),
    (2, blank, blank),
    (3, blank, blank),
    (4, blank, blank),
]
