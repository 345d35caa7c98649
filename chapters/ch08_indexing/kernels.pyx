"""Rung 3, the twin: the indexing kernels in Cython, beside `reference` loop by loop.

A. Along an axis, index, table and line are walked together by chapter 7's walk over the shape of the index. There the
   table's step along the indexed axis is 0: what the index says comes on top.
B. Over rows there are two walks, one over the places and one over a row. A row that lies contiguously in memory is one
   run of it.
C. Reading, writing and adding are one function with three innermost loops: `line = table`, `table = line`,
   `table += line`. Where one place stands for a whole contiguous run, its bytes are moved at once.
D. The places are compared with the bounds in a pass of their own, before anything is written. What does not fit is
   refused with the words of `checks`.

int64 is added as uint64, whose overflow C defines: it wraps. Walks step in bytes.
"""

cimport numpy as cnp
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from chapters.ch07_broadcasting.walk cimport MAX_AXES, MAX_OPERANDS, Walk, advance, merge

from chapters.ch08_indexing.checks import check_along, check_bounds, check_coordinates, check_rows

cnp.import_array()

__all__ = ["gather", "gather_rows", "scatter", "scatter_add", "scatter_add_rows", "scatter_rows"]

ctypedef fused element:
    float
    double
    uint64_t
    uint8_t

cdef enum Kind:
    FLOAT32, FLOAT64, INT64, BOOL, OTHER

cdef enum Way:
    READ, WRITE, ADD

cdef enum:
    INDEX, TABLE, LINE


# A run that one place stands for

cdef inline void run(
    char* table, Py_ssize_t step, char* line, Py_ssize_t stride, Py_ssize_t n, Way way, element unit
) noexcept nogil:
    """Read, write or add n elements that lie evenly apart."""
    cdef Py_ssize_t k
    cdef Py_ssize_t size = sizeof(element)
    cdef bint contiguous = step == size and stride == size
    if way == ADD and contiguous:
        for k in range(n):
            add_to(<element*> table + k, (<element*> line)[k])
    elif way == ADD:
        for k in range(n):
            add_to(<element*> (table + k * step), (<element*> (line + k * stride))[0])
    elif contiguous:
        if way == READ:
            memcpy(line, table, n * size)
        else:
            memcpy(table, line, n * size)
    elif way == READ:
        for k in range(n):
            (<element*> (line + k * stride))[0] = (<element*> (table + k * step))[0]
    else:
        for k in range(n):
            (<element*> (table + k * step))[0] = (<element*> (line + k * stride))[0]


cdef inline void add_to(element* total, element value) noexcept nogil:
    if element is uint8_t:
        total[0] |= value
    else:
        total[0] += value


# Along one axis

# region [gather loop]
cdef inline void gather_run(
    const char* index, Py_ssize_t hop, char* table, Py_ssize_t step, Py_ssize_t place_step,
    char* line, Py_ssize_t stride, Py_ssize_t n, element unit
) noexcept nogil:
    cdef Py_ssize_t k, place
    for k in range(n):
        place = (<const int64_t*> (index + k * hop))[0]
        (<element*> (line + k * stride))[0] = (<element*> (table + k * step + place * place_step))[0]
# endregion [gather loop]


# region [scatter loop]
cdef inline void scatter_add_run(
    const char* index, Py_ssize_t hop, char* table, Py_ssize_t step, Py_ssize_t place_step,
    char* line, Py_ssize_t stride, Py_ssize_t n, element unit
) noexcept nogil:
    cdef Py_ssize_t k, place
    for k in range(n):
        place = (<const int64_t*> (index + k * hop))[0]
        add_to(<element*> (table + k * step + place * place_step), (<element*> (line + k * stride))[0])
# endregion [scatter loop]


cdef inline void scatter_run(
    const char* index, Py_ssize_t hop, char* table, Py_ssize_t step, Py_ssize_t place_step,
    char* line, Py_ssize_t stride, Py_ssize_t n, element unit
) noexcept nogil:
    cdef Py_ssize_t k, place
    for k in range(n):
        place = (<const int64_t*> (index + k * hop))[0]
        (<element*> (table + k * step + place * place_step))[0] = (<element*> (line + k * stride))[0]


cdef void along(
    Walk* walk, const char* index, char* table, char* line, Py_ssize_t place_step, Way way, element unit
) noexcept nogil:
    """Read, write or add along one axis, run by run of the walk's last axis."""
    cdef Py_ssize_t at[MAX_AXES]
    cdef Py_ssize_t offsets[MAX_OPERANDS]
    cdef int j, last = walk.axes - 1
    for j in range(last):
        at[j] = 0
    for j in range(walk.operands):
        offsets[j] = 0
    cdef Py_ssize_t hop = walk.steps[INDEX][last], step = walk.steps[TABLE][last], stride = walk.steps[LINE][last]
    cdef Py_ssize_t n = walk.sizes[last]
    cdef const char* places
    cdef char* source
    cdef char* target
    while True:
        places = index + offsets[INDEX]
        source = table + offsets[TABLE]
        target = line + offsets[LINE]
        if hop == 0:
            run[element](source + (<const int64_t*> places)[0] * place_step, step, target, stride, n, way, unit)
        elif way == READ:
            gather_run[element](places, hop, source, step, place_step, target, stride, n, unit)
        elif way == WRITE:
            scatter_run[element](places, hop, source, step, place_step, target, stride, n, unit)
        else:
            scatter_add_run[element](places, hop, source, step, place_step, target, stride, n, unit)
        if not advance(walk, at, offsets):
            break


cdef void move_along(
    Kind kind, Walk* walk, const char* index, char* table, char* line, Py_ssize_t place_step, Way way
) noexcept nogil:
    """`along` for the kind of the elements."""
    if kind == FLOAT32:
        along[float](walk, index, table, line, place_step, way, 0)
    elif kind == FLOAT64:
        along[double](walk, index, table, line, place_step, way, 0)
    elif kind == INT64:
        along[uint64_t](walk, index, table, line, place_step, way, 0)
    else:
        along[uint8_t](walk, index, table, line, place_step, way, 0)


# Over rows

cdef void rows(
    Walk* places, Walk* inner, const char* index, Py_ssize_t below, int indexed, const Py_ssize_t* place_steps,
    char* table, char* line, Way way, element unit
) noexcept nogil:
    """Read, write or add rows, place by place; the coordinates of one place lie `below` bytes apart."""
    cdef Py_ssize_t at[MAX_AXES]
    cdef Py_ssize_t offsets[MAX_OPERANDS]
    cdef Py_ssize_t inner_at[MAX_AXES]
    cdef Py_ssize_t inner_offsets[MAX_OPERANDS]
    cdef int j, axis, last = places.axes - 1, inner_last = inner.axes - 1
    cdef Py_ssize_t k
    cdef const char* coordinate
    cdef char* source
    cdef char* target
    for j in range(last):
        at[j] = 0
    for j in range(inner_last):
        inner_at[j] = 0  # and 0 again after each row: `advance` comes round
    for j in range(MAX_OPERANDS):
        offsets[j] = inner_offsets[j] = 0
    # region [rows loop]
    while True:
        for k in range(places.sizes[last]):
            coordinate = index + offsets[INDEX] + k * places.steps[INDEX][last]
            source = table
            for axis in range(indexed):
                source += (<const int64_t*> (coordinate + axis * below))[0] * place_steps[axis]
            target = line + offsets[LINE] + k * places.steps[LINE][last]
            while True:
                run[element](
                    source + inner_offsets[TABLE], inner.steps[TABLE][inner_last],
                    target + inner_offsets[LINE], inner.steps[LINE][inner_last],
                    inner.sizes[inner_last], way, unit
                )
                if not advance(inner, inner_at, inner_offsets):
                    break
        if not advance(places, at, offsets):
            break
    # endregion [rows loop]


# The doors

cdef Kind kind_of(object x) noexcept:
    """The kind of a NumPy array's elements; OTHER for what no kernel takes."""
    if not isinstance(x, cnp.ndarray) or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> x):
        return OTHER
    cdef int number = cnp.PyArray_TYPE(<cnp.ndarray> x)
    if number == cnp.NPY_FLOAT32:
        return FLOAT32
    if number == cnp.NPY_FLOAT64:
        return FLOAT64
    if number == cnp.NPY_BOOL:
        return BOOL
    if (number == cnp.NPY_LONG or number == cnp.NPY_LONGLONG) and cnp.PyArray_ITEMSIZE(<cnp.ndarray> x) == 8:
        return INT64
    return OTHER


cdef bint outside(cnp.ndarray index, Py_ssize_t first, bint rows, Py_ssize_t size) noexcept nogil:
    """Whether a place is below 0 or not below `size`; with `rows`, in row `first` of the coordinates alone."""
    cdef Walk walk
    cdef Py_ssize_t at[MAX_AXES]
    cdef Py_ssize_t offsets[MAX_OPERANDS]
    cdef const char* base = cnp.PyArray_BYTES(index)
    cdef const char* place
    cdef bint wrong = False
    cdef Py_ssize_t k, step
    cdef int axis
    walk.axes = cnp.PyArray_NDIM(index) - rows
    walk.operands = 1
    for axis in range(walk.axes):
        walk.sizes[axis] = cnp.PyArray_DIM(index, axis + rows)
        walk.steps[0][axis] = cnp.PyArray_STRIDE(index, axis + rows)
        at[axis] = 0
        if walk.sizes[axis] == 0:
            return False
    if rows:
        base += first * cnp.PyArray_STRIDE(index, 0)
    merge(&walk)
    offsets[0] = 0
    step = walk.steps[0][walk.axes - 1]
    while True:
        place = base + offsets[0]
        for k in range(walk.sizes[walk.axes - 1]):
            wrong |= <uint64_t> (<const int64_t*> (place + k * step))[0] >= <uint64_t> size
        if not advance(&walk, at, offsets):
            return wrong


cdef bint fit_along(Walk* walk, cnp.ndarray table, cnp.ndarray index, int axis, cnp.ndarray line) noexcept:
    """Enter the three arrays into a walk over the index; False when their shapes do not go together."""
    cdef int d
    walk.axes = cnp.PyArray_NDIM(index)
    walk.operands = 3
    if not 0 <= axis < walk.axes or cnp.PyArray_NDIM(table) != walk.axes or cnp.PyArray_NDIM(line) != walk.axes:
        return False
    for d in range(walk.axes):
        walk.sizes[d] = cnp.PyArray_DIM(index, d)
        if cnp.PyArray_DIM(line, d) != walk.sizes[d] or (d != axis and walk.sizes[d] > cnp.PyArray_DIM(table, d)):
            return False
        walk.steps[INDEX][d] = cnp.PyArray_STRIDE(index, d)
        walk.steps[TABLE][d] = 0 if d == axis else cnp.PyArray_STRIDE(table, d)
        walk.steps[LINE][d] = cnp.PyArray_STRIDE(line, d)
    return True


cdef bint launch_along(str op, object table, object index, object axis, object line, Way way) except -1:
    """Run a kernel along an axis; False when the operands do not fit."""
    cdef Kind kind = kind_of(table)
    cdef Walk walk
    cdef int which
    if kind == OTHER or kind_of(line) != kind or kind_of(index) != INT64:
        return False
    if not cnp.PyArray_ISWRITEABLE(<cnp.ndarray> (line if way == READ else table)):
        return False
    if not 0 <= axis < MAX_AXES:
        return False
    which = axis
    if not fit_along(&walk, table, index, which, line):
        return False
    if outside(index, 0, False, cnp.PyArray_DIM(table, which)):
        check_bounds(op, index, axis, table.shape[axis])
    if (<cnp.ndarray> index).size == 0:
        return True
    merge(&walk)
    cdef char* first = cnp.PyArray_BYTES(index)
    cdef char* source = cnp.PyArray_BYTES(table)
    cdef char* target = cnp.PyArray_BYTES(line)
    cdef Py_ssize_t step = cnp.PyArray_STRIDE(table, which)
    with nogil:
        move_along(kind, &walk, first, source, target, step, way)
    return True


cdef bint fit_rows(Walk* places, Walk* inner, cnp.ndarray table, cnp.ndarray index, cnp.ndarray line) noexcept:
    """Enter the arrays into a walk over the places and one over a row; False when their shapes do not go together."""
    cdef int d, indexed
    if cnp.PyArray_NDIM(index) == 0:
        return False
    if not 1 <= cnp.PyArray_DIM(index, 0) <= cnp.PyArray_NDIM(table):
        return False
    indexed = cnp.PyArray_DIM(index, 0)
    places.axes = cnp.PyArray_NDIM(index) - 1
    inner.axes = cnp.PyArray_NDIM(table) - indexed
    places.operands = inner.operands = 3
    if cnp.PyArray_NDIM(line) != places.axes + inner.axes:
        return False
    for d in range(places.axes):
        places.sizes[d] = cnp.PyArray_DIM(index, d + 1)
        if cnp.PyArray_DIM(line, d) != places.sizes[d]:
            return False
        places.steps[INDEX][d] = cnp.PyArray_STRIDE(index, d + 1)
        places.steps[TABLE][d] = 0
        places.steps[LINE][d] = cnp.PyArray_STRIDE(line, d)
    for d in range(inner.axes):
        inner.sizes[d] = cnp.PyArray_DIM(table, indexed + d)
        if cnp.PyArray_DIM(line, places.axes + d) != inner.sizes[d]:
            return False
        inner.steps[INDEX][d] = 0
        inner.steps[TABLE][d] = cnp.PyArray_STRIDE(table, indexed + d)
        inner.steps[LINE][d] = cnp.PyArray_STRIDE(line, places.axes + d)
    return True


cdef bint launch_rows(str op, object table, object index, object line, Way way) except -1:
    """Run a kernel over rows; False when the operands do not fit."""
    cdef Kind kind = kind_of(table)
    cdef Walk places, inner
    cdef int d, indexed
    if kind == OTHER or kind_of(line) != kind or kind_of(index) != INT64:
        return False
    if not cnp.PyArray_ISWRITEABLE(<cnp.ndarray> (line if way == READ else table)):
        return False
    if not fit_rows(&places, &inner, table, index, line):
        return False
    indexed = cnp.PyArray_DIM(index, 0)
    for d in range(indexed):
        if outside(index, d, True, cnp.PyArray_DIM(table, d)):
            check_coordinates(op, index, table.shape)
    if (<cnp.ndarray> line).size == 0:
        return True
    merge(&places)
    merge(&inner)
    cdef char* first = cnp.PyArray_BYTES(index)
    cdef char* source = cnp.PyArray_BYTES(table)
    cdef char* target = cnp.PyArray_BYTES(line)
    cdef Py_ssize_t below = cnp.PyArray_STRIDE(index, 0)
    cdef const Py_ssize_t* steps = <const Py_ssize_t*> cnp.PyArray_STRIDES(table)
    with nogil:
        if indexed == 1 and inner.axes == 1 and inner.sizes[0] == 1:  # single elements: places along one axis
            move_along(kind, &places, first, source, target, steps[0], way)
        elif kind == FLOAT32:
            rows[float](&places, &inner, first, below, indexed, steps, source, target, way, 0)
        elif kind == FLOAT64:
            rows[double](&places, &inner, first, below, indexed, steps, source, target, way, 0)
        elif kind == INT64:
            rows[uint64_t](&places, &inner, first, below, indexed, steps, source, target, way, 0)
        else:
            rows[uint8_t](&places, &inner, first, below, indexed, steps, source, target, way, 0)
    return True


def refuse(op, check, **operands):
    """Raise what `checks` says of operands that no kernel takes."""
    for name, operand in operands.items():
        if name != "axis" and not isinstance(operand, cnp.ndarray):
            raise TypeError(f"{op}: {name} is a {type(operand).__name__}; this rung takes NumPy arrays")
    reading = "x" in operands
    names = ("x", "out") if reading else ("out", "src")
    table, line = [operands[name] for name in names]
    along = [operands["axis"]] if "axis" in operands else []
    check(op, table, operands["index"], *along, line, operands["out"], names)
    raise AssertionError(f"{op}: refused without a reason")


def gather(x, index, axis, out):
    """Read along one axis: ``out[i, j] = x[index[i, j], j]`` for axis 0 of two, and so on for others."""
    if not launch_along("gather", x, index, axis, out, READ):
        refuse("gather", check_along, x=x, index=index, axis=axis, out=out)


def scatter_add(index, src, axis, out):
    """Add along one axis, the adjoint of `gather`: ``out[index[i, j], j] += src[i, j]`` for axis 0 of two."""
    if not launch_along("scatter_add", out, index, axis, src, ADD):
        refuse("scatter_add", check_along, index=index, src=src, axis=axis, out=out)


def gather_rows(x, index, out):
    """Read rows: ``out[k] = x[index[0, k], index[1, k], ...]``, where the first axes of `x` are indexed."""
    if not launch_rows("gather_rows", x, index, out, READ):
        refuse("gather_rows", check_rows, x=x, index=index, out=out)


def scatter_add_rows(index, src, out):
    """Add rows, the adjoint of `gather_rows`: ``out[index[0, k], index[1, k], ...] += src[k]``, in the order of k."""
    if not launch_rows("scatter_add_rows", out, index, src, ADD):
        refuse("scatter_add_rows", check_rows, index=index, src=src, out=out)


def scatter(index, src, axis, out):
    """Write along one axis: ``out[index[i, j], j] = src[i, j]`` for axis 0 of two; the last one stays."""
    if not launch_along("scatter", out, index, axis, src, WRITE):
        refuse("scatter", check_along, index=index, src=src, axis=axis, out=out)


def scatter_rows(index, src, out):
    """Write rows: ``out[index[0, k], index[1, k], ...] = src[k]``, in the order of k, so that the last one stays."""
    if not launch_rows("scatter_rows", out, index, src, WRITE):
        refuse("scatter_rows", check_rows, index=index, src=src, out=out)
