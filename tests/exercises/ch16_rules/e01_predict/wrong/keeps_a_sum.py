# misconception: kept_for_a_sum
# fails: test_bytes_kept
RETURNED = [
    (1, "x", -3.0),
    (1, "y", -3.0),
    (2, "x", -14.0),
    (2, "y", -8.0),
    (3, "x", 4.0),
    (4, "a11", 35.0),
    (4, "a12", 46.0),
    (4, "b11", 10.0),
    (4, "b12", 1.0),
    (4, "b21", 20.0),
    (4, "b22", 2.0),
]

PATHS = [
    (1, "x, through x*y", 10.0),
    (2, "x, as the last factor", 15.0),
    (3, "x, all paths", 25.0),
    (4, "y, through x*y", 4.0),
    (5, "y, as the second term", 2.0),
    (6, "y, all paths", 6.0),
]

KEPT = [
    (1, "add", 32000.0),
    (2, "mul", 32000.0),
    (3, "exp", 16000.0),
]
