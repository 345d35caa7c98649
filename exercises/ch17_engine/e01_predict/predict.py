"""The backward pass of z = x*y, s = z + x, w = s*y at x = -2, y = 5, written down by hand."""

from kael.exercises import blank

assign, add = "assign", "add"

VISITS = [
    # step, index of the node, gradient that had arrived at its output
    (1, blank, blank),
    (2, blank, blank),
    (3, blank, blank),
]

ARRIVALS = [
    # step, receiver, contribution, branch, running total of the receiver
    (1, "s", blank, blank, blank),
    (1, "y", blank, blank, blank),
    (2, "z", blank, blank, blank),
    (2, "x", blank, blank, blank),
    (3, "x", blank, blank, blank),
    (3, "y", blank, blank, blank),
]
