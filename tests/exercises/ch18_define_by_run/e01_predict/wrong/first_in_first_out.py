# misconception: queue
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
    (1, loss, 1.0, (c,)),
    (2, c, 1.0, (a, b)),
    (3, a, 5.0, (b, y)),
    (4, b, 10.0, (y, x)),
    (5, y, 10.0, (x,)),
    (6, x, 65.0, ()),
]
