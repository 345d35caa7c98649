"""The broadcast walk at C level: how operands of different shapes and strides are visited together.

A `Walk` holds sizes, and per operand how far one step along each axis moves: 0 where the operand repeats. The unit is
the caller's, bytes or elements. `fit` fills in an operand, `order` and `merge` make the axes few and the last one long,
and `advance` turns the odometer over all axes but the last, along which the caller runs an inner loop. Other chapters
cimport these; they touch no Python object.
"""

cdef enum:
    MAX_AXES = 64
    MAX_OPERANDS = 5


cdef struct Walk:
    int axes
    int operands
    Py_ssize_t sizes[MAX_AXES]
    Py_ssize_t steps[MAX_OPERANDS][MAX_AXES]


cdef inline bint fit(
    Walk* walk, int operand, int axes, const Py_ssize_t* sizes, const Py_ssize_t* strides
) noexcept nogil:
    """Enter an operand's strides, 0 where it repeats; False when its shape does not broadcast to the walk's."""
    cdef int lead = walk.axes - axes
    cdef int axis
    if lead < 0:
        return False
    for axis in range(lead):
        walk.steps[operand][axis] = 0
    for axis in range(axes):
        if sizes[axis] == 1:
            walk.steps[operand][lead + axis] = 0
        elif sizes[axis] == walk.sizes[lead + axis]:
            walk.steps[operand][lead + axis] = strides[axis]
        else:
            return False
    return True


cdef inline Py_ssize_t distance(Py_ssize_t step) noexcept nogil:
    return -step if step < 0 else step


cdef inline void order(Walk* walk, int operand) noexcept nogil:
    """Sort the axes so that this operand moves least along the last one: for loops whose order does not matter."""
    cdef int axis, place, other
    cdef Py_ssize_t held
    for axis in range(1, walk.axes):
        place = axis
        while place > 0 and distance(walk.steps[operand][place - 1]) < distance(walk.steps[operand][place]):
            held = walk.sizes[place]
            walk.sizes[place] = walk.sizes[place - 1]
            walk.sizes[place - 1] = held
            for other in range(walk.operands):
                held = walk.steps[other][place]
                walk.steps[other][place] = walk.steps[other][place - 1]
                walk.steps[other][place - 1] = held
            place -= 1


cdef inline void merge(Walk* walk) noexcept nogil:
    """Drop axes of size 1, and make one axis of two wherever every operand steps through both as through one."""
    cdef int kept = 0
    cdef int axis, other
    cdef bint joins
    for axis in range(walk.axes):
        if walk.sizes[axis] == 1:
            continue
        joins = kept > 0
        for other in range(walk.operands):
            if joins:
                joins = walk.steps[other][kept - 1] == walk.steps[other][axis] * walk.sizes[axis]
        if joins:
            walk.sizes[kept - 1] *= walk.sizes[axis]
        else:
            walk.sizes[kept] = walk.sizes[axis]
            kept += 1
        for other in range(walk.operands):
            walk.steps[other][kept - 1] = walk.steps[other][axis]
    if kept == 0:
        walk.sizes[0] = 1
        for other in range(walk.operands):
            walk.steps[other][0] = 0
        kept = 1
    walk.axes = kept


cdef inline bint advance(Walk* walk, Py_ssize_t* index, Py_ssize_t* offsets) noexcept nogil:
    """Move every offset to the next run along the last axis; False after the last run. Both start as zeros."""
    cdef int axis = walk.axes - 2
    cdef int other
    while axis >= 0:
        index[axis] += 1
        for other in range(walk.operands):
            offsets[other] += walk.steps[other][axis]
        if index[axis] < walk.sizes[axis]:
            return True
        for other in range(walk.operands):
            offsets[other] -= walk.steps[other][axis] * walk.sizes[axis]
        index[axis] = 0
        axis -= 1
    return False
