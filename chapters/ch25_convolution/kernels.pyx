"""Rung 3, the twin: convolutions as matrix products over windows that stay in cache, and pools over raw pointers.

A. `copy_windows` writes the windows of a few samples as the columns of a matrix, and `add_windows` adds such columns
   back to where they came from. Both go over the places in a window; for each, the windows that have it inside the
   image are a range per axis, found once, so that the innermost loop asks nothing.
B. A convolution takes as many samples at a time as leave their columns in the second cache, and gives the matrices to
   chapter 14's product of the same instruction set. Forward: weight @ columns, then a copy to `out` that adds the bias.
   Gradient of the image: weight.T @ gradient, then `add_windows`. Gradient of the weight, transposed, since the columns
   are the larger factor and are read as they lie: columns @ gradient.T, added up over the samples.
C. Pools walk sample by sample, channel by channel, window by window, in the order that the reference defines.
"""

cimport numpy as cnp
from libc.math cimport INFINITY
from libc.stdint cimport INT64_MIN, int64_t, uint64_t
from libc.string cimport memcpy, memset

from importlib import import_module

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
    ROOM = 32768  # elements of the columns that a convolution makes at a time

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


# region [convolve]
cdef convolve(
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
# endregion [convolve]


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
    if kind == cnp.NPY_FLOAT:
        convolve[float](task, image, weight, bias, result, &steps, groups, 0)
    elif kind == cnp.NPY_DOUBLE:
        convolve[double](task, image, weight, bias, result, &steps, groups, 0)
    else:
        convolve[uint64_t](task, image, weight, bias, result, &steps, groups, 0)


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
