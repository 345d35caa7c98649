"""The numbers as they are worked out, on whole numbers."""

x, y = 2, -3
a = x * y
b = a + x
c = b * y

SOURCES = [(0, None, None), (1, 0, None), (2, 1, 1), (3, 1, None), (4, 0, 3)]
REACHABLE = [(node, node != 2) for node in range(5)]
RUNS = [(1, 4, 1), (2, 3, a), (3, 1, a * y), (4, 0, c + a * y)]
FIRST_COME = [(1, 4, 1), (2, 0, c), (3, 3, a), (4, 1, a * y)]
