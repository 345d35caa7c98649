# misconception: too_early
# fails: test_which_node_runs
absent = "absent"
x, y, a, b, c, d, loss = "x", "y", "a", "b", "c", "d", "loss"

COUNTS = [
    (loss, 0),
    (a, 2),
    (b, 1),
    (c, 1),
    (d, absent),
    (x, 3),
    (y, 1),
]

STEPS = [
    (1, loss, 1.0, (c, a)),
    (2, a, 1.0, (c, x, y)),
    (3, y, 2.0, (c, x)),
    (4, x, 5.0, (c,)),
    (5, c, 1.0, (b,)),
    (6, b, 10.0, ()),
]
