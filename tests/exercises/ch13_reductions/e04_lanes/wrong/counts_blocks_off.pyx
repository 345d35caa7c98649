# misconception: from_the_start
# fails: test_same_bits
cimport cython


@cython.boundscheck(False)
@cython.wraparound(False)
cdef double part(const double[:] x, Py_ssize_t begin, Py_ssize_t end):
    cdef double lanes[8]
    cdef Py_ssize_t k, lane
    for k in range(8):
        lanes[k] = -0.0
    for k in range(begin, end - 7, 8):
        for lane in range(8):
            lanes[lane] += x[k + lane]
    for k in range(end - (end - begin) % 8, end):
        lanes[(k - begin) % 8] += x[k]
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))


def total(x):
    """The sum of a float64 array with one axis: lanes in a block, pairs of blocks."""
    cdef double waiting[64]
    cdef double so_far
    cdef Py_ssize_t start, count = 0, number, n = len(x), top = 0
    for start in range(0, n, 4096):
        so_far = part(x, start, min(n, start + 4096))
        count += 1
        number = count
        while number % 2 == 0:
            top -= 1
            so_far = waiting[top] + so_far
            number //= 2
        waiting[top] = so_far
        top += 1
    if top == 0:
        return 0.0
    so_far = waiting[top - 1]
    for number in range(top - 2, -1, -1):
        so_far = waiting[number] + so_far
    return so_far
