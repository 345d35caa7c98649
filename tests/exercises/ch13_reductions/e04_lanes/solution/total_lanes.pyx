"""The order of total.py, with the eight lanes in variables while whole groups come."""

cimport cython


@cython.boundscheck(False)
@cython.wraparound(False)
cdef double part(const double[:] x, Py_ssize_t begin, Py_ssize_t end):
    """The total of x[begin:end]."""
    cdef double a = -0.0, b = -0.0, c = -0.0, d = -0.0, e = -0.0, f = -0.0, g = -0.0, h = -0.0
    cdef double lanes[8]
    cdef Py_ssize_t k, half, rest = end - end % 8  # begin is a multiple of 8
    if end - begin > 4096:
        half = begin + (end - begin) // 2 // 8 * 8
        return part(x, begin, half) + part(x, half, end)
    for k in range(begin, rest, 8):
        a += x[k]
        b += x[k + 1]
        c += x[k + 2]
        d += x[k + 3]
        e += x[k + 4]
        f += x[k + 5]
        g += x[k + 6]
        h += x[k + 7]
    lanes[0], lanes[1], lanes[2], lanes[3] = a, b, c, d
    lanes[4], lanes[5], lanes[6], lanes[7] = e, f, g, h
    for k in range(rest, end):
        lanes[k - rest] += x[k]
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))


def total(x):
    """The sum of a float64 array with one axis: lanes in a block, pairs of blocks."""
    if len(x) == 0:
        return 0.0
    return part(x, 0, len(x))
