"""Rung 3, the twin: the same loops over raw pointers, without the interpreter's lock.

`volatile` is for the counter alone: without it a compiler replaces the loop by one addition, and the lesson is gone.
"""

cimport numpy as cnp
from libc.stdint cimport int64_t

from chapters.ch20_threads.checks import check_affine, check_copy, check_count, check_rows

cnp.import_array()

__all__ = ["affine_relu", "count_up", "row_sums", "transposed_copy"]

ctypedef fused real:
    float
    double


# region [affine_relu]
cdef void affine_relu_run(const real* x, real scale, real shift, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef real moved
    for k in range(n):
        moved = scale * x[k] + shift
        out[k] = 0 if moved <= 0 else moved
# endregion [affine_relu]


# region [row_sums]
cdef void row_sums_run(const real* x, real* out, Py_ssize_t rows, Py_ssize_t columns, bint by_columns) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef real so_far
    if by_columns:
        for i in range(rows):
            out[i] = 0
        for j in range(columns):
            for i in range(rows):
                out[i] = out[i] + x[i * columns + j]
    else:
        for i in range(rows):
            so_far = 0
            for j in range(columns):
                so_far = so_far + x[i * columns + j]
            out[i] = so_far
# endregion [row_sums]


# region [transposed_copy]
cdef void transposed_run(
    const real* x, real* out, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t block,
) noexcept nogil:
    cdef Py_ssize_t top = 0, left, i, j
    while top < rows:
        left = 0
        while left < columns:
            for i in range(top, min(top + block, rows)):
                for j in range(left, min(left + block, columns)):
                    out[j * rows + i] = x[i * columns + j]
            left += block
        top += block
# endregion [transposed_copy]


# region [count_up]
cdef void count_run(volatile int64_t* counter, Py_ssize_t times) noexcept nogil:
    cdef Py_ssize_t _k
    for _k in range(times):
        counter[0] = counter[0] + 1
# endregion [count_up]


def affine_relu(cnp.ndarray x, double scale, double shift, cnp.ndarray out):
    """Write relu(scale * x + shift) in one pass."""
    check_affine(x, out)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(x)
    cdef void* read = cnp.PyArray_DATA(x)
    cdef void* write = cnp.PyArray_DATA(out)
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT:
        with nogil:
            affine_relu_run[float](<float*> read, <float> scale, <float> shift, <float*> write, n)
    else:
        with nogil:
            affine_relu_run[double](<double*> read, scale, shift, <double*> write, n)


def row_sums(cnp.ndarray x, cnp.ndarray out, bint by_columns=False):
    """Sum each row of a matrix from left to right, on one of two walks that give the same bits."""
    cdef Py_ssize_t rows, columns
    rows, columns = check_rows(x, out)
    cdef void* read = cnp.PyArray_DATA(x)
    cdef void* write = cnp.PyArray_DATA(out)
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT:
        with nogil:
            row_sums_run[float](<float*> read, <float*> write, rows, columns, by_columns)
    else:
        with nogil:
            row_sums_run[double](<double*> read, <double*> write, rows, columns, by_columns)


def transposed_copy(cnp.ndarray x, cnp.ndarray out, Py_ssize_t block=16):
    """Copy a matrix so that its columns become rows, one square block after the other."""
    cdef Py_ssize_t rows, columns
    rows, columns = check_copy(x, out, block)
    cdef void* read = cnp.PyArray_DATA(x)
    cdef void* write = cnp.PyArray_DATA(out)
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT:
        with nogil:
            transposed_run[float](<float*> read, <float*> write, rows, columns, block)
    else:
        with nogil:
            transposed_run[double](<double*> read, <double*> write, rows, columns, block)


def count_up(cnp.ndarray counters, Py_ssize_t place, Py_ssize_t times):
    """Add 1 to a counter so many times: read, add, write. Two threads that share a counter lose counts."""
    check_count(counters, place, times)
    cdef int64_t* counter = <int64_t*> cnp.PyArray_DATA(counters) + place
    with nogil:
        count_run(<volatile int64_t*> counter, times)
