"""Ten steps of an arena whose first block has 128 bytes, written down by hand."""

from kael.exercises import blank

REQUESTS = [
    # step, request, offset, gap, next free byte afterwards
    (1, "10 at 1", blank, blank, blank),
    (2, "24 at 8", blank, blank, blank),
    (3, "16 at 16", blank, blank, blank),
    (4, "4 at 64", blank, blank, blank),
    (5, "60 at 4", blank, blank, blank),
    (6, "1 at 1", blank, blank, blank),
    (7, "100 at 32", blank, blank, blank),
    (9, "40 at 16", blank, blank, blank),
    (10, "100 at 8", blank, blank, blank),
]

STATES = [
    # after step, used, peak, capacity
    (5, blank, blank, blank),
    (7, blank, blank, blank),
    (8, blank, blank, blank),
    (10, blank, blank, blank),
]
