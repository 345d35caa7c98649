"""Raw pointers: panels of six columns, the last one narrower."""

cimport numpy as cnp

import numpy as np


cdef void one_tile(const char* a, Py_ssize_t a1, const double* panel, Py_ssize_t inner, double* sums) noexcept nogil:
    cdef Py_ssize_t k
    cdef double x, s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0
    for k in range(inner):
        x = (<const double*> (a + k * a1))[0]
        s0 += x * panel[6 * k]
        s1 += x * panel[6 * k + 1]
        s2 += x * panel[6 * k + 2]
        s3 += x * panel[6 * k + 3]
        s4 += x * panel[6 * k + 4]
        s5 += x * panel[6 * k + 5]
    sums[0], sums[1], sums[2], sums[3], sums[4], sums[5] = s0, s1, s2, s3, s4, s5


def matmul(cnp.ndarray a, cnp.ndarray b, cnp.ndarray out):
    cdef Py_ssize_t rows = a.shape[0], inner = a.shape[1], columns = b.shape[1], width, i, j, k, c
    if b.shape[0] != inner or out.shape[0] != rows or out.shape[1] != columns:
        raise ValueError("matmul: the sizes do not fit")
    cdef cnp.ndarray room = np.zeros(6 * inner + 1)
    cdef double* panel = <double*> cnp.PyArray_DATA(room)
    cdef char* left = <char*> cnp.PyArray_DATA(a)
    cdef char* right = <char*> cnp.PyArray_DATA(b)
    cdef char* product = <char*> cnp.PyArray_DATA(out)
    cdef double sums[6]
    for j in range(0, columns, 6):
        width = min(6, columns - j)
        for k in range(inner):
            for c in range(width):
                panel[6 * k + c] = (<double*> (right + k * b.strides[0] + (j + c) * b.strides[1]))[0]
        for i in range(rows):
            one_tile(left + i * a.strides[0], a.strides[1], panel, inner, sums)
            for c in range(width):
                (<double*> (product + i * out.strides[0] + (j + c) * out.strides[1]))[0] = sums[c]
