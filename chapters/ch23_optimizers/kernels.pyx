"""Rung 3, the twin: a step in one pass, all operations on one element before the next.

Operands that lie alike without gaps, as a parameter, its gradient and an optimizer's state nearly always do, are one
run. Others are visited by chapter 7's walk, whose innermost axis takes a step per operand.
"""

cimport numpy as cnp
from libc.math cimport sqrt, sqrtf

from chapters.ch07_broadcasting.walk cimport MAX_OPERANDS, Walk, advance, fit, merge, order

from chapters.ch23_optimizers.checks import check
from chapters.ch23_optimizers.rates import adam_rates

cnp.import_array()

__all__ = ["adam_step", "sgd_step"]

cdef enum:
    MANY = 16384  # elements from which on other threads may run meanwhile

ctypedef fused real:
    float
    double

cdef enum Decay:
    NONE
    ADDED
    APART


# region [sgd]
cdef inline void sgd_run(
    char** at, Py_ssize_t a, Py_ssize_t b, Py_ssize_t c, Py_ssize_t n, const real* rates, bint moving, bint decays,
    bint nesterov, bint first,
) noexcept nogil:
    """A run of elements: param, grad, velocity; rates: of the step, momentum, share of the gradient, decay."""
    cdef real* p = <real*> at[0]
    cdef const real* g = <const real*> at[1]
    cdef real* v = <real*> at[2]
    cdef real rate = rates[0], momentum = rates[1], share = rates[2], decay = rates[3]
    cdef Py_ssize_t k
    cdef real along
    for k in range(n):
        along = g[k * b]
        if decays:
            along = along + p[k * a] * decay
        if moving:
            v[k * c] = along if first else v[k * c] * momentum + along * share
            along = along + v[k * c] * momentum if nesterov else v[k * c]
        p[k * a] = p[k * a] - along * rate
# endregion [sgd]


# region [adam]
cdef inline void adam_run(
    char** at, Py_ssize_t a, Py_ssize_t b, Py_ssize_t c, Py_ssize_t d, Py_ssize_t n, const real* rates, Decay decay,
) noexcept nogil:
    """A run of elements: param, grad, mean, square; rates: as `adam_rates` gives them, then eps.

    They are read once, before the loop: a compiler cannot know that the arrays do not lie over them.
    """
    cdef real shrink = rates[0] if decay == APART else 1  # a number times 1 is that number, and spares a branch
    cdef real added = rates[1], fresh1 = rates[2], kept2 = rates[3], fresh2 = rates[4]
    cdef real grown = rates[5], size = rates[6], eps = rates[7]
    cdef real* param = <real*> at[0]
    cdef const real* grad = <const real*> at[1]
    cdef real* mean = <real*> at[2]
    cdef real* square = <real*> at[3]
    cdef Py_ssize_t k
    cdef real p, g, m, v, root
    for k in range(n):
        p = param[k * a] * shrink
        g = grad[k * b]
        m = mean[k * c]
        v = square[k * d]
        if decay == ADDED:
            g = g + p * added
        m = m + (g - m) * fresh1
        v = v * kept2 + g * fresh2 * g
        root = sqrtf(v) if real is float else sqrt(v)
        param[k * a] = p - m * size / (root * grown + eps)
        mean[k * c] = m
        square[k * d] = v
# endregion [adam]


cdef bint enter(Walk* walk, int operand, cnp.ndarray x, int kind, bint written) noexcept:
    """Enter an operand into a walk; False when it is not of the walk's shape and type, or cannot be used."""
    cdef int axis
    if cnp.PyArray_NDIM(x) != walk.axes or cnp.PyArray_TYPE(x) != kind or not cnp.PyArray_ISBEHAVED_RO(x):
        return False
    for axis in range(walk.axes):
        if cnp.PyArray_DIM(x, axis) != walk.sizes[axis]:
            return False
    if written and not cnp.PyArray_ISWRITEABLE(x):
        return False
    return fit(walk, operand, walk.axes, <Py_ssize_t*> cnp.PyArray_DIMS(x), <Py_ssize_t*> cnp.PyArray_STRIDES(x))


cdef bint lay_out(Walk* walk, list operands, char** at):
    """Set a walk up for operands of equal shape, the second of which is read alone; False when they do not fit."""
    cdef cnp.ndarray x = operands[0]
    cdef int axis, number, kind = cnp.PyArray_TYPE(x)
    walk.axes, walk.operands = cnp.PyArray_NDIM(x), <int> len(operands)
    for axis in range(walk.axes):
        walk.sizes[axis] = cnp.PyArray_DIM(x, axis)
    for number in range(walk.operands):
        x = operands[number]
        at[number] = <char*> cnp.PyArray_DATA(x)
        if (kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE) or not enter(walk, number, x, kind, number != 1):
            return False
    order(walk, 0)
    merge(walk)
    return True


cdef void sgd_walk(
    Walk* walk, char** at, const real* rates, bint decays, bint nesterov, bint first,
) noexcept nogil:
    """All elements of a walk."""
    cdef Py_ssize_t index[64]
    cdef Py_ssize_t offsets[MAX_OPERANDS]
    cdef Py_ssize_t steps[3]
    cdef char* here[3]
    cdef int axis, number, last = walk.axes - 1
    cdef bint dense = True, moving = walk.operands == 3
    here[2] = at[0]
    steps[2] = 1
    for axis in range(walk.axes):
        index[axis] = 0
    for number in range(walk.operands):
        offsets[number] = 0
        steps[number] = walk.steps[number][last] // <Py_ssize_t> sizeof(real)
        dense = dense and steps[number] == 1
    while True:
        for number in range(walk.operands):
            here[number] = at[number] + offsets[number]
        if dense:
            sgd_run(here, 1, 1, 1, walk.sizes[last], rates, moving, decays, nesterov, first)
        else:
            sgd_run(here, steps[0], steps[1], steps[2], walk.sizes[last], rates, moving, decays, nesterov, first)
        if not advance(walk, index, offsets):
            return


cdef void adam_walk(Walk* walk, char** at, const real* rates, Decay decay) noexcept nogil:
    """All elements of a walk."""
    cdef Py_ssize_t index[64]
    cdef Py_ssize_t offsets[MAX_OPERANDS]
    cdef Py_ssize_t steps[4]
    cdef char* here[4]
    cdef int axis, number, last = walk.axes - 1
    cdef bint dense = True
    for axis in range(walk.axes):
        index[axis] = 0
    for number in range(4):
        offsets[number] = 0
        steps[number] = walk.steps[number][last] // <Py_ssize_t> sizeof(real)
        dense = dense and steps[number] == 1
    while True:
        for number in range(4):
            here[number] = at[number] + offsets[number]
        if dense:
            adam_run(here, 1, 1, 1, 1, walk.sizes[last], rates, decay)
        else:
            adam_run(here, steps[0], steps[1], steps[2], steps[3], walk.sizes[last], rates, decay)
        if not advance(walk, index, offsets):
            return


cdef void narrowed(const double* rates, float* to, int count) noexcept:
    """The rates of a step in float32."""
    cdef int k
    for k in range(count):
        to[k] = <float> rates[k]


def sgd_step(
    cnp.ndarray param not None, cnp.ndarray grad not None, cnp.ndarray velocity, double rate, double momentum,
    double dampening, double decay, bint nesterov, bint first,
):
    """A step of gradient descent: ``param -= rate * v`` with ``v = momentum * v + (1 - dampening) * g``."""
    cdef Walk walk
    cdef char* at[4]
    cdef double[4] rates
    cdef float[4] short_rates
    cdef list operands = [param, grad] if velocity is None else [param, grad, velocity]
    if not lay_out(&walk, operands, at):
        check("sgd_step", **dict(zip(("param", "grad", "velocity"), operands)))
    rates[0], rates[1], rates[2], rates[3] = rate, momentum, 1.0 - dampening, decay
    narrowed(rates, short_rates, 4)
    if cnp.PyArray_SIZE(param) == 0:
        return
    if cnp.PyArray_TYPE(param) == cnp.NPY_DOUBLE:
        if cnp.PyArray_SIZE(param) < MANY:
            sgd_walk[double](&walk, at, rates, decay != 0, nesterov, first)
        else:
            with nogil:
                sgd_walk[double](&walk, at, rates, decay != 0, nesterov, first)
    elif cnp.PyArray_SIZE(param) < MANY:
        sgd_walk[float](&walk, at, short_rates, short_rates[3] != 0, nesterov, first)
    else:
        with nogil:
            sgd_walk[float](&walk, at, short_rates, short_rates[3] != 0, nesterov, first)


def adam_step(
    cnp.ndarray param not None, cnp.ndarray grad not None, cnp.ndarray mean not None, cnp.ndarray square not None,
    double rate, double beta1, double beta2, double eps, double decay, bint decoupled, step,
):
    """A step of Adam: along the running mean of gradients, over the root of that of their squares."""
    cdef Walk walk
    cdef char* at[4]
    cdef double[8] rates
    cdef float[8] short_rates
    cdef Decay kind
    if not lay_out(&walk, [param, grad, mean, square], at):
        check("adam_step", param=param, grad=grad, mean=mean, square=square)
    rates[0], rates[1], rates[2], rates[3], rates[4], rates[5], rates[6] = adam_rates(
        rate, beta1, beta2, eps, decay, step)
    rates[7] = eps
    narrowed(rates, short_rates, 8)
    kind = NONE if rates[1] == 0 else APART if decoupled else ADDED
    if cnp.PyArray_SIZE(param) == 0:
        return
    if cnp.PyArray_TYPE(param) == cnp.NPY_DOUBLE:
        if cnp.PyArray_SIZE(param) < MANY:
            adam_walk[double](&walk, at, rates, kind)
        else:
            with nogil:
                adam_walk[double](&walk, at, rates, kind)
        return
    if short_rates[1] == 0:
        kind = NONE
    if cnp.PyArray_SIZE(param) < MANY:
        adam_walk[float](&walk, at, short_rates, kind)
    else:
        with nogil:
            adam_walk[float](&walk, at, short_rates, kind)
