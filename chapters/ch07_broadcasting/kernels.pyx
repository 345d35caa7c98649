"""Rung 3: broadcasting in Cython. `walk.pxd` beside this file holds the walk that the kernels of other chapters use."""

cimport numpy as cnp
from libc.string cimport memset

from chapters.ch07_broadcasting.walk cimport MAX_AXES, Walk, advance

from chapters.ch07_broadcasting.spec import BroadcastSpec, check_offsets

cnp.import_array()

__all__ = ["BroadcastSpec", "broadcast_offsets", "broadcast_shapes"]


def broadcast_shapes(tuple a not None, tuple b not None):
    """The shape that two operands share once axes of size 1, and axes that one lacks in front, repeat."""
    cdef Py_ssize_t axes = max(len(a), len(b))
    cdef Py_ssize_t own_lead = axes - len(a)
    cdef Py_ssize_t other_lead = axes - len(b)
    cdef Py_ssize_t axis, own, other
    cdef list merged = [1] * axes
    for axis in range(axes - 1, -1, -1):
        own = a[axis - own_lead] if axis >= own_lead else 1
        other = b[axis - other_lead] if axis >= other_lead else 1
        if own != other and own != 1 and other != 1:
            raise ValueError(
                f"The size of tensor a ({own}) must match the size of tensor b ({other}) "
                f"at non-singleton dimension {axis}"
            )
        merged[axis] = other if own == 1 else own
    return tuple(merged)


def broadcast_offsets(spec, out):
    """Write, for each element of the target, the offset of the operand's element that it reads."""
    cdef Walk walk
    cdef Py_ssize_t index[MAX_AXES]
    cdef Py_ssize_t offsets[2]
    cdef Py_ssize_t k, size, step, away
    cdef int axis
    cdef char* start
    if not cnp.PyArray_Check(out):
        raise TypeError(f"broadcast_offsets: out is a {type(out).__name__}; this rung takes NumPy arrays")
    check_offsets(spec, out)
    if cnp.PyArray_SIZE(out) == 0:
        return
    walk.axes = cnp.PyArray_NDIM(out)
    walk.operands = 2
    for axis in range(walk.axes):
        walk.sizes[axis] = cnp.PyArray_DIM(out, axis)
        walk.steps[0][axis] = spec.strides[axis]
        walk.steps[1][axis] = cnp.PyArray_STRIDE(out, axis)
    if walk.axes == 0:
        walk.axes = walk.sizes[0] = 1
        walk.steps[0][0] = walk.steps[1][0] = 0
    # region [offsets loop]
    memset(index, 0, sizeof(index))
    memset(offsets, 0, sizeof(offsets))
    start = cnp.PyArray_BYTES(out)
    size, step, away = walk.sizes[walk.axes - 1], walk.steps[0][walk.axes - 1], walk.steps[1][walk.axes - 1]
    while True:
        for k in range(size):
            (<cnp.int64_t*> (start + offsets[1] + k * away))[0] = offsets[0] + k * step
        if not advance(&walk, index, offsets):
            break
    # endregion [offsets loop]
