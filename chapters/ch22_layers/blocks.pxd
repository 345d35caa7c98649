"""The driver of loops over several operands: a loop sees contiguous elements, whatever strides the operands have.

Where all operands have one shape and lie contiguous in memory, the loop runs over them once. Otherwise chapter 7's walk
visits them in blocks that stay in the cache: an operand that repeats or is strided is gathered into a block first, and
a strided result is scattered from one.
"""

cimport numpy as cnp
from libc.stdint cimport uint32_t, uint64_t

from chapters.ch07_broadcasting.walk cimport MAX_AXES, MAX_OPERANDS, Walk, advance, fit, merge, order

ctypedef void (*Loop)(void** at, const void* parameters, Py_ssize_t n) noexcept nogil

ctypedef fused word:
    uint32_t
    uint64_t

cdef enum:
    BLOCK = 512  # elements gathered at a time: four operands of 8 bytes are 16 KB, half of a first-level cache
    MANY = 16384  # elements from which on other threads may run meanwhile: giving up the GIL costs as much as 500


cdef struct Place:
    Py_ssize_t index[MAX_AXES]
    Py_ssize_t offsets[MAX_OPERANDS]


cdef inline void move(
    Walk* walk, Place* place, int operand, char* at, word* block, Py_ssize_t n, bint back
) noexcept nogil:
    """The next `n` elements of a walk, from an operand into a block; with `back` from the block into the operand."""
    cdef int last = walk.axes - 1
    cdef Py_ssize_t k, run, step = walk.steps[operand][last] // <Py_ssize_t> sizeof(word)
    cdef word* source
    while n > 0:
        source = <word*> (at + place.offsets[operand]) + place.index[last] * step
        run = min(n, walk.sizes[last] - place.index[last])
        if back:
            for k in range(run):
                source[k * step] = block[k]
        else:
            for k in range(run):
                block[k] = source[k * step]
        block += run
        n -= run
        place.index[last] += run
        if place.index[last] == walk.sizes[last]:
            place.index[last] = 0
            advance(walk, place.index, place.offsets)


cdef inline void run_blocks(Loop loop, Walk* walk, char** bases, int size, const void* parameters) noexcept nogil:
    """Call a loop block by block, for all elements of a walk whose last operand is the result."""
    cdef Place places[MAX_OPERANDS]
    cdef uint64_t blocks[MAX_OPERANDS][BLOCK]
    cdef void* at[MAX_OPERANDS]
    cdef int axis, j, out = walk.operands - 1
    cdef Py_ssize_t n, done = 0, count = 1
    cdef bint back
    for axis in range(walk.axes):
        count *= walk.sizes[axis]
    for j in range(walk.operands):
        for axis in range(MAX_AXES):
            places[j].index[axis] = 0
        for axis in range(MAX_OPERANDS):
            places[j].offsets[axis] = 0
    while done < count:
        n = min(count - done, BLOCK)
        for j in range(walk.operands):
            back = j == out
            if walk.axes == 1 and walk.steps[j][0] == size:
                at[j] = bases[j] + done * size
                continue
            at[j] = blocks[j]
            if back:
                continue
            if size == 4:
                move(walk, &places[j], j, bases[j], <uint32_t*> blocks[j], n, False)
            else:
                move(walk, &places[j], j, bases[j], <uint64_t*> blocks[j], n, False)
        loop(at, parameters, n)
        if at[out] == <void*> blocks[out]:
            if size == 4:
                move(walk, &places[out], out, bases[out], <uint32_t*> blocks[out], n, True)
            else:
                move(walk, &places[out], out, bases[out], <uint64_t*> blocks[out], n, True)
        done += n


cdef inline int kind_of(object operand) noexcept:
    """4 for float32, 8 for float64, 0 for what no loop may read: other types, and memory in another order."""
    cdef int number
    if not cnp.PyArray_Check(operand) or not cnp.PyArray_ISBEHAVED_RO(operand):
        return 0
    number = cnp.PyArray_TYPE(operand)
    return 4 if number == cnp.NPY_FLOAT else 8 if number == cnp.NPY_DOUBLE else 0


cdef inline bint launch(Loop single, Loop wide, tuple operands, tuple parameters) except -1:
    """Run a loop over arrays, the result last; False when they do not fit. The parameters reach it in its own type."""
    cdef Walk walk
    cdef char* bases[MAX_OPERANDS]
    cdef float singles[4]
    cdef double wides[4]
    cdef int arrays = len(operands)
    cdef int size = kind_of(operands[0])
    cdef Loop loop = single if size == 4 else wide
    cdef const void* given = <void*> singles if size == 4 else <void*> wides
    cdef cnp.ndarray out, operand
    cdef int axis, j
    cdef Py_ssize_t n = 1
    cdef bint alike

    for j in range(arrays):
        if size == 0 or kind_of(operands[j]) != size:
            return False
    out = operands[arrays - 1]
    if not cnp.PyArray_ISWRITEABLE(out):
        return False
    for j in range(<int> len(parameters)):
        wides[j] = parameters[j]
        singles[j] = <float> wides[j]

    walk.axes = cnp.PyArray_NDIM(out)
    walk.operands = arrays
    for axis in range(walk.axes):
        walk.sizes[axis] = cnp.PyArray_DIM(out, axis)
        n *= walk.sizes[axis]
    alike = True
    for j in range(arrays):
        operand = operands[j]
        bases[j] = cnp.PyArray_BYTES(operand)
        alike = alike and cnp.PyArray_NDIM(operand) == walk.axes and cnp.PyArray_IS_C_CONTIGUOUS(operand)
        for axis in range(walk.axes):
            alike = alike and cnp.PyArray_DIM(operand, axis) == walk.sizes[axis]
    # region [contiguous]
    if alike:
        if n < MANY:
            loop(<void**> bases, given, n)
        else:
            with nogil:
                loop(<void**> bases, given, n)
        return True
    # endregion [contiguous]
    for j in range(arrays):
        operand = operands[j]
        if not fit(
            &walk, j, cnp.PyArray_NDIM(operand), <Py_ssize_t*> cnp.PyArray_DIMS(operand),
            <Py_ssize_t*> cnp.PyArray_STRIDES(operand)
        ):
            return False
    if n == 0:
        return True
    order(&walk, arrays - 1)
    merge(&walk)
    if n < MANY:
        run_blocks(loop, &walk, bases, size, given)
    else:
        with nogil:
            run_blocks(loop, &walk, bases, size, given)
    return True
