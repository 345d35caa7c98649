"""Texts instead of names, and the sums written out."""

COUNTS = [("loss", 0), ("a", 1 + 1), ("b", 1), ("c", 1), ("d", "absent"), ("x", 2 + 1), ("y", 1)]

STEPS = [
    (1, "loss", 1, ("c",)),
    (2, "c", 1, ("a", "b")),
    (3, "b", 1 * 10, ("a",)),
    (4, "a", 1 + 1 * 4, ("x", "y")),
    (5, "y", 5 * 2, ("x",)),
    (6, "x", 10 * 2 + 10 * 2 + 5 * 5, ()),
]
