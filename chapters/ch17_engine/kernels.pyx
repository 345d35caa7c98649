"""Rung 3, the twin of the engine's loops.

Operands come in any layout; each is packed into row-major order first (no copy where it is so already). The additions
are in the reference's order, one by one, so the bits agree; where neighbouring outputs add side by side, the compiler
takes several at once.
"""

cimport numpy as cnp
from libc.stdint cimport int64_t

import numpy as np

from chapters.ch17_engine.checks import check_accumulate, check_tape, check_unbroadcast

cnp.import_array()

__all__ = ["accumulate_gradient", "traverse", "unbroadcast_gradient"]

cdef enum:
    NDIM = 64

cdef enum Op:
    LEAF
    ADD
    MUL
    EXP

ctypedef fused real:
    float
    double


cdef cnp.ndarray room(cnp.ndarray out):
    """Packed room for a result: `out` itself where that is packed."""
    return out if cnp.PyArray_IS_C_CONTIGUOUS(out) else np.empty_like(out, order="C")


cdef int deliver(cnp.ndarray made, cnp.ndarray out) except -1:
    """Copy a result to where it was asked for, unless it was made there."""
    if made is not out:
        out[...] = made
    return 0


# [unbroadcast-kernel]
def unbroadcast_gradient(cnp.ndarray grad, cnp.ndarray out):
    """Sum a gradient down to the shape of an operand that was broadcast."""
    check_unbroadcast(grad, out)
    cdef Py_ssize_t size[NDIM]
    cdef Py_ssize_t stride[NDIM]
    cdef int axis, ndim = grad.ndim, lead = grad.ndim - out.ndim
    cdef Py_ssize_t step = 1
    for axis in range(ndim - 1, -1, -1):
        size[axis] = grad.shape[axis]
        stride[axis] = 0
        if axis >= lead and out.shape[axis - lead] != 1:
            stride[axis] = step
        if axis >= lead:
            step *= out.shape[axis - lead]
    cdef cnp.ndarray upstream = np.ascontiguousarray(grad), totals = room(out)
    if cnp.PyArray_TYPE(grad) == cnp.NPY_FLOAT:
        sum_down(ndim, size, stride, <float*> upstream.data, upstream.size, <float*> totals.data, totals.size)
    else:
        sum_down(ndim, size, stride, <double*> upstream.data, upstream.size, <double*> totals.data, totals.size)
    deliver(totals, out)


# [unbroadcast-loop]
cdef void sum_down(
    int ndim, const Py_ssize_t* size, const Py_ssize_t* stride, const real* grad, Py_ssize_t count,
    real* out, Py_ssize_t outputs,
) noexcept nogil:
    """Add each row of the last axis to its place; `stride` is 0 along the axes that are summed."""
    cdef Py_ssize_t index[NDIM]
    cdef Py_ssize_t k, done = 0, at = 0
    cdef Py_ssize_t row = size[ndim - 1] if ndim > 0 else 1
    cdef bint apart = ndim > 0 and stride[ndim - 1] != 0
    cdef int axis
    cdef real total
    for k in range(outputs):
        out[k] = 0
    for axis in range(ndim):
        index[axis] = 0
    while done < count:
        if apart:
            for k in range(row):
                out[at + k] += grad[done + k]
        else:
            total = out[at]
            for k in range(row):
                total += grad[done + k]
            out[at] = total
        done += row
        axis = ndim - 2
        while axis >= 0:
            index[axis] += 1
            at += stride[axis]
            if index[axis] < size[axis]:
                break
            at -= size[axis] * stride[axis]
            index[axis] = 0
            axis -= 1
# [/unbroadcast-loop]
# [/unbroadcast-kernel]


# [accumulate-kernel]
def accumulate_gradient(cnp.ndarray total, cnp.ndarray incoming, cnp.ndarray out):
    """Write total + incoming to a buffer of its own; neither operand changes."""
    check_accumulate(total, incoming, out)
    cdef cnp.ndarray a = np.ascontiguousarray(total), b = np.ascontiguousarray(incoming), made = room(out)
    if cnp.PyArray_TYPE(total) == cnp.NPY_FLOAT:
        add(a.size, <float*> a.data, <float*> b.data, <float*> made.data)
    else:
        add(a.size, <double*> a.data, <double*> b.data, <double*> made.data)
    deliver(made, out)


# [accumulate-loop]
cdef void add(Py_ssize_t size, const real* a, const real* b, real* out) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(size):
        out[k] = a[k] + b[k]
# [/accumulate-loop]
# [/accumulate-kernel]


def traverse(
    cnp.ndarray op, cnp.ndarray left, cnp.ndarray right, cnp.ndarray value, Py_ssize_t root, cnp.ndarray grad
):
    """Walk a tape of scalars backwards from its root and fill the gradient of every entry."""
    cdef Py_ssize_t size = op.size
    if not plain(op, left, right, value, grad) or root < 0 or root >= size or not sound(
        <int64_t*> op.data, <int64_t*> left.data, <int64_t*> right.data, size
    ):
        check_tape(op, left, right, value, root, grad)
        op, left, right, value = map(np.ascontiguousarray, (op, left, right, value))
    cdef cnp.ndarray made = room(grad), arrived = np.zeros(size, np.bool_)
    walk(<int64_t*> op.data, <int64_t*> left.data, <int64_t*> right.data, <double*> value.data, root, size,
         <double*> made.data, <char*> arrived.data)
    deliver(made, grad)


cdef bint plain(cnp.ndarray op, cnp.ndarray left, cnp.ndarray right, cnp.ndarray value, cnp.ndarray grad):
    """Whether five arrays have the types, the lengths and the layout that the C loop takes as they are."""
    cdef cnp.ndarray x
    for x in (op, left, right):
        if cnp.PyArray_TYPE(x) != cnp.NPY_INT64 or not cnp.PyArray_ISCARRAY_RO(x) or x.ndim != 1 or x.size != op.size:
            return False
    for x in (value, grad):
        if cnp.PyArray_TYPE(x) != cnp.NPY_DOUBLE or not cnp.PyArray_ISCARRAY_RO(x) or x.ndim != 1 or x.size != op.size:
            return False
    return True


cdef bint sound(const int64_t* op, const int64_t* left, const int64_t* right, Py_ssize_t size) noexcept nogil:
    """Whether every operation is known and every input is an earlier entry."""
    cdef Py_ssize_t k
    for k in range(size):
        if op[k] < LEAF or op[k] > EXP:
            return False
        if op[k] != LEAF and (left[k] < 0 or left[k] >= k):
            return False
        if (op[k] == ADD or op[k] == MUL) and (right[k] < 0 or right[k] >= k):
            return False
    return True


# [traverse]
cdef inline void arrive(double* grad, char* arrived, Py_ssize_t entry, double contribution) noexcept nogil:
    """Assign the first contribution, add a later one."""
    grad[entry] = grad[entry] + contribution if arrived[entry] else contribution
    arrived[entry] = 1


cdef void walk(
    const int64_t* op, const int64_t* left, const int64_t* right, const double* value, Py_ssize_t root,
    Py_ssize_t size, double* grad, char* arrived,
) noexcept nogil:
    """The reference's loop."""
    cdef Py_ssize_t k
    cdef double g
    for k in range(size):
        grad[k] = 0
    arrive(grad, arrived, root, 1)
    for k in range(root, -1, -1):
        if not arrived[k] or op[k] == LEAF:
            continue
        g = grad[k]
        if op[k] == ADD:
            arrive(grad, arrived, left[k], g)
            arrive(grad, arrived, right[k], g)
        elif op[k] == MUL:
            arrive(grad, arrived, left[k], g * value[right[k]])
            arrive(grad, arrived, right[k], g * value[left[k]])
        else:
            arrive(grad, arrived, left[k], g * value[k])
# [/traverse]
