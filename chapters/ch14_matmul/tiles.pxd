"""Products of tiles as inline C-level code, for every chapter whose loops hold a matrix product.

A tile is a few rows of a times a panel of b, summed over k in vector registers. No Python object is touched.
"""

from libc.stdint cimport uint64_t

cdef extern from * nogil:
    """
    #if defined(__AVX512F__)
    enum { VECTOR = 64, TALL = 14 };  /* bytes of a vector register; rows of a tile: 28 of 32 registers hold it */
    #elif defined(__AVX__)
    enum { VECTOR = 32, TALL = 6 };   /* 12 of 16 registers */
    #else
    enum { VECTOR = 16, TALL = 6 };
    #endif
    #if defined(__GNUC__)
    enum { HAS_VECTORS = 1 };
    #pragma GCC push_options
    #if defined(__clang__)
    #pragma STDC FP_CONTRACT ON
    #else
    #pragma GCC optimize("fp-contract=fast")  /* here, and nowhere else, a product may go unrounded into its sum */
    #endif
    #define UNROLLED(i, n) _Pragma("GCC unroll 16") for (int i = 0; i < n; i++)
    /* region [tile in C] */
    #define DEFINE_TILE(T) \\
    typedef T T##_vector __attribute__((vector_size(VECTOR), aligned(sizeof(T)))); \\
    static inline __attribute__((always_inline)) void T##_shape( \\
            const int R, const int C, const T *a, Py_ssize_t row, Py_ssize_t col, const T *b, Py_ssize_t b_row, \\
            Py_ssize_t depth, T *out, Py_ssize_t out_row, int add) { \\
        const int W = VECTOR / sizeof(T); \\
        T##_vector acc[TALL][2], right[2]; \\
        UNROLLED(i, R) UNROLLED(j, C) acc[i][j] = (T##_vector){0}; \\
        for (; depth > 0; depth--, a += col, b += b_row) { \\
            UNROLLED(j, C) right[j] = *(const T##_vector *)(b + j * W); \\
            UNROLLED(i, R) UNROLLED(j, C) acc[i][j] += a[i * row] * right[j]; \\
        } \\
        UNROLLED(i, R) UNROLLED(j, C) { \\
            T##_vector *to = (T##_vector *)(out + i * out_row + j * W); \\
            *to = add ? *to + acc[i][j] : acc[i][j]; \\
        } \\
    } \\
    static void T##_tile(int R, int C, const T *a, Py_ssize_t row, Py_ssize_t col, const T *b, Py_ssize_t b_row, \\
                         Py_ssize_t depth, T *out, Py_ssize_t out_row, int add) { \\
        switch (R * 2 + C) { \\
            case TALL * 2 + 2: T##_shape(TALL, 2, a, row, col, b, b_row, depth, out, out_row, add); break; \\
            case 4 * 2 + 2: T##_shape(4, 2, a, row, col, b, b_row, depth, out, out_row, add); break; \\
            case 2 * 2 + 2: T##_shape(2, 2, a, row, col, b, b_row, depth, out, out_row, add); break; \\
            case 1 * 2 + 2: T##_shape(1, 2, a, row, col, b, b_row, depth, out, out_row, add); break; \\
            case TALL * 2 + 1: T##_shape(TALL, 1, a, row, col, b, b_row, depth, out, out_row, add); break; \\
            case 4 * 2 + 1: T##_shape(4, 1, a, row, col, b, b_row, depth, out, out_row, add); break; \\
            case 2 * 2 + 1: T##_shape(2, 1, a, row, col, b, b_row, depth, out, out_row, add); break; \\
            default: T##_shape(1, 1, a, row, col, b, b_row, depth, out, out_row, add); \\
        } \\
    }
    /* endregion [tile in C] */
    DEFINE_TILE(float)
    DEFINE_TILE(double)
    #pragma GCC pop_options
    #else
    enum { HAS_VECTORS = 0 };
    #define float_tile(...) ((void)0)
    #define double_tile(...) ((void)0)
    #endif
    """
    int VECTOR, TALL, HAS_VECTORS
    void float_tile(
        int rows, int vectors, const float* a, Py_ssize_t row, Py_ssize_t col, const float* b, Py_ssize_t b_row,
        Py_ssize_t depth, float* out, Py_ssize_t out_row, bint add)
    void double_tile(
        int rows, int vectors, const double* a, Py_ssize_t row, Py_ssize_t col, const double* b, Py_ssize_t b_row,
        Py_ssize_t depth, double* out, Py_ssize_t out_row, bint add)

cdef enum:
    TALLEST = 14
    WIDEST = 32
    CORNER = 4

ctypedef fused real:
    float
    double

ctypedef fused number:
    float
    double
    uint64_t


# region [plain_tile]
cdef inline void plain_tile(
    int rows, int vectors, const number* a, Py_ssize_t row, Py_ssize_t col, const number* b, Py_ssize_t b_row,
    Py_ssize_t depth, number* out, Py_ssize_t out_row, bint add,
) noexcept nogil:
    """One tile of the product: for each k, a short row of b times one number of each row of a."""
    cdef number acc[TALLEST][WIDEST]
    cdef Py_ssize_t k
    cdef int i, j, width = vectors * (VECTOR // <int> sizeof(number))
    for i in range(rows):
        for j in range(width):
            acc[i][j] = 0
    for k in range(depth):
        for i in range(rows):
            for j in range(width):
                acc[i][j] += a[i * row + k * col] * b[k * b_row + j]
    for i in range(rows):
        for j in range(width):
            out[i * out_row + j] = out[i * out_row + j] + acc[i][j] if add else acc[i][j]
# endregion [plain_tile]


cdef inline void tile(
    bint plain, int rows, int vectors, const number* a, Py_ssize_t row, Py_ssize_t col, const number* b,
    Py_ssize_t b_row, Py_ssize_t depth, number* out, Py_ssize_t out_row, bint add,
) noexcept nogil:
    """The tile that this compiler has."""
    if number is uint64_t or plain or not HAS_VECTORS:
        plain_tile(rows, vectors, a, row, col, b, b_row, depth, out, out_row, add)
    elif number is float:
        float_tile(rows, vectors, a, row, col, b, b_row, depth, out, out_row, add)
    else:
        double_tile(rows, vectors, a, row, col, b, b_row, depth, out, out_row, add)


cdef inline int height(Py_ssize_t rows) noexcept nogil:
    """Rows of the next tile when so many are left."""
    return TALL if rows >= TALL else 4 if rows >= 4 else 2 if rows >= 2 else 1


cdef inline Py_ssize_t lesser(Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """The smaller of two sizes."""
    return a if a < b else b


# region [turned]
cdef inline void turned(
    number* panel, const number* source, Py_ssize_t step, Py_ssize_t depth, Py_ssize_t count, Py_ssize_t width,
) noexcept nogil:
    """Copy lines that lie contiguous in memory to columns of a panel: four by four numbers, turned in registers."""
    cdef number corner[CORNER * CORNER]
    cdef Py_ssize_t k, i, j, first = 0
    while first + CORNER <= count:
        k = 0
        while k + CORNER <= depth:
            for j in range(CORNER):
                for i in range(CORNER):
                    corner[j * CORNER + i] = source[(first + j) * step + k + i]
            for i in range(CORNER):
                for j in range(CORNER):
                    panel[(k + i) * width + first + j] = corner[j * CORNER + i]
            k += CORNER
        for i in range(k, depth):
            for j in range(first, first + CORNER):
                panel[i * width + j] = source[j * step + i]
        first += CORNER
    for j in range(first, count):
        for k in range(depth):
            panel[k * width + j] = source[j * step + k]
# endregion [turned]


# region [pack_rows]
cdef inline void pack_rows(
    number* panels, const number* a, Py_ssize_t row, Py_ssize_t col, Py_ssize_t rows, Py_ssize_t depth,
) noexcept nogil:
    """Copy rows of a into panels as high as a tile: for each k its numbers stand one below the other."""
    cdef Py_ssize_t first = 0, k
    cdef int i, tall
    while first < rows:
        tall = height(rows - first)
        if col == 1:
            turned(panels, a + first * row, row, depth, tall, tall)
        else:
            for k in range(depth):
                for i in range(tall):
                    panels[k * tall + i] = a[(first + i) * row + k * col]
        panels += tall * depth
        first += tall
# endregion [pack_rows]


# region [pack_columns]
cdef inline void pack_columns(
    number* panel, const number* b, Py_ssize_t row, Py_ssize_t col, Py_ssize_t depth, Py_ssize_t columns,
    Py_ssize_t width,
) noexcept nogil:
    """Copy columns of b into a panel as wide as a tile, zeros at the right of what is there."""
    cdef Py_ssize_t k, j, whole = 2 * (VECTOR // <int> sizeof(number))
    if row == 1 and col != 1:
        turned(panel, b, col, depth, columns, width)
    else:
        for k in range(depth):
            if col == 1 and columns == whole:  # a constant, so that the compiler moves whole vectors
                for j in range(whole):
                    panel[k * width + j] = b[k * row + j]
            else:
                for j in range(columns):
                    panel[k * width + j] = b[k * row + j * col]
    if columns < width:
        for k in range(depth):
            for j in range(columns, width):
                panel[k * width + j] = 0
# endregion [pack_columns]


# region [rows_times_panel]
cdef inline void rows_times_panel(
    bint plain, const number* a, Py_ssize_t row, Py_ssize_t col, bint packed, Py_ssize_t rows, const number* b,
    Py_ssize_t b_row, Py_ssize_t depth, int vectors, Py_ssize_t columns, number* out, Py_ssize_t out_row,
    Py_ssize_t out_col, bint add,
) noexcept nogil:
    """All rows of a times one panel of b, tile by tile; at an edge a tile is made aside and its part copied."""
    cdef number aside[TALLEST * WIDEST]
    cdef Py_ssize_t first = 0, width = vectors * (VECTOR // <int> sizeof(number))
    cdef int i, j, tall
    cdef number* to
    while first < rows:
        tall = height(rows - first)
        if packed:
            row, col = 1, tall
        if columns == width and out_col == 1:
            tile(plain, tall, vectors, a, row, col, b, b_row, depth, out, out_row, add)
        else:
            tile(plain, tall, vectors, a, row, col, b, b_row, depth, aside, width, False)
            for i in range(tall):
                for j in range(columns):
                    to = out + i * out_row + j * out_col
                    to[0] = to[0] + aside[i * width + j] if add else aside[i * width + j]
        a += tall * depth if packed else tall * row
        out += tall * out_row
        first += tall
# endregion [rows_times_panel]
