"""The graph of a = x*y, b = a + x, d = b*b, c = b*y, w = a*c at x = 2, y = -3, and two walks back from w."""

SOURCES = [(0, None, None), (1, 0, None), (2, 1, 1), (3, 1, None), (4, 0, 3)]
REACHABLE = [(0, True), (1, True), (2, False), (3, True), (4, True)]
RUNS = [(1, 4, 1.0), (2, 3, -6.0), (3, 1, 18.0), (4, 0, 30.0)]
FIRST_COME = [(1, 4, 1.0), (2, 0, 12.0), (3, 3, -6.0), (4, 1, 18.0)]
