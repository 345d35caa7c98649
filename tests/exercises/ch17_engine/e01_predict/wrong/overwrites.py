# misconception: overwrote
# fails: test_running_totals
assign, add = "assign", "add"

VISITS = [
    (1, 2, 1.0),
    (2, 1, 5.0),
    (3, 0, 5.0),
]

ARRIVALS = [
    (1, "s", 5.0, assign, 5.0),
    (1, "y", -12.0, assign, -12.0),
    (2, "z", 5.0, assign, 5.0),
    (2, "x", 5.0, assign, 5.0),
    (3, "x", 25.0, add, 25.0),
    (3, "y", -10.0, add, -10.0),
]
