"""Rung 3, the twin: matrix multiplication in tiles that live in registers, over panels that live in cache.

A. A tile is up to 14 x 32 numbers of the product (6 x 16 or 6 x 8 where vectors are shorter), held in vector registers
   for a whole run over k: per k it loads one short row of b and multiplies it by one number of each row of a. So each
   number loaded is used 14 or 32 times. The verbatim C in tiles.pxd is that loop; `plain_tile` is the same loop for
   compilers without its vector types.
B. The columns of b are copied into panels as wide as a tile, padded with zeros at the right edge, so that a tile reads
   them one after the other; a small b with rows that lie together is read where it is. The rows of a are copied into
   panels as high as a tile when the product is large, and read where they are, through any strides, when it is small.
C. k is cut into runs of 256, so that a panel of b stays in the first cache and those of a in the second.
D. One column (or row) has nothing to reuse: each row of a is read once, in order, and multiplied into 32 lanes.
   One row walks over the rows of b instead, four at a time, since a column of b lies scattered.
E. What is left over at the bottom is done in tiles of 4, 2 and 1 rows: no row is computed that is not there.
F. `matmul_in_order` and `matmul_in_blocks` are the plain loops that the page measures; the library never calls them.
"""

cimport numpy as cnp
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc

import operator
from sys import maxsize

from chapters.ch07_broadcasting.walk cimport MAX_AXES, MAX_OPERANDS, Walk, advance, fit, merge
from chapters.ch14_matmul.tiles cimport TALL, VECTOR, lesser, pack_columns, pack_rows, real, rows_times_panel

from chapters.ch14_matmul.checks import ORDERS, batch_refusal, check_block, check_order, refusal

cnp.import_array()

__all__ = ["matmul", "matmul_batch", "matmul_in_blocks", "matmul_in_order"]

cdef enum:
    LANES = 32
    DEPTH = 256  # k runs over this many at a time
    TINY = 256  # up to this many multiplications no tile pays
    RELEASE = 50000  # from this many on, other threads may run meanwhile

ctypedef fused number:
    float
    double
    uint64_t


cdef int blocked(
    bint plain, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t inner, const real* a, Py_ssize_t a_row,
    Py_ssize_t a_col, const real* b, Py_ssize_t b_row, Py_ssize_t b_col, real* out, Py_ssize_t out_row,
    Py_ssize_t out_col,
) except -1 nogil:
    """The product in runs over k, strips of rows of a that fit the second cache, and panels of b."""
    cdef Py_ssize_t lane = VECTOR // <int> sizeof(real), width = 2 * lane
    cdef Py_ssize_t strip = lesser(rows, 12 * TALL), padded = (columns + lane - 1) // lane * lane
    # region [when to pack]
    cdef bint pack_a = columns >= 4 * width and rows >= 2 * TALL and inner >= 64
    cdef bint pack_b = b_col != 1 or rows * inner * columns > 2000000
    # endregion [when to pack]
    cdef Py_ssize_t k, depth, i, j, tall, wide, here
    cdef int vectors
    cdef real* a_panels
    cdef real* b_panels
    cdef const real* left
    cdef const real* right
    cdef real* memory = <real*> malloc(
        (DEPTH * (strip if pack_a else 0) + lesser(DEPTH, inner) * (padded if pack_b else width)) * sizeof(real)
    )
    if memory == NULL:
        with gil:
            raise MemoryError(f"matmul: no memory for panels of a ({rows}, {inner}) times b ({inner}, {columns})")
    a_panels, b_panels = memory, memory + (DEPTH * strip if pack_a else 0)
    k = 0
    while k < inner:
        depth = lesser(DEPTH, inner - k)
        if pack_b:
            j = 0
            while j < columns:
                here = lesser(width, padded - j)
                wide = lesser(here, columns - j)
                pack_columns(b_panels + j * depth, b + k * b_row + j * b_col, b_row, b_col, depth, wide, here)
                j += here
        i = 0
        while i < rows:
            tall = lesser(strip, rows - i)
            left = a + i * a_row + k * a_col
            if pack_a:
                pack_rows(a_panels, left, a_row, a_col, tall, depth)
                left = a_panels
            j = 0
            while j < columns:
                here = lesser(width, padded - j)
                wide = lesser(here, columns - j)
                vectors = <int> (here // lane)
                right = b_panels + j * depth
                if not pack_b:
                    right = b + k * b_row + j
                    if wide < here:
                        pack_columns(b_panels, right, b_row, 1, depth, wide, here)
                        right = b_panels
                rows_times_panel(
                    plain, left, a_row, a_col, pack_a, tall, right, here if pack_b or wide < here else b_row, depth,
                    vectors, wide, out + i * out_row + j * out_col, out_row, out_col, k > 0,
                )
                j += here
            i += tall
        k += depth
    free(memory)
    return 0


cdef int row_by_row(
    Py_ssize_t rows, Py_ssize_t inner, const real* a, Py_ssize_t a_row, const real* b, Py_ssize_t b_row, real* out,
    Py_ssize_t out_row,
) except -1 nogil:
    """A product with one column, where the rows of a are contiguous: one sum of products for each row, in 32 lanes."""
    cdef real lanes[LANES]
    cdef Py_ssize_t i, k, lane
    cdef real total
    cdef real* column = <real*> malloc(inner * sizeof(real))
    if column == NULL:
        with gil:
            raise MemoryError(f"matmul: no memory for a column of {inner} numbers")
    for k in range(inner):
        column[k] = b[k * b_row]
    for i in range(rows):
        for lane in range(LANES):
            lanes[lane] = 0
        k = 0
        while k + LANES <= inner:
            for lane in range(LANES):
                lanes[lane] += a[k + lane] * column[k + lane]
            k += LANES
        for lane in range(16):
            lanes[lane] += lanes[lane + 16]
        for lane in range(8):
            lanes[lane] += lanes[lane + 8]
        total = 0
        for lane in range(8):
            total += lanes[lane]
        for lane in range(inner - k):
            total += a[k + lane] * column[k + lane]
        out[i * out_row] = total
        a += a_row
    free(column)
    return 0


cdef void one_row(
    Py_ssize_t columns, Py_ssize_t inner, const real* a, Py_ssize_t a_col, const real* b, Py_ssize_t b_row, real* out,
) noexcept nogil:
    """A product with one row, where the rows of b are contiguous: each is read once, in order, four at a time."""
    cdef Py_ssize_t j, k = 0
    cdef const real* b1
    cdef const real* b2
    cdef const real* b3
    cdef real a0, a1, a2, a3
    for j in range(columns):
        out[j] = 0
    while k + 4 <= inner:
        a0, a1, a2, a3 = a[k * a_col], a[(k + 1) * a_col], a[(k + 2) * a_col], a[(k + 3) * a_col]
        b1, b2, b3 = b + b_row, b + 2 * b_row, b + 3 * b_row
        for j in range(columns):
            out[j] += (a0 * b[j] + a1 * b1[j]) + (a2 * b2[j] + a3 * b3[j])
        b += 4 * b_row
        k += 4
    while k < inner:
        a0 = a[k * a_col]
        for j in range(columns):
            out[j] += a0 * b[j]
        b += b_row
        k += 1


cdef void simple(
    Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t inner, const number* a, Py_ssize_t a_row, Py_ssize_t a_col,
    const number* b, Py_ssize_t b_row, Py_ssize_t b_col, number* out, Py_ssize_t out_row, Py_ssize_t out_col,
) noexcept nogil:
    """Three loops, with that over columns inside: each number of a times a row of b, added to a row of the product."""
    cdef Py_ssize_t i, j, k
    cdef number factor
    for i in range(rows):
        for j in range(columns):
            out[i * out_row + j * out_col] = 0
        for k in range(inner):
            factor = a[i * a_row + k * a_col]
            if b_col == 1 and out_col == 1:
                for j in range(columns):
                    out[i * out_row + j] += factor * b[k * b_row + j]
            else:
                for j in range(columns):
                    out[i * out_row + j * out_col] += factor * b[k * b_row + j * b_col]


cdef inline Py_ssize_t step(cnp.ndarray x, int axis, Py_ssize_t size) noexcept:
    """The stride of an axis in elements."""
    return cnp.PyArray_STRIDE(x, axis) // size


cdef int multiply(cnp.ndarray a, cnp.ndarray b, cnp.ndarray out, bint plain, number like) except -1:
    """The product of two matrices, given as arrays."""
    cdef Py_ssize_t size = sizeof(number)
    return multiply_at(
        cnp.PyArray_DIM(a, 0), cnp.PyArray_DIM(b, 1), cnp.PyArray_DIM(a, 1), <const number*> cnp.PyArray_DATA(a),
        step(a, 0, size), step(a, 1, size), <const number*> cnp.PyArray_DATA(b), step(b, 0, size), step(b, 1, size),
        <number*> cnp.PyArray_DATA(out), step(out, 0, size), step(out, 1, size), plain,
    )


cdef int multiply_at(
    Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t inner, const number* left, Py_ssize_t a_row, Py_ssize_t a_col,
    const number* right, Py_ssize_t b_row, Py_ssize_t b_col, number* product, Py_ssize_t out_row, Py_ssize_t out_col,
    bint plain,
) except -1:
    """Run the loop that fits the type and the size; the transposed product where that lies better in memory."""
    cdef Py_ssize_t work = rows * columns * inner
    if (out_col != 1 and out_row == 1 and columns != 1) or (rows == 1 and b_row == 1):
        rows, columns = columns, rows
        left, right = right, left
        a_row, a_col, b_row, b_col = b_col, b_row, a_col, a_row
        out_row, out_col = out_col, out_row
    if number is uint64_t:
        if work < RELEASE:
            simple(
                rows, columns, inner, left, a_row, a_col, right, b_row, b_col, product, out_row, out_col)
        else:
            with nogil:
                simple(
                    rows, columns, inner, left, a_row, a_col, right, b_row, b_col, product, out_row, out_col)
    elif work <= TINY:
        simple(rows, columns, inner, left, a_row, a_col, right, b_row, b_col, product, out_row, out_col)
    elif columns == 1 and a_col == 1:
        with nogil:
            row_by_row(rows, inner, left, a_row, right, b_row, product, out_row)
    elif rows == 1 and b_col == 1 and out_col == 1:
        if work < RELEASE:
            one_row(columns, inner, left, a_col, right, b_row, product)
        else:
            with nogil:
                one_row(columns, inner, left, a_col, right, b_row, product)
    elif work < RELEASE:
        blocked(plain, rows, columns, inner, left, a_row, a_col, right, b_row, b_col, product, out_row, out_col)
    else:
        with nogil:
            blocked(plain, rows, columns, inner, left, a_row, a_col, right, b_row, b_col, product, out_row, out_col)
    return 0


# region [in_order]
cdef inline void in_order(
    int order, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t inner, const number* a, Py_ssize_t a_row,
    Py_ssize_t a_col, const number* b, Py_ssize_t b_row, Py_ssize_t b_col, number* out, Py_ssize_t out_row,
    Py_ssize_t out_col,
) noexcept nogil:
    """The six orders; what the innermost loop does not move stays in a variable."""
    cdef Py_ssize_t i, j, k
    cdef number total, factor
    for i in range(rows):
        for j in range(columns):
            out[i * out_row + j * out_col] = 0
    if order == 0:  # ijk
        for i in range(rows):
            for j in range(columns):
                total = 0
                for k in range(inner):
                    total += a[i * a_row + k * a_col] * b[k * b_row + j * b_col]
                out[i * out_row + j * out_col] = total
    elif order == 1:  # ikj
        for i in range(rows):
            for k in range(inner):
                factor = a[i * a_row + k * a_col]
                for j in range(columns):
                    out[i * out_row + j * out_col] += factor * b[k * b_row + j * b_col]
    elif order == 2:  # jik
        for j in range(columns):
            for i in range(rows):
                total = 0
                for k in range(inner):
                    total += a[i * a_row + k * a_col] * b[k * b_row + j * b_col]
                out[i * out_row + j * out_col] = total
    elif order == 3:  # jki
        for j in range(columns):
            for k in range(inner):
                factor = b[k * b_row + j * b_col]
                for i in range(rows):
                    out[i * out_row + j * out_col] += a[i * a_row + k * a_col] * factor
    elif order == 4:  # kij
        for k in range(inner):
            for i in range(rows):
                factor = a[i * a_row + k * a_col]
                for j in range(columns):
                    out[i * out_row + j * out_col] += factor * b[k * b_row + j * b_col]
    else:  # kji
        for k in range(inner):
            for j in range(columns):
                factor = b[k * b_row + j * b_col]
                for i in range(rows):
                    out[i * out_row + j * out_col] += a[i * a_row + k * a_col] * factor
# endregion [in_order]


# region [in_blocks]
cdef inline void in_blocks(
    Py_ssize_t block, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t inner, const number* a, Py_ssize_t a_row,
    Py_ssize_t a_col, const number* b, Py_ssize_t b_row, Py_ssize_t b_col, number* out, Py_ssize_t out_row,
    Py_ssize_t out_col,
) noexcept nogil:
    """Three loops over blocks, and inside them the order i, k, j."""
    cdef Py_ssize_t i0, j0, k0, i, j, k
    cdef number factor
    for i in range(rows):
        for j in range(columns):
            out[i * out_row + j * out_col] = 0
    i0 = 0
    while i0 < rows:
        k0 = 0
        while k0 < inner:
            j0 = 0
            while j0 < columns:
                for i in range(i0, lesser(i0 + block, rows)):
                    for k in range(k0, lesser(k0 + block, inner)):
                        factor = a[i * a_row + k * a_col]
                        for j in range(j0, lesser(j0 + block, columns)):
                            out[i * out_row + j * out_col] += factor * b[k * b_row + j * b_col]
                j0 += block
            k0 += block
        i0 += block
# endregion [in_blocks]


cdef int by_loops(cnp.ndarray a, cnp.ndarray b, cnp.ndarray out, int order, Py_ssize_t block, number like) except -1:
    """Run plain loops of one type: those of an order, or of blocks where one is given."""
    cdef Py_ssize_t rows = cnp.PyArray_DIM(a, 0), inner = cnp.PyArray_DIM(a, 1), columns = cnp.PyArray_DIM(b, 1)
    cdef Py_ssize_t size = sizeof(number)
    cdef Py_ssize_t a_row = step(a, 0, size), a_col = step(a, 1, size)
    cdef Py_ssize_t b_row = step(b, 0, size), b_col = step(b, 1, size)
    cdef Py_ssize_t out_row = step(out, 0, size), out_col = step(out, 1, size)
    cdef const number* left = <const number*> cnp.PyArray_DATA(a)
    cdef const number* right = <const number*> cnp.PyArray_DATA(b)
    cdef number* product = <number*> cnp.PyArray_DATA(out)
    with nogil:
        if a_col == 1 and b_col == 1 and out_col == 1:  # said again in constants, for the compiler's vectors
            if block:
                in_blocks(block, rows, columns, inner, left, a_row, 1, right, b_row, 1, product, out_row, 1)
            else:
                in_order(order, rows, columns, inner, left, a_row, 1, right, b_row, 1, product, out_row, 1)
        elif block:
            in_blocks(
                block, rows, columns, inner, left, a_row, a_col, right, b_row, b_col, product, out_row, out_col)
        else:
            in_order(
                order, rows, columns, inner, left, a_row, a_col, right, b_row, b_col, product, out_row, out_col)
    return 0


cdef inline bint is_matrix(cnp.ndarray x, int kind) noexcept:
    """Whether an array has two axes and aligned elements of this type in native byte order."""
    return cnp.PyArray_NDIM(x) == 2 and cnp.PyArray_TYPE(x) == kind and cnp.PyArray_ISBEHAVED_RO(x)


cdef inline bint have_product(cnp.ndarray a, cnp.ndarray b, cnp.ndarray out) noexcept:
    """Whether three arrays are matrices of one type whose shapes fit."""
    cdef int kind = cnp.PyArray_TYPE(a)
    return (
        is_matrix(a, kind) and is_matrix(b, kind) and is_matrix(out, kind) and cnp.PyArray_ISWRITEABLE(out)
        and cnp.PyArray_DIM(a, 1) == cnp.PyArray_DIM(b, 0)
        and cnp.PyArray_DIM(out, 0) == cnp.PyArray_DIM(a, 0) and cnp.PyArray_DIM(out, 1) == cnp.PyArray_DIM(b, 1)
    )


cdef product(cnp.ndarray a, cnp.ndarray b, cnp.ndarray out, bint plain):
    """The door: check, then multiply."""
    cdef int kind = cnp.PyArray_TYPE(a)
    if not have_product(a, b, out):
        raise refusal(a, b, out)
    if kind == cnp.NPY_FLOAT:
        multiply[float](a, b, out, plain, 0)
    elif kind == cnp.NPY_DOUBLE:
        multiply[double](a, b, out, plain, 0)
    elif kind == cnp.NPY_INT64 or kind == cnp.NPY_LONGLONG:
        multiply[uint64_t](a, b, out, plain, 0)
    else:
        raise refusal(a, b, out)


cdef looped(cnp.ndarray a, cnp.ndarray b, cnp.ndarray out, str name, int order, Py_ssize_t block):
    """The door of the plain loops."""
    cdef int kind = cnp.PyArray_TYPE(a)
    if kind == cnp.NPY_FLOAT:
        by_loops[float](a, b, out, order, block, 0)
    elif kind == cnp.NPY_DOUBLE:
        by_loops[double](a, b, out, order, block, 0)
    elif kind == cnp.NPY_INT64 or kind == cnp.NPY_LONGLONG:
        by_loops[uint64_t](a, b, out, order, block, 0)
    else:
        raise refusal(a, b, out, name)


def matmul(cnp.ndarray a not None, cnp.ndarray b not None, cnp.ndarray out not None):
    """Write the matrix product of `a` (M, K) and `b` (K, N) to `out` (M, N)."""
    product(a, b, out, False)


# region [batch]
cdef int multiply_batch(Walk* walk, cnp.ndarray a, cnp.ndarray b, cnp.ndarray out, number like) except -1:
    """One product for each place of a walk over the leading axes."""
    cdef Py_ssize_t size = sizeof(number), k
    cdef Py_ssize_t index[MAX_AXES]
    cdef Py_ssize_t offsets[MAX_OPERANDS]
    cdef int x = cnp.PyArray_NDIM(a) - 2, y = cnp.PyArray_NDIM(b) - 2, z = cnp.PyArray_NDIM(out) - 2
    cdef int axis, last = walk.axes - 1
    cdef const char* left
    cdef const char* right
    cdef char* to
    for axis in range(walk.axes):
        index[axis] = 0
    for axis in range(3):
        offsets[axis] = 0
    while True:
        left = <const char*> cnp.PyArray_DATA(a) + offsets[0]
        right = <const char*> cnp.PyArray_DATA(b) + offsets[1]
        to = <char*> cnp.PyArray_DATA(out) + offsets[2]
        for k in range(walk.sizes[last]):
            multiply_at(
                cnp.PyArray_DIM(a, x), cnp.PyArray_DIM(b, y + 1), cnp.PyArray_DIM(a, x + 1),
                <const number*> (left + k * walk.steps[0][last]), step(a, x, size), step(a, x + 1, size),
                <const number*> (right + k * walk.steps[1][last]), step(b, y, size), step(b, y + 1, size),
                <number*> (to + k * walk.steps[2][last]), step(out, z, size), step(out, z + 1, size), False,
            )
        if not advance(walk, index, offsets):
            return 0
# endregion [batch]


cdef bint lead(Walk* walk, int operand, cnp.ndarray x, int kind) noexcept:
    """Enter the leading axes of an operand into a walk; False when it does not fit."""
    cdef int axes = cnp.PyArray_NDIM(x) - 2
    return (
        axes >= 0 and cnp.PyArray_TYPE(x) == kind and cnp.PyArray_ISBEHAVED_RO(x)
        and fit(walk, operand, axes, <Py_ssize_t*> cnp.PyArray_DIMS(x), <Py_ssize_t*> cnp.PyArray_STRIDES(x))
    )


def matmul_batch(cnp.ndarray a not None, cnp.ndarray b not None, cnp.ndarray out not None):
    """Write the products of two stacks of matrices to `out`; leading axes broadcast to those of `out`."""
    cdef Walk walk
    cdef int axis, kind = cnp.PyArray_TYPE(a)
    cdef int x = cnp.PyArray_NDIM(a) - 2, y = cnp.PyArray_NDIM(b) - 2, z = cnp.PyArray_NDIM(out) - 2
    cdef Py_ssize_t count = 1
    walk.axes, walk.operands = z, 3
    for axis in range(z):
        walk.sizes[axis] = cnp.PyArray_DIM(out, axis)
        count *= walk.sizes[axis]
    if (
        z < 0 or not lead(&walk, 0, a, kind) or not lead(&walk, 1, b, kind) or not lead(&walk, 2, out, kind)
        or not cnp.PyArray_ISWRITEABLE(out) or cnp.PyArray_DIM(a, x + 1) != cnp.PyArray_DIM(b, y)
        or cnp.PyArray_DIM(out, z) != cnp.PyArray_DIM(a, x) or cnp.PyArray_DIM(out, z + 1) != cnp.PyArray_DIM(b, y + 1)
    ):
        raise batch_refusal(a, b, out)
    merge(&walk)
    if count == 0 and kind != cnp.NPY_BOOL:
        return
    if kind == cnp.NPY_FLOAT:
        multiply_batch[float](&walk, a, b, out, 0)
    elif kind == cnp.NPY_DOUBLE:
        multiply_batch[double](&walk, a, b, out, 0)
    elif kind == cnp.NPY_INT64 or kind == cnp.NPY_LONGLONG:
        multiply_batch[uint64_t](&walk, a, b, out, 0)
    else:
        raise batch_refusal(a, b, out)


def matmul_in_order(
    cnp.ndarray a not None, cnp.ndarray b not None, cnp.ndarray out not None, order="ijk",
):
    """Write the matrix product of `a` and `b` to `out` by three plain loops in a given order."""
    if not have_product(a, b, out):
        raise refusal(a, b, out, "matmul_in_order")
    check_order(order)
    looped(a, b, out, "matmul_in_order", ORDERS.index(order), 0)


def matmul_in_blocks(
    cnp.ndarray a not None, cnp.ndarray b not None, cnp.ndarray out not None, block=64,
):
    """Write the matrix product of `a` and `b` to `out` block by block, in the order i, k, j."""
    block = operator.index(block)
    if not have_product(a, b, out):
        raise refusal(a, b, out, "matmul_in_blocks")
    check_block(block)
    looped(a, b, out, "matmul_in_blocks", 0, min(block, maxsize))


def matmul_without_vectors(cnp.ndarray a not None, cnp.ndarray b not None, cnp.ndarray out not None):
    """As `matmul`, in the plain loop that compilers without vector types get; here for the tests."""
    product(a, b, out, True)
