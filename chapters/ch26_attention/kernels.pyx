"""Rung 3, the twin: attention in blocks of queries and keys whose scores stay in cache.

A. The scores of a block are a product of chapter 14's tiles: rows of queries, read through any strides, times panels of
   keys. The panels are made once for each matrix and serve all its queries; so do the rows of the values, copied beside
   one another and padded to whole vectors. Beside the results this is all the memory there is: no (L, S) matrix.
B. Forward, a block of queries meets one block of keys after the other. A row's scores become weights e**(score - best),
   with the largest score so far; where that grows, what the row has added up is shrunk. Then weights times values is
   added. The reference does the same with blocks of one key.
C. Backward, the weights of a block are made again from each row's largest score and sum; g is divided by
   the sum, once a row, in place of each weight. Four products follow: the gradient of the weights from g and the
   values, and with it, block by block, those of values, keys and queries. A transposed factor is read by its strides.
D. Under a causal mask blocks of keys that lie behind all queries are left out.
"""

cimport numpy as cnp
from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc

from chapters.ch12_elementwise.exponential cimport exponential, falling_exponential
from chapters.ch14_matmul.tiles cimport VECTOR, lesser, pack_columns, real, rows_times_panel

from chapters.ch26_attention.checks import check, errors

cnp.import_array()

__all__ = ["attention", "attention_vjp"]

cdef enum:
    QUERIES = 84  # of a block: whole tiles of 14 and of 6 rows
    KEYS = 128  # of a block: whole panels of every width
    LANES = 16
    MAX_AXES = 64

cdef struct Operand:
    char* data
    Py_ssize_t lead[MAX_AXES]  # bytes from one matrix to the next along a leading axis; 0 where it repeats
    Py_ssize_t row, col  # bytes from one row and one column of a matrix to the next

cdef struct Matrix:  # one of an operand's; steps in elements
    char* data
    Py_ssize_t row, col

cdef struct Sizes:
    Py_ssize_t rows, keys, size, wide  # of queries, of keys, of one key, of one value
    Py_ssize_t padded, long_, broad  # keys in whole panels, a key and a value in whole vectors
    double scale
    bint causal, masked, choosing  # is there a mask, and does it choose instead of adding


cdef bint enter(Operand* operand, object x, int kind, int ends, int axes, const Py_ssize_t* batch) except -1:
    """Describe an array whose last axes, `ends` of them, make a matrix; False where it does not fit."""
    cdef cnp.ndarray array
    cdef int axis, own
    if not isinstance(x, cnp.ndarray):
        return False
    array = x
    own = cnp.PyArray_NDIM(array) - ends
    if cnp.PyArray_TYPE(array) != kind or not cnp.PyArray_ISBEHAVED_RO(array) or own > axes:
        return False
    operand.data = <char*> cnp.PyArray_DATA(array)
    for axis in range(axes):
        operand.lead[axis] = 0
    for axis in range(own):
        if cnp.PyArray_DIM(array, axis) == batch[axes - own + axis]:
            operand.lead[axes - own + axis] = cnp.PyArray_STRIDE(array, axis)
        elif cnp.PyArray_DIM(array, axis) != 1:
            return False
    operand.row = operand.col = 0
    if ends > 0 and own >= 0:
        operand.row = cnp.PyArray_STRIDE(array, own)
    if ends > 1 and own >= 0:
        operand.col = cnp.PyArray_STRIDE(array, own + 1)
    return True


cdef bint is_matrix(cnp.ndarray x, Py_ssize_t rows, Py_ssize_t columns) noexcept:
    """Whether the last two axes of an array have these sizes."""
    cdef int axes = cnp.PyArray_NDIM(x)
    return axes >= 2 and cnp.PyArray_DIM(x, axes - 2) == rows and cnp.PyArray_DIM(x, axes - 1) == columns


cdef bint is_whole(cnp.ndarray x, cnp.ndarray out, int ends) noexcept:
    """Whether an array has all leading axes of `out` and can be written."""
    cdef int axis, axes = cnp.PyArray_NDIM(out) - 2
    if cnp.PyArray_NDIM(x) != axes + ends:
        return False
    for axis in range(axes):
        if cnp.PyArray_DIM(x, axis) != cnp.PyArray_DIM(out, axis):
            return False
    return True


cdef bint enter_mask(
    Operand* operand, object mask, Sizes* sizes, int kind, int axes, const Py_ssize_t* batch,
) except -1:
    """Describe the mask, whose every axis may be missing or repeat; False where it does not fit."""
    cdef Py_ssize_t whole[MAX_AXES]
    cdef int axis
    sizes.masked = mask is not None
    sizes.choosing = False
    if mask is None:
        return True
    for axis in range(axes):
        whole[axis] = batch[axis]
    whole[axes], whole[axes + 1] = sizes.rows, sizes.keys
    sizes.choosing = isinstance(mask, cnp.ndarray) and cnp.PyArray_TYPE(mask) == cnp.NPY_BOOL
    if not enter(operand, mask, cnp.NPY_BOOL if sizes.choosing else kind, 0, axes + 2, whole):
        return False
    operand.row, operand.col = operand.lead[axes], operand.lead[axes + 1]
    return True


cdef inline Py_ssize_t rounded_up(Py_ssize_t count, Py_ssize_t to) noexcept nogil:
    """The next multiple."""
    return (count + to - 1) // to * to


cdef bint measure(
    Sizes* sizes, cnp.ndarray query, cnp.ndarray key, cnp.ndarray value, cnp.ndarray out, cnp.ndarray totals,
    double scale, bint causal,
) noexcept:
    """Enter the sizes; False where those of the matrices do not fit together."""
    cdef int axes = cnp.PyArray_NDIM(out) - 2
    cdef Py_ssize_t lane = VECTOR // cnp.PyArray_ITEMSIZE(query)
    if axes < 0 or cnp.PyArray_NDIM(query) < 2 or cnp.PyArray_NDIM(value) < 2 or not is_whole(totals, out, 2):
        return False
    sizes.rows = cnp.PyArray_DIM(query, cnp.PyArray_NDIM(query) - 2)
    sizes.size = cnp.PyArray_DIM(query, cnp.PyArray_NDIM(query) - 1)
    sizes.keys = cnp.PyArray_DIM(value, cnp.PyArray_NDIM(value) - 2)
    sizes.wide = cnp.PyArray_DIM(value, cnp.PyArray_NDIM(value) - 1)
    sizes.padded = rounded_up(sizes.keys, 2 * lane)
    sizes.long_, sizes.broad = rounded_up(sizes.size, lane), rounded_up(sizes.wide, lane)
    sizes.scale, sizes.causal = scale, causal
    return (
        is_matrix(key, sizes.keys, sizes.size) and is_matrix(out, sizes.rows, sizes.wide)
        and is_matrix(totals, sizes.rows, 2)
    )


cdef inline Matrix matrix_at(const Operand* operand, const Py_ssize_t* index, int axes, Py_ssize_t size) noexcept nogil:
    """The matrix of an operand at an index of the leading axes.

    The place is counted as a number: an operand without elements may lie anywhere, and a pointer must not leave that.
    """
    cdef Matrix found
    cdef int axis
    cdef size_t place = <size_t> operand.data
    for axis in range(axes):
        place += <size_t> (index[axis] * operand.lead[axis])
    found.data = <char*> place
    found.row, found.col = operand.row // size, operand.col // size
    return found


cdef inline bint advance(Py_ssize_t* index, const Py_ssize_t* batch, int axes) noexcept nogil:
    """Move to the next index; False after the last."""
    cdef int axis = axes - 1
    while axis >= 0:
        index[axis] += 1
        if index[axis] < batch[axis]:
            return True
        index[axis] = 0
        axis -= 1
    return False


# region [panels]
cdef void transposed_panels(
    real* panels, const Matrix* x, Py_ssize_t rows, Py_ssize_t columns,
) noexcept nogil:
    """Copy a matrix, transposed, into panels as wide as a tile."""
    cdef Py_ssize_t first = 0, width = 2 * (VECTOR // <int> sizeof(real))
    while first < rows:
        pack_columns(
            panels + first * columns, <const real*> x.data + first * x.row, x.col, x.row, columns,
            lesser(width, rows - first), width)
        first += width


cdef void scores_of(
    real* block, const real* a, Py_ssize_t row, Py_ssize_t col, Py_ssize_t rows, const real* panels, Py_ssize_t depth,
    Py_ssize_t count,
) noexcept nogil:
    """Rows of a times panels: a block of so many columns, in whole panels."""
    cdef Py_ssize_t j = 0, width = 2 * (VECTOR // <int> sizeof(real))
    while j < count:
        rows_times_panel(
            False, a, row, col, False, rows, panels + j * depth, width, depth, 2, width, block + j, KEYS, 1, False)
        j += width


cdef void add_product(
    real* total, const real* a, Py_ssize_t row, Py_ssize_t col, Py_ssize_t rows, const real* b, Py_ssize_t columns,
    Py_ssize_t depth,
) noexcept nogil:
    """Add rows of a times rows of b, which are whole vectors long, as those of the total are."""
    cdef Py_ssize_t j = 0, here, lane = VECTOR // <int> sizeof(real)
    while j < columns:
        here = lesser(2 * lane, columns - j)
        rows_times_panel(
            False, a, row, col, False, rows, b + j, columns, depth, <int> (here // lane), here, total + j, columns, 1,
            True)
        j += here
# endregion [panels]


cdef void masked_scores(
    real* scores, Py_ssize_t count, real scale, const Sizes* sizes, const Matrix* mask, Py_ssize_t row,
    Py_ssize_t first,
) noexcept nogil:
    """Scale a row of scores and add or apply its part of the mask."""
    cdef Py_ssize_t j, step
    cdef const char* chosen
    cdef const real* added
    if not sizes.masked:
        for j in range(count):
            scores[j] *= scale
        return
    step = mask.col
    if sizes.choosing:
        chosen = mask.data + row * mask.row + first * step
        for j in range(count):
            scores[j] = scores[j] * scale if chosen[j * step] else -<real> INFINITY
    else:
        added = <const real*> mask.data + row * mask.row + first * step
        for j in range(count):
            scores[j] = scores[j] * scale + added[j * step]


cdef inline real largest(const real* x, Py_ssize_t count) noexcept nogil:
    """The largest of some whole lanes of numbers; nan is passed over."""
    cdef real lanes[LANES]
    cdef real best = -<real> INFINITY
    cdef Py_ssize_t j = 0, lane
    for lane in range(LANES):
        lanes[lane] = best
    while j < count:
        for lane in range(LANES):
            lanes[lane] = x[j + lane] if x[j + lane] > lanes[lane] else lanes[lane]
        j += LANES
    for lane in range(LANES):
        best = lanes[lane] if lanes[lane] > best else best
    return best


cdef inline real total_of(const real* x, Py_ssize_t count) noexcept nogil:
    """The sum of some whole lanes of numbers."""
    cdef real lanes[LANES]
    cdef real total = 0
    cdef Py_ssize_t j = 0, lane
    for lane in range(LANES):
        lanes[lane] = 0
    while j < count:
        for lane in range(LANES):
            lanes[lane] += x[j + lane]
        j += LANES
    for lane in range(LANES):
        total += lanes[lane]
    return total


# region [weigh]
cdef void weigh(
    real* scores, Py_ssize_t seen, Py_ssize_t count, real* best, real* total, real* average, Py_ssize_t wide,
) noexcept nogil:
    """Turn a row's scores into weights; shrink what it has added up where the largest score has grown."""
    cdef Py_ssize_t j, whole = rounded_up(seen, LANES)
    cdef real new, base, shrink
    for j in range(seen, whole):
        scores[j] = -<real> INFINITY
    new = largest(scores, whole)
    if not new > best[0]:
        new = best[0]
    base = 0 if new == -<real> INFINITY else new
    for j in range(whole):
        scores[j] = falling_exponential(scores[j] - base)
    for j in range(whole, count):
        scores[j] = 0
    shrink = falling_exponential(best[0] - base)
    total[0] = total[0] * shrink + total_of(scores, whole)
    if shrink != 1:
        for j in range(wide):
            average[j] *= shrink
    best[0] = new
# endregion [weigh]


# region [forward]
cdef void forward(
    const Sizes* sizes, const Matrix* query, const real* keys, const real* values, const Matrix* mask, real* scratch,
    const Matrix* out, const Matrix* totals,
) noexcept nogil:
    """All queries of one matrix, a block at a time; keys in panels, values in rows."""
    cdef real* scores = scratch
    cdef real* average = scores + QUERIES * KEYS
    cdef real best[QUERIES]
    cdef real total[QUERIES]
    cdef real* to
    cdef real result
    cdef Py_ssize_t first = 0, rows, start, count, end, seen, i, c
    cdef bint unseen
    while first < sizes.rows:
        rows = lesser(QUERIES, sizes.rows - first)
        end = lesser(sizes.keys, first + rows) if sizes.causal else sizes.keys
        for i in range(rows):
            best[i], total[i] = -<real> INFINITY, 0
        for i in range(rows * sizes.broad):
            average[i] = 0
        start = 0
        while start < end:
            count = lesser(KEYS, end - start)
            scores_of(
                scores, <const real*> query.data + first * query.row, query.row, query.col, rows,
                keys + start * sizes.size, sizes.size, count)
            for i in range(rows):
                seen = count
                if sizes.causal:
                    seen = lesser(count, first + i + 1 - start)
                    seen = seen if seen > 0 else 0
                masked_scores(scores + i * KEYS, seen, <real> sizes.scale, sizes, mask, first + i, start)
                weigh(scores + i * KEYS, seen, count, best + i, total + i, average + i * sizes.broad, sizes.broad)
            add_product(average, scores, KEYS, 1, rows, values + start * sizes.broad, sizes.broad, count)
            start += KEYS
        for i in range(rows):
            unseen = total[i] == 0 and (sizes.masked or sizes.keys == 0)
            to = <real*> out.data + (first + i) * out.row
            for c in range(sizes.wide):
                result = average[i * sizes.broad + c] / total[i]
                to[c * out.col] = 0 if unseen else result
            to = <real*> totals.data + (first + i) * totals.row
            to[0], to[totals.col] = best[i], total[i]
        first += rows
# endregion [forward]


cdef inline void pour(real* source, Py_ssize_t columns, const Matrix* to, Py_ssize_t first, Py_ssize_t rows,
                      Py_ssize_t wide, real factor) noexcept nogil:
    """Write rows that were padded to a matrix of any strides, times a factor."""
    cdef Py_ssize_t i, j
    cdef real* row
    for i in range(rows):
        row = <real*> to.data + (first + i) * to.row
        for j in range(wide):
            row[j * to.col] = source[i * columns + j] * factor


# region [backward]
cdef void backward(
    const Sizes* sizes, const Matrix* g, const Matrix* query, const real* keys, const real* key_rows,
    const real* values, const Matrix* mask, const Matrix* out, const Matrix* totals, real* scratch,
    const Matrix* query_gradient, real* key_total, real* value_total,
) noexcept nogil:
    """All queries of one matrix, a block at a time; keys and values in panels, the keys in rows as well."""
    cdef real* weights = scratch
    cdef real* slopes = weights + QUERIES * KEYS
    cdef real* queries = slopes + QUERIES * KEYS
    cdef real* ups = queries + QUERIES * sizes.long_
    cdef real* total = ups + QUERIES * sizes.broad
    cdef real mean[QUERIES]
    cdef real best[QUERIES]
    cdef bint unseen[QUERIES]
    cdef real share
    cdef real* up
    cdef const real* pair
    cdef const real* result
    cdef real* row
    cdef real* slope
    cdef Py_ssize_t first = 0, rows, start, count, end, seen, i, j
    while first < sizes.rows:
        rows = lesser(QUERIES, sizes.rows - first)
        end = lesser(sizes.keys, first + rows) if sizes.causal else sizes.keys
        pack_columns(
            queries, <const real*> query.data + first * query.row, query.row, query.col, rows, sizes.size, sizes.long_)
        pack_columns(ups, <const real*> g.data + first * g.row, g.row, g.col, rows, sizes.wide, sizes.broad)
        for i in range(rows):
            pair = <const real*> totals.data + (first + i) * totals.row
            best[i], unseen[i] = pair[0], pair[totals.col] == 0 and sizes.masked
            share = 1 if unseen[i] else 1 / pair[totals.col]
            mean[i] = 0
            up, result = ups + i * sizes.broad, <const real*> out.data + (first + i) * out.row
            for j in range(sizes.wide):
                up[j] *= share
                mean[i] += up[j] * result[j * out.col]
        for i in range(rows * sizes.long_):
            total[i] = 0
        start = 0
        while start < end:
            count = lesser(KEYS, end - start)
            scores_of(weights, queries, sizes.long_, 1, rows, keys + start * sizes.size, sizes.size, count)
            scores_of(slopes, ups, sizes.broad, 1, rows, values + start * sizes.wide, sizes.wide, count)
            for i in range(rows):
                row, slope = weights + i * KEYS, slopes + i * KEYS
                seen = count
                if sizes.causal:
                    seen = lesser(count, first + i + 1 - start)
                    seen = seen if seen > 0 else 0
                if unseen[i]:
                    seen = 0
                masked_scores(row, seen, <real> sizes.scale, sizes, mask, first + i, start)
                for j in range(seen):
                    row[j] = exponential(row[j] - best[i])
                    slope[j] = row[j] * (slope[j] - mean[i])
                for j in range(seen, count):
                    row[j] = 0
                    slope[j] = 0
            add_product(value_total + start * sizes.broad, weights, 1, KEYS, count, ups, sizes.broad, rows)
            add_product(key_total + start * sizes.long_, slopes, 1, KEYS, count, queries, sizes.long_, rows)
            add_product(total, slopes, KEYS, 1, rows, key_rows + start * sizes.long_, sizes.long_, count)
            start += KEYS
        pour(total, sizes.long_, query_gradient, first, rows, sizes.size, <real> sizes.scale)
        first += rows
# endregion [backward]


cdef int attend(
    const Sizes* sizes, const Operand* operands, const Py_ssize_t* batch, int axes, real like,
) except -1 nogil:
    """Forward for each matrix: of query, key, value, mask, out, totals."""
    cdef Py_ssize_t index[MAX_AXES]
    cdef Matrix found[6]
    cdef Py_ssize_t item, keys = sizes.size * sizes.padded, values = sizes.keys * sizes.broad
    cdef int axis, which
    cdef real* memory = <real*> malloc(
        (keys + values + QUERIES * (KEYS + sizes.broad)) * sizeof(real))
    if memory == NULL:
        with gil:
            raise MemoryError(f"attention: no memory for {sizes.keys} keys of {sizes.size} and values of {sizes.wide}")
    for axis in range(axes):
        index[axis] = 0
    while True:
        for which in range(6):
            item = 1 if which == 3 and sizes.choosing else <Py_ssize_t> sizeof(real)
            found[which] = matrix_at(operands + which, index, axes, item)
        transposed_panels(memory, &found[1], sizes.keys, sizes.size)
        pack_columns(
            memory + keys, <const real*> found[2].data, found[2].row, found[2].col, sizes.keys, sizes.wide, sizes.broad)
        forward(
            sizes, &found[0], memory, memory + keys, &found[3], memory + keys + values, &found[4], &found[5])
        if not advance(index, batch, axes):
            break
    free(memory)
    return 0


cdef int send_back(
    const Sizes* sizes, const Operand* operands, const Py_ssize_t* batch, int axes, real like,
) except -1 nogil:
    """Backward for each matrix: of query, key, value, mask, out, totals, g, and the three gradients."""
    cdef Py_ssize_t index[MAX_AXES]
    cdef Matrix found[10]
    cdef Py_ssize_t item, k, keys = sizes.size * sizes.padded, values = sizes.wide * sizes.padded
    cdef Py_ssize_t key_rows = sizes.keys * sizes.long_, value_rows = sizes.keys * sizes.broad
    cdef int axis, which
    cdef real* key_total
    cdef real* value_total
    cdef real* scratch
    cdef real* memory = <real*> malloc(
        (keys + values + 2 * key_rows + value_rows + QUERIES * (2 * KEYS + 2 * sizes.long_ + sizes.broad))
        * sizeof(real))
    if memory == NULL:
        with gil:
            raise MemoryError(
                f"attention_vjp: no memory for {sizes.keys} keys of {sizes.size} and values of {sizes.wide}")
    key_total = memory + keys + values + key_rows
    value_total = key_total + key_rows
    scratch = value_total + value_rows
    for axis in range(axes):
        index[axis] = 0
    while True:
        for which in range(10):
            item = 1 if which == 3 and sizes.choosing else <Py_ssize_t> sizeof(real)
            found[which] = matrix_at(operands + which, index, axes, item)
        transposed_panels(memory, &found[1], sizes.keys, sizes.size)
        transposed_panels(memory + keys, &found[2], sizes.keys, sizes.wide)
        pack_columns(
            memory + keys + values, <const real*> found[1].data, found[1].row, found[1].col, sizes.keys, sizes.size,
            sizes.long_)
        for k in range(key_rows + value_rows):
            key_total[k] = 0
        backward(
            sizes, &found[6], &found[0], memory, memory + keys + values, memory + keys, &found[3], &found[4],
            &found[5], scratch, &found[7], key_total, value_total)
        pour(key_total, sizes.long_, &found[8], 0, sizes.keys, sizes.size, <real> sizes.scale)
        pour(value_total, sizes.broad, &found[9], 0, sizes.keys, sizes.wide, <real> 1)
        if not advance(index, batch, axes):
            break
    free(memory)
    return 0


cdef inline bint is_empty(const Py_ssize_t* batch, int axes) noexcept:
    """Whether there is no matrix."""
    cdef int axis
    for axis in range(axes):
        if batch[axis] == 0:
            return True
    return False


def attention(
    cnp.ndarray query not None, cnp.ndarray key not None, cnp.ndarray value not None, mask, scale, causal,
    cnp.ndarray out not None, cnp.ndarray totals not None,
):
    """``out = softmax(query @ key.T * scale + mask) @ value``, and what each row's weights were made with."""
    cdef Sizes sizes
    cdef Operand operands[6]
    cdef int kind = cnp.PyArray_TYPE(query), axes = cnp.PyArray_NDIM(out) - 2
    cdef const Py_ssize_t* batch = <Py_ssize_t*> cnp.PyArray_DIMS(out)
    if not (
        (kind == cnp.NPY_FLOAT or kind == cnp.NPY_DOUBLE)
        and measure(&sizes, query, key, value, out, totals, scale, causal)
        and enter(&operands[0], query, kind, 2, axes, batch) and enter(&operands[1], key, kind, 2, axes, batch)
        and enter(&operands[2], value, kind, 2, axes, batch)
        and enter_mask(&operands[3], mask, &sizes, kind, axes, batch)
        and enter(&operands[4], out, kind, 2, axes, batch) and enter(&operands[5], totals, kind, 2, axes, batch)
        and cnp.PyArray_ISWRITEABLE(out) and cnp.PyArray_ISWRITEABLE(totals)
    ):
        check(errors("attention", query, key, value, mask, out, totals))
        raise AssertionError("attention: refused without a reason")
    if is_empty(batch, axes):
        return
    with nogil:
        if kind == cnp.NPY_FLOAT:
            attend[float](&sizes, operands, batch, axes, 0)
        else:
            attend[double](&sizes, operands, batch, axes, 0)


def attention_vjp(
    cnp.ndarray g not None, cnp.ndarray query not None, cnp.ndarray key not None, cnp.ndarray value not None, mask,
    scale, causal, cnp.ndarray out not None, cnp.ndarray totals not None, cnp.ndarray query_gradient not None,
    cnp.ndarray key_gradient not None, cnp.ndarray value_gradient not None,
):
    """The gradients of query, key and value through `attention`."""
    cdef Sizes sizes
    cdef Operand operands[10]
    cdef int kind = cnp.PyArray_TYPE(query), axes = cnp.PyArray_NDIM(out) - 2
    cdef const Py_ssize_t* batch = <Py_ssize_t*> cnp.PyArray_DIMS(out)
    if not (
        (kind == cnp.NPY_FLOAT or kind == cnp.NPY_DOUBLE)
        and measure(&sizes, query, key, value, out, totals, scale, causal)
        and is_whole(g, out, 2) and is_matrix(g, sizes.rows, sizes.wide)
        and is_whole(query_gradient, out, 2) and is_matrix(query_gradient, sizes.rows, sizes.size)
        and is_whole(key_gradient, out, 2) and is_matrix(key_gradient, sizes.keys, sizes.size)
        and is_whole(value_gradient, out, 2) and is_matrix(value_gradient, sizes.keys, sizes.wide)
        and enter(&operands[0], query, kind, 2, axes, batch) and enter(&operands[1], key, kind, 2, axes, batch)
        and enter(&operands[2], value, kind, 2, axes, batch)
        and enter_mask(&operands[3], mask, &sizes, kind, axes, batch)
        and enter(&operands[4], out, kind, 2, axes, batch) and enter(&operands[5], totals, kind, 2, axes, batch)
        and enter(&operands[6], g, kind, 2, axes, batch) and enter(&operands[7], query_gradient, kind, 2, axes, batch)
        and enter(&operands[8], key_gradient, kind, 2, axes, batch)
        and enter(&operands[9], value_gradient, kind, 2, axes, batch)
        and cnp.PyArray_ISWRITEABLE(query_gradient) and cnp.PyArray_ISWRITEABLE(key_gradient)
        and cnp.PyArray_ISWRITEABLE(value_gradient)
    ):
        check(
            errors("attention_vjp", query, key, value, mask, out, totals, g=g, query_gradient=query_gradient,
                   key_gradient=key_gradient, value_gradient=value_gradient))
        raise AssertionError("attention_vjp: refused without a reason")
    if is_empty(batch, axes):
        return
    with nogil:
        if kind == cnp.NPY_FLOAT:
            send_back[float](&sizes, operands, batch, axes, 0)
        else:
            send_back[double](&sizes, operands, batch, axes, 0)
