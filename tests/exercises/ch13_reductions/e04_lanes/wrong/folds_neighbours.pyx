# misconception: other_fold
# fails: test_same_bits
cimport cython


@cython.boundscheck(False)
@cython.wraparound(False)
cdef double part(const double[:] x, Py_ssize_t begin, Py_ssize_t end):
    cdef double lanes[8]
    cdef Py_ssize_t k, lane, half
    if end - begin > 4096:
        half = begin + (end - begin) // 2 // 8 * 8
        return part(x, begin, half) + part(x, half, end)
    for k in range(8):
        lanes[k] = -0.0
    for k in range(begin, end - 7, 8):
        for lane in range(8):
            lanes[lane] += x[k + lane]
    for k in range(end - (end - begin) % 8, end):
        lanes[(k - begin) % 8] += x[k]
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))


def total(x):
    """The sum of a float64 array with one axis: lanes in a block, pairs of blocks."""
    if len(x) == 0:
        return 0.0
    return part(x, 0, len(x))
