"""Rung 3, the twin: a step in one pass, all operations on one element before the next.

Operands that lie alike without gaps, as a parameter, its gradient and an optimizer's state nearly always do, are one
run. Others are visited by chapter 7's walk, whose innermost axis takes a step per operand. An operand that a step goes
without is in the walk as the parameter, and its run does not look there.
"""

cimport numpy as cnp
from libc.math cimport sqrt, sqrtf

from chapters.ch07_broadcasting.walk cimport MAX_OPERANDS, Walk, advance, fit, merge, order

from chapters.ch23_optimizers.checks import check
from chapters.ch23_optimizers.rates import adam_rates

cnp.import_array()

__all__ = ["adagrad_step", "adam_step", "rmsprop_step", "sgd_step"]

cdef enum:
    MANY = 16384  # elements from which on other threads may run meanwhile
    MOST = 5  # operands of a step

ctypedef fused real:
    float
    double

cdef enum Kind:
    SGD
    ADAM
    RMSPROP
    ADAGRAD

cdef enum Way:  # what a step does besides, as bits
    ADDED = 1  # decay joins the gradient
    APART = 2  # decay shrinks the parameter
    MOVING = 4  # along a velocity
    NESTEROV = 8
    FIRST = 16
    LARGEST = 32  # the largest mean of squares stands below
    CENTERED = 64


# region [sgd]
cdef inline void sgd_run(
    char** at, Py_ssize_t a, Py_ssize_t b, Py_ssize_t c, Py_ssize_t n, const real* rates, int way,
) noexcept nogil:
    """A run of elements: param, grad, velocity; rates: of the step, momentum, share of the gradient, decay."""
    cdef bint decays = way & ADDED, moving = way & MOVING, nesterov = way & NESTEROV, first = way & FIRST
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
    char** at, Py_ssize_t a, Py_ssize_t b, Py_ssize_t c, Py_ssize_t d, Py_ssize_t e, Py_ssize_t n, const real* rates,
    int way,
) noexcept nogil:
    """A run of elements: param, grad, mean, square, largest; rates: as `adam_rates` gives them, then eps.

    They are read once, before the loop: a compiler cannot know that the arrays do not lie over them.
    """
    cdef real shrink = rates[0] if way & APART else 1  # a number times 1 is that number, and spares a branch
    cdef real added = rates[1], fresh1 = rates[2], kept2 = rates[3], fresh2 = rates[4]
    cdef real grown = rates[5], size = rates[6], eps = rates[7]
    cdef real* param = <real*> at[0]
    cdef const real* grad = <const real*> at[1]
    cdef real* mean = <real*> at[2]
    cdef real* square = <real*> at[3]
    cdef real* largest = <real*> at[4]
    cdef bint decays = way & ADDED, keeps = way & LARGEST
    cdef Py_ssize_t k
    cdef real p, g, m, v, top, root
    for k in range(n):
        p = param[k * a] * shrink
        g = grad[k * b]
        m = mean[k * c]
        v = square[k * d]
        if decays:
            g = g + p * added
        m = m + (g - m) * fresh1
        v = v * kept2 + g * fresh2 * g
        top = v
        if keeps:
            top = largest[k * e] if largest[k * e] > v else v
            largest[k * e] = top
        root = sqrtf(top) if real is float else sqrt(top)
        param[k * a] = p - m * size / (root * grown + eps)
        mean[k * c] = m
        square[k * d] = v
# endregion [adam]


# region [rmsprop]
cdef inline void rmsprop_run(
    char** at, Py_ssize_t a, Py_ssize_t b, Py_ssize_t c, Py_ssize_t d, Py_ssize_t e, Py_ssize_t n, const real* rates,
    int way,
) noexcept nogil:
    """A run of elements: param, grad, square, mean, velocity.

    The rates: of the step, alpha, what it leaves, eps, momentum, decay.
    """
    cdef real rate = rates[0], alpha = rates[1], fresh = rates[2], eps = rates[3], momentum = rates[4], decay = rates[5]
    cdef real* param = <real*> at[0]
    cdef const real* grad = <const real*> at[1]
    cdef real* square = <real*> at[2]
    cdef real* mean = <real*> at[3]
    cdef real* velocity = <real*> at[4]
    cdef bint decays = way & ADDED, centered = way & CENTERED, moving = way & MOVING
    cdef Py_ssize_t k
    cdef real p, g, s, m, root, along
    for k in range(n):
        p = param[k * a]
        g = grad[k * b]
        s = square[k * c]
        if decays:
            g = g + p * decay
        s = s * alpha + g * fresh * g
        square[k * c] = s
        if centered:
            m = mean[k * d]
            m = m + (g - m) * fresh
            mean[k * d] = m
            s = s - m * m
        root = sqrtf(s) if real is float else sqrt(s)
        along = g / (root + eps)
        if moving:
            along = velocity[k * e] * momentum + along
            velocity[k * e] = along
        param[k * a] = p - along * rate
# endregion [rmsprop]


# region [adagrad]
cdef inline void adagrad_run(
    char** at, Py_ssize_t a, Py_ssize_t b, Py_ssize_t c, Py_ssize_t n, const real* rates, int way,
) noexcept nogil:
    """A run of elements: param, grad, total; rates: of the step, eps, decay."""
    cdef real rate = rates[0], eps = rates[1], decay = rates[2]
    cdef real* param = <real*> at[0]
    cdef const real* grad = <const real*> at[1]
    cdef real* total = <real*> at[2]
    cdef bint decays = way & ADDED
    cdef Py_ssize_t k
    cdef real p, g, t, root
    for k in range(n):
        p = param[k * a]
        g = grad[k * b]
        if decays:
            g = g + p * decay
        t = total[k * c] + g * g
        total[k * c] = t
        root = sqrtf(t) if real is float else sqrt(t)
        param[k * a] = p - g / (root + eps) * rate
# endregion [adagrad]


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


cdef void walk_all(Walk* walk, char** at, const real* rates, Kind kind, int way) noexcept nogil:
    """All elements of a walk, run by run."""
    cdef Py_ssize_t index[64]
    cdef Py_ssize_t offsets[MAX_OPERANDS]
    cdef Py_ssize_t s[MOST]
    cdef char* here[MOST]
    cdef int axis, number, last = walk.axes - 1
    cdef Py_ssize_t n = walk.sizes[last]
    cdef bint dense = True
    for axis in range(walk.axes):
        index[axis] = 0
    for number in range(walk.operands):
        offsets[number] = 0
        s[number] = walk.steps[number][last] // <Py_ssize_t> sizeof(real)
        dense = dense and s[number] == 1
    while True:
        for number in range(walk.operands):
            here[number] = at[number] + offsets[number]
        if kind == SGD:
            if dense:
                sgd_run(here, 1, 1, 1, n, rates, way)
            else:
                sgd_run(here, s[0], s[1], s[2], n, rates, way)
        elif kind == ADAM:
            if dense:
                adam_run(here, 1, 1, 1, 1, 1, n, rates, way)
            else:
                adam_run(here, s[0], s[1], s[2], s[3], s[4], n, rates, way)
        elif kind == RMSPROP:
            if dense:
                rmsprop_run(here, 1, 1, 1, 1, 1, n, rates, way)
            else:
                rmsprop_run(here, s[0], s[1], s[2], s[3], s[4], n, rates, way)
        elif dense:
            adagrad_run(here, 1, 1, 1, n, rates, way)
        else:
            adagrad_run(here, s[0], s[1], s[2], n, rates, way)
        if not advance(walk, index, offsets):
            return


cdef int step_all(
    Kind kind, str name, tuple names, tuple operands, const double* rates, int count, double decay, int way,
) except -1:
    """A step for operands, some of which may be None; `way` is without `ADDED` or `APART` where decay rounds to 0."""
    cdef Walk walk
    cdef char* at[MOST]
    cdef float[8] narrow
    cdef cnp.ndarray param = operands[0]
    cdef int k
    if not lay_out(&walk, [param if x is None else x for x in operands], at):
        check(name, **{which: x for which, x in zip(names, operands) if x is not None})
    if cnp.PyArray_SIZE(param) == 0:
        return 0
    if cnp.PyArray_TYPE(param) == cnp.NPY_DOUBLE:
        if decay == 0:
            way &= ~(ADDED | APART)
        if cnp.PyArray_SIZE(param) < MANY:
            walk_all[double](&walk, at, rates, kind, way)
        else:
            with nogil:
                walk_all[double](&walk, at, rates, kind, way)
        return 0
    if <float> decay == 0:
        way &= ~(ADDED | APART)
    for k in range(count):
        narrow[k] = <float> rates[k]
    if cnp.PyArray_SIZE(param) < MANY:
        walk_all[float](&walk, at, narrow, kind, way)
    else:
        with nogil:
            walk_all[float](&walk, at, narrow, kind, way)
    return 0


def sgd_step(
    cnp.ndarray param not None, cnp.ndarray grad not None, cnp.ndarray velocity, double rate, double momentum,
    double dampening, double decay, bint nesterov, bint first,
):
    """A step of gradient descent: ``param -= rate * v`` with ``v = momentum * v + (1 - dampening) * g``."""
    cdef double[4] rates
    cdef int way = ADDED | (MOVING if velocity is not None else 0) | (NESTEROV if nesterov else 0)
    rates[0], rates[1], rates[2], rates[3] = rate, momentum, 1.0 - dampening, decay
    step_all(
        SGD, "sgd_step", ("param", "grad", "velocity"), (param, grad, velocity), rates, 4, decay,
        way | (FIRST if first else 0))


def adam_step(
    cnp.ndarray param not None, cnp.ndarray grad not None, cnp.ndarray mean not None, cnp.ndarray square not None,
    cnp.ndarray largest, double rate, double beta1, double beta2, double eps, double decay, bint decoupled, step,
):
    """A step of Adam: along the running mean of gradients, over the root of that of their squares."""
    cdef double[8] rates
    rates[0], rates[1], rates[2], rates[3], rates[4], rates[5], rates[6] = adam_rates(
        rate, beta1, beta2, eps, decay, step)
    rates[7] = eps
    step_all(
        ADAM, "adam_step", ("param", "grad", "mean", "square", "largest"), (param, grad, mean, square, largest), rates,
        8, decay, (APART if decoupled else ADDED) | (LARGEST if largest is not None else 0))


def rmsprop_step(
    cnp.ndarray param not None, cnp.ndarray grad not None, cnp.ndarray square not None, cnp.ndarray mean,
    cnp.ndarray velocity, double rate, double alpha, double eps, double momentum, double decay,
):
    """A step along the gradient over the root of the running mean of its squares."""
    cdef double[6] rates
    cdef int way = ADDED | (CENTERED if mean is not None else 0) | (MOVING if velocity is not None else 0)
    rates[0], rates[1], rates[2], rates[3], rates[4], rates[5] = rate, alpha, 1.0 - alpha, eps, momentum, decay
    step_all(
        RMSPROP, "rmsprop_step", ("param", "grad", "square", "mean", "velocity"), (param, grad, square, mean, velocity),
        rates, 6, decay, way)


def adagrad_step(
    cnp.ndarray param not None, cnp.ndarray grad not None, cnp.ndarray total not None, double rate, double eps,
    double decay,
):
    """A step along the gradient over the root of the sum of its squares."""
    cdef double[3] rates
    rates[0], rates[1], rates[2] = rate, eps, decay
    step_all(ADAGRAD, "adagrad_step", ("param", "grad", "total"), (param, grad, total), rates, 3, decay, ADDED)
