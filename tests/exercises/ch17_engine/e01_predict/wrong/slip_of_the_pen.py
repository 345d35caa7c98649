# misconception: contribution_first
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
    (3, "x", 15.0, add, 20.0),
    (3, "y", -10.0, add, -22.0),
]
