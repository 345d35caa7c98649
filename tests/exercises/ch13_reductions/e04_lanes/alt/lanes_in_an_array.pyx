"""The lanes in a small array, filled by an inner loop without questions."""

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
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))


def total(x):
    return part(x, 0, len(x)) if len(x) else 0.0
