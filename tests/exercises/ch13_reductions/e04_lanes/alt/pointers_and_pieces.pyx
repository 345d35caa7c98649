"""A pointer and a stride in bytes."""

cimport numpy as cnp


cdef inline double at(const char* x, Py_ssize_t step, Py_ssize_t k) noexcept nogil:
    return (<const double*> (x + k * step))[0]


cdef double piece(const char* x, Py_ssize_t step, Py_ssize_t count) noexcept nogil:
    cdef double s0 = -0.0, s1 = -0.0, s2 = -0.0, s3 = -0.0, s4 = -0.0, s5 = -0.0, s6 = -0.0, s7 = -0.0
    cdef double rest[8]
    cdef Py_ssize_t k = 0, lane
    while k + 8 <= count:
        s0, s1 = s0 + at(x, step, k), s1 + at(x, step, k + 1)
        s2, s3 = s2 + at(x, step, k + 2), s3 + at(x, step, k + 3)
        s4, s5 = s4 + at(x, step, k + 4), s5 + at(x, step, k + 5)
        s6, s7 = s6 + at(x, step, k + 6), s7 + at(x, step, k + 7)
        k += 8
    for lane in range(8):
        rest[lane] = at(x, step, k + lane) if k + lane < count else -0.0
    s0, s1, s2, s3 = s0 + rest[0], s1 + rest[1], s2 + rest[2], s3 + rest[3]
    s4, s5, s6, s7 = s4 + rest[4], s5 + rest[5], s6 + rest[6], s7 + rest[7]
    s0, s1, s2, s3 = s0 + s4, s1 + s5, s2 + s6, s3 + s7
    return (s0 + s2) + (s1 + s3)


cdef double halves(const char* x, Py_ssize_t step, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t first
    if count <= 4096:
        return piece(x, step, count)
    first = count // 16 * 8
    return halves(x, step, first) + halves(x + first * step, step, count - first)


def total(cnp.ndarray x):
    cdef double found = 0.0
    cdef Py_ssize_t count = x.shape[0], step = x.strides[0]
    if count > 0:
        with nogil:
            found = halves(<const char*> cnp.PyArray_DATA(x), step, count)
    return found
