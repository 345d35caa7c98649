"""Rung 3, the twin: convolutions as matrix products over windows that stay in cache, and pools over raw pointers.

A. `copy_windows` writes the windows of a few samples as the columns of a matrix, and `add_windows` adds such columns
   back to where they came from. Both go over the places in a window; for each, the windows that have it inside the
   image are a range per axis, found once, so that the innermost loop asks nothing.
B. A convolution is a product: the weights, a row for each filter, times the windows, a column for each. Where there are
   filters enough to fill tiles, that matrix is nowhere made as a whole: `pad` copies a few images with zeros around
   them, so that no later loop asks about an edge; `fill` copies the windows of one panel, as wide as chapter 14's tile,
   and `slide` multiplies it there and then. A pixel of a window lies at one offset from the window's first, the same
   for all windows; where the stride is larger than one, `pad` puts every stride-th pixel of a row beside the next.
C. The gradient of the weight, transposed, is the windows times the gradient, added up over runs of windows: `collect`.
D. The gradient of the image takes as many samples at a time as leave their columns in the second cache: weight.T @
   gradient by chapter 14's product, then `add_windows`. So do, with `copy_windows`, the other two where filters are few
   or numbers are integers.
E. Pools walk sample by sample, channel by channel, window by window, in the order that the reference defines.
"""

cimport numpy as cnp
from libc.math cimport INFINITY
from libc.stdint cimport INT64_MIN, int64_t, uint64_t
from libc.string cimport memcpy, memset

from importlib import import_module

from chapters.ch14_matmul.tiles cimport VECTOR, WIDEST, height, lesser, pack_columns, rows_times_panel

from chapters.ch25_convolution.checks import check, column_errors, convolution_errors, place_errors, pool_errors

cnp.import_array()

__all__ = [
    "avg_pool2d",
    "avg_pool2d_vjp",
    "conv2d",
    "conv2d_input_vjp",
    "conv2d_weight_vjp",
    "fold2d",
    "max_pool2d",
    "max_pool2d_vjp",
    "unfold2d",
]


def sibling(str chapter):
    """Another chapter's twin of this instruction set; its NumPy rung where that twin is not built."""
    cdef str name = f"chapters.{chapter}.{__name__.rpartition('.')[2]}"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return import_module(f"chapters.{chapter}.vectorized")


cdef object matmul = sibling("ch14_matmul").matmul

cdef enum:
    ROOM = 32768  # elements of columns, or of padded images, that a convolution makes at a time
    FILTERS = 8  # from so many on, tiles are filled
    DEPTH = 256  # a sum of products goes over so many at a time at most
    WINDOWS = 256  # of a run in the gradient of the weight
    PITCH = 272  # from one row of these to the next: rows that lie thousands of bytes apart share a place in the cache
    ROWS = 252  # of the columns of such a run: whole tiles of 14 and of 6 rows

cdef double MOST = 2.0**58  # more numbers than any memory has

ctypedef fused number:
    float
    double
    uint64_t

ctypedef fused ordered:
    float
    double
    int64_t

ctypedef fused real:
    float
    double

cdef struct Steps:
    Py_ssize_t stride[2]
    Py_ssize_t padding[2]
    Py_ssize_t dilation[2]

cdef struct Windows:  # of an image (N, C, H, W): columns (N, C, kernel height, kernel width, rows, columns)
    Py_ssize_t samples, channels
    Py_ssize_t size[2]
    Py_ssize_t kernel[2]
    Py_ssize_t count[2]
    Py_ssize_t image[4]  # steps between elements, here and below
    Py_ssize_t column[6]
    Steps steps


cdef inline int kind_of(cnp.ndarray x) noexcept:
    """The type number of an aligned array in native byte order, int64 by one name; -1 where it is none of ours."""
    cdef int kind = cnp.PyArray_TYPE(x)
    if not cnp.PyArray_ISBEHAVED_RO(x):
        return -1
    if kind == cnp.NPY_LONGLONG:
        kind = cnp.NPY_INT64
    return kind if kind == cnp.NPY_FLOAT or kind == cnp.NPY_DOUBLE or kind == cnp.NPY_INT64 else -1


cdef inline bint is_image(cnp.ndarray x, int kind) noexcept:
    """Whether an array has four axes and elements of this type."""
    return cnp.PyArray_NDIM(x) == 4 and kind_of(x) == kind and kind != -1


cdef inline bint alike(cnp.ndarray x, cnp.ndarray y) noexcept:
    """Whether two arrays are of the same samples and channels."""
    return cnp.PyArray_DIM(x, 0) == cnp.PyArray_DIM(y, 0) and cnp.PyArray_DIM(x, 1) == cnp.PyArray_DIM(y, 1)


cdef inline void measure(cnp.ndarray x, Py_ssize_t* steps) noexcept:
    """Enter by how many elements one step along each axis moves."""
    cdef Py_ssize_t size = cnp.PyArray_ITEMSIZE(x)
    cdef int axis
    for axis in range(cnp.PyArray_NDIM(x)):
        steps[axis] = cnp.PyArray_STRIDE(x, axis) // size


cdef bint read_steps(Steps* steps, object stride, object padding, object dilation) except -1:
    """Enter stride, padding and dilation; False where they are none."""
    cdef int axis
    if len(stride) != 2 or len(padding) != 2 or len(dilation) != 2:
        return False
    for axis in range(2):
        steps.stride[axis] = stride[axis]
        steps.padding[axis] = padding[axis]
        steps.dilation[axis] = dilation[axis]
        if steps.stride[axis] < 1 or steps.padding[axis] < 0 or steps.dilation[axis] < 1:
            return False
    return True


# region [range]
cdef inline void range_inside(
    Windows* w, int axis, Py_ssize_t place, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t* first,
) noexcept nogil:
    """From which window to before which one this place of the window is in the image, and where it is in the first."""
    cdef Py_ssize_t stride = w.steps.stride[axis]
    cdef Py_ssize_t at = place * w.steps.dilation[axis] - w.steps.padding[axis]
    cdef Py_ssize_t last = w.size[axis] - 1 - at
    start[0] = 0 if at >= 0 else (stride - 1 - at) // stride
    stop[0] = 0 if last < 0 else last // stride + 1
    if stop[0] > w.count[axis]:
        stop[0] = w.count[axis]
    if start[0] > stop[0]:
        start[0] = stop[0]
    first[0] = start[0] * stride + at
# endregion [range]


cdef inline void add_to(number* total, const number* part, Py_ssize_t count) noexcept nogil:
    """Add an array to another."""
    cdef Py_ssize_t k
    for k in range(count):
        total[k] += part[k]


cdef inline bint is_shift(Windows* w) noexcept nogil:
    """Whether the windows are as many as the pixels and lie alike: then one place of all is the image, shifted."""
    return (
        w.count[1] == w.size[1] == w.image[2] and w.image[3] == w.column[5] == 1 and w.column[4] == w.count[1]
        and w.steps.stride[0] == w.steps.stride[1] == 1
    )


cdef inline void clear_edges(
    number* place, Py_ssize_t top, Py_ssize_t bottom, Py_ssize_t left, Py_ssize_t right, Py_ssize_t width,
) noexcept nogil:
    """Zero what a shift has carried over the ends of rows."""
    cdef Py_ssize_t i, j
    for j in range(left):
        for i in range(top, bottom):
            place[i * width + j] = 0
    for j in range(right, width):
        for i in range(top, bottom):
            place[i * width + j] = 0


# region [copy_windows]
cdef void copy_windows(Windows* w, const number* image, number* columns) noexcept nogil:
    """Write each window as a column; zero where it leaves the image."""
    cdef Py_ssize_t c, ky, kx, n, i, j, top, bottom, left, right, y, x
    cdef Py_ssize_t step = w.steps.stride[1] * w.image[3], across = w.column[5], width = w.count[1], begin, end
    cdef bint shifted = is_shift(w)
    cdef const number* source
    cdef number* target
    for c in range(w.channels):
        for ky in range(w.kernel[0]):
            range_inside(w, 0, ky, &top, &bottom, &y)
            for kx in range(w.kernel[1]):
                range_inside(w, 1, kx, &left, &right, &x)
                for n in range(w.samples):
                    source = image + n * w.image[0] + c * w.image[1] + y * w.image[2] + x * w.image[3]
                    target = columns + n * w.column[0] + c * w.column[1] + ky * w.column[2] + kx * w.column[3]
                    if shifted and left < right and top < bottom:
                        begin, end = top * width + left, (bottom - 1) * width + right
                        memset(target, 0, begin * sizeof(number))
                        memcpy(target + begin, source, (end - begin) * sizeof(number))
                        memset(target + end, 0, (w.count[0] * width - end) * sizeof(number))
                        clear_edges(target, top, bottom, left, right, width)
                        continue
                    for i in range(w.count[0]):
                        if top <= i < bottom:
                            for j in range(left):
                                target[j * across] = 0
                            if step == 1 and across == 1:
                                memcpy(target + left, source, (right - left) * sizeof(number))
                            else:
                                for j in range(left, right):
                                    target[j * across] = source[(j - left) * step]
                            for j in range(right, w.count[1]):
                                target[j * across] = 0
                            source += w.steps.stride[0] * w.image[2]
                        else:
                            for j in range(w.count[1]):
                                target[j * across] = 0
                        target += w.column[4]
# endregion [copy_windows]


# region [add_windows]
cdef void add_windows(Windows* w, number* columns, number* image, bint own) noexcept nogil:
    """Add each column to the window it is, in order of the places in a window; `own` columns may be overwritten."""
    cdef Py_ssize_t c, ky, kx, n, _i, j, top, bottom, left, right, y, x
    cdef Py_ssize_t step = w.steps.stride[1] * w.image[3], across = w.column[5]
    cdef bint shifted = own and is_shift(w)
    cdef number* source
    cdef number* target
    for n in range(w.samples):
        for c in range(w.channels):
            for ky in range(w.kernel[0]):
                range_inside(w, 0, ky, &top, &bottom, &y)
                for kx in range(w.kernel[1]):
                    range_inside(w, 1, kx, &left, &right, &x)
                    target = image + n * w.image[0] + c * w.image[1] + y * w.image[2] + x * w.image[3]
                    source = columns + n * w.column[0] + c * w.column[1] + ky * w.column[2] + kx * w.column[3]
                    if shifted and left < right and top < bottom:
                        clear_edges(source, top, bottom, left, right, w.count[1])
                        add_to(target, source + top * w.count[1] + left, (bottom - 1 - top) * w.count[1] + right - left)
                        continue
                    source += top * w.column[4] + left * across
                    for _i in range(top, bottom):
                        if step == 1 and across == 1:
                            for j in range(right - left):
                                target[j] += source[j]
                        else:
                            for j in range(right - left):
                                target[j * step] += source[j * across]
                        target += w.steps.stride[0] * w.image[2]
                        source += w.column[4]
# endregion [add_windows]


cdef void pour(
    const number* source, Py_ssize_t* steps, number* target, Py_ssize_t* target_steps, Py_ssize_t* sizes,
    const number* bias, Py_ssize_t bias_step,
) noexcept nogil:
    """Copy an array of four axes to one of other strides, adding a number per index of the second axis if given."""
    cdef Py_ssize_t n, f, i, j, rows = sizes[2], run = sizes[3]
    cdef number added
    cdef const number* row
    cdef number* to
    if steps[2] == run * steps[3] and target_steps[2] == run * target_steps[3]:  # rows that follow each other are one
        rows, run = 1, rows * run
    for n in range(sizes[0]):
        for f in range(sizes[1]):
            added = bias[f * bias_step] if bias != NULL else 0
            for i in range(rows):
                row = source + n * steps[0] + f * steps[1] + i * steps[2]
                to = target + n * target_steps[0] + f * target_steps[1] + i * target_steps[2]
                if bias == NULL:
                    for j in range(run):
                        to[j * target_steps[3]] = row[j * steps[3]]
                elif steps[3] == 1 and target_steps[3] == 1:
                    for j in range(run):
                        to[j] = row[j] + added
                else:
                    for j in range(run):
                        to[j * target_steps[3]] = row[j * steps[3]] + added


cdef enum Task:
    FORWARD
    IMAGE
    WEIGHT


cdef struct Slide:  # windows over images, of one group: what is read is padded, what is written has one place a window
    Py_ssize_t samples, channels
    Py_ssize_t size[2]  # of an image
    Py_ssize_t origin[2]  # the pixel at which the first window begins, before the image where it overhangs
    Py_ssize_t reach[2]  # rows and columns that a window covers
    Py_ssize_t stride[2]
    Py_ssize_t count[2]
    Py_ssize_t image[4]  # steps between elements, here and below
    Py_ssize_t result[4]
    Py_ssize_t each, deep  # samples, and rows of windows, that are padded at a time
    Py_ssize_t lane, pitch, plane  # of what is padded: pixels of a row for one remainder, of a row, of a channel
    Py_ssize_t taps, inner  # places in a window, of one channel and of all
    Py_ssize_t* places  # of each tap in the weights
    Py_ssize_t* offsets  # of each place in a window from its first pixel

cdef struct Piece:  # of a run of windows, as far as they lie contiguous
    Py_ssize_t at, place, length


cdef inline Py_ssize_t parts(Py_ssize_t count, Py_ssize_t most) noexcept nogil:
    """The size of equal parts, each of which has so many at most."""
    cdef Py_ssize_t many = max(1, (count + most - 1) // most)
    return max(1, (count + many - 1) // many)


# region [plan]
cdef double plan(Slide* s) noexcept nogil:
    """Choose how much is padded at a time, and where a pixel lies there; the elements that it takes."""
    cdef Py_ssize_t rows, width = max(1, (s.count[1] - 1) * s.stride[1] + s.reach[1])
    s.lane = (width + s.stride[1] - 1) // s.stride[1]
    s.pitch = s.lane * s.stride[1]
    rows = <Py_ssize_t> (ROOM / (<double> s.pitch * s.channels + 1))  # that there is room for
    s.deep = parts(s.count[0], max(1, (rows - s.reach[0]) // s.stride[0] + 1))
    rows = (s.deep - 1) * s.stride[0] + s.reach[0]
    s.plane = rows * s.pitch
    s.each = 1
    if s.deep == s.count[0]:
        s.each = parts(s.samples, max(1, <Py_ssize_t> (ROOM / (<double> s.plane * s.channels + 1))))
    return <double> rows * s.pitch * s.channels * s.each
# endregion [plan]


# region [pad]
cdef void pad(Slide* s, const real* image, Py_ssize_t samples, Py_ssize_t top, real* padded) noexcept nogil:
    """Copy the rows that windows from row `top` on see, zeros around them; what is at the left and right is zero."""
    cdef Py_ssize_t n, c, y, row, lane, j, start, stop, stride = s.stride[1], step = stride * s.image[3]
    cdef Py_ssize_t left = max(0, -s.origin[1]), first = s.origin[0] + top * s.stride[0]
    cdef Py_ssize_t right = lesser(s.size[1] - s.origin[1], (s.count[1] - 1) * stride + s.reach[1])
    cdef const real* source
    for n in range(samples):
        for c in range(s.channels):
            for row in range(s.plane // s.pitch):
                y = first + row
                for lane in range(stride):  # the pixels whose column leaves this remainder
                    start = (max(0, left - lane) + stride - 1) // stride
                    stop = (max(0, right - lane) + stride - 1) // stride
                    source = image + n * s.image[0] + c * s.image[1] + y * s.image[2] + (
                        s.origin[1] + lane) * s.image[3]
                    if not 0 <= y < s.size[0]:
                        for j in range(start, stop):
                            padded[j] = 0
                    elif step == 1:
                        for j in range(start, stop):
                            padded[j] = source[j]
                    else:
                        for j in range(start, stop):
                            padded[j] = source[j * step]
                    padded += s.lane
# endregion [pad]


# region [cut]
cdef Py_ssize_t cut(
    Slide* s, Py_ssize_t rows, Py_ssize_t first, Py_ssize_t count, Piece* reads, Piece* writes, Py_ssize_t* written,
) noexcept nogil:
    """Cut a run of windows where they end to lie contiguous, where read and where written; how many are read."""
    cdef Py_ssize_t j = first % s.count[1], row = first // s.count[1], at = 0, length, place
    cdef Py_ssize_t found = 0
    cdef Piece* last
    written[0] = 0
    while at < count:
        length = lesser(s.count[1] - j, count - at)
        reads[found].at, reads[found].length = at, length
        reads[found].place = row // rows * s.channels * s.plane + row % rows * s.stride[0] * s.pitch + j
        place = row // rows * s.result[0] + row % rows * s.result[2] + j * s.result[3]
        last = writes + written[0] - 1
        if found and place == last.place + last.length * s.result[3]:
            last.length += length
        else:
            last += 1
            last.at, last.place, last.length = at, place, length
            written[0] += 1
        found += 1
        at += length
        row += 1
        j = 0
    return found
# endregion [cut]


# region [fill]
cdef void fill(
    real* columns, Py_ssize_t width, const real* padded, const Py_ssize_t* offsets, Py_ssize_t depth,
    const Piece* reads, Py_ssize_t pieces,
) noexcept nogil:
    """Copy windows as columns, row by row: always whole vectors; what is too much the next piece overwrites."""
    cdef Py_ssize_t k, piece, j, lanes = VECTOR // <int> sizeof(real)
    cdef const real* source
    cdef real* target
    for k in range(depth):
        for piece in range(pieces):
            source = padded + offsets[k] + reads[piece].place
            target = columns + reads[piece].at
            j = 0
            while j < reads[piece].length:
                memcpy(target + j, source + j, VECTOR)
                j += lanes
        columns += width
# endregion [fill]


# region [pack_weights]
cdef void pack_weights(
    Slide* s, real* panels, const real* weight, Py_ssize_t row, Py_ssize_t channel, Py_ssize_t rows, Py_ssize_t run,
) noexcept nogil:
    """Copy the weights into panels as high as a tile, for one run of places in a window after the other."""
    cdef Py_ssize_t k = 0, stop, first, i, at, place
    cdef int tall
    while k < s.inner:
        stop = lesser(s.inner, k + run)
        first = 0
        while first < rows:
            tall = height(rows - first)
            for at in range(k, stop):
                place = at // s.taps * channel + s.places[at % s.taps]
                for i in range(tall):
                    panels[i] = weight[(first + i) * row + place]
                panels += tall
            first += tall
        k = stop
# endregion [pack_weights]


cdef void unpack_weights(
    Slide* s, const real* sums, Py_ssize_t pitch, real* weight, Py_ssize_t row, Py_ssize_t channel,
    Py_ssize_t filters,
) noexcept nogil:
    """Write sums, a row for each place in a window and a column for each filter, to the weights."""
    cdef Py_ssize_t k, f, at
    for k in range(s.inner):
        at = k // s.taps * channel + s.places[k % s.taps]
        for f in range(filters):
            weight[f * row + at] = sums[k * pitch + f]


# region [slide]
cdef void slide(
    Slide* s, const real* image, const real* weights, Py_ssize_t rows, Py_ssize_t run, real* result,
    const real* bias, Py_ssize_t bias_step, real* padded, real* panel, real* products,
) noexcept nogil:
    """Rows of weights times all windows, panel by panel."""
    cdef Piece reads[WIDEST]
    cdef Piece writes[WIDEST]
    cdef Py_ssize_t lanes = VECTOR // <int> sizeof(real)
    cdef Py_ssize_t sample = 0, top, samples, deep, first, here, width, k, depth, row, piece, pieces, written, j
    cdef int vectors
    cdef real added
    cdef const real* source
    cdef real* target
    while sample < s.samples:
        samples = lesser(s.each, s.samples - sample)
        top = 0
        while top < s.count[0]:
            deep = lesser(s.deep, s.count[0] - top)
            pad(s, image + sample * s.image[0], samples, top, padded)
            first = 0
            while first < samples * deep * s.count[1]:
                here = lesser(2 * lanes, samples * deep * s.count[1] - first)
                vectors = 2 if here > lanes else 1
                width = vectors * lanes
                pieces = cut(s, deep, first, here, reads, writes, &written)
                k = 0
                while k == 0 or k < s.inner:
                    depth = lesser(run, s.inner - k)
                    fill(panel, width, padded, s.offsets + k, depth, reads, pieces)
                    rows_times_panel(
                        False, weights + k * rows, 1, 1, True, rows, panel, width, depth, vectors, width, products,
                        width, 1, k > 0)
                    k += run
                for row in range(rows):
                    added = 0 if bias == NULL else bias[row * bias_step]
                    for piece in range(written):
                        source = products + row * width + writes[piece].at
                        target = result + sample * s.result[0] + row * s.result[1] + top * s.result[2]
                        target += writes[piece].place
                        if s.result[3] == 1:
                            for j in range(writes[piece].length):
                                target[j] = source[j] + added
                        else:
                            for j in range(writes[piece].length):
                                target[j * s.result[3]] = source[j] + added
                first += here
            top += deep
        sample += samples
# endregion [slide]


# region [collect]
cdef void collect(
    Slide* s, const real* image, const real* gradient, Py_ssize_t filters, real* total, real* padded,
    real* columns, real* panels,
) noexcept nogil:
    """Windows times the gradient, whose rows are turned to columns, a run of windows at a time."""
    cdef Piece reads[WINDOWS]
    cdef Piece writes[WINDOWS]
    cdef Py_ssize_t lanes = VECTOR // <int> sizeof(real)
    cdef Py_ssize_t broad = (filters + lanes - 1) // lanes * lanes
    cdef Py_ssize_t sample = 0, top, samples, deep, first, here, k, depth, piece, pieces, written, j, width
    cdef const real* source
    while sample < s.samples:
        samples = lesser(s.each, s.samples - sample)
        top = 0
        while top < s.count[0]:
            deep = lesser(s.deep, s.count[0] - top)
            pad(s, image + sample * s.image[0], samples, top, padded)
            first = 0
            while first < samples * deep * s.count[1]:
                here = lesser(WINDOWS, samples * deep * s.count[1] - first)
                pieces = cut(s, deep, first, here, reads, writes, &written)
                source = gradient + sample * s.result[0] + top * s.result[2]
                j = 0
                while j < broad:
                    width = lesser(2 * lanes, broad - j)
                    for piece in range(written):
                        pack_columns(
                            panels + j * here + writes[piece].at * width,
                            source + writes[piece].place + j * s.result[1], s.result[3], s.result[1],
                            writes[piece].length, lesser(width, filters - j), width)
                    j += width
                k = 0
                while k < s.inner:
                    depth = lesser(ROWS, s.inner - k)
                    fill(columns, PITCH, padded, s.offsets + k, depth, reads, pieces)
                    j = 0
                    while j < broad:
                        width = lesser(2 * lanes, broad - j)
                        rows_times_panel(
                            False, columns, PITCH, 1, False, depth, panels + j * here, width, here,
                            <int> (width // lanes), width, total + k * broad + j, broad, 1, True)
                        j += width
                    k += depth
                first += here
            top += deep
        sample += samples
# endregion [collect]


cdef inline cnp.ndarray room(double count, int kind, bint zero):
    """Memory for so many numbers, and for one vector that a copy of whole vectors may read or write behind them."""
    cdef cnp.npy_intp size = <cnp.npy_intp> min(count, MOST) + VECTOR
    return cnp.PyArray_ZEROS(1, &size, kind, 0) if zero else cnp.PyArray_EMPTY(1, &size, kind, 0)


# region [lay_out]
cdef cnp.ndarray lay_out(Slide* s, Py_ssize_t tall, Py_ssize_t wide, const Steps* steps, const Py_ssize_t* w):
    """Enter the places of a window: where they are in the weights and in what is padded; the memory that holds them."""
    cdef Py_ssize_t y, x, c, tap
    cdef cnp.ndarray held = room((1.0 + s.channels) * tall * wide, cnp.NPY_INTP, False)
    s.taps, s.inner = tall * wide, s.channels * tall * wide
    s.places = <Py_ssize_t*> cnp.PyArray_DATA(held)
    s.offsets = s.places + s.taps
    for tap in range(s.taps):
        y, x = tap // wide * steps.dilation[0], tap % wide * steps.dilation[1]
        s.places[tap] = tap // wide * w[2] + tap % wide * w[3]
        for c in range(s.channels):
            s.offsets[c * s.taps + tap] = c * s.plane + y * s.pitch + x % s.stride[1] * s.lane + x // s.stride[1]
    return held
# endregion [lay_out]


# region [by_panels]
cdef by_panels(
    Task task, cnp.ndarray image, cnp.ndarray weight, cnp.ndarray bias, cnp.ndarray result, const Steps* steps,
    Py_ssize_t groups, real like,
):
    """A convolution or the gradient of its weight, group by group, over windows that are copied a panel at a time."""
    cdef Slide s
    cdef Py_ssize_t filters = cnp.PyArray_DIM(weight, 0) // groups, lanes = VECTOR // <int> sizeof(real)
    cdef Py_ssize_t run, _group, bias_step = 0
    cdef Py_ssize_t w[4]
    cdef int kind = cnp.PyArray_TYPE(image), axis
    cdef double size
    cdef cnp.ndarray padded, panels, factors, sums
    cdef const real* source = <const real*> cnp.PyArray_DATA(image)
    cdef real* weights = <real*> cnp.PyArray_DATA(weight)
    cdef real* target = <real*> cnp.PyArray_DATA(result)
    cdef const real* added = <const real*> NULL
    measure(weight, w)
    measure(image, s.image)
    measure(result, s.result)
    s.samples, s.channels = cnp.PyArray_DIM(image, 0), cnp.PyArray_DIM(weight, 1)
    for axis in range(2):
        s.size[axis], s.count[axis] = cnp.PyArray_DIM(image, 2 + axis), cnp.PyArray_DIM(result, 2 + axis)
        s.origin[axis], s.stride[axis] = -steps.padding[axis], steps.stride[axis]
        s.reach[axis] = max(0, cnp.PyArray_DIM(weight, 2 + axis) - 1) * steps.dilation[axis] + 1
    size = plan(&s)
    _held = lay_out(&s, cnp.PyArray_DIM(weight, 2), cnp.PyArray_DIM(weight, 3), steps, w)
    padded = room(size, kind, True)
    if task == WEIGHT:
        run = (filters + lanes - 1) // lanes * lanes
        factors, panels, sums = room(WINDOWS * run, kind, False), room(ROWS * PITCH, kind, False), None
    else:
        run = parts(s.inner, DEPTH)
        factors, panels = room(<double> filters * s.inner, kind, False), room(2 * lanes * run, kind, False)
        sums = room(2 * lanes * <double> filters, kind, False)
    if bias is not None:
        measure(bias, &bias_step)
        added = <const real*> cnp.PyArray_DATA(bias)
    for _group in range(groups):
        if task == WEIGHT:
            sums = room(<double> s.inner * run, kind, True)
            with nogil:
                collect(
                    &s, source, target, filters, <real*> cnp.PyArray_DATA(sums), <real*> cnp.PyArray_DATA(padded),
                    <real*> cnp.PyArray_DATA(panels), <real*> cnp.PyArray_DATA(factors))
                unpack_weights(&s, <real*> cnp.PyArray_DATA(sums), run, weights, w[0], w[1], filters)
        else:
            with nogil:
                pack_weights(&s, <real*> cnp.PyArray_DATA(factors), weights, w[0], w[1], filters, run)
                slide(
                    &s, source, <real*> cnp.PyArray_DATA(factors), filters, run, target, added, bias_step,
                    <real*> cnp.PyArray_DATA(padded), <real*> cnp.PyArray_DATA(panels),
                    <real*> cnp.PyArray_DATA(sums))
        source += s.channels * s.image[1]
        target += filters * s.result[1]
        weights += filters * w[0]
        if added != NULL:
            added += filters * bias_step
# endregion [by_panels]


# region [by_columns]
cdef by_columns(
    Task task, cnp.ndarray image, cnp.ndarray weight, cnp.ndarray bias, cnp.ndarray result, Steps* steps,
    Py_ssize_t groups, number like,
):
    """A convolution or one of its gradients, a few samples and a group at a time."""
    cdef Windows w
    cdef Py_ssize_t samples = cnp.PyArray_DIM(image, 0), depth = cnp.PyArray_DIM(weight, 1)
    cdef Py_ssize_t filters = cnp.PyArray_DIM(weight, 0) // groups
    cdef Py_ssize_t windows = cnp.PyArray_DIM(result, 2) * cnp.PyArray_DIM(result, 3)
    cdef Py_ssize_t inner = depth * cnp.PyArray_DIM(weight, 2) * cnp.PyArray_DIM(weight, 3)
    cdef Py_ssize_t first, group, each, wide = -1, bias_step = 0
    cdef Py_ssize_t outer[4]
    cdef Py_ssize_t flat[4]
    cdef Py_ssize_t sizes[4]
    cdef number* pixels
    cdef number* outputs
    cdef const number* added = <const number*> NULL
    cdef cnp.ndarray columns = None, products = None, part = None, total = None
    cdef int kind = cnp.PyArray_TYPE(image)
    matrices = weight.reshape(groups, filters, inner)
    if task == WEIGHT:
        part, total = matrices_of(1, inner, filters, kind)[0], matrices_of(groups, inner, filters, kind)
        total.fill(0)
    elif task == IMAGE:
        image.fill(0)
    describe(&w, image, None, steps)
    w.channels = depth
    w.kernel[0], w.kernel[1] = cnp.PyArray_DIM(weight, 2), cnp.PyArray_DIM(weight, 3)
    w.count[0], w.count[1] = cnp.PyArray_DIM(result, 2), cnp.PyArray_DIM(result, 3)
    measure(result, outer)
    each = max(1, min(samples, ROOM // max(1, inner * windows)))
    for first in range(0, samples, each):
        w.samples = min(each, samples - first)
        if wide != w.samples * windows:
            wide = w.samples * windows
            columns = matrices_of(1, inner, wide, kind)[0]
            if task == WEIGHT:
                products = matrices_of(1, wide, filters, kind)[0]
            else:
                products = matrices_of(1, filters, wide, kind)[0]
        w.column[0], w.column[4], w.column[5] = windows, w.count[1], 1
        w.column[3] = wide
        w.column[2] = w.kernel[1] * wide
        w.column[1] = w.kernel[0] * w.column[2]
        if task == WEIGHT:
            flat[0], flat[1], flat[2], flat[3] = windows * filters, 1, w.count[1] * filters, filters
        else:
            flat[0], flat[1], flat[2], flat[3] = windows, wide, w.count[1], 1
        sizes[0], sizes[1], sizes[2], sizes[3] = w.samples, filters, w.count[0], w.count[1]
        for group in range(groups):
            pixels = <number*> cnp.PyArray_DATA(image) + first * w.image[0] + group * depth * w.image[1]
            outputs = <number*> cnp.PyArray_DATA(result) + first * outer[0] + group * filters * outer[1]
            if task != IMAGE:
                with nogil:
                    copy_windows(&w, pixels, <number*> cnp.PyArray_DATA(columns))
            if task == FORWARD:
                if bias is not None:
                    measure(bias, &bias_step)
                    added = <const number*> cnp.PyArray_DATA(bias) + group * filters * bias_step
                matmul(matrices[group], columns, products)
                with nogil:
                    pour(<number*> cnp.PyArray_DATA(products), flat, outputs, outer, sizes, added, bias_step)
                continue
            with nogil:
                pour(outputs, outer, <number*> cnp.PyArray_DATA(products), flat, sizes, added, 0)
            if task == IMAGE:
                matmul(matrices[group].T, products, columns)
                with nogil:
                    add_windows(&w, <number*> cnp.PyArray_DATA(columns), pixels, True)
            else:
                matmul(columns, products, part)
                add_to(<number*> cnp.PyArray_DATA(total) + group * filters * inner, <number*> cnp.PyArray_DATA(part),
                       filters * inner)
    if task == WEIGHT:
        weight[...] = total.transpose(0, 2, 1).reshape((<object> weight).shape)
# endregion [by_columns]


cdef cnp.ndarray matrices_of(Py_ssize_t count, Py_ssize_t rows, Py_ssize_t columns, int kind):
    """Uninitialised matrices of a type."""
    cdef cnp.npy_intp sizes[3]
    sizes[0], sizes[1], sizes[2] = count, rows, columns
    return cnp.PyArray_EMPTY(3, sizes, kind, 0)


cdef bint describe(Windows* w, cnp.ndarray image, cnp.ndarray columns, Steps* steps) except -1:
    """Enter an image and, if given, its columns; False where they are not of the same samples and channels."""
    cdef int axis
    w.samples, w.channels = cnp.PyArray_DIM(image, 0), cnp.PyArray_DIM(image, 1)
    w.steps = steps[0]
    measure(image, w.image)
    for axis in range(2):
        w.size[axis] = cnp.PyArray_DIM(image, 2 + axis)
        if columns is not None:
            w.kernel[axis], w.count[axis] = cnp.PyArray_DIM(columns, 2 + axis), cnp.PyArray_DIM(columns, 4 + axis)
    if columns is not None:
        measure(columns, w.column)
    return columns is None or alike(image, columns)


cdef convolution(
    str name, Task task, cnp.ndarray image, cnp.ndarray weight, cnp.ndarray bias, cnp.ndarray result, stride, padding,
    dilation, Py_ssize_t groups, cnp.ndarray out,
):
    """The door of a convolution and its gradients: check, then choose the type."""
    cdef Steps steps
    cdef int kind = kind_of(image)
    cdef bint full
    if not (
        is_image(image, kind) and is_image(weight, kind) and is_image(result, kind) and cnp.PyArray_ISWRITEABLE(out)
        and read_steps(&steps, stride, padding, dilation)
        and groups > 0 and cnp.PyArray_DIM(weight, 0) % groups == 0
        and cnp.PyArray_DIM(image, 1) == cnp.PyArray_DIM(weight, 1) * groups
        and cnp.PyArray_DIM(result, 0) == cnp.PyArray_DIM(image, 0)
        and cnp.PyArray_DIM(result, 1) == cnp.PyArray_DIM(weight, 0)
        and (bias is None or (
            cnp.PyArray_NDIM(bias) == 1 and kind_of(bias) == kind
            and cnp.PyArray_DIM(bias, 0) == cnp.PyArray_DIM(weight, 0)))
    ):
        check(convolution_errors(name, image, weight, result, bias, (stride, padding, dilation), groups))
    full = task != IMAGE and cnp.PyArray_DIM(weight, 0) // groups >= FILTERS  # not of samples: the bits depend on it
    if kind == cnp.NPY_FLOAT and full:
        by_panels[float](task, image, weight, bias, result, &steps, groups, 0)
    elif kind == cnp.NPY_FLOAT:
        by_columns[float](task, image, weight, bias, result, &steps, groups, 0)
    elif kind == cnp.NPY_DOUBLE and full:
        by_panels[double](task, image, weight, bias, result, &steps, groups, 0)
    elif kind == cnp.NPY_DOUBLE:
        by_columns[double](task, image, weight, bias, result, &steps, groups, 0)
    else:
        by_columns[uint64_t](task, image, weight, bias, result, &steps, groups, 0)


def conv2d(
    cnp.ndarray x not None, cnp.ndarray weight not None, cnp.ndarray bias, cnp.ndarray out not None, stride=(1, 1),
    padding=(0, 0), dilation=(1, 1), groups=1,
):
    """Write to `out` what a kernel makes of each window of an image."""
    convolution("conv2d", FORWARD, x, weight, bias, out, stride, padding, dilation, groups, out)


def conv2d_input_vjp(
    cnp.ndarray g not None, cnp.ndarray weight not None, cnp.ndarray out not None, stride=(1, 1), padding=(0, 0),
    dilation=(1, 1), groups=1,
):
    """Write the gradient of the images of `conv2d` to `out`."""
    convolution("conv2d_input_vjp", IMAGE, out, weight, None, g, stride, padding, dilation, groups, out)


def conv2d_weight_vjp(
    cnp.ndarray g not None, cnp.ndarray x not None, cnp.ndarray out not None, stride=(1, 1), padding=(0, 0),
    dilation=(1, 1), groups=1,
):
    """Write the gradient of the kernels of `conv2d` to `out`."""
    convolution("conv2d_weight_vjp", WEIGHT, x, out, None, g, stride, padding, dilation, groups, out)


cdef void move_windows(bint adds, cnp.ndarray image, cnp.ndarray columns, Windows* w, number like):
    """Copy windows to columns, or add columns to windows."""
    cdef number* pixels = <number*> cnp.PyArray_DATA(image)
    cdef number* stored = <number*> cnp.PyArray_DATA(columns)
    with nogil:
        if adds:
            add_windows(w, stored, pixels, False)
        else:
            copy_windows(w, pixels, stored)


cdef windows(str name, bint adds, cnp.ndarray image, cnp.ndarray columns, stride, padding, dilation, cnp.ndarray out):
    """The door of `unfold2d` and `fold2d`: check, then choose the type."""
    cdef Windows w
    cdef Steps steps
    cdef int kind = kind_of(image)
    if not (
        is_image(image, kind) and cnp.PyArray_NDIM(columns) == 6 and kind_of(columns) == kind
        and cnp.PyArray_ISWRITEABLE(out) and read_steps(&steps, stride, padding, dilation)
        and describe(&w, image, columns, &steps)
    ):
        check(column_errors(name, image, columns, (stride, padding, dilation)))
    if adds:
        image.fill(0)
    if kind == cnp.NPY_FLOAT:
        move_windows[float](adds, image, columns, &w, 0)
    elif kind == cnp.NPY_DOUBLE:
        move_windows[double](adds, image, columns, &w, 0)
    else:
        move_windows[uint64_t](adds, image, columns, &w, 0)


def unfold2d(
    cnp.ndarray x not None, cnp.ndarray out not None, stride=(1, 1), padding=(0, 0), dilation=(1, 1),
):
    """Copy every window of an image to `out`; what lies outside of the image is zero."""
    windows("unfold2d", False, x, out, stride, padding, dilation, out)


def fold2d(
    cnp.ndarray columns not None, cnp.ndarray out not None, stride=(1, 1), padding=(0, 0), dilation=(1, 1),
):
    """Write the sum of all windows, each laid where `unfold2d` took it, to `out`."""
    windows("fold2d", True, out, columns, stride, padding, dilation, out)


cdef struct Pool:  # of an image (N, C, H, W), to (N, C, windows down, windows across)
    Py_ssize_t samples, channels, width
    Py_ssize_t count[2]
    Py_ssize_t image[4]  # steps between elements, here and below
    Py_ssize_t result[4]
    Py_ssize_t places[4]
    const int64_t* rows
    const int64_t* columns
    Py_ssize_t divisor


cdef bint fit(Pool* p, cnp.ndarray image, int axis, cnp.ndarray windows) except -1:
    """Whether these are as many windows along an axis as there should be, all of them inside the image."""
    cdef Py_ssize_t count = p.count[axis], size = cnp.PyArray_DIM(image, 2 + axis), k
    cdef const int64_t* at
    if not (
        kind_of(windows) == cnp.NPY_INT64 and cnp.PyArray_NDIM(windows) == 2
        and cnp.PyArray_DIM(windows, 0) == count and cnp.PyArray_DIM(windows, 1) == 3
    ):
        return False
    at = <const int64_t*> cnp.PyArray_DATA(windows)
    for k in range(count):
        if at[3 * k] < 0 or at[3 * k + 1] > size or at[3 * k + 2] < 1:
            return False
    return True


cdef bint set_up(
    Pool* p, cnp.ndarray image, cnp.ndarray result, cnp.ndarray indices, cnp.ndarray rows, cnp.ndarray columns,
    Py_ssize_t divisor,
) except -1:
    """Enter the operands of a pool; False where they do not fit."""
    if not alike(image, result):
        return False
    p.samples, p.channels = cnp.PyArray_DIM(image, 0), cnp.PyArray_DIM(image, 1)
    p.width = cnp.PyArray_DIM(image, 3)
    p.count[0], p.count[1] = cnp.PyArray_DIM(result, 2), cnp.PyArray_DIM(result, 3)
    p.divisor = divisor
    measure(image, p.image)
    measure(result, p.result)
    if indices is not None:
        if not (
            is_image(indices, cnp.NPY_INT64) and alike(indices, result)
            and cnp.PyArray_DIM(indices, 2) == p.count[0] and cnp.PyArray_DIM(indices, 3) == p.count[1]
        ):
            return False
        measure(indices, p.places)
    if rows is None:
        return True
    p.rows, p.columns = <const int64_t*> cnp.PyArray_DATA(rows), <const int64_t*> cnp.PyArray_DATA(columns)
    return fit(p, image, 0, rows) and fit(p, image, 1, columns)


cdef inline bint is_nan(ordered x) noexcept nogil:
    """Whether a number is none."""
    if ordered is int64_t:
        return False
    else:
        return x != x


# region [largest]
cdef void largest(Pool* p, const ordered* image, ordered* result, int64_t* places) noexcept nogil:
    """The largest element of each window and its place: the first of equal ones, the last nan."""
    cdef Py_ssize_t n, c, i, j, y, x, at
    cdef const ordered* plane
    cdef const int64_t* row
    cdef const int64_t* column
    cdef ordered best, candidate
    cdef int64_t place
    for n in range(p.samples):
        for c in range(p.channels):
            plane = image + n * p.image[0] + c * p.image[1]
            for i in range(p.count[0]):
                row = p.rows + 3 * i
                for j in range(p.count[1]):
                    column = p.columns + 3 * j
                    if ordered is int64_t:
                        best = INT64_MIN
                    else:
                        best = -INFINITY
                    place = -1
                    y = row[0]
                    while y < row[1]:
                        x = column[0]
                        while x < column[1]:
                            candidate = plane[y * p.image[2] + x * p.image[3]]
                            if place < 0 or candidate > best or is_nan(candidate):
                                best = candidate
                                place = y * p.width + x
                            x += column[2]
                        y += row[2]
                    at = n * p.result[0] + c * p.result[1] + i * p.result[2] + j * p.result[3]
                    result[at] = best
                    places[n * p.places[0] + c * p.places[1] + i * p.places[2] + j * p.places[3]] = place
# endregion [largest]


# region [scatter]
cdef void scatter(Pool* p, const real* gradient, const int64_t* places, real* image, Py_ssize_t pixels) noexcept nogil:
    """Add each element of the gradient to the place that was chosen."""
    cdef Py_ssize_t n, c, i, j
    cdef int64_t place
    cdef bint gapless = p.image[2] == p.width * p.image[3]  # which spares a division, all that takes long here
    cdef real* plane
    for n in range(p.samples):
        for c in range(p.channels):
            plane = image + n * p.image[0] + c * p.image[1]
            for i in range(p.count[0]):
                for j in range(p.count[1]):
                    place = places[n * p.places[0] + c * p.places[1] + i * p.places[2] + j * p.places[3]]
                    if place < 0 or place >= pixels:
                        continue
                    if gapless:
                        place *= p.image[3]
                    else:
                        place = place // p.width * p.image[2] + place % p.width * p.image[3]
                    plane[place] += gradient[
                        n * p.result[0] + c * p.result[1] + i * p.result[2] + j * p.result[3]]
# endregion [scatter]


# region [average]
cdef void average(Pool* p, const real* image, real* result) noexcept nogil:
    """The sum of each window, in row-major order, over what it is divided by."""
    cdef Py_ssize_t n, c, i, j, y, x
    cdef const real* plane
    cdef const int64_t* row
    cdef const int64_t* column
    cdef real total
    for n in range(p.samples):
        for c in range(p.channels):
            plane = image + n * p.image[0] + c * p.image[1]
            for i in range(p.count[0]):
                row = p.rows + 3 * i
                for j in range(p.count[1]):
                    column = p.columns + 3 * j
                    total = 0
                    for y in range(row[0], row[1]):
                        for x in range(column[0], column[1]):
                            total += plane[y * p.image[2] + x * p.image[3]]
                    result[n * p.result[0] + c * p.result[1] + i * p.result[2] + j * p.result[3]] = (
                        total / <real> (p.divisor if p.divisor else row[2] * column[2]))
# endregion [average]


# region [share]
cdef void share(Pool* p, const real* gradient, real* image) noexcept nogil:
    """Add the share of each window to all of its elements."""
    cdef Py_ssize_t n, c, i, j, y, x
    cdef real* plane
    cdef const int64_t* row
    cdef const int64_t* column
    cdef real part
    for n in range(p.samples):
        for c in range(p.channels):
            plane = image + n * p.image[0] + c * p.image[1]
            for i in range(p.count[0]):
                row = p.rows + 3 * i
                for j in range(p.count[1]):
                    column = p.columns + 3 * j
                    part = gradient[n * p.result[0] + c * p.result[1] + i * p.result[2] + j * p.result[3]]
                    part = part / <real> (p.divisor if p.divisor else row[2] * column[2])
                    for y in range(row[0], row[1]):
                        for x in range(column[0], column[1]):
                            plane[y * p.image[2] + x * p.image[3]] += part
# endregion [share]


cdef void largest_of(Pool* p, cnp.ndarray image, cnp.ndarray result, cnp.ndarray indices, ordered like):
    """Run `largest` on arrays of one type."""
    cdef const ordered* x = <const ordered*> cnp.PyArray_DATA(image)
    cdef ordered* y = <ordered*> cnp.PyArray_DATA(result)
    cdef int64_t* places = <int64_t*> cnp.PyArray_DATA(indices)
    with nogil:
        largest(p, x, y, places)


def max_pool2d(
    cnp.ndarray x not None, cnp.ndarray out not None, cnp.ndarray indices not None, cnp.ndarray rows not None,
    cnp.ndarray columns not None,
):
    """Write the largest element of each window to `out`, and where it is to `indices`."""
    cdef Pool p
    cdef int kind = kind_of(x)
    rows, columns = cnp.PyArray_GETCONTIGUOUS(rows), cnp.PyArray_GETCONTIGUOUS(columns)
    if not (
        is_image(x, kind) and is_image(out, kind) and cnp.PyArray_ISWRITEABLE(out) and cnp.PyArray_ISWRITEABLE(indices)
        and set_up(&p, x, out, indices, rows, columns, 0)
    ):
        check(pool_errors("max_pool2d", x, out, indices, rows, columns))
    if kind == cnp.NPY_FLOAT:
        largest_of[float](&p, x, out, indices, 0)
    elif kind == cnp.NPY_DOUBLE:
        largest_of[double](&p, x, out, indices, 0)
    else:
        largest_of[int64_t](&p, x, out, indices, 0)


cdef void scatter_of(Pool* p, cnp.ndarray g, cnp.ndarray indices, cnp.ndarray out, real like):
    """Run `scatter` on arrays of one type."""
    cdef const real* gradient = <const real*> cnp.PyArray_DATA(g)
    cdef const int64_t* places = <const int64_t*> cnp.PyArray_DATA(indices)
    cdef real* image = <real*> cnp.PyArray_DATA(out)
    cdef Py_ssize_t pixels = cnp.PyArray_DIM(out, 2) * cnp.PyArray_DIM(out, 3)
    with nogil:
        scatter(p, gradient, places, image, pixels)


def max_pool2d_vjp(cnp.ndarray g not None, cnp.ndarray indices not None, cnp.ndarray out not None):
    """Write the gradient of the images of `max_pool2d` to `out`."""
    cdef Pool p
    cdef int kind = kind_of(g)
    if not (
        is_image(g, kind) and is_image(out, kind) and kind != cnp.NPY_INT64 and cnp.PyArray_ISWRITEABLE(out)
        and set_up(&p, out, g, indices, None, None, 0)
    ):
        check(place_errors("max_pool2d_vjp", g, indices, out))
    out.fill(0)
    if kind == cnp.NPY_FLOAT:
        scatter_of[float](&p, g, indices, out, 0)
    else:
        scatter_of[double](&p, g, indices, out, 0)


cdef void average_of(Pool* p, bint forward, cnp.ndarray image, cnp.ndarray result, real like):
    """Run `average` or `share` on arrays of one type."""
    cdef real* x = <real*> cnp.PyArray_DATA(image)
    cdef real* y = <real*> cnp.PyArray_DATA(result)
    with nogil:
        if forward:
            average(p, x, y)
        else:
            share(p, y, x)


cdef averages(
    str name, bint forward, cnp.ndarray image, cnp.ndarray result, cnp.ndarray rows, cnp.ndarray columns,
    Py_ssize_t divisor, cnp.ndarray out,
):
    """The door of `avg_pool2d` and its gradient: check, then choose the type."""
    cdef Pool p
    cdef int kind = kind_of(image)
    rows, columns = cnp.PyArray_GETCONTIGUOUS(rows), cnp.PyArray_GETCONTIGUOUS(columns)
    if not (
        is_image(image, kind) and is_image(result, kind) and kind != cnp.NPY_INT64 and cnp.PyArray_ISWRITEABLE(out)
        and set_up(&p, image, result, None, rows, columns, divisor)
    ):
        check(pool_errors(name, image, result, None, rows, columns))
    if not forward:
        image.fill(0)
    if kind == cnp.NPY_FLOAT:
        average_of[float](&p, forward, image, result, 0)
    else:
        average_of[double](&p, forward, image, result, 0)


def avg_pool2d(
    cnp.ndarray x not None, cnp.ndarray out not None, cnp.ndarray rows not None, cnp.ndarray columns not None,
    divisor=0,
):
    """Write the mean of each window to `out`."""
    averages("avg_pool2d", True, x, out, rows, columns, divisor, out)


def avg_pool2d_vjp(
    cnp.ndarray g not None, cnp.ndarray out not None, cnp.ndarray rows not None, cnp.ndarray columns not None,
    divisor=0,
):
    """Write the gradient of the images of `avg_pool2d` to `out`."""
    averages("avg_pool2d_vjp", False, out, g, rows, columns, divisor, out)
