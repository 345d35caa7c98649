# misconception: from_the_left
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
    (3, b, 10.0, (a,)),
    (4, a, 5.0, (y, x)),
    (5, x, 65.0, (y,)),
    (6, y, 10.0, ()),
]
