# misconception: not_typed
# fails: test_faster_than_the_plain_loop
def total(x):
    """The sum of a float64 array with one axis: lanes in a block, pairs of blocks."""
    cdef Py_ssize_t n = len(x), half, k
    if n == 0:
        return 0.0
    if n > 4096:
        half = n // 2 // 8 * 8
        return total(x[:half]) + total(x[half:])
    lanes = [-0.0] * 8
    for k in range(n):
        lanes[k % 8] += x[k]
    for half in (4, 2, 1):
        for k in range(half):
            lanes[k] += lanes[k + half]
    return float(lanes[0])
