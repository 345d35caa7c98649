"""Which shapes broadcast, which cells are read, and which axes are summed on the way back, written down by hand."""

from kael.exercises import blank

error = "error"

SHAPES = [
    # number, first shape, second shape, shape of the result, or error
    (1, (4, 3), (3,), blank),
    (2, (4, 3), (4,), blank),
    (3, (4, 1), (3,), blank),
    (4, (5, 1, 3), (4, 1), blank),
    (5, (4, 3), (2, 3), blank),
    (6, (1, 6), (0, 1), blank),
]

CELLS = [
    # element of the result, cell of x, cell of y, value of x * y
    (0, blank, blank, blank),
    (1, blank, blank, blank),
    (2, blank, blank, blank),
    (3, blank, blank, blank),
    (4, blank, blank, blank),
    (5, blank, blank, blank),
]

WAY_BACK = [
    # number, shape of the operand, shape that it fills, axes that are summed
    (1, (3,), (2, 3), blank),
    (2, (3, 1), (4, 3, 5), blank),
    (3, (1, 6), (1, 6), blank),
    (4, (), (2, 2), blank),
]
