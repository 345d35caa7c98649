# misconception: no_tuple
# fails: test_ready_lists
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
    (1, loss, 1.0, c),
    (2, c, 1.0, (a, b)),
    (3, b, 10.0, (a,)),
    (4, a, 1.0 + 4.0, (x, y)),
    (5, y, 10.0, (x,)),
    (6, x, 2 * 20.0 + 25.0, ()),
]
