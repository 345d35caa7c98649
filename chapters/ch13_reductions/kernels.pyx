"""Rung 3, the twin: the reductions over raw pointers, with the additions in the order that the reference defines.

A. A door checks, then lays the axes of `x` out in two walks: the kept axes, which visit the outputs, and the reduced
   axes, which visit the elements of one output in row-major order. Neighbouring axes that one stride can step through
   are merged, so that the usual cases have one of each.
B. By rows, when the reduced elements are the closest in memory: they arrive in blocks of 1024, in place where they
   are contiguous and gathered into a buffer where they are not, and one loop over lanes adds up a block. The compiler
   keeps 32 lanes in vector registers.
C. By columns, when a kept axis is the closest in memory: the same tree of additions, but each step of it is taken for
   a strip of outputs at once, so that memory is still read in the order in which it lies.
D. prod, var and norm fold a whole output in 32 lanes of float64: one loop, made once for each way of taking an element
   in. all and any stop at the first block that decides.
E. cumsum and cumprod go from first to last, by rows or for a strip of columns at once.
F. The softmax family takes one row at a time through all its steps, while the row is in the first cache.
"""

cimport numpy as cnp
from libc.math cimport INFINITY, fabs, isfinite
from libc.math cimport log as natural_logarithm
from libc.math cimport pow as power
from libc.math cimport sqrt as square_root
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from chapters.ch07_broadcasting cimport walk as leading
from chapters.ch12_elementwise.exponential cimport exponential, falling_exponential, real

from chapters.ch13_reductions.checks import refusal, row_refusal, scan_refusal

cnp.import_array()

__all__ = [
    "all",
    "any",
    "argmax",
    "cumprod",
    "cumprod_vjp",
    "cumsum",
    "log_softmax",
    "log_softmax_vjp",
    "logsumexp",
    "max",
    "mean",
    "min",
    "norm",
    "prod",
    "softmax",
    "softmax_vjp",
    "sum",
    "var",
]

cdef enum:
    LANES = 32
    BLOCK = 1024
    STRIP = 2048  # partial sums for a strip of columns, on the stack
    COLUMNS = 64  # columns whose 32 lanes are folded together
    NDIM = 64
    RELEASE = 20000  # from this many elements on, other threads may run meanwhile

cdef enum Code:
    OTHER
    FLOAT32
    FLOAT64
    INT64
    BOOL

ctypedef fused element:
    float
    double
    uint64_t
    cnp.int64_t
    uint8_t

ctypedef fused summand:
    float
    double
    uint64_t

ctypedef fused scanned:
    float
    double
    uint64_t

ctypedef fused wide:  # what running totals of floats, and of integers, are carried as
    double
    uint64_t

ctypedef fused ordered:
    float
    double
    cnp.int64_t
    uint8_t

cdef struct Walk:
    int ndim
    Py_ssize_t x, out  # where it stands, in bytes from the first element
    Py_ssize_t size[NDIM]
    Py_ssize_t x_step[NDIM]
    Py_ssize_t out_step[NDIM]
    Py_ssize_t index[NDIM]

cdef struct Plan:
    char* x
    char* out
    Py_ssize_t outputs, count  # elements of out, and elements of x reduced to each
    Py_ssize_t width, x_step, out_step  # the kept axis taken in strips; width 0 when going by rows
    Walk kept
    Walk reduced


cdef inline Py_ssize_t lesser(Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """The builtin min, whose name this module gives to a kernel."""
    return a if a < b else b


cdef inline Code code_of(cnp.ndarray x) noexcept:
    """The element type of an aligned array in native byte order."""
    cdef int number = cnp.PyArray_TYPE(x)
    if not cnp.PyArray_ISBEHAVED_RO(x):
        return OTHER
    if number == cnp.NPY_FLOAT:
        return FLOAT32
    if number == cnp.NPY_DOUBLE:
        return FLOAT64
    if number == cnp.NPY_INT64 or number == cnp.NPY_LONGLONG:
        return INT64
    return BOOL if number == cnp.NPY_BOOL else OTHER


cdef inline void begin(Walk* walk) noexcept nogil:
    """An empty walk at the first element."""
    walk.ndim = 0
    walk.x = walk.out = 0


cdef inline void append(Walk* walk, Py_ssize_t size, Py_ssize_t x_step, Py_ssize_t out_step) noexcept nogil:
    """Give a walk one more axis inside the others, merged with the last where one stride steps through both."""
    cdef int last = walk.ndim - 1
    if size == 1:
        return
    if last >= 0 and walk.x_step[last] == size * x_step and walk.out_step[last] == size * out_step:
        size *= walk.size[last]
    else:
        last = walk.ndim
        walk.ndim += 1
        walk.index[last] = 0
    walk.size[last] = size
    walk.x_step[last] = x_step
    walk.out_step[last] = out_step


cdef inline void advance(Walk* walk, int axis) noexcept nogil:
    """One step along an axis, carried to the axes before it; from the last element back to the first."""
    while axis >= 0:
        walk.index[axis] += 1
        walk.x += walk.x_step[axis]
        walk.out += walk.out_step[axis]
        if walk.index[axis] < walk.size[axis]:
            return
        walk.x -= walk.size[axis] * walk.x_step[axis]
        walk.out -= walk.size[axis] * walk.out_step[axis]
        walk.index[axis] = 0
        axis -= 1


cdef bint lay_out(Plan* plan, cnp.ndarray x, cnp.ndarray out) noexcept:
    """Sort the axes of `x` into kept and reduced ones; false when `out` has not a shape that `x` reduces to."""
    cdef int axis, best, ndim = cnp.PyArray_NDIM(x), missing = ndim - cnp.PyArray_NDIM(out)
    cdef Py_ssize_t size, kept
    cdef Walk* walk = &plan.kept
    if missing < 0 or not cnp.PyArray_ISWRITEABLE(out):
        return False
    plan.x, plan.out = cnp.PyArray_BYTES(x), cnp.PyArray_BYTES(out)
    plan.outputs = plan.count = 1
    begin(&plan.kept)
    begin(&plan.reduced)
    for axis in range(ndim):
        size = cnp.PyArray_DIM(x, axis)
        kept = 1 if axis < missing else cnp.PyArray_DIM(out, axis - missing)
        if kept == size and axis >= missing:
            plan.outputs *= size
            append(&plan.kept, size, cnp.PyArray_STRIDE(x, axis), cnp.PyArray_STRIDE(out, axis - missing))
        elif kept == 1:
            plan.count *= size
            append(&plan.reduced, size, cnp.PyArray_STRIDE(x, axis), 0)
        else:
            return False
    if plan.reduced.ndim == 0:
        plan.reduced.ndim = 1
        plan.reduced.size[0] = 1
        plan.reduced.x_step[0] = plan.reduced.out_step[0] = plan.reduced.index[0] = 0
    plan.width = 0
    if walk.ndim == 0:
        return True
    best = walk.ndim - 1
    for axis in range(best):
        if distance(walk.x_step[axis]) < distance(walk.x_step[best]):
            best = axis
    if walk.size[best] >= 4 and (
        plan.count < LANES or distance(walk.x_step[best]) < distance(plan.reduced.x_step[plan.reduced.ndim - 1])
    ):
        plan.width, plan.x_step, plan.out_step = walk.size[best], walk.x_step[best], walk.out_step[best]
        walk.ndim -= 1
        for axis in range(best, walk.ndim):
            walk.size[axis] = walk.size[axis + 1]
            walk.x_step[axis] = walk.x_step[axis + 1]
            walk.out_step[axis] = walk.out_step[axis + 1]
        plan.outputs //= plan.width
    return True


cdef inline Py_ssize_t distance(Py_ssize_t step) noexcept nogil:
    """How far apart in memory a stride puts neighbours."""
    return -step if step < 0 else step


cdef const element* next_block(const char* x, Walk* walk, element* buffer, Py_ssize_t count) noexcept nogil:
    """The next `count` elements of a walk in a row: in place where they lie so, gathered into `buffer` otherwise."""
    cdef int inner = walk.ndim - 1
    cdef Py_ssize_t k, take, filled = 0, step = walk.x_step[inner]
    cdef const char* run
    while filled < count:
        run = x + walk.x
        take = lesser(count - filled, walk.size[inner] - walk.index[inner])
        walk.index[inner] += take - 1
        walk.x += (take - 1) * step
        advance(walk, inner)
        if take == count and step == sizeof(element):
            return <const element*> run
        for k in range(take):
            buffer[filled + k] = (<const element*> (run + k * step))[0]
        filled += take
    return buffer


cdef inline Py_ssize_t in_one_run(Walk* walk, Py_ssize_t size) noexcept nogil:
    """How many elements `next_block` can give: all that lie in a row from here on, at least a block."""
    cdef int inner = walk.ndim - 1
    cdef Py_ssize_t left = walk.size[inner] - walk.index[inner]
    return left if walk.x_step[inner] == size and left > BLOCK else BLOCK


cdef inline bint are_short_runs(Plan* plan, Py_ssize_t size) noexcept nogil:
    """Whether the elements of each output lie in a row, and are at least one and at most a block."""
    return plan.reduced.ndim == 1 and plan.reduced.x_step[0] == size and 1 <= plan.count <= BLOCK


cdef void next_rows(Walk* walk, Py_ssize_t* rows, Py_ssize_t count) noexcept nogil:
    """Where the next `count` elements of a walk lie, in bytes."""
    cdef Py_ssize_t k
    for k in range(count):
        rows[k] = walk.x
        advance(walk, walk.ndim - 1)


# region [block_sum]
cdef summand block_sum(const summand* x, Py_ssize_t count) noexcept nogil:
    """The sum of 1 to 1024 elements: 32 lanes, each added up in order, folded in half until one is left."""
    cdef summand lanes[LANES]
    cdef Py_ssize_t k, lane, half
    if count < LANES:
        for lane in range(count):
            lanes[lane] = x[lane]
        half = LANES // 2
        while half:
            for lane in range(lesser(half, count - half)):
                lanes[lane] += lanes[lane + half]
            half //= 2
        return lanes[0]
    for lane in range(LANES):
        lanes[lane] = x[lane]
    k = LANES
    while k + LANES <= count:
        for lane in range(LANES):
            lanes[lane] += x[k + lane]
        k += LANES
    for lane in range(count - k):
        lanes[lane] += x[k + lane]
    for lane in range(16):
        lanes[lane] += lanes[lane + 16]
    for lane in range(8):
        lanes[lane] += lanes[lane + 8]
    for lane in range(4):
        lanes[lane] += lanes[lane + 4]
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
# endregion [block_sum]


# region [carry]
cdef inline int carry(summand* carries, int depth, Py_ssize_t blocks, summand total) noexcept nogil:
    """Put the sum of a block on a pile, as the carries of a counter of blocks; the new height of the pile."""
    while blocks % 2 == 0:
        depth -= 1
        total = carries[depth] + total
        blocks //= 2
    carries[depth] = total
    return depth + 1


cdef inline summand collapse(const summand* carries, int depth) noexcept nogil:
    """The sum of a pile, the smallest part first."""
    cdef summand total = carries[depth - 1] if depth else 0
    while depth > 1:
        depth -= 1
        total = carries[depth - 1] + total
    return total
# endregion [carry]


cdef void sum_rows(Plan* plan, bint mean, summand like) noexcept nogil:
    """For each output the sums of its blocks, folded like the carries of a binary counter."""
    cdef summand buffer[BLOCK]
    cdef summand carries[64]
    cdef summand total
    cdef const summand* block
    cdef Py_ssize_t _output, start, count, blocks
    cdef int depth
    cdef bint short = are_short_runs(plan, sizeof(summand))
    for _output in range(plan.outputs):
        if short:
            total = block_sum(<const summand*> (plan.x + plan.kept.x), plan.count)
        else:
            depth = 0
            blocks = 0
            start = 0
            while start < plan.count:
                count = lesser(BLOCK, plan.count - start)
                block = next_block(plan.x + plan.kept.x, &plan.reduced, buffer, count)
                blocks += 1
                depth = carry(carries, depth, blocks, block_sum(block, count))
                start += BLOCK
            total = collapse(carries, depth)
        if summand is not uint64_t:
            if mean:
                total = total / <summand> plan.count
        (<summand*> (plan.out + plan.kept.out))[0] = total
        advance(&plan.kept, plan.kept.ndim - 1)


cdef inline void add_strip(summand* total, const summand* part, Py_ssize_t width) noexcept nogil:
    """Add one strip to another."""
    cdef Py_ssize_t c
    for c in range(width):
        total[c] += part[c]


cdef void lane_strip(
    summand* total, const char* x, const Py_ssize_t* rows, Py_ssize_t count, Py_ssize_t width, Py_ssize_t step,
) noexcept nogil:
    """One lane for a strip of columns: rows 0, 32, 64, ... added up in order, four for each pass over the strip."""
    cdef Py_ssize_t c, k = LANES
    cdef const summand* p
    cdef const summand* q
    cdef const summand* r
    cdef const summand* s
    if step != sizeof(summand):
        for c in range(width):
            total[c] = (<const summand*> (x + rows[0] + c * step))[0]
        while k < count:
            for c in range(width):
                total[c] += (<const summand*> (x + rows[k] + c * step))[0]
            k += LANES
        return
    p = <const summand*> (x + rows[0])
    for c in range(width):
        total[c] = p[c]
    while k + 3 * LANES < count:
        p, q = <const summand*> (x + rows[k]), <const summand*> (x + rows[k + LANES])
        r, s = <const summand*> (x + rows[k + 2 * LANES]), <const summand*> (x + rows[k + 3 * LANES])
        for c in range(width):
            total[c] = total[c] + p[c] + q[c] + r[c] + s[c]
        k += 4 * LANES
    while k < count:
        add_strip(total, <const summand*> (x + rows[k]), width)
        k += LANES


cdef const summand* fold_strip(
    summand* room, const char* x, const Py_ssize_t* rows, Py_ssize_t count, Py_ssize_t apart, Py_ssize_t width,
    Py_ssize_t step,
) noexcept nogil:
    """Lanes 0, apart, 2 * apart, ... for a strip of columns, folded in half: those at even places and those at odd.

    The sums are returned in `room`, or, where there is but one row and it is contiguous, in `x` itself.
    """
    cdef const summand* left
    cdef const summand* right
    cdef Py_ssize_t c
    if count <= apart and step == sizeof(summand):
        return <const summand*> (x + rows[0])
    if apart == LANES:
        lane_strip(room, x, rows, count, width, step)
        return room
    left = fold_strip(room, x, rows, count, 2 * apart, width, step)
    if count > apart:
        right = fold_strip(room + width, x, rows + apart, count - apart, 2 * apart, width, step)
        if left == room:
            add_strip(room, right, width)
        else:
            for c in range(width):
                room[c] = left[c] + right[c]
    return room


cdef void sum_columns(Plan* plan, bint mean, summand like) noexcept nogil:
    """As `sum_rows`, with a strip of columns in place of each number."""
    cdef summand strips[STRIP]
    cdef Py_ssize_t rows[BLOCK]
    cdef Py_ssize_t _output, first, width, start, count, blocks, c, levels = 7, depth
    cdef summand* total
    cdef const summand* part
    cdef char* out
    count = plan.count // BLOCK
    while count:
        levels += 1
        count //= 2
    for _output in range(plan.outputs):
        first = 0
        while first < plan.width:
            width = lesser(STRIP // levels, plan.width - first)
            depth = 0
            blocks = 0
            start = 0
            while start < plan.count:
                count = lesser(BLOCK, plan.count - start)
                if _output + first == 0 or plan.count > BLOCK:
                    next_rows(&plan.reduced, rows, count)
                total = strips + depth * width
                part = fold_strip(
                    total, plan.x + plan.kept.x + first * plan.x_step, rows, count, 1, width, plan.x_step
                )
                if part != total:
                    for c in range(width):
                        total[c] = part[c]
                blocks += 1
                count = blocks
                while count % 2 == 0:
                    depth -= 1
                    add_strip(strips + depth * width, strips + (depth + 1) * width, width)
                    count //= 2
                depth += 1
                start += BLOCK
            total = strips
            if depth == 0:
                for c in range(width):
                    total[c] = 0
            while depth > 1:
                depth -= 1
                add_strip(strips + (depth - 1) * width, strips + depth * width, width)
            if summand is not uint64_t:
                if mean:
                    for c in range(width):
                        total[c] /= <summand> plan.count
            out = plan.out + plan.kept.out + first * plan.out_step
            for c in range(width):
                (<summand*> (out + c * plan.out_step))[0] = total[c]
            first += STRIP // levels
        advance(&plan.kept, plan.kept.ndim - 1)


cdef void count_rows(Plan* plan) noexcept nogil:
    """How many bools of each output are true."""
    cdef uint8_t buffer[BLOCK]
    cdef const uint8_t* block
    cdef Py_ssize_t _output, column, start, count, k
    cdef cnp.int64_t total
    for _output in range(plan.outputs):
        for column in range(plan.width if plan.width else 1):
            total = 0
            start = 0
            while start < plan.count:
                count = lesser(BLOCK, plan.count - start)
                block = next_block(plan.x + plan.kept.x + column * plan.x_step, &plan.reduced, buffer, count)
                for k in range(count):
                    total += block[k]
                start += BLOCK
            (<cnp.int64_t*> (plan.out + plan.kept.out + column * plan.out_step))[0] = total
        advance(&plan.kept, plan.kept.ndim - 1)


cdef void add_up(Plan* plan, Code code, bint mean) noexcept nogil:
    """Run the loop that fits the type and the layout."""
    if code == FLOAT32:
        if plan.width:
            sum_columns[float](plan, mean, 0)
        else:
            sum_rows[float](plan, mean, 0)
    elif code == FLOAT64:
        if plan.width:
            sum_columns[double](plan, mean, 0)
        else:
            sum_rows[double](plan, mean, 0)
    elif code == INT64:
        if plan.width:
            sum_columns[uint64_t](plan, mean, 0)
        else:
            sum_rows[uint64_t](plan, mean, 0)
    else:
        if plan.width == 0:
            plan.x_step = plan.out_step = 0
        count_rows(plan)


def sum(cnp.ndarray x not None, cnp.ndarray out not None):
    """Add up the elements of `x` along every axis that `out` lacks or has with size 1."""
    cdef Plan plan
    cdef Code code = code_of(x)
    if code == OTHER or code_of(out) != (INT64 if code == BOOL else code) or not lay_out(&plan, x, out):
        raise refusal("sum", x, out)
    if cnp.PyArray_SIZE(x) < RELEASE:
        add_up(&plan, code, False)
    else:
        with nogil:
            add_up(&plan, code, False)


def mean(cnp.ndarray x not None, cnp.ndarray out not None):
    """Write the sum along the reduced axes divided by the number of elements in it; nan where there are none."""
    cdef Plan plan
    cdef Code code = code_of(x)
    if (code != FLOAT32 and code != FLOAT64) or code_of(out) != code or not lay_out(&plan, x, out):
        raise refusal("mean", x, out)
    if cnp.PyArray_SIZE(x) < RELEASE:
        add_up(&plan, code, True)
    else:
        with nogil:
            add_up(&plan, code, True)


cdef inline bint beats(bint largest, ordered a, ordered b) noexcept nogil:
    """Whether `a` is strictly the better of two numbers."""
    return a > b if largest else a < b


cdef inline bint is_nan(ordered a) noexcept nogil:
    """Whether a number is none."""
    if ordered is float or ordered is double:
        return a != a
    else:
        return False


cdef inline ordered pick(bint largest, ordered a, ordered b) noexcept nogil:
    """The better of two numbers, `b` when they are equal; a nan is better than all."""
    return a if beats(largest, a, b) or is_nan(a) else b


cdef inline bint has_sign(bint minus, ordered zero) noexcept nogil:
    """Whether a number is -0.0 (for minus) or +0.0."""
    if ordered is float or ordered is double:
        return zero == 0 and (1 / zero < 0) == minus
    else:
        return False


cdef inline ordered better(bint largest, ordered a, ordered b) noexcept nogil:
    """The better of two numbers of which none is nan."""
    return a if beats(largest, a, b) else b


cdef ordered many_best(bint largest, const ordered* x, Py_ssize_t count) noexcept nogil:
    """The best of 32 elements or more, in lanes as a sum's.

    A nan loses every comparison, so the lanes are added up too: where their sum is nan, one is looked for. The last
    lanes may take an element a second time, which changes no maximum and saves the loop over what is left.
    """
    cdef ordered lanes[LANES]
    cdef ordered sums[LANES]
    cdef Py_ssize_t k = 0, lane
    for lane in range(LANES):
        lanes[lane] = sums[lane] = x[lane]
    while k + LANES < count:
        k = k + LANES if k + 2 * LANES <= count else count - LANES
        for lane in range(LANES):
            lanes[lane] = better(largest, x[k + lane], lanes[lane])
            if ordered is float or ordered is double:
                sums[lane] += x[k + lane]
    for lane in range(16):
        lanes[lane] = better(largest, lanes[lane + 16], lanes[lane])
        if ordered is float or ordered is double:
            sums[lane] += sums[lane + 16]
    for lane in range(8):
        lanes[lane] = better(largest, lanes[lane + 8], lanes[lane])
        if ordered is float or ordered is double:
            sums[lane] += sums[lane + 8]
    for lane in range(4):
        lanes[lane] = better(largest, lanes[lane + 4], lanes[lane])
        if ordered is float or ordered is double:
            sums[lane] += sums[lane + 4]
    if ordered is float or ordered is double:
        if is_nan(sums[0] + sums[1] + (sums[2] + sums[3])):
            for k in range(count):
                if is_nan(x[k]):
                    return x[k]
    return better(largest, better(largest, lanes[3], lanes[1]), better(largest, lanes[2], lanes[0]))


cdef ordered few_best(bint largest, const ordered* x, Py_ssize_t count) noexcept nogil:
    """The best of 1 to 31 elements; it may take one twice."""
    cdef ordered lanes[16]
    cdef Py_ssize_t lane
    if count >= 16:
        for lane in range(16):
            lanes[lane] = pick(largest, x[count - 16 + lane], x[lane])
    elif count >= 8:
        for lane in range(8):
            lanes[lane] = pick(largest, x[count - 8 + lane], x[lane])
    elif count >= 4:
        for lane in range(4):
            lanes[lane] = pick(largest, x[count - 4 + lane], x[lane])
    else:
        for lane in range(4):
            lanes[lane] = x[lane if lane < count else 0]
    if count >= 16:
        for lane in range(8):
            lanes[lane] = pick(largest, lanes[lane + 8], lanes[lane])
    if count >= 8:
        for lane in range(4):
            lanes[lane] = pick(largest, lanes[lane + 4], lanes[lane])
    return pick(largest, pick(largest, lanes[3], lanes[1]), pick(largest, lanes[2], lanes[0]))


cdef inline ordered block_best(bint largest, const ordered* x, Py_ssize_t count) noexcept nogil:
    """The best of 1 element or more, and of two zeros the one that is more."""
    cdef Py_ssize_t k
    cdef ordered best = many_best(largest, x, count) if count >= LANES else few_best(largest, x, count)
    if has_sign(largest, best):
        for k in range(count):
            if has_sign(not largest, x[k]):
                return x[k]
    return best


cdef inline Py_ssize_t first_equal(const ordered* x, Py_ssize_t count, ordered best) noexcept nogil:
    """Where the best of a block stands first; 32 elements are compared at once, then those 32 one by one."""
    cdef Py_ssize_t k = 0, lane
    cdef bint found
    if is_nan(best):
        while not is_nan(x[k]):
            k += 1
        return k
    while k + LANES <= count:
        found = False
        for lane in range(LANES):
            found |= x[k + lane] == best
        if found:
            break
        k += LANES
    while x[k] != best:
        k += 1
    return k


cdef inline void best_rows(Plan* plan, bint largest, ordered like) noexcept nogil:
    """For each output the best of the best of its blocks."""
    cdef ordered buffer[BLOCK]
    cdef ordered best, candidate
    cdef const ordered* block
    cdef Py_ssize_t _output, start, count
    cdef bint short = are_short_runs(plan, sizeof(ordered))
    for _output in range(plan.outputs):
        best = 0
        start = 0
        if short:
            best = block_best(largest, <const ordered*> (plan.x + plan.kept.x), plan.count)
            start = plan.count
        while start < plan.count:
            count = lesser(in_one_run(&plan.reduced, sizeof(ordered)), plan.count - start)
            block = next_block(plan.x + plan.kept.x, &plan.reduced, buffer, count)
            candidate = block_best(largest, block, count)
            if start == 0 or has_sign(not largest, candidate) and best == 0:
                best = candidate
            else:
                best = pick(largest, candidate, best)
            start += count
        (<ordered*> (plan.out + plan.kept.out))[0] = best
        advance(&plan.kept, plan.kept.ndim - 1)


cdef inline void best_columns(Plan* plan, bint largest, ordered like) noexcept nogil:
    """As `best_rows`, for strips of columns: each row is compared with the best so far."""
    cdef ordered best[BLOCK]
    cdef const char* x
    cdef const char* row
    cdef char* out
    cdef Py_ssize_t _output, _k, first, width, c, step = plan.x_step
    for _output in range(plan.outputs):
        first = 0
        while first < plan.width:
            width = lesser(BLOCK, plan.width - first)
            x = plan.x + plan.kept.x + first * step
            out = plan.out + plan.kept.out + first * plan.out_step
            for c in range(width):
                best[c] = (<const ordered*> (x + c * step))[0]
            for _k in range(plan.count):
                row = x + plan.reduced.x
                if step == sizeof(ordered):
                    for c in range(width):
                        best[c] = pick(largest, (<const ordered*> row)[c], best[c])
                else:
                    for c in range(width):
                        best[c] = pick(largest, (<const ordered*> (row + c * step))[0], best[c])
                advance(&plan.reduced, plan.reduced.ndim - 1)
            for c in range(width):
                if has_sign(largest, best[c]):
                    best[c] = best_zero(x + c * step, &plan.reduced, plan.count, largest, best[c])
                (<ordered*> (out + c * plan.out_step))[0] = best[c]
            first += BLOCK
        advance(&plan.kept, plan.kept.ndim - 1)


cdef ordered best_zero(const char* x, Walk* walk, Py_ssize_t count, bint largest, ordered zero) noexcept nogil:
    """The zero of the better sign, if there is one among the elements; else `zero`."""
    cdef Py_ssize_t _k
    cdef ordered found = zero
    for _k in range(count):
        if has_sign(not largest, (<const ordered*> (x + walk.x))[0]):
            found = (<const ordered*> (x + walk.x))[0]
        advance(walk, walk.ndim - 1)
    return found


cdef void find_best(Plan* plan, bint largest, ordered like) noexcept nogil:
    """Run the loop that fits the layout, compiled once for each direction."""
    if plan.width:
        if largest:
            best_columns(plan, True, like)
        else:
            best_columns(plan, False, like)
    elif largest:
        best_rows(plan, True, like)
    else:
        best_rows(plan, False, like)


cdef void choose(Plan* plan, Code code, bint largest) noexcept nogil:
    """Run the loop that fits the type."""
    if code == FLOAT32:
        find_best[float](plan, largest, 0)
    elif code == FLOAT64:
        find_best[double](plan, largest, 0)
    elif code == INT64:
        find_best[cnp.int64_t](plan, largest, 0)
    else:
        find_best[uint8_t](plan, largest, 0)


cdef extreme(str name, cnp.ndarray x, cnp.ndarray out, bint largest):
    """The door of max and min."""
    cdef Plan plan
    cdef Code code = code_of(x)
    if code == OTHER or code_of(out) != code or not lay_out(&plan, x, out) or (plan.count == 0 and plan.outputs > 0):
        raise refusal(name, x, out)
    if cnp.PyArray_SIZE(x) < RELEASE:
        choose(&plan, code, largest)
    else:
        with nogil:
            choose(&plan, code, largest)


def max(cnp.ndarray x not None, cnp.ndarray out not None):
    """Write the largest element along the reduced axes; a nan wins, and +0 is larger than -0."""
    extreme("max", x, out, True)


def min(cnp.ndarray x not None, cnp.ndarray out not None):
    """Write the smallest element along the reduced axes; a nan wins, and -0 is smaller than +0."""
    extreme("min", x, out, False)


cdef void argmax_rows(Plan* plan, ordered like) noexcept nogil:
    """For each output where its best stands: a block is searched only when its best beats all before it."""
    cdef ordered buffer[BLOCK]
    cdef ordered best, candidate
    cdef const ordered* block
    cdef Py_ssize_t _output, start, count
    cdef cnp.int64_t position
    for _output in range(plan.outputs):
        best = 0
        position = 0
        start = 0
        while start < plan.count:
            count = lesser(BLOCK, plan.count - start)
            block = next_block(plan.x + plan.kept.x, &plan.reduced, buffer, count)
            candidate = block_best(True, block, count)
            if start == 0 or candidate > best or (is_nan(candidate) and not is_nan(best)):
                best = candidate
                position = start + first_equal(block, count, best)
            start += BLOCK
        (<cnp.int64_t*> (plan.out + plan.kept.out))[0] = position
        advance(&plan.kept, plan.kept.ndim - 1)


cdef void argmax_columns(Plan* plan, ordered like) noexcept nogil:
    """As `argmax_rows`, for strips of columns."""
    cdef ordered best[BLOCK]
    cdef cnp.int64_t position[BLOCK]
    cdef ordered value
    cdef const char* x
    cdef const char* row
    cdef char* out
    cdef bint better
    cdef Py_ssize_t _output, first, width, k, c, step = plan.x_step
    for _output in range(plan.outputs):
        first = 0
        while first < plan.width:
            width = lesser(BLOCK, plan.width - first)
            x = plan.x + plan.kept.x + first * step
            out = plan.out + plan.kept.out + first * plan.out_step
            for c in range(width):
                best[c] = (<const ordered*> (x + c * step))[0]
                position[c] = 0
            for k in range(plan.count):
                row = x + plan.reduced.x
                if step == sizeof(ordered):
                    for c in range(width):
                        value = (<const ordered*> row)[c]
                        better = (value > best[c]) | (is_nan(value) & (not is_nan(best[c])))
                        best[c] = value if better else best[c]
                        position[c] = k if better else position[c]
                else:
                    for c in range(width):
                        value = (<const ordered*> (row + c * step))[0]
                        better = (value > best[c]) | (is_nan(value) & (not is_nan(best[c])))
                        best[c] = value if better else best[c]
                        position[c] = k if better else position[c]
                advance(&plan.reduced, plan.reduced.ndim - 1)
            for c in range(width):
                (<cnp.int64_t*> (out + c * plan.out_step))[0] = position[c]
            first += BLOCK
        advance(&plan.kept, plan.kept.ndim - 1)


cdef void locate(Plan* plan, Code code) noexcept nogil:
    """Run the loop that fits the type and the layout."""
    if code == FLOAT32:
        if plan.width:
            argmax_columns[float](plan, 0)
        else:
            argmax_rows[float](plan, 0)
    elif code == FLOAT64:
        if plan.width:
            argmax_columns[double](plan, 0)
        else:
            argmax_rows[double](plan, 0)
    elif code == INT64:
        if plan.width:
            argmax_columns[cnp.int64_t](plan, 0)
        else:
            argmax_rows[cnp.int64_t](plan, 0)
    elif plan.width:
        argmax_columns[uint8_t](plan, 0)
    else:
        argmax_rows[uint8_t](plan, 0)


def argmax(cnp.ndarray x not None, cnp.ndarray out not None):
    """Write where the largest element along the reduced axes stands first, in row-major order; a nan is largest."""
    cdef Plan plan
    cdef Code code = code_of(x)
    if code == OTHER or code_of(out) != INT64 or not lay_out(&plan, x, out) or (plan.count == 0 and plan.outputs > 0):
        raise refusal("argmax", x, out)
    if cnp.PyArray_SIZE(x) < RELEASE:
        locate(&plan, code)
    else:
        with nogil:
            locate(&plan, code)


cdef inline void rewind(Walk* walk) noexcept nogil:
    """Back to the first element, from anywhere."""
    cdef int axis
    walk.x = walk.out = 0
    for axis in range(walk.ndim):
        walk.index[axis] = 0


cdef void decide(Plan* plan, bint every, bint whole, ordered like) noexcept nogil:
    """For each output whether every element, or any, is nonzero; as int64 where `whole`."""
    cdef ordered buffer[BLOCK]
    cdef const ordered* block
    cdef Py_ssize_t _output, column, start, count, k
    cdef char* out
    cdef uint8_t against
    cdef bint answer
    for _output in range(plan.outputs):
        for column in range(plan.width if plan.width else 1):
            answer = every
            start = 0
            while start < plan.count and answer == every:
                count = lesser(BLOCK, plan.count - start)
                block = next_block(plan.x + plan.kept.x + column * plan.x_step, &plan.reduced, buffer, count)
                against = 0
                for k in range(count):
                    against |= <uint8_t> ((block[k] != 0) != every)
                if against:
                    answer = not every
                start += BLOCK
            rewind(&plan.reduced)
            out = plan.out + plan.kept.out + column * plan.out_step
            if whole:
                (<cnp.int64_t*> out)[0] = answer
            else:
                (<uint8_t*> out)[0] = answer
        advance(&plan.kept, plan.kept.ndim - 1)


cdef void decide_columns(Plan* plan, bint every, bint whole, ordered like) noexcept nogil:
    """As `decide`, for strips of columns."""
    cdef uint8_t against[BLOCK]
    cdef const char* row
    cdef char* out
    cdef Py_ssize_t _output, _k, first, width, c, step = plan.x_step
    for _output in range(plan.outputs):
        first = 0
        while first < plan.width:
            width = lesser(BLOCK, plan.width - first)
            for c in range(width):
                against[c] = 0
            for _k in range(plan.count):
                row = plan.x + plan.kept.x + plan.reduced.x + first * step
                if step == sizeof(ordered):
                    for c in range(width):
                        against[c] |= ((<const ordered*> row)[c] != 0) != every
                else:
                    for c in range(width):
                        against[c] |= ((<const ordered*> (row + c * step))[0] != 0) != every
                advance(&plan.reduced, plan.reduced.ndim - 1)
            for c in range(width):
                out = plan.out + plan.kept.out + (first + c) * plan.out_step
                if whole:
                    (<cnp.int64_t*> out)[0] = against[c] == 0 if every else against[c] != 0
                else:
                    (<uint8_t*> out)[0] = against[c] == 0 if every else against[c] != 0
            first += BLOCK
        advance(&plan.kept, plan.kept.ndim - 1)


cdef void decide_as(Plan* plan, bint every, bint whole, ordered like) noexcept nogil:
    """Run the loop that fits the layout."""
    if plan.width:
        decide_columns(plan, every, whole, like)
    else:
        plan.x_step = plan.out_step = 0
        decide(plan, every, whole, like)


cdef void judge(Plan* plan, Code code, bint every, bint whole) noexcept nogil:
    """Run the loop that fits the type."""
    if code == FLOAT32:
        decide_as[float](plan, every, whole, 0)
    elif code == FLOAT64:
        decide_as[double](plan, every, whole, 0)
    elif code == INT64:
        decide_as[cnp.int64_t](plan, every, whole, 0)
    else:
        decide_as[uint8_t](plan, every, whole, 0)


cdef quantified(str name, cnp.ndarray x, cnp.ndarray out, bint every):
    """The door of all and any."""
    cdef Plan plan
    cdef Code code = code_of(x)
    if code == OTHER or code_of(out) != BOOL or not lay_out(&plan, x, out):
        raise refusal(name, x, out)
    if cnp.PyArray_SIZE(x) < RELEASE:
        judge(&plan, code, every, False)
    else:
        with nogil:
            judge(&plan, code, every, False)


def all(cnp.ndarray x not None, cnp.ndarray out not None):
    """Write whether every element along the reduced axes is nonzero; true of no elements, and a nan is nonzero."""
    quantified("all", x, out, True)


def any(cnp.ndarray x not None, cnp.ndarray out not None):
    """Write whether an element along the reduced axes is nonzero; false of no elements, and a nan is nonzero."""
    quantified("any", x, out, False)


cdef enum Fold:
    PRODUCT
    TOTAL
    DEVIATIONS
    NONZERO
    SIZES
    SQUARES
    POWERS
    LARGEST
    SMALLEST


cdef inline double identity(Fold fold) noexcept nogil:
    """What a lane holds before its first element."""
    if fold == PRODUCT:
        return 1
    return INFINITY if fold == SMALLEST else 0


# region [take]
cdef inline double take(Fold fold, double so_far, double value, double center, double p) noexcept nogil:
    """A lane that has taken in one more element."""
    if fold == PRODUCT:
        return so_far * value
    if fold == TOTAL:
        return so_far + value
    if fold == DEVIATIONS:
        return so_far + (value - center) * (value - center)
    if fold == NONZERO:
        return so_far + (value != 0)
    if fold == SQUARES:
        return so_far + value * value
    value = fabs(value)
    if fold == SIZES:
        return so_far + value
    if fold == POWERS:
        return so_far + power(value, p)
    if fold == LARGEST:
        return value if (value > so_far) | (value != value) else so_far
    return value if (value < so_far) | (value != value) else so_far


cdef inline double join(Fold fold, double a, double b) noexcept nogil:
    """Two lanes as one."""
    if fold == PRODUCT:
        return a * b
    if fold == LARGEST:
        return b if (b > a) | (b != b) else a
    if fold == SMALLEST:
        return b if (b < a) | (b != b) else a
    return a + b
# endregion [take]


cdef inline double finished(Fold fold, double total, Py_ssize_t count, double p) noexcept nogil:
    """What a fold's last lane means for `count` elements; `p` is the exponent, or the correction of a variance."""
    if fold == DEVIATIONS:
        return total / (<double> count - p if <double> count > p else 0.0)
    if fold == SQUARES:
        return square_root(total)
    if fold == POWERS:
        return power(total, 1 / p)
    return total


cdef inline void take_with(
    Fold fold, double* totals, const char* x, const Py_ssize_t* rows, Py_ssize_t times, Py_ssize_t step,
    Py_ssize_t width, const double* centers, double p, real like,
) noexcept nogil:
    """Without `rows`, 32 totals take in `times` neighbours each, in registers, and `width` of them one more.

    With rows, each of `width` totals takes in an element of rows 0, 32, ..., four for each pass over the totals.
    """
    cdef double lanes[LANES]
    cdef double center = centers[0]
    cdef const real* q = <const real*> x
    cdef const real* r
    cdef const real* s
    cdef const real* t
    cdef Py_ssize_t k = 0, c
    if rows == NULL:
        for c in range(LANES):
            lanes[c] = totals[c]
        while k < times:
            for c in range(LANES):
                lanes[c] = take(fold, lanes[c], <double> q[c], center, p)
            q += LANES
            k += 1
        for c in range(LANES):
            totals[c] = lanes[c]
        for c in range(width):
            totals[c] = take(fold, totals[c], <double> q[c], center, p)
    elif step == sizeof(real):
        while k + 3 < times:
            q, r = <const real*> (x + rows[k * LANES]), <const real*> (x + rows[(k + 1) * LANES])
            s, t = <const real*> (x + rows[(k + 2) * LANES]), <const real*> (x + rows[(k + 3) * LANES])
            for c in range(width):
                center = take(fold, totals[c], <double> q[c], centers[c], p)
                center = take(fold, center, <double> r[c], centers[c], p)
                center = take(fold, center, <double> s[c], centers[c], p)
                totals[c] = take(fold, center, <double> t[c], centers[c], p)
            k += 4
        while k < times:
            q = <const real*> (x + rows[k * LANES])
            for c in range(width):
                totals[c] = take(fold, totals[c], <double> q[c], centers[c], p)
            k += 1
    else:
        while k < times:
            for c in range(width):
                totals[c] = take(
                    fold, totals[c], <double> (<const real*> (x + rows[k * LANES] + c * step))[0], centers[c], p
                )
            k += 1


cdef void take_in(
    Fold fold, double* totals, const char* x, const Py_ssize_t* rows, Py_ssize_t times, Py_ssize_t step,
    Py_ssize_t width, const double* centers, double p, real like,
) noexcept nogil:
    """`take_with`, compiled once for each way of taking an element in."""
    if fold == PRODUCT:
        take_with(PRODUCT, totals, x, rows, times, step, width, centers, p, like)
    elif fold == TOTAL:
        take_with(TOTAL, totals, x, rows, times, step, width, centers, p, like)
    elif fold == DEVIATIONS:
        take_with(DEVIATIONS, totals, x, rows, times, step, width, centers, p, like)
    elif fold == NONZERO:
        take_with(NONZERO, totals, x, rows, times, step, width, centers, p, like)
    elif fold == SIZES:
        take_with(SIZES, totals, x, rows, times, step, width, centers, p, like)
    elif fold == SQUARES:
        take_with(SQUARES, totals, x, rows, times, step, width, centers, p, like)
    elif fold == POWERS:
        take_with(POWERS, totals, x, rows, times, step, width, centers, p, like)
    elif fold == LARGEST:
        take_with(LARGEST, totals, x, rows, times, step, width, centers, p, like)
    else:
        take_with(SMALLEST, totals, x, rows, times, step, width, centers, p, like)


cdef void fold_row(Plan* plan, Fold fold, double* lanes, const double* centers, double p, real like) noexcept nogil:
    """One output's elements, folded in 32 lanes; the result in the first."""
    cdef real buffer[BLOCK]
    cdef const real* block
    cdef Py_ssize_t lane, count, half, start = 0
    for lane in range(LANES):
        lanes[lane] = identity(fold)
    while start < plan.count:
        count = lesser(BLOCK, plan.count - start)
        block = next_block(plan.x + plan.kept.x, &plan.reduced, buffer, count)
        take_in(
            fold, lanes, <const char*> block, NULL, count // LANES, sizeof(real), count % LANES, centers, p, like
        )
        start += BLOCK
    half = LANES // 2
    while half:
        for lane in range(half):
            lanes[lane] = join(fold, lanes[lane], lanes[lane + half])
        half //= 2


cdef void fold_rows(Plan* plan, Fold fold, double p, real like) noexcept nogil:
    """Fold by rows: an output at a time."""
    cdef double lanes[LANES]
    cdef double centers[LANES]
    cdef Py_ssize_t _output, lane
    for lane in range(LANES):
        centers[lane] = 0
    for _output in range(plan.outputs):
        if fold == DEVIATIONS:
            fold_row(plan, TOTAL, lanes, centers, p, like)
            for lane in range(LANES):
                centers[lane] = lanes[0] / plan.count
        fold_row(plan, fold, lanes, centers, p, like)
        (<real*> (plan.out + plan.kept.out))[0] = <real> finished(fold, lanes[0], plan.count, p)
        advance(&plan.kept, plan.kept.ndim - 1)


cdef void fold_some(
    Plan* plan, Fold fold, double* totals, const double* centers, Py_ssize_t first, Py_ssize_t width, double p,
    real like,
) noexcept nogil:
    """The elements of a strip of columns, folded in 32 lanes of as many numbers each; the result in the first lane."""
    cdef Py_ssize_t rows[BLOCK]
    cdef Py_ssize_t c, count, half, lane, start = 0, lanes = lesser(LANES, plan.count), step = plan.x_step
    for c in range(width if lanes == 0 else lanes * width):
        totals[c] = identity(fold)
    while start < plan.count:
        count = lesser(BLOCK, plan.count - start)
        next_rows(&plan.reduced, rows, count)
        for lane in range(lesser(LANES, count)):
            take_in(
                fold, totals + lane * width, plan.x + plan.kept.x + first * step, rows + lane,
                (count - lane + LANES - 1) // LANES, step, width, centers, p, like,
            )
        start += BLOCK
    half = LANES // 2
    while half:
        for c in range(lesser(half, lanes - half) * width):
            totals[c] = join(fold, totals[c], totals[c + half * width])
        lanes = lesser(lanes, half)
        half //= 2


cdef void fold_columns(Plan* plan, Fold fold, double p, real like) noexcept nogil:
    """Fold by columns: a strip of outputs at a time, so that memory is read in the order in which it lies."""
    cdef double totals[LANES * COLUMNS]
    cdef double centers[COLUMNS]
    cdef Py_ssize_t _output, first, width, c
    for c in range(COLUMNS):
        centers[c] = 0
    for _output in range(plan.outputs):
        first = 0
        while first < plan.width:
            width = lesser(COLUMNS, plan.width - first)
            if fold == DEVIATIONS:
                fold_some(plan, TOTAL, totals, centers, first, width, p, like)
                for c in range(width):
                    centers[c] = totals[c] / plan.count
            fold_some(plan, fold, totals, centers, first, width, p, like)
            for c in range(width):
                (<real*> (plan.out + plan.kept.out + (first + c) * plan.out_step))[0] = <real> finished(
                    fold, totals[c], plan.count, p
                )
            first += COLUMNS
        advance(&plan.kept, plan.kept.ndim - 1)


cdef void fold_up(Plan* plan, Fold fold, double p, real like) noexcept nogil:
    """Run the loop that fits the layout."""
    if plan.width:
        fold_columns(plan, fold, p, like)
    else:
        fold_rows(plan, fold, p, like)


cdef void multiply_rows(Plan* plan) noexcept nogil:
    """The products of integers modulo 2**64; here the order of multiplications does not matter."""
    cdef uint64_t buffer[BLOCK]
    cdef const uint64_t* block
    cdef Py_ssize_t _output, column, start, count, k
    cdef uint64_t total
    for _output in range(plan.outputs):
        for column in range(plan.width if plan.width else 1):
            total = 1
            start = 0
            while start < plan.count:
                count = lesser(BLOCK, plan.count - start)
                block = next_block(plan.x + plan.kept.x + column * plan.x_step, &plan.reduced, buffer, count)
                for k in range(count):
                    total *= block[k]
                start += BLOCK
            (<uint64_t*> (plan.out + plan.kept.out + column * plan.out_step))[0] = total
        advance(&plan.kept, plan.kept.ndim - 1)


cdef void fold_any(Plan* plan, Code code, Fold fold, double p) noexcept nogil:
    """Run the loop that fits the type; the product of bools asks whether all are true."""
    if code == FLOAT32:
        fold_up[float](plan, fold, p, 0)
    elif code == FLOAT64:
        fold_up[double](plan, fold, p, 0)
    elif code == INT64:
        if plan.width == 0:
            plan.x_step = plan.out_step = 0
        multiply_rows(plan)
    else:
        judge(plan, code, True, True)


cdef folded(str name, cnp.ndarray x, cnp.ndarray out, Fold fold, double p):
    """The door of prod, var and norm."""
    cdef Plan plan
    cdef Code code = code_of(x)
    cdef bint taken = code != OTHER if fold == PRODUCT else (code == FLOAT32 or code == FLOAT64)
    if not taken or code_of(out) != (INT64 if code == BOOL else code) or not lay_out(&plan, x, out):
        raise refusal(name, x, out)
    if cnp.PyArray_SIZE(x) < RELEASE:
        fold_any(&plan, code, fold, p)
    else:
        with nogil:
            fold_any(&plan, code, fold, p)


def prod(cnp.ndarray x not None, cnp.ndarray out not None):
    """Write the product of the elements along the reduced axes; 1 of no elements."""
    folded("prod", x, out, PRODUCT, 0)


def var(cnp.ndarray x not None, cnp.ndarray out not None, double correction=1.0):
    """Write the sum of squared distances from the mean over (count - correction), along the reduced axes."""
    folded("var", x, out, DEVIATIONS, correction)


def norm(cnp.ndarray x not None, cnp.ndarray out not None, double p=2.0):
    """Write the p-norm along the reduced axes, ``(sum of |x|**p) ** (1/p)``."""
    cdef Fold fold = POWERS
    if p == 0:
        fold = NONZERO
    elif p == 1:
        fold = SIZES
    elif p == 2:
        fold = SQUARES
    elif p == INFINITY:
        fold = LARGEST
    elif p == -INFINITY:
        fold = SMALLEST
    folded("norm", x, out, fold, p)


cdef bint lay_out_scan(Plan* plan, cnp.ndarray x, cnp.ndarray out) noexcept:
    """As `lay_out` for running totals: the last axis is walked with a result for each element."""
    cdef int axis, last = cnp.PyArray_NDIM(x) - 1, best
    cdef Py_ssize_t size = 0
    cdef Walk* walk = &plan.kept
    if last < 0 or cnp.PyArray_NDIM(out) != last + 1 or not cnp.PyArray_ISWRITEABLE(out):
        return False
    plan.x, plan.out = cnp.PyArray_BYTES(x), cnp.PyArray_BYTES(out)
    plan.outputs = 1
    begin(walk)
    for axis in range(last + 1):
        size = cnp.PyArray_DIM(x, axis)
        if cnp.PyArray_DIM(out, axis) != size:
            return False
        if axis < last:
            plan.outputs *= size
            append(walk, size, cnp.PyArray_STRIDE(x, axis), cnp.PyArray_STRIDE(out, axis))
    plan.count = size
    begin(&plan.reduced)
    plan.reduced.x_step[0], plan.reduced.out_step[0] = cnp.PyArray_STRIDE(x, last), cnp.PyArray_STRIDE(out, last)
    plan.width = 0
    if walk.ndim == 0:
        return True
    best = walk.ndim - 1
    for axis in range(best):
        if distance(walk.out_step[axis]) < distance(walk.out_step[best]):
            best = axis
    if walk.size[best] >= 4 and distance(walk.out_step[best]) < distance(plan.reduced.out_step[0]):
        plan.width, plan.x_step, plan.out_step = walk.size[best], walk.x_step[best], walk.out_step[best]
        walk.ndim -= 1
        for axis in range(best, walk.ndim):
            walk.size[axis] = walk.size[axis + 1]
            walk.x_step[axis] = walk.x_step[axis + 1]
            walk.out_step[axis] = walk.out_step[axis + 1]
        plan.outputs //= plan.width
    return True


# region [scan]
cdef inline void scan_rows(Plan* plan, bint product, wide total, scanned like) noexcept nogil:
    """Running totals of one row after another."""
    cdef Py_ssize_t _output, k, x_step = plan.reduced.x_step[0], out_step = plan.reduced.out_step[0]
    cdef const char* x
    cdef char* out
    cdef wide value
    for _output in range(plan.outputs):
        x, out = plan.x + plan.kept.x, plan.out + plan.kept.out
        for k in range(plan.count):
            value = <wide> (<const scanned*> (x + k * x_step))[0]
            if k == 0:
                total = value
            elif product:
                total = total * value
            else:
                total = total + value
            (<scanned*> (out + k * out_step))[0] = <scanned> total
        advance(&plan.kept, plan.kept.ndim - 1)
# endregion [scan]


cdef inline void scan_columns(Plan* plan, bint product, wide value, scanned like) noexcept nogil:
    """As `scan_rows`, for strips of columns: memory is read and written in the order in which it lies."""
    cdef wide totals[BLOCK]
    cdef Py_ssize_t _output, first, width, k, c, x_step = plan.x_step, out_step = plan.out_step
    cdef const char* x
    cdef char* out
    for _output in range(plan.outputs):
        first = 0
        while first < plan.width:
            width = lesser(BLOCK, plan.width - first)
            for k in range(plan.count):
                x = plan.x + plan.kept.x + k * plan.reduced.x_step[0] + first * x_step
                out = plan.out + plan.kept.out + k * plan.reduced.out_step[0] + first * out_step
                for c in range(width):
                    value = <wide> (<const scanned*> (x + c * x_step))[0]
                    if k == 0:
                        totals[c] = value
                    elif product:
                        totals[c] = totals[c] * value
                    else:
                        totals[c] = totals[c] + value
                    (<scanned*> (out + c * out_step))[0] = <scanned> totals[c]
            first += BLOCK
        advance(&plan.kept, plan.kept.ndim - 1)


cdef inline void scan_as(Plan* plan, bint product, wide zero, scanned like) noexcept nogil:
    """Run the loop that fits the layout, compiled once for each operation."""
    if plan.width:
        if product:
            scan_columns(plan, True, zero, like)
        else:
            scan_columns(plan, False, zero, like)
    elif product:
        scan_rows(plan, True, zero, like)
    else:
        scan_rows(plan, False, zero, like)


cdef void scan(Plan* plan, Code code, bint product) noexcept nogil:
    """Run the loop that fits the type."""
    if code == FLOAT32:
        scan_as[double, float](plan, product, 0, 0)
    elif code == FLOAT64:
        scan_as[double, double](plan, product, 0, 0)
    else:
        scan_as[uint64_t, uint64_t](plan, product, 0, 0)


cdef cumulative(str name, cnp.ndarray x, cnp.ndarray out, bint product):
    """The door of cumsum and cumprod."""
    cdef Plan plan
    cdef Code code = code_of(x)
    if code == OTHER or code == BOOL or code_of(out) != code or not lay_out_scan(&plan, x, out):
        raise scan_refusal(name, x, out)
    if cnp.PyArray_SIZE(x) < RELEASE:
        scan(&plan, code, product)
    else:
        with nogil:
            scan(&plan, code, product)


def cumsum(cnp.ndarray x not None, cnp.ndarray out not None):
    """Write the sum of each element and all before it, along the last axis."""
    cumulative("cumsum", x, out, False)


def cumprod(cnp.ndarray x not None, cnp.ndarray out not None):
    """Write the product of each element and all before it, along the last axis."""
    cumulative("cumprod", x, out, True)


cdef enum RowKernel:
    SOFTMAX
    LOG_SOFTMAX
    LOGSUMEXP
    SOFTMAX_VJP
    LOG_SOFTMAX_VJP
    CUMPROD_VJP

cdef enum:
    SHORT = 256  # rows up to this long have their rooms on the stack

cdef struct Rows:
    leading.Walk walk  # over all axes but the last
    Py_ssize_t size  # of the last axis
    Py_ssize_t out_size  # of the last axis of out
    Py_ssize_t step[3]  # from one element of a row to the next, in bytes
    char* first[3]  # the operands: x or g, y, out


cdef real row_sum(const real* x, Py_ssize_t count) noexcept nogil:
    """The sum of a contiguous row, in the order of `sum`."""
    cdef real carries[64]
    cdef Py_ssize_t start = 0, blocks = 0
    cdef int depth = 0
    while start < count:
        blocks += 1
        depth = carry(carries, depth, blocks, block_sum(x + start, lesser(BLOCK, count - start)))
        start += BLOCK
    return collapse(carries, depth)


cdef real row_largest(const real* x, Py_ssize_t count) noexcept nogil:
    """The largest element of a contiguous row, a nan if there is one, -inf where there is none."""
    cdef real best = -INFINITY
    cdef Py_ssize_t start = 0
    while start < count:
        best = pick(True, block_best(True, x + start, lesser(BLOCK, count - start)), best)
        start += BLOCK
    return best


cdef void one_row(
    RowKernel kernel, const real* x, const real* y, real* out, real* room, Py_ssize_t count
) noexcept nogil:
    """One kernel on one contiguous row; `room` has space for as many numbers."""
    cdef real peak, total, scale
    cdef double carried
    cdef Py_ssize_t k
    # region [softmax-row]
    if kernel == SOFTMAX:
        peak = row_largest(x, count)
        for k in range(count):
            room[k] = falling_exponential(x[k] - peak)
        scale = 1 / row_sum(room, count)
        for k in range(count):
            out[k] = room[k] * scale
    # endregion [softmax-row]
    elif kernel == LOG_SOFTMAX:
        peak = row_largest(x, count)
        for k in range(count):
            room[k] = falling_exponential(x[k] - peak)
        total = <real> natural_logarithm(row_sum(room, count))
        for k in range(count):
            out[k] = (x[k] - peak) - total
    elif kernel == LOGSUMEXP:
        peak = row_largest(x, count)
        peak = peak if isfinite(peak) else 0
        for k in range(count):
            room[k] = exponential(x[k] - peak)
        out[0] = peak + <real> natural_logarithm(row_sum(room, count))
    elif kernel == SOFTMAX_VJP:
        for k in range(count):
            room[k] = x[k] * y[k]
        total = row_sum(room, count)
        for k in range(count):
            out[k] = y[k] * (x[k] - total)
    elif kernel == LOG_SOFTMAX_VJP:
        total = row_sum(x, count)
        for k in range(count):
            room[k] = exponential(y[k])
        for k in range(count):
            out[k] = x[k] - room[k] * total
    # region [cumprod_vjp]
    elif count:
        carried = x[count - 1]
        out[count - 1] = x[count - 1]
        for k in range(count - 2, -1, -1):
            carried = x[k] + y[k + 1] * carried
            out[k] = <real> carried
        carried = 1
        for k in range(count):
            out[k] = <real> (carried * out[k])
            carried = carried * y[k]
    # endregion [cumprod_vjp]


cdef inline const real* contiguous(const char* x, Py_ssize_t step, real* room, Py_ssize_t count) noexcept nogil:
    """A row as neighbours in memory: where it lies if they are, else copied into `room`."""
    cdef Py_ssize_t k
    if step == sizeof(real):
        return <const real*> x
    for k in range(count):
        room[k] = (<const real*> (x + k * step))[0]
    return room


cdef int each_row(Rows* rows, RowKernel kernel, real like) except -1 nogil:
    """One kernel on every row."""
    cdef real short_room[4 * SHORT]
    cdef real* room = short_room
    cdef Py_ssize_t index[leading.MAX_AXES]
    cdef Py_ssize_t offsets[leading.MAX_OPERANDS]
    cdef Py_ssize_t row, k, size = rows.size, last = rows.walk.axes - 1
    cdef const real* x
    cdef const real* y
    cdef real* out
    cdef char* target
    cdef int operand
    if size > SHORT:
        room = <real*> malloc(4 * size * sizeof(real))
        if room == NULL:
            with gil:
                raise MemoryError(f"softmax: no memory for rows of {size} numbers")
    for k in range(leading.MAX_AXES):
        index[k] = 0
    for operand in range(leading.MAX_OPERANDS):
        offsets[operand] = 0
    while True:
        for row in range(rows.walk.sizes[last]):
            x = contiguous(
                rows.first[0] + offsets[0] + row * rows.walk.steps[0][last], rows.step[0], room + size, size
            )
            y = contiguous(
                rows.first[1] + offsets[1] + row * rows.walk.steps[1][last], rows.step[1], room + 2 * size, size
            )
            target = rows.first[2] + offsets[2] + row * rows.walk.steps[2][last]
            out = <real*> target if rows.step[2] == sizeof(real) else room + 3 * size
            one_row(kernel, x, y, out, room, size)
            if rows.step[2] != sizeof(real):
                for k in range(rows.out_size):
                    (<real*> (target + k * rows.step[2]))[0] = out[k]
        if not leading.advance(&rows.walk, index, offsets):
            break
    if size > SHORT:
        free(room)
    return 0


cdef bint line_up(Rows* rows, cnp.ndarray x, cnp.ndarray y, cnp.ndarray out, bint keep) noexcept:
    """Take the operands apart into rows; false when their shapes or types do not fit."""
    cdef Code code = code_of(x)
    cdef int axis, ndim = cnp.PyArray_NDIM(x)
    cdef Py_ssize_t size
    if (
        ndim == 0 or cnp.PyArray_NDIM(y) != ndim or cnp.PyArray_NDIM(out) != ndim or code_of(y) != code
        or code_of(out) != code or (code != FLOAT32 and code != FLOAT64) or not cnp.PyArray_ISWRITEABLE(out)
    ):
        return False
    rows.walk.axes = ndim - 1
    rows.walk.operands = 3
    for axis in range(ndim):
        size = cnp.PyArray_DIM(x, axis)
        if cnp.PyArray_DIM(y, axis) != size or cnp.PyArray_DIM(out, axis) != (size if axis < ndim - 1 or keep else 1):
            return False
        rows.walk.sizes[axis] = size
        rows.walk.steps[0][axis] = cnp.PyArray_STRIDE(x, axis)
        rows.walk.steps[1][axis] = cnp.PyArray_STRIDE(y, axis)
        rows.walk.steps[2][axis] = cnp.PyArray_STRIDE(out, axis)
    rows.size = rows.walk.sizes[ndim - 1]
    rows.out_size = rows.size if keep else 1
    for axis in range(3):
        rows.step[axis] = rows.walk.steps[axis][ndim - 1]
    rows.first[0], rows.first[1], rows.first[2] = (
        cnp.PyArray_BYTES(x), cnp.PyArray_BYTES(y), cnp.PyArray_BYTES(out)
    )
    leading.merge(&rows.walk)
    return True


cdef bint row_by_row(RowKernel kernel, cnp.ndarray x, cnp.ndarray y, cnp.ndarray out) except -1:
    """The door of the softmax family; false for operands that it refuses."""
    cdef Rows rows
    if not line_up(&rows, x, y, out, kernel != LOGSUMEXP):
        return False
    if cnp.PyArray_SIZE(out) == 0:
        return True
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT:
        if cnp.PyArray_SIZE(x) < RELEASE:
            each_row[float](&rows, kernel, 0)
        else:
            with nogil:
                each_row[float](&rows, kernel, 0)
    elif cnp.PyArray_SIZE(x) < RELEASE:
        each_row[double](&rows, kernel, 0)
    else:
        with nogil:
            each_row[double](&rows, kernel, 0)
    return True


def softmax(cnp.ndarray x not None, cnp.ndarray out not None):
    """Write exp(x) over its sum, along the last axis; the largest element is subtracted first."""
    if not row_by_row(SOFTMAX, x, x, out):
        raise row_refusal("softmax", x=x, out=out)


def log_softmax(cnp.ndarray x not None, cnp.ndarray out not None):
    """Write the logarithm of `softmax`, along the last axis: x - max - log(sum(exp(x - max)))."""
    if not row_by_row(LOG_SOFTMAX, x, x, out):
        raise row_refusal("log_softmax", x=x, out=out)


def logsumexp(cnp.ndarray x not None, cnp.ndarray out not None):
    """Write log(sum(exp(x))) along the last axis, without overflow."""
    if not row_by_row(LOGSUMEXP, x, x, out):
        raise row_refusal("logsumexp", x=x, out=out)


def softmax_vjp(cnp.ndarray g not None, cnp.ndarray y not None, cnp.ndarray out not None):
    """Write the gradient through `softmax`, along the last axis: y * (g - sum(g * y))."""
    if not row_by_row(SOFTMAX_VJP, g, y, out):
        raise row_refusal("softmax_vjp", g=g, y=y, out=out)


def log_softmax_vjp(cnp.ndarray g not None, cnp.ndarray y not None, cnp.ndarray out not None):
    """Write the gradient through `log_softmax`, along the last axis: g - exp(y) * sum(g)."""
    if not row_by_row(LOG_SOFTMAX_VJP, g, y, out):
        raise row_refusal("log_softmax_vjp", g=g, y=y, out=out)


def cumprod_vjp(cnp.ndarray g not None, cnp.ndarray x not None, cnp.ndarray out not None):
    """Write the gradient through `cumprod` along the last axis, without a division, so that zeros are no exception."""
    if not row_by_row(CUMPROD_VJP, g, x, out):
        raise row_refusal("cumprod_vjp", g=g, x=x, out=out)
