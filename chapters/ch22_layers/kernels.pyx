"""Rung 3, the twin: activations, losses and normalization in Cython, beside `reference` rule by rule.

A. Each kernel is one loop over contiguous elements that the C compiler turns into vector instructions; fused types make
   one C function of it per element type. Its operands are `at[0]`, `at[1]`, ..., the result is the last.
B. `blocks` finds every loop contiguous memory to run on, whatever the shapes and strides.
C. What does not fit is refused with the words of chapter 12's `checks`.
D. `cross_entropy` takes one row of scores after the other: its largest, the sum of its exponentials in lanes, its loss.
E. Normalization goes row by row: each operand has a cursor of its own, which finds the next row in place or gathers it.
   Where the rows lie side by side, it takes each step for all of them at once, and so reads memory in its order.

The exponential is chapter 12's polynomial. A literal beside a float32 is cast to its type, for `1.0 + x` would be
float64 arithmetic in C.
"""

cimport cython
cimport numpy as cnp
from libc.math cimport INFINITY, log, log1p, log1pf, logf, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from chapters.ch07_broadcasting.walk cimport MAX_AXES, Walk, advance, fit, merge
from chapters.ch12_elementwise.error_function cimport half_scaled_complement
from chapters.ch12_elementwise.exponential cimport (
    STRETCH, all_moderate, all_within, exponential, falling_exponential, logistic, logistic_parts, moderate_exponential,
    moderate_logistic, multiply_add, power_of_two, real, series, whole,
)
from chapters.ch12_elementwise.polynomials cimport share_tail, slope_tail
from chapters.ch22_layers.blocks cimport BLOCK, Loop, kind_of, launch

from chapters.ch12_elementwise.checks import check_arrays
from chapters.ch22_layers.checks import check_rows, check_scores

cnp.import_array()

__all__ = [
    "absolute_error",
    "absolute_error_vjp",
    "binary_cross_entropy",
    "binary_cross_entropy_vjp",
    "binary_cross_entropy_with_logits",
    "binary_cross_entropy_with_logits_vjp",
    "cross_entropy",
    "cross_entropy_vjp",
    "elu",
    "elu_vjp",
    "gelu",
    "gelu_tanh",
    "gelu_tanh_vjp",
    "gelu_vjp",
    "glu",
    "glu_gate_vjp",
    "hardsigmoid",
    "hardsigmoid_vjp",
    "hardswish",
    "hardswish_vjp",
    "hardtanh",
    "hardtanh_vjp",
    "leaky_relu",
    "leaky_relu_vjp",
    "logsigmoid",
    "logsigmoid_vjp",
    "mish",
    "mish_vjp",
    "prelu",
    "prelu_vjp",
    "prelu_weight_vjp",
    "silu",
    "silu_vjp",
    "smooth_l1",
    "smooth_l1_vjp",
    "softplus",
    "softplus_vjp",
    "softsign",
    "softsign_vjp",
    "squared_error",
    "squared_error_vjp",
    "standardize",
    "standardize_given",
    "standardize_vjp",
    "standardize_weight_vjp",
]


# What the rules are made of

cdef inline real beyond(real x, real bell) noexcept nogil:
    """The share of the normal distribution beyond |x|, given bell = e**(-x*x/2): half of erfc(|x| / sqrt 2)."""
    cdef real z = (-x if x < 0 else x) * <real> 0.70710678118654752
    return bell * half_scaled_complement(<real> 40 if z > 40 else z)  # bell is 0 by then


cdef inline real bell_at(real x) noexcept nogil:
    """e**(-x*x/2): the density of the normal distribution, times sqrt(2 pi)."""
    return falling_exponential(<real> -0.5 * x * x)


cdef inline real log_one_plus(real x) noexcept nogil:
    """log(1 + x) for x from 0 to 1: 2s + 2s**3/3 + 2s**5/5 + ... with s = x / (2 + x), at most 1/3."""
    cdef real s = x / (<real> 2 + x)
    cdef real square = s * s
    cdef real q
    if real is float:
        q = multiply_add(square, <real> (2.0 / 15.0), <real> (2.0 / 13.0))
    else:
        q = multiply_add(square, <real> (2.0 / 33.0), <real> (2.0 / 31.0))
        q = multiply_add(q, square, <real> (2.0 / 29.0))
        q = multiply_add(q, square, <real> (2.0 / 27.0))
        q = multiply_add(q, square, <real> (2.0 / 25.0))
        q = multiply_add(q, square, <real> (2.0 / 23.0))
        q = multiply_add(q, square, <real> (2.0 / 21.0))
        q = multiply_add(q, square, <real> (2.0 / 19.0))
        q = multiply_add(q, square, <real> (2.0 / 17.0))
        q = multiply_add(q, square, <real> (2.0 / 15.0))
        q = multiply_add(q, square, <real> (2.0 / 13.0))
    q = multiply_add(q, square, <real> (2.0 / 11.0))
    q = multiply_add(q, square, <real> (2.0 / 9.0))
    q = multiply_add(q, square, <real> (2.0 / 7.0))
    q = multiply_add(q, square, <real> (2.0 / 5.0))
    q = multiply_add(q, square, <real> (2.0 / 3.0))
    return multiply_add(s, square * q, s + s)


cdef inline real exp_less_one(real x) noexcept nogil:
    """exp(x) - 1 for x up to 0, as 2**m * (exp(r) - 1) + (2**m - 1): no digit is lost near 0."""
    cdef real lowest = -20.0 if real is float else -40.0
    cdef real m, scale
    x = lowest if x < lowest else x
    x = <real> 0 if x > 0 else x
    m = whole(x * <real> 1.4426950408889634)
    scale = power_of_two(m)
    return multiply_add(scale, series(x, m), scale - <real> 1)


cdef inline real bent(real x) noexcept nogil:
    """What the approximation of gelu puts into sigmoid: twice sqrt(2/pi) * (x + 0.044715 * x**3)."""
    return <real> 1.5957691216057308 * x * (<real> 1 + <real> 0.044715 * x * x)


cdef inline real near_share_below(real x) noexcept nogil:
    """As `share_below` in float32, bit for bit, for |x| up to 5."""
    return multiply_add(x, share_tail(multiply_add(x * x, <real> (2.0 / 5.5**2), <real> -1)), <real> 0.5)


cdef inline real near_gelu_slope(real x) noexcept nogil:
    """As `gelu_slope` in float32, bit for bit, for |x| up to 5."""
    return multiply_add(x, slope_tail(multiply_add(x * x, <real> (2.0 / 5.75**2), <real> -1)), <real> 0.5)


cdef inline real share_below(real x) noexcept nogil:
    """The share of the normal distribution that lies below x: a polynomial in float32, in float64 by its tail."""
    cdef real share, tail
    if real is float:
        share = near_share_below(x)
        share = 0 if (x < <float> -5.5) | (share < 0) else share
        return 1 if x > <float> 5.5 else share
    else:
        tail = beyond(x, bell_at(x))
        return tail if x < 0 else 1 - tail


cdef inline real gelu_slope(real x) noexcept nogil:
    """The share below x and x times the density at x, in the same two ways."""
    cdef real slope, bell, tail
    if real is float:
        slope = near_gelu_slope(x)
        slope = 0 if x < <float> -5.75 else slope
        slope = 1 if x > <float> 5.75 else slope
        return multiply_add(x, <float> 0, slope)  # nan at the infinities, as by the formula
    else:
        bell = bell_at(x)
        tail = beyond(x, bell)
        return (tail if x < 0 else 1 - tail) + x * (bell * 0.39894228040143268)


# Activations and their gradients

cdef void gelu_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + STRETCH, n)
        if real is float and all_within(x + start, <real> 5, stop - start):
            for k in range(start, stop):
                out[k] = x[k] * near_share_below(x[k])
        else:
            for k in range(start, stop):
                out[k] = x[k] * share_below(x[k])
        start = stop


cdef void gelu_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + STRETCH, n)
        if real is float and all_within(x + start, <real> 5, stop - start):
            for k in range(start, stop):
                out[k] = g[k] * near_gelu_slope(x[k])
        else:
            for k in range(start, stop):
                out[k] = g[k] * gelu_slope(x[k])
        start = stop


cdef void gelu_tanh_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] * logistic(bent(x[k]))


cdef void gelu_tanh_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real decay, rest, share, near, slope, inside
    for k in range(n):
        near = <real> 30 if x[k] > 30 else x[k]
        near = <real> -30 if near < -30 else near
        inside = bent(near)
        decay = falling_exponential(inside if inside < 0 else -inside)
        rest = <real> 1 / (<real> 1 + decay)
        share = decay * rest if inside < 0 else rest
        slope = <real> 1.5957691216057308 * (<real> 1 + <real> 0.134145 * near * near)
        out[k] = g[k] * (share + near * (decay * rest * rest * slope))


# region [silu loop]
cdef void silu_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + STRETCH, n)
        if all_moderate(x + start, stop - start):
            for k in range(start, stop):
                out[k] = x[k] * moderate_logistic(x[k])
        else:
            for k in range(start, stop):
                out[k] = x[k] * logistic(x[k])
        start = stop


cdef void silu_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k, stop, start = 0
    cdef real u, v, rest
    while start < n:
        stop = min(start + STRETCH, n)
        if all_moderate(x + start, stop - start):
            for k in range(start, stop):
                u = moderate_exponential(x[k])
                rest = <real> 1 / (<real> 1 + u)
                out[k] = g[k] * (u * rest * multiply_add(x[k], rest, <real> 1))
        else:
            for k in range(start, stop):
                rest = <real> 1 / logistic_parts(x[k], &u, &v)
                out[k] = g[k] * (u * rest * multiply_add(x[k], v * rest, <real> 1))
        start = stop
# endregion [silu loop]


cdef void mish_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    cdef real e, square, top
    for k in range(n):
        e = falling_exponential(x[k] if x[k] < 0 else -x[k])
        square = e * e
        top = <real> 1 + <real> 2 * e if x[k] > 0 else square + <real> 2 * e
        out[k] = x[k] * (top / (top + (<real> 2 * square if x[k] > 0 else <real> 2)))


cdef void mish_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real e, square, top, base, rise
    for k in range(n):
        e = falling_exponential(x[k] if x[k] < 0 else -x[k])
        square = e * e
        top = <real> 1 + <real> 2 * e if x[k] > 0 else square + <real> 2 * e
        base = top + (<real> 2 * square if x[k] > 0 else <real> 2)
        rise = <real> 4 * (<real> 1 + e) * (square if x[k] > 0 else e)
        out[k] = g[k] * (top / base + x[k] * (rise / (base * base)))


cdef void softplus_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    cdef real beta = p[0], threshold = p[1]
    cdef real steep, value, result
    for k in range(n):
        value = x[k]
        steep = value * beta
        result = log_one_plus(falling_exponential(steep if steep < 0 else -steep))
        result = (result if steep < 0 else steep + result) / beta
        out[k] = value if steep > threshold else result


cdef void softplus_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real beta = p[0], threshold = p[1]
    cdef real steep, up
    for k in range(n):
        up = g[k]
        steep = x[k] * beta
        out[k] = up if steep > threshold else up * logistic(steep)


cdef void logsigmoid_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = (<real> 0 if x[k] > 0 else x[k]) - log_one_plus(falling_exponential(x[k] if x[k] < 0 else -x[k]))


cdef void logsigmoid_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = g[k] * logistic(-x[k])


# region [elu loop]
cdef void elu_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    cdef real upper = p[0], lower = p[1], steepness = p[2]
    cdef real value
    for k in range(n):
        value = exp_less_one(x[k] * steepness) * lower
        out[k] = x[k] * upper if x[k] > 0 else value


cdef void elu_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real upper = p[0], lower = p[1], steepness = p[2]
    cdef real slope
    for k in range(n):
        slope = exponential(x[k] * steepness) * lower
        out[k] = g[k] * (upper if x[k] > 0 else slope)
# endregion [elu loop]


cdef void hardtanh_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    cdef real low = p[0], high = p[1]
    cdef real value
    for k in range(n):
        value = low if x[k] < low else x[k]
        out[k] = high if x[k] > high else value


cdef void hardtanh_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real low = p[0], high = p[1]
    cdef real up
    for k in range(n):
        up = g[k]
        out[k] = <real> 0 if (x[k] <= low) | (x[k] >= high) else up


cdef inline real shifted(real x) noexcept nogil:
    """x + 3, held between 0 and 6."""
    x = x + <real> 3
    x = <real> 0 if x < 0 else x
    return <real> 6 if x > 6 else x


cdef void hardsigmoid_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = shifted(x[k]) / <real> 6


cdef void hardsigmoid_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real up
    for k in range(n):
        up = g[k] / <real> 6
        out[k] = up if (x[k] > -3) & (x[k] < 3) else <real> 0


cdef void hardswish_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] * (shifted(x[k]) / <real> 6)


cdef void hardswish_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real up, inside
    for k in range(n):
        up = g[k]
        inside = up * (x[k] / <real> 3 + <real> 0.5)
        inside = up if x[k] >= 3 else inside
        out[k] = <real> 0 if x[k] <= -3 else inside


cdef void softsign_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] / (<real> 1 + (-x[k] if x[k] < 0 else x[k]))


cdef void softsign_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real base
    for k in range(n):
        base = <real> 1 + (-x[k] if x[k] < 0 else x[k])
        out[k] = g[k] / base / base


cdef void leaky_relu_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    cdef real slope = p[0]
    for k in range(n):
        out[k] = x[k] * (<real> 1 if x[k] > 0 else slope)


cdef void leaky_relu_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real slope = p[0]
    for k in range(n):
        out[k] = g[k] * (<real> 1 if x[k] > 0 else slope)


cdef void prelu_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* weight = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real slope
    for k in range(n):
        slope = weight[k]
        out[k] = x[k] * (<real> 1 if x[k] > 0 else slope)


cdef void prelu_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* weight = at[2]
    cdef real* out = at[3]
    cdef Py_ssize_t k
    cdef real slope
    for k in range(n):
        slope = weight[k]
        out[k] = g[k] * (<real> 1 if x[k] > 0 else slope)


cdef void prelu_weight_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real part
    for k in range(n):
        part = x[k] * g[k]
        out[k] = <real> 0 if x[k] > 0 else part


cdef void glu_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* gate = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] * logistic(gate[k])


cdef void glu_gate_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* gate = at[2]
    cdef real* out = at[3]
    cdef Py_ssize_t k
    cdef real decay, rest
    for k in range(n):
        decay = falling_exponential(gate[k] if gate[k] < 0 else -gate[k])
        rest = <real> 1 / (<real> 1 + decay)
        out[k] = g[k] * (decay * rest * rest) * x[k]


# Losses and their gradients

cdef void squared_error_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* y = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real difference
    for k in range(n):
        difference = x[k] - y[k]
        out[k] = difference * difference


# region [squared_error_vjp loop]
cdef void squared_error_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* y = at[2]
    cdef real* out = at[3]
    cdef Py_ssize_t k
    cdef real scale = p[0]
    for k in range(n):
        out[k] = g[k] * (scale * (x[k] - y[k]))
# endregion [squared_error_vjp loop]


cdef void absolute_error_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* y = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real difference
    for k in range(n):
        difference = x[k] - y[k]
        out[k] = -difference if difference < 0 else difference + <real> 0


cdef void absolute_error_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* y = at[2]
    cdef real* out = at[3]
    cdef Py_ssize_t k
    cdef real scale = p[0]
    for k in range(n):
        out[k] = g[k] * (scale * ((x[k] > y[k]) - (x[k] < y[k])))


cdef void smooth_l1_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* y = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real beta = p[0], factor = p[1]
    cdef real d, near, far
    for k in range(n):
        d = x[k] - y[k]
        d = -d if d < 0 else d
        near = <real> 0.5 * d * d / beta
        far = d - <real> 0.5 * beta
        out[k] = factor * (near if d < beta else far)


cdef void smooth_l1_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* y = at[2]
    cdef real* out = at[3]
    cdef Py_ssize_t k
    cdef real beta = p[0], scale = p[1]
    cdef real d, slope
    for k in range(n):
        d = x[k] - y[k]
        slope = d / beta
        slope = <real> -1 if d <= -beta else slope
        slope = <real> 1 if d >= beta else slope
        out[k] = g[k] * (scale * slope)


cdef void binary_cross_entropy_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* y = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real yes, no
    for k in range(n):
        if real is float:
            yes, no = logf(x[k]), log1pf(-x[k])
        else:
            yes, no = log(x[k]), log1p(-x[k])
        yes = <real> -100 if yes < -100 else yes
        no = <real> -100 if no < -100 else no
        out[k] = (y[k] - <real> 1) * no - y[k] * yes


cdef void binary_cross_entropy_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* y = at[2]
    cdef real* out = at[3]
    cdef Py_ssize_t k
    cdef real scale = p[0], least = 1e-12
    cdef real room
    for k in range(n):
        room = (<real> 1 - x[k]) * x[k]
        room = least if room < least else room
        out[k] = g[k] * (scale * ((x[k] - y[k]) / room))


# region [logits loop]
cdef void binary_cross_entropy_with_logits_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* y = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real rest
    for k in range(n):
        rest = log_one_plus(falling_exponential(x[k] if x[k] < 0 else -x[k]))
        out[k] = x[k] * ((<real> 1 if x[k] > 0 else <real> 0) - y[k]) + rest


cdef void binary_cross_entropy_with_logits_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* y = at[2]
    cdef real* out = at[3]
    cdef Py_ssize_t k
    cdef real scale = p[0]
    for k in range(n):
        out[k] = g[k] * (scale * (logistic(x[k]) - y[k]))
# endregion [logits loop]


# Rows of scores

cdef enum:
    LANES = 16  # partial sums, which the compiler keeps in vector registers
    MANY_LANES = 32  # so that a sum waits less for the one before

cdef struct Rows:
    char* data
    int axes  # those that count the rows
    Py_ssize_t sizes[64]
    Py_ssize_t steps[64]
    Py_ssize_t step  # along the last axis


cdef Rows score_rows(cnp.ndarray x, int axes) noexcept:
    """An array as rows, counted over its first axes."""
    cdef Rows rows
    cdef int axis
    rows.data = cnp.PyArray_BYTES(x)
    rows.axes = axes
    for axis in range(axes):
        rows.sizes[axis] = cnp.PyArray_DIM(x, axis)
        rows.steps[axis] = cnp.PyArray_STRIDE(x, axis)
    rows.step = cnp.PyArray_STRIDE(x, axes) if axes < cnp.PyArray_NDIM(x) else 0
    return rows


cdef inline char* row_at(Rows* rows, Py_ssize_t row) noexcept nogil:
    """Where a row begins, by its number in row-major order."""
    cdef char* place = rows.data
    cdef int axis = rows.axes - 1
    while axis > 0:
        place += (row % rows.sizes[axis]) * rows.steps[axis]
        row //= rows.sizes[axis]
        axis -= 1
    return place + row * rows.steps[0] if axis == 0 else place


cdef inline const real* contiguous(const char* x, Py_ssize_t step, real* block, Py_ssize_t n) noexcept nogil:
    """Up to `BLOCK` elements as neighbours in memory: where they lie if they are, else copied into `block`."""
    cdef Py_ssize_t k
    if step == <Py_ssize_t> sizeof(real):
        return <const real*> x
    for k in range(n):
        block[k] = (<const real*> (x + k * step))[0]
    return block


cdef inline real fold(real* lanes) noexcept nogil:
    """The sum of 32 lanes, in half and half again."""
    cdef int lane
    for lane in range(16):
        lanes[lane] += lanes[lane + 16]
    for lane in range(8):
        lanes[lane] += lanes[lane + 8]
    for lane in range(4):
        lanes[lane] += lanes[lane + 4]
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])


cdef inline real larger(real a, real b) noexcept nogil:
    """The larger of two numbers, `b` where one is nan."""
    return a if a > b else b


cdef real row_peak(const char* x, Py_ssize_t step, Py_ssize_t classes, real* block) noexcept nogil:
    """The largest score of a row, in lanes that the compiler keeps in registers; nan is left to the sum."""
    cdef real lanes[MANY_LANES]
    cdef const real* part
    cdef Py_ssize_t start = 0, n, k
    cdef int lane
    for lane in range(MANY_LANES):
        lanes[lane] = -INFINITY
    while start < classes:
        n = min(classes - start, BLOCK)
        part = contiguous(x + start * step, step, block, n)
        k = 0
        while k + MANY_LANES <= n:
            for lane in range(MANY_LANES):
                lanes[lane] = larger(part[k + lane], lanes[lane])
            k += MANY_LANES
        for lane in range(<int> (n - k)):
            lanes[lane] = larger(part[k + lane], lanes[lane])
        start += n
    for lane in range(16):
        lanes[lane] = larger(lanes[lane + 16], lanes[lane])
    for lane in range(8):
        lanes[lane] = larger(lanes[lane + 8], lanes[lane])
    for lane in range(4):
        lanes[lane] = larger(lanes[lane + 4], lanes[lane])
    return larger(larger(lanes[3], lanes[1]), larger(lanes[2], lanes[0]))


cdef real row_sum(const char* x, Py_ssize_t step, Py_ssize_t classes, real peak, real* block) noexcept nogil:
    """The sum of e**(x - peak) over a row."""
    cdef real lanes[MANY_LANES]
    cdef const real* part
    cdef Py_ssize_t start = 0, n, k
    cdef int lane
    for lane in range(MANY_LANES):
        lanes[lane] = 0
    while start < classes:
        n = min(classes - start, BLOCK)
        part = contiguous(x + start * step, step, block, n)
        for k in range(n):
            block[k] = falling_exponential(part[k] - peak)
        k = 0
        while k + MANY_LANES <= n:
            for lane in range(MANY_LANES):
                lanes[lane] += block[k + lane]
            k += MANY_LANES
        for lane in range(<int> (n - k)):
            lanes[lane] += block[k + lane]
        start += n
    return fold(lanes)


# region [cross_entropy rows]
cdef void cross_entropy_rows(
    Rows* x, Rows* target, Rows* level, Rows* out, Py_ssize_t rows, Py_ssize_t classes, real like
) noexcept nogil:
    cdef real block[BLOCK]
    cdef Py_ssize_t row
    cdef int64_t chosen
    cdef const char* scores
    cdef char* kept
    cdef real peak, rest, loss
    for row in range(rows):
        chosen = (<int64_t*> row_at(target, row))[0]
        peak = rest = loss = 0
        if chosen >= 0:
            scores = row_at(x, row)
            peak = row_peak(scores, x.step, classes, block)
            rest = row_sum(scores, x.step, classes, peak, block)
            rest = logf(rest) if real is float else log(rest)
            loss = rest - ((<const real*> (scores + chosen * x.step))[0] - peak)
        kept = row_at(level, row)
        (<real*> kept)[0] = peak
        (<real*> (kept + level.step))[0] = rest
        (<real*> row_at(out, row))[0] = loss
# endregion [cross_entropy rows]


cdef void cross_entropy_vjp_rows(
    Rows* g, Rows* x, Rows* target, Rows* level, Rows* out, Py_ssize_t rows, Py_ssize_t classes, real like
) noexcept nogil:
    cdef real block[BLOCK]
    cdef Py_ssize_t row, start, n, k
    cdef int64_t chosen
    cdef const real* part
    cdef real* place
    cdef char* kept
    cdef char* to
    cdef const char* scores
    cdef real peak, rest, up
    for row in range(rows):
        chosen = (<int64_t*> row_at(target, row))[0]
        scores, to, kept = row_at(x, row), row_at(out, row), row_at(level, row)
        peak, rest = (<real*> kept)[0], (<real*> (kept + level.step))[0]
        up = (<real*> row_at(g, row))[0]
        start = 0
        while start < classes:
            n = min(classes - start, BLOCK)
            part = contiguous(scores + start * x.step, x.step, block, n)
            place = <real*> (to + start * out.step) if out.step == <Py_ssize_t> sizeof(real) else block
            if chosen < 0:
                for k in range(n):
                    place[k] = 0
            else:
                for k in range(n):
                    place[k] = falling_exponential((part[k] - peak) - rest)
                if start <= chosen < start + n:
                    place[chosen - start] -= <real> 1
                for k in range(n):
                    place[k] = up * place[k]
            if out.step != <Py_ssize_t> sizeof(real):
                for k in range(n):
                    (<real*> (to + (start + k) * out.step))[0] = block[k]
            start += n


# The kernels and their doors

@cython.final
cdef class Kernel:
    """A kernel's loops for float32 and float64, and how its errors name the operands."""

    cdef str op
    cdef tuple names
    cdef Loop single, wide


cdef Kernel kernel(str op, tuple names, void* single, void* wide):
    cdef Kernel made = Kernel.__new__(Kernel)
    made.op, made.names, made.single, made.wide = op, names, <Loop> single, <Loop> wide
    return made


cdef int apply(Kernel kernel, tuple operands, tuple parameters) except -1:
    """Run a kernel, or raise what `checks` says of operands that it does not take."""
    if not launch(kernel.single, kernel.wide, operands, parameters):
        check_arrays(kernel.op, "fd", "", **dict(zip(kernel.names, operands, strict=True)))
        raise AssertionError(f"{kernel.op}: refused without a reason")
    return 0


cdef Kernel ABSOLUTE_ERROR = kernel(
    "absolute_error", ("x", "y", "out"),
    <void*> absolute_error_loop[float], <void*> absolute_error_loop[double]
)
cdef Kernel ABSOLUTE_ERROR_VJP = kernel(
    "absolute_error_vjp", ("g", "x", "y", "out"),
    <void*> absolute_error_vjp_loop[float], <void*> absolute_error_vjp_loop[double]
)
cdef Kernel BINARY_CROSS_ENTROPY = kernel(
    "binary_cross_entropy", ("x", "y", "out"),
    <void*> binary_cross_entropy_loop[float], <void*> binary_cross_entropy_loop[double]
)
cdef Kernel BINARY_CROSS_ENTROPY_VJP = kernel(
    "binary_cross_entropy_vjp", ("g", "x", "y", "out"),
    <void*> binary_cross_entropy_vjp_loop[float], <void*> binary_cross_entropy_vjp_loop[double]
)
cdef Kernel BINARY_CROSS_ENTROPY_WITH_LOGITS = kernel(
    "binary_cross_entropy_with_logits", ("x", "y", "out"),
    <void*> binary_cross_entropy_with_logits_loop[float], <void*> binary_cross_entropy_with_logits_loop[double]
)
cdef Kernel BINARY_CROSS_ENTROPY_WITH_LOGITS_VJP = kernel(
    "binary_cross_entropy_with_logits_vjp", ("g", "x", "y", "out"),
    <void*> binary_cross_entropy_with_logits_vjp_loop[float], <void*> binary_cross_entropy_with_logits_vjp_loop[double]
)
cdef Kernel SMOOTH_L1 = kernel(
    "smooth_l1", ("x", "y", "out"),
    <void*> smooth_l1_loop[float], <void*> smooth_l1_loop[double]
)
cdef Kernel SMOOTH_L1_VJP = kernel(
    "smooth_l1_vjp", ("g", "x", "y", "out"),
    <void*> smooth_l1_vjp_loop[float], <void*> smooth_l1_vjp_loop[double]
)
cdef Kernel SQUARED_ERROR = kernel(
    "squared_error", ("x", "y", "out"),
    <void*> squared_error_loop[float], <void*> squared_error_loop[double]
)
cdef Kernel SQUARED_ERROR_VJP = kernel(
    "squared_error_vjp", ("g", "x", "y", "out"),
    <void*> squared_error_vjp_loop[float], <void*> squared_error_vjp_loop[double]
)
cdef Kernel ELU = kernel("elu", ("x", "out"), <void*> elu_loop[float], <void*> elu_loop[double])
cdef Kernel ELU_VJP = kernel("elu_vjp", ("g", "x", "out"), <void*> elu_vjp_loop[float], <void*> elu_vjp_loop[double])
cdef Kernel GELU = kernel("gelu", ("x", "out"), <void*> gelu_loop[float], <void*> gelu_loop[double])
cdef Kernel GELU_TANH = kernel("gelu_tanh", ("x", "out"), <void*> gelu_tanh_loop[float], <void*> gelu_tanh_loop[double])
cdef Kernel GELU_TANH_VJP = kernel(
    "gelu_tanh_vjp", ("g", "x", "out"), <void*> gelu_tanh_vjp_loop[float], <void*> gelu_tanh_vjp_loop[double]
)
cdef Kernel GELU_VJP = kernel(
    "gelu_vjp", ("g", "x", "out"), <void*> gelu_vjp_loop[float], <void*> gelu_vjp_loop[double]
)
cdef Kernel GLU = kernel("glu", ("x", "gate", "out"), <void*> glu_loop[float], <void*> glu_loop[double])
cdef Kernel GLU_GATE_VJP = kernel(
    "glu_gate_vjp", ("g", "x", "gate", "out"), <void*> glu_gate_vjp_loop[float], <void*> glu_gate_vjp_loop[double]
)
cdef Kernel HARDSIGMOID = kernel(
    "hardsigmoid", ("x", "out"), <void*> hardsigmoid_loop[float], <void*> hardsigmoid_loop[double]
)
cdef Kernel HARDSIGMOID_VJP = kernel(
    "hardsigmoid_vjp", ("g", "x", "out"), <void*> hardsigmoid_vjp_loop[float], <void*> hardsigmoid_vjp_loop[double]
)
cdef Kernel HARDSWISH = kernel("hardswish", ("x", "out"), <void*> hardswish_loop[float], <void*> hardswish_loop[double])
cdef Kernel HARDSWISH_VJP = kernel(
    "hardswish_vjp", ("g", "x", "out"), <void*> hardswish_vjp_loop[float], <void*> hardswish_vjp_loop[double]
)
cdef Kernel HARDTANH = kernel("hardtanh", ("x", "out"), <void*> hardtanh_loop[float], <void*> hardtanh_loop[double])
cdef Kernel HARDTANH_VJP = kernel(
    "hardtanh_vjp", ("g", "x", "out"), <void*> hardtanh_vjp_loop[float], <void*> hardtanh_vjp_loop[double]
)
cdef Kernel LEAKY_RELU = kernel(
    "leaky_relu", ("x", "out"), <void*> leaky_relu_loop[float], <void*> leaky_relu_loop[double]
)
cdef Kernel LEAKY_RELU_VJP = kernel(
    "leaky_relu_vjp", ("g", "x", "out"), <void*> leaky_relu_vjp_loop[float], <void*> leaky_relu_vjp_loop[double]
)
cdef Kernel LOGSIGMOID = kernel(
    "logsigmoid", ("x", "out"), <void*> logsigmoid_loop[float], <void*> logsigmoid_loop[double]
)
cdef Kernel LOGSIGMOID_VJP = kernel(
    "logsigmoid_vjp", ("g", "x", "out"), <void*> logsigmoid_vjp_loop[float], <void*> logsigmoid_vjp_loop[double]
)
cdef Kernel MISH = kernel("mish", ("x", "out"), <void*> mish_loop[float], <void*> mish_loop[double])
cdef Kernel MISH_VJP = kernel(
    "mish_vjp", ("g", "x", "out"), <void*> mish_vjp_loop[float], <void*> mish_vjp_loop[double]
)
cdef Kernel PRELU = kernel("prelu", ("x", "weight", "out"), <void*> prelu_loop[float], <void*> prelu_loop[double])
cdef Kernel PRELU_VJP = kernel(
    "prelu_vjp", ("g", "x", "weight", "out"), <void*> prelu_vjp_loop[float], <void*> prelu_vjp_loop[double]
)
cdef Kernel PRELU_WEIGHT_VJP = kernel(
    "prelu_weight_vjp", ("g", "x", "out"), <void*> prelu_weight_vjp_loop[float], <void*> prelu_weight_vjp_loop[double]
)
cdef Kernel SILU = kernel("silu", ("x", "out"), <void*> silu_loop[float], <void*> silu_loop[double])
cdef Kernel SILU_VJP = kernel(
    "silu_vjp", ("g", "x", "out"), <void*> silu_vjp_loop[float], <void*> silu_vjp_loop[double]
)
cdef Kernel SOFTPLUS = kernel("softplus", ("x", "out"), <void*> softplus_loop[float], <void*> softplus_loop[double])
cdef Kernel SOFTPLUS_VJP = kernel(
    "softplus_vjp", ("g", "x", "out"), <void*> softplus_vjp_loop[float], <void*> softplus_vjp_loop[double]
)
cdef Kernel SOFTSIGN = kernel("softsign", ("x", "out"), <void*> softsign_loop[float], <void*> softsign_loop[double])
cdef Kernel SOFTSIGN_VJP = kernel(
    "softsign_vjp", ("g", "x", "out"), <void*> softsign_vjp_loop[float], <void*> softsign_vjp_loop[double]
)


def elu(x, alpha, scale, steepness, out):
    """``out = scale * x`` above 0, else ``scale * alpha * (e**(steepness*x) - 1)``: elu, celu and selu in one."""
    apply(ELU, (x, out), (scale, alpha * scale, steepness))


def elu_vjp(g, x, alpha, scale, steepness, out):
    """``out = g * scale`` above 0 and at nan, else ``g * scale * alpha * steepness * e**(steepness*x)``."""
    apply(ELU_VJP, (g, x, out), (scale, alpha * scale * steepness, steepness))


def gelu(x, out):
    """``out = x * P(X < x)`` for a normal X, of floats: ``x/2 * (1 + erf(x / sqrt 2))``."""
    apply(GELU, (x, out), ())


def gelu_tanh(x, out):
    """``out = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x**3)))``, as ``x * sigmoid(...)``. Within 8 eps of |x|."""
    apply(GELU_TANH, (x, out), ())


def gelu_tanh_vjp(g, x, out):
    """The gradient through `gelu_tanh`; 0 and g far out, where x**2 overflows. Within 16 eps of |g|."""
    apply(GELU_TANH_VJP, (g, x, out), ())


def gelu_vjp(g, x, out):
    """``out = g * (P(X < x) + x * density(x))``. Within 8 eps of |g|."""
    apply(GELU_VJP, (g, x, out), ())


def glu(x, gate, out):
    """``out = x * sigmoid(gate)``; it is also the gradient of x. Within 8 eps of |x|."""
    apply(GLU, (x, gate, out), ())


def glu_gate_vjp(g, x, gate, out):
    """``out = g * x * s * (1 - s)`` with s = sigmoid(gate): the gradient of the gate. Within 8 eps of |g * x|."""
    apply(GLU_GATE_VJP, (g, x, gate, out), ())


def hardsigmoid(x, out):
    """``out = (x + 3) / 6``, held between 0 and 1. Exact, step by step."""
    apply(HARDSIGMOID, (x, out), ())


def hardsigmoid_vjp(g, x, out):
    """``out = g / 6`` between -3 and 3, 0 elsewhere and at nan. Exact."""
    apply(HARDSIGMOID_VJP, (g, x, out), ())


def hardswish(x, out):
    """``out = x * hardsigmoid(x)``. Exact, step by step. Howard et al., Searching for MobileNetV3, 2019."""
    apply(HARDSWISH, (x, out), ())


def hardswish_vjp(g, x, out):
    """``out = g * (x/3 + 1/2)`` between -3 and 3, 0 from -3 down, g from 3 up and at nan. Exact, step by step."""
    apply(HARDSWISH_VJP, (g, x, out), ())


def hardtanh(x, low, high, out):
    """``out = x``, held between low and high; nan stays nan. Exact."""
    apply(HARDTANH, (x, out), (low, high))


def hardtanh_vjp(g, x, low, high, out):
    """``out = 0 where x <= low or x >= high, else g``: nothing at the bounds, all of g at nan. Exact."""
    apply(HARDTANH_VJP, (g, x, out), (low, high))


def leaky_relu(x, negative_slope, out):
    """``out = x`` above 0, else ``negative_slope * x``. Exact."""
    apply(LEAKY_RELU, (x, out), (negative_slope,))


def leaky_relu_vjp(g, x, negative_slope, out):
    """``out = g`` where x > 0, else ``negative_slope * g``. Exact."""
    apply(LEAKY_RELU_VJP, (g, x, out), (negative_slope,))


def logsigmoid(x, out):
    """``out = log(sigmoid(x))``, as ``min(x, 0) - log(1 + e**-|x|)``. Within 8 eps of the result."""
    apply(LOGSIGMOID, (x, out), ())


def logsigmoid_vjp(g, x, out):
    """``out = g * sigmoid(-x)``. Within 8 eps of |g|."""
    apply(LOGSIGMOID_VJP, (g, x, out), ())


def mish(x, out):
    """``out = x * tanh(log(1 + e**x))``. Within 8 eps of |x|; nan at -inf."""
    apply(MISH, (x, out), ())


def mish_vjp(g, x, out):
    """``out = g * (t + x * (1 - t*t) * sigmoid(x))`` with t = tanh(log(1 + e**x)). Within 8 eps of |g|."""
    apply(MISH_VJP, (g, x, out), ())


def prelu(x, weight, out):
    """``out = x`` above 0, else ``weight * x``: leaky_relu with a slope that is learned. Exact."""
    apply(PRELU, (x, weight, out), ())


def prelu_vjp(g, x, weight, out):
    """``out = g`` where x > 0, else ``weight * g``: the gradient of x. Exact."""
    apply(PRELU_VJP, (g, x, weight, out), ())


def prelu_weight_vjp(g, x, out):
    """``out = 0`` where x > 0, else ``x * g``: what each element adds to the gradient of its weight. Exact."""
    apply(PRELU_WEIGHT_VJP, (g, x, out), ())


def silu(x, out):
    """``out = x * sigmoid(x)``, also called swish. Within 8 eps of |x|; nan at -inf."""
    apply(SILU, (x, out), ())


def silu_vjp(g, x, out):
    """``out = g * s * (1 + x * (1 - s))`` with s = sigmoid(x). Within 8 eps of |g|."""
    apply(SILU_VJP, (g, x, out), ())


def softplus(x, beta, threshold, out):
    """``out = log(1 + e**(beta*x)) / beta``, and x itself where beta*x exceeds the threshold."""
    apply(SOFTPLUS, (x, out), (beta, threshold))


def softplus_vjp(g, x, beta, threshold, out):
    """``out = g * sigmoid(beta*x)``, and g itself beyond the threshold. Within 8 eps of (1 + |beta*x|) |g|."""
    apply(SOFTPLUS_VJP, (g, x, out), (beta, threshold))


def softsign(x, out):
    """``out = x / (1 + |x|)``; nan at both infinities. Exact, step by step."""
    apply(SOFTSIGN, (x, out), ())


def softsign_vjp(g, x, out):
    """``out = g / (1 + |x|)**2``. Exact, step by step."""
    apply(SOFTSIGN_VJP, (g, x, out), ())


def absolute_error(x, y, out):
    """``out = |x - y|``. Exact."""
    apply(ABSOLUTE_ERROR, (x, y, out), ())


def absolute_error_vjp(g, x, y, scale, out):
    """``out = g * (scale * sign(x - y))``: nothing where they are equal. Exact."""
    apply(ABSOLUTE_ERROR_VJP, (g, x, y, out), (scale,))


def binary_cross_entropy(x, y, out):
    """``out = -y*log(x) - (1 - y)*log(1 - x)``, each logarithm at least -100. Within 8 eps of 100 (1 + |y|)."""
    apply(BINARY_CROSS_ENTROPY, (x, y, out), ())


def binary_cross_entropy_vjp(g, x, y, scale, out):
    """``out = g * (scale * (x - y) / (x*(1 - x)))``, the divisor at least 1e-12. Exact, step by step."""
    apply(BINARY_CROSS_ENTROPY_VJP, (g, x, y, out), (scale,))


def binary_cross_entropy_with_logits(x, y, out):
    """``out = max(x, 0) - x*y + log(1 + e**-|x|)``: the loss of sigmoid(x), without its overflow."""
    apply(BINARY_CROSS_ENTROPY_WITH_LOGITS, (x, y, out), ())


def binary_cross_entropy_with_logits_vjp(g, x, y, scale, out):
    """``out = g * (scale * (sigmoid(x) - y))``. Within 8 eps of |g * scale| (1 + |y|)."""
    apply(BINARY_CROSS_ENTROPY_WITH_LOGITS_VJP, (g, x, y, out), (scale,))


def smooth_l1(x, y, beta, factor, out):
    """``out = factor * (d*d / (2*beta))`` where d = |x - y| < beta, else ``factor * (d - beta/2)``."""
    apply(SMOOTH_L1, (x, y, out), (beta, factor))


def smooth_l1_vjp(g, x, y, beta, scale, out):
    """``out = g * (scale * d)`` with d = (x - y)/beta, held between -1 and 1. Exact, step by step."""
    apply(SMOOTH_L1_VJP, (g, x, y, out), (beta, scale))


def squared_error(x, y, out):
    """``out = (x - y)**2``. Exact, step by step."""
    apply(SQUARED_ERROR, (x, y, out), ())


def squared_error_vjp(g, x, y, scale, out):
    """``out = g * (scale * 2 * (x - y))``, with 1/n for the scale of a mean. Exact, step by step."""
    apply(SQUARED_ERROR_VJP, (g, x, y, out), (2 * scale,))


cdef bint holds(object operand, int type_number, int axes, object like) noexcept:
    """Whether an operand is an array that a loop may read, of an element type, with the first sizes of another."""
    cdef int axis
    if not cnp.PyArray_Check(operand) or not cnp.PyArray_ISBEHAVED_RO(operand):
        return False
    if cnp.PyArray_TYPE(operand) != type_number:
        return False
    for axis in range(min(axes, cnp.PyArray_NDIM(operand))):
        if cnp.PyArray_DIM(operand, axis) != cnp.PyArray_DIM(like, axis):
            return False
    return True


cdef bint fits(object x, object target, object level, object out, object g) noexcept:
    """What `check_scores` asks, in C: that these are scores, the right classes, and what belongs to them."""
    if kind_of(x) == 0 or cnp.PyArray_NDIM(x) == 0:
        return False
    cdef int number = cnp.PyArray_TYPE(x)
    cdef int axes = cnp.PyArray_NDIM(x) - 1
    if not holds(target, cnp.NPY_INT64, axes, x) or cnp.PyArray_NDIM(target) != axes:
        return False
    if not holds(level, number, axes, x) or cnp.PyArray_NDIM(level) != axes + 1 or cnp.PyArray_DIM(level, axes) != 2:
        return False
    if g is None:
        if not holds(out, number, axes, x) or cnp.PyArray_NDIM(out) != axes or not cnp.PyArray_ISWRITEABLE(level):
            return False
    else:
        if not holds(g, number, axes, x) or cnp.PyArray_NDIM(g) != axes:
            return False
        if not holds(out, number, axes + 1, x) or cnp.PyArray_NDIM(out) != axes + 1:
            return False
    if not cnp.PyArray_ISWRITEABLE(out):
        return False
    cdef Rows classes = score_rows(target, axes)
    cdef Py_ssize_t row
    for row in range(cnp.PyArray_SIZE(target)):
        if (<int64_t*> row_at(&classes, row))[0] >= cnp.PyArray_DIM(x, axes):
            return False
    return True


# region [cross_entropy]
def cross_entropy(x, target, level, out):
    """The loss of each row of scores, ``log(sum of e**x) - x[target]``: softmax, logarithm and choice in one pass."""
    if not fits(x, target, level, out, None):
        check_scores("cross_entropy", x, target, level, out)
    cdef int axes = x.ndim - 1
    cdef Rows scores = score_rows(x, axes), classes = score_rows(target, axes), kept = score_rows(level, axes)
    cdef Rows losses = score_rows(out, axes)
    cdef Py_ssize_t rows = out.size, count = x.shape[axes]
    if x.itemsize == 4:
        with nogil:
            cross_entropy_rows[float](&scores, &classes, &kept, &losses, rows, count, 0)
    else:
        with nogil:
            cross_entropy_rows[double](&scores, &classes, &kept, &losses, rows, count, 0)
# endregion [cross_entropy]


def cross_entropy_vjp(g, x, target, level, out):
    """The gradient of the scores: ``out = g * (softmax(x) - onehot(target))``, row by row."""
    if not fits(x, target, level, out, g):
        check_scores("cross_entropy_vjp", x, target, level, out, g)
    cdef int axes = x.ndim - 1
    cdef Rows ups = score_rows(g, axes), scores = score_rows(x, axes), classes = score_rows(target, axes)
    cdef Rows kept = score_rows(level, axes), gradients = score_rows(out, axes)
    cdef Py_ssize_t rows = g.size, count = x.shape[axes]
    if x.itemsize == 4:
        with nogil:
            cross_entropy_vjp_rows[float](&ups, &scores, &classes, &kept, &gradients, rows, count, 0)
    else:
        with nogil:
            cross_entropy_vjp_rows[double](&ups, &scores, &classes, &kept, &gradients, rows, count, 0)


# Normalization

cdef enum:
    CURSORS = 6
    ROW_BLOCK = 1024

cdef enum Way:
    MEASURE, GIVEN, SQUARES, BACK, BACK_SQUARES, WEIGHT


cdef struct Cursor:
    char* base
    Walk walk
    Py_ssize_t index[MAX_AXES]
    Py_ssize_t offset
    Py_ssize_t along  # how far it is on the last axis


cdef bint set_out(Cursor* cursor, cnp.ndarray operand, cnp.ndarray out, cnp.ndarray mean, bint columns) noexcept:
    """Lay out a walk over an operand as `out` reads it, row after row: the axes inside a row come last.

    With `columns` they come first: then the first elements of all rows are visited, then the second ones.
    """
    cdef Walk full
    cdef Walk* walk = &cursor.walk
    cdef int axis, inside
    full.axes, full.operands = cnp.PyArray_NDIM(out), 1
    for axis in range(full.axes):
        full.sizes[axis] = cnp.PyArray_DIM(out, axis)
    if not fit(
        &full, 0, cnp.PyArray_NDIM(operand), <Py_ssize_t*> cnp.PyArray_DIMS(operand),
        <Py_ssize_t*> cnp.PyArray_STRIDES(operand)
    ):
        return False
    walk.axes, walk.operands = 0, 1
    for inside in range(2):
        for axis in range(full.axes):
            if (cnp.PyArray_DIM(mean, axis) == 1) == <bint> (inside != columns):
                walk.sizes[walk.axes] = full.sizes[axis]
                walk.steps[0][walk.axes] = full.steps[0][axis]
                if cnp.PyArray_DIM(mean, axis) == 1 and operand is mean:
                    walk.sizes[walk.axes] = 1
                walk.axes += 1
    merge(walk)
    cursor.base = cnp.PyArray_BYTES(operand)
    cursor.offset = cursor.along = 0
    for axis in range(walk.axes):
        cursor.index[axis] = 0
    return True


cdef inline void move(Cursor* cursor, double* row, Py_ssize_t n, bint back, real like) noexcept nogil:
    """The next `n` elements of a walk into a row of float64; with `back` from the row to where they belong."""
    cdef Walk* walk = &cursor.walk
    cdef int last = walk.axes - 1
    cdef Py_ssize_t k, run, step = walk.steps[0][last]
    cdef char* at
    while n > 0:
        at = cursor.base + cursor.offset + cursor.along * step
        run = min(n, walk.sizes[last] - cursor.along)
        if back and step == sizeof(real):
            for k in range(run):
                (<real*> at)[k] = <real> row[k]
        elif back:
            for k in range(run):
                (<real*> (at + k * step))[0] = <real> row[k]
        elif step == sizeof(real):
            for k in range(run):
                row[k] = (<real*> at)[k]
        else:
            for k in range(run):
                row[k] = (<real*> (at + k * step))[0]
        row += run
        n -= run
        cursor.along += run
        if cursor.along == walk.sizes[last]:
            cursor.along = 0
            advance(walk, cursor.index, &cursor.offset)


cdef inline double folded(double* lanes) noexcept nogil:
    cdef int lane, half = LANES // 2
    while half:
        for lane in range(half):
            lanes[lane] += lanes[lane + half]
        half //= 2
    return lanes[0]


# region [sums of a row]
cdef inline double total(const double* x, Py_ssize_t n) noexcept nogil:
    """The sum of a row, in lanes."""
    cdef double lanes[LANES]
    cdef Py_ssize_t k = 0
    cdef int lane
    for lane in range(LANES):
        lanes[lane] = 0
    while k + LANES <= n:
        for lane in range(LANES):
            lanes[lane] += x[k + lane]
        k += LANES
    for lane in range(<int> (n - k)):
        lanes[lane] += x[k + lane]
    return folded(lanes)


cdef inline double inner(const double* x, const double* y, Py_ssize_t n) noexcept nogil:
    """The sum of the products of two rows, in lanes."""
    cdef double lanes[LANES]
    cdef Py_ssize_t k = 0
    cdef int lane
    for lane in range(LANES):
        lanes[lane] = 0
    while k + LANES <= n:
        for lane in range(LANES):
            lanes[lane] += x[k + lane] * y[k + lane]
        k += LANES
    for lane in range(<int> (n - k)):
        lanes[lane] += x[k + lane] * y[k + lane]
    return folded(lanes)
# endregion [sums of a row]


# region [standardize rows]
cdef void standardize_rows(
    Way way, Cursor* at, double eps, Py_ssize_t rows, Py_ssize_t n, double* row
) noexcept nogil:
    """Of float64: x, weight, bias, mean, var, out. Each row is measured (or not), centred, scaled and shifted."""
    cdef double* other = row + n
    cdef double centre, square, rate
    cdef Py_ssize_t _row, k
    for _row in range(rows):
        move(&at[0], row, n, False, <double> 0)
        if way == GIVEN:
            move(&at[3], &centre, 1, False, <double> 0)
            move(&at[4], &square, 1, False, <double> 0)
        else:
            centre = total(row, n) / <double> n if way == MEASURE else 0
        for k in range(n):
            row[k] -= centre
        if way != GIVEN:
            square = inner(row, row, n) / <double> n
            move(&at[3], &centre, 1, True, <double> 0)
            move(&at[4], &square, 1, True, <double> 0)
        rate = 1 / sqrt(square + eps)
        move(&at[1], other, n, False, <double> 0)
        for k in range(n):
            row[k] = row[k] * rate * other[k]
        move(&at[2], other, n, False, <double> 0)
        for k in range(n):
            row[k] += other[k]
        move(&at[5], row, n, True, <double> 0)
# endregion [standardize rows]


# region [standardize_vjp rows]
cdef void standardize_vjp_rows(
    Way way, Cursor* at, double eps, Py_ssize_t rows, Py_ssize_t n, double* row
) noexcept nogil:
    """Of float64: g, x, weight, mean, var, out; `other` holds y, x normalized."""
    cdef double* other = row + n
    cdef double centre, square, rate, level, tilt
    cdef Py_ssize_t _row, k
    for _row in range(rows):
        move(&at[0], row, n, False, <double> 0)
        if way != WEIGHT:
            move(&at[2], other, n, False, <double> 0)
            for k in range(n):
                row[k] *= other[k]
        move(&at[1], other, n, False, <double> 0)
        move(&at[3], &centre, 1, False, <double> 0)
        move(&at[4], &square, 1, False, <double> 0)
        rate = 1 / sqrt(square + eps)
        for k in range(n):
            other[k] = (other[k] - centre) * rate
        if way == WEIGHT:
            for k in range(n):
                row[k] *= other[k]
        else:
            level = total(row, n) / <double> n if way == BACK else 0
            tilt = inner(row, other, n) / <double> n
            for k in range(n):
                row[k] = rate * (row[k] - level - other[k] * tilt)
        move(&at[5], row, n, True, <double> 0)
# endregion [standardize_vjp rows]


# Rows of float32 are computed in float32, in place where they are contiguous. Their sums are of what is left when the
# mean of the first numbers is subtracted, which is small, and blocks of 1024 of them are added up in float64.

cdef float first_mean(const float* x, Py_ssize_t n) noexcept nogil:
    """The mean of the first numbers of a row, which is most often near that of the whole row."""
    cdef float lanes[MANY_LANES]
    cdef Py_ssize_t count = min(n, <Py_ssize_t> MANY_LANES)
    cdef int lane
    for lane in range(MANY_LANES):
        lanes[lane] = x[lane] if lane < count else 0
    return fold(lanes) / <float> count if n else 0


# region [sums away from]
cdef void sums_away_from(float centre, const float* x, Py_ssize_t n, double* level, double* square) noexcept nogil:
    """The sums of x - centre and of its square."""
    cdef float once[MANY_LANES]
    cdef float twice[MANY_LANES]
    cdef float away
    cdef Py_ssize_t k = 0, stop
    cdef int lane
    level[0] = square[0] = 0
    while k < n:
        stop = min(n, k + ROW_BLOCK)
        for lane in range(MANY_LANES):
            once[lane] = twice[lane] = 0
        while k + MANY_LANES <= stop:
            for lane in range(MANY_LANES):
                away = x[k + lane] - centre
                once[lane] += away
                twice[lane] += away * away
            k += MANY_LANES
        for lane in range(<int> (stop - k)):
            away = x[k + lane] - centre
            once[lane] += away
            twice[lane] += away * away
        k = stop
        level[0] += fold(once)
        square[0] += fold(twice)
# endregion [sums away from]


cdef void sums_of_products(
    const float* g, const float* weight, const float* x, float centre, Py_ssize_t n, double* level, double* tilt
) noexcept nogil:
    """The sums of h = g * weight and of h * (x - centre)."""
    cdef float once[MANY_LANES]
    cdef float twice[MANY_LANES]
    cdef float h
    cdef Py_ssize_t k = 0, stop
    cdef int lane
    level[0] = tilt[0] = 0
    while k < n:
        stop = min(n, k + ROW_BLOCK)
        for lane in range(MANY_LANES):
            once[lane] = twice[lane] = 0
        while k + MANY_LANES <= stop:
            for lane in range(MANY_LANES):
                h = g[k + lane] * weight[k + lane]
                once[lane] += h
                twice[lane] += h * (x[k + lane] - centre)
            k += MANY_LANES
        for lane in range(<int> (stop - k)):
            h = g[k + lane] * weight[k + lane]
            once[lane] += h
            twice[lane] += h * (x[k + lane] - centre)
        k = stop
        level[0] += fold(once)
        tilt[0] += fold(twice)


cdef inline bint leaves_float32(double square) noexcept nogil:
    """Whether numbers of this mean square have squares of which float32 holds few digits, or none."""
    return not (1e-30 < square < 1e30)


cdef void measure(Way way, const float* x, Py_ssize_t n, double* centre, double* square) noexcept nogil:
    """Mean and variance of a row in float64."""
    cdef Py_ssize_t k
    cdef double away
    centre[0] = square[0] = 0
    if way == MEASURE:
        for k in range(n):
            centre[0] += x[k]
        centre[0] /= <double> n
    for k in range(n):
        away = x[k] - centre[0]
        square[0] += away * away
    square[0] /= <double> n


cdef void standardize_vjp_wide_row(
    Way way, const float* g, const float* x, const float* weight, double centre, double rate, float* out, Py_ssize_t n
) noexcept nogil:
    """A row of `standardize_vjp` in float64."""
    cdef double level = 0, tilt = 0, h, y
    cdef Py_ssize_t k
    for k in range(n):
        h, y = <double> g[k] * weight[k], (x[k] - centre) * rate
        level += h
        tilt += h * y
    level = level / <double> n if way == BACK else 0
    tilt /= <double> n
    for k in range(n):
        h, y = <double> g[k] * weight[k], (x[k] - centre) * rate
        out[k] = <float> (rate * (h - level - y * tilt))


cdef inline bint lies_in_rows(Cursor* cursor, Py_ssize_t n) noexcept nogil:
    """Whether each row of an operand of float32 is contiguous."""
    cdef int last = cursor.walk.axes - 1
    return cursor.walk.steps[0][last] == sizeof(float) and n > 0 and cursor.walk.sizes[last] % n == 0


cdef inline float* place_of_row(Cursor* cursor, float* room, Py_ssize_t n) noexcept nogil:
    """Where the next row of a result is written: where it belongs if that is contiguous, else into `room`."""
    return <float*> (cursor.base + cursor.offset) + cursor.along if lies_in_rows(cursor, n) else room


cdef inline void put_row(Cursor* cursor, const float* row, const float* room, Py_ssize_t n) noexcept nogil:
    """Go on to the next row of a result, once what stands in `room` is where it belongs."""
    cdef Walk* walk = &cursor.walk
    cdef int last = walk.axes - 1
    cdef Py_ssize_t k, run, step = walk.steps[0][last]
    cdef char* at
    while n > 0:
        at = cursor.base + cursor.offset + cursor.along * step
        run = min(n, walk.sizes[last] - cursor.along)
        if row == room:
            for k in range(run):
                (<float*> (at + k * step))[0] = room[k]
            room += run
            row += run
        n -= run
        cursor.along += run
        if cursor.along == walk.sizes[last]:
            cursor.along = 0
            advance(walk, cursor.index, &cursor.offset)


cdef inline const float* next_row(Cursor* cursor, float* room, char** held, Py_ssize_t n) noexcept nogil:
    """The next row of an operand in place, or gathered into `room` unless it is the one that stands there."""
    cdef Walk* walk = &cursor.walk
    cdef int last = walk.axes - 1
    cdef Py_ssize_t k, run, left = n, step = walk.steps[0][last]
    cdef char* at = cursor.base + cursor.offset + cursor.along * step
    cdef bint contiguous = lies_in_rows(cursor, n)
    cdef bint stands = contiguous or at == held[0]
    cdef const float* row = <const float*> at if contiguous else room
    held[0] = at
    while left > 0:
        at = cursor.base + cursor.offset + cursor.along * step
        run = min(left, walk.sizes[last] - cursor.along)
        if not stands:
            for k in range(run):
                room[n - left + k] = (<float*> (at + k * step))[0]
        left -= run
        cursor.along += run
        if cursor.along == walk.sizes[last]:
            cursor.along = 0
            advance(walk, cursor.index, &cursor.offset)
    return row


# region [standardize rows of float32]
cdef void standardize_single_rows(
    Way way, Cursor* at, double eps, Py_ssize_t rows, Py_ssize_t n, float* room
) noexcept nogil:
    """As `standardize_rows`; the mean enters as a float32 and the rest that it leaves."""
    cdef const float* x
    cdef const float* weight
    cdef const float* bias
    cdef float* out
    cdef char* held[3]
    cdef double centre = 0, square = 0, shift = 0, rate, each = 1 / <double> n
    cdef float first, rest, scale
    cdef Py_ssize_t _row, k
    held[0] = held[1] = held[2] = NULL
    for _row in range(rows):
        x = next_row(&at[0], room, &held[0], n)
        weight, bias = next_row(&at[1], room + n, &held[1], n), next_row(&at[2], room + 2 * n, &held[2], n)
        if way == GIVEN:
            move[float](&at[3], &centre, 1, False, 0)
            move[float](&at[4], &square, 1, False, 0)
            first, rest = <float> centre, 0
        else:
            first = first_mean(x, n) if way == MEASURE else 0
            sums_away_from(first, x, n, &shift, &square)
            shift *= each
            if way == MEASURE and shift * shift > 0.25 * square * each:  # much would cancel below
                first += <float> shift
                sums_away_from(first, x, n, &shift, &square)
                shift *= each
            if way == SQUARES:
                shift = 0
            square = square * each - shift * shift
            centre = first + shift
            if leaves_float32(square):
                measure(way, x, n, &centre, &square)
            rest = <float> (centre - first)
            move[float](&at[3], &centre, 1, True, 0)
            move[float](&at[4], &square, 1, True, 0)
        out = place_of_row(&at[5], room + 3 * n, n)
        rate = 1 / sqrt(square + eps)
        scale = <float> rate
        if leaves_float32(square):
            for k in range(n):
                out[k] = <float> ((x[k] - centre) * rate * weight[k] + bias[k])
        else:
            for k in range(n):
                out[k] = ((x[k] - first) - rest) * scale * weight[k] + bias[k]
        put_row(&at[5], out, room + 3 * n, n)
# endregion [standardize rows of float32]


# region [standardize_vjp rows of float32]
cdef void standardize_vjp_single_rows(
    Way way, Cursor* at, double eps, Py_ssize_t rows, Py_ssize_t n, float* room
) noexcept nogil:
    """As `standardize_vjp_rows`."""
    cdef const float* g
    cdef const float* x
    cdef const float* weight
    cdef float* out
    cdef char* held[3]
    cdef double centre = 0, square = 0, level, tilt, rate, each = 1 / <double> n
    cdef float first, scale, lower, slope
    cdef bint wide
    cdef Py_ssize_t _row, k
    held[0] = held[1] = held[2] = NULL
    for _row in range(rows):
        g, x = next_row(&at[0], room, &held[0], n), next_row(&at[1], room + n, &held[1], n)
        out = place_of_row(&at[5], room + 3 * n, n)
        move[float](&at[3], &centre, 1, False, 0)
        move[float](&at[4], &square, 1, False, 0)
        first = <float> centre
        wide = leaves_float32(square)
        rate = 1 / sqrt(square + eps)
        scale = <float> rate
        weight = next_row(&at[2], room + 2 * n, &held[2], n)
        if way == WEIGHT:
            for k in range(n):
                out[k] = <float> (g[k] * ((x[k] - centre) * rate)) if wide else g[k] * ((x[k] - first) * scale)
        elif wide:
            standardize_vjp_wide_row(way, g, x, weight, centre, rate, out, n)
        else:
            sums_of_products(g, weight, x, first, n, &level, &tilt)
            lower = <float> (level * each) if way == BACK else 0
            slope = <float> (tilt * each * rate * rate)
            for k in range(n):
                out[k] = scale * ((g[k] * weight[k] - lower) - (x[k] - first) * slope)
        put_row(&at[5], out, room + 3 * n, n)
# endregion [standardize_vjp rows of float32]


# region [standardize columns]
cdef void standardize_columns(
    Way way, Cursor* at, double eps, Py_ssize_t rows, Py_ssize_t n, double* room, real like
) noexcept nogil:
    """As `standardize_rows`, where the rows lie side by side in memory: each step is taken for all of them at once."""
    cdef double* centre = room
    cdef double* square = room + rows
    cdef double* line = room + 2 * rows
    cdef double* other = room + 3 * rows
    cdef double away
    cdef Py_ssize_t _k, r
    for r in range(rows):
        centre[r] = square[r] = 0
    if way == GIVEN:
        move(&at[3], centre, rows, False, like)
        move(&at[4], square, rows, False, like)
    else:
        if way == MEASURE:
            for _k in range(n):
                move(&at[0], line, rows, False, like)
                for r in range(rows):
                    centre[r] += line[r]
            for r in range(rows):
                centre[r] /= <double> n
        for _k in range(n):
            move(&at[0], line, rows, False, like)
            for r in range(rows):
                away = line[r] - centre[r]
                square[r] += away * away
        for r in range(rows):
            square[r] /= <double> n
        move(&at[3], centre, rows, True, like)
        move(&at[4], square, rows, True, like)
    for r in range(rows):
        square[r] = 1 / sqrt(square[r] + eps)
    for _k in range(n):
        move(&at[0], line, rows, False, like)
        move(&at[1], other, rows, False, like)
        for r in range(rows):
            line[r] = (line[r] - centre[r]) * square[r] * other[r]
        move(&at[2], other, rows, False, like)
        for r in range(rows):
            line[r] += other[r]
        move(&at[5], line, rows, True, like)
# endregion [standardize columns]


cdef inline void next_line(
    Way way, Cursor* at, const double* centre, const double* rate, double* line, double* other, Py_ssize_t rows,
    real like
) noexcept nogil:
    """The next elements of all rows: `line` gets h = g * weight, and `other` y, x normalized."""
    cdef Py_ssize_t r
    move(&at[0], line, rows, False, like)
    if way != WEIGHT:
        move(&at[2], other, rows, False, like)
        for r in range(rows):
            line[r] *= other[r]
    move(&at[1], other, rows, False, like)
    for r in range(rows):
        other[r] = (other[r] - centre[r]) * rate[r]


cdef void standardize_vjp_columns(
    Way way, Cursor* at, double eps, Py_ssize_t rows, Py_ssize_t n, double* room, real like
) noexcept nogil:
    """As `standardize_vjp_rows`, for all rows at once."""
    cdef double* centre = room
    cdef double* rate = room + rows
    cdef double* line = room + 2 * rows
    cdef double* other = room + 3 * rows
    cdef double* level = room + 4 * rows
    cdef double* tilt = room + 5 * rows
    cdef Py_ssize_t _k, r
    move(&at[3], centre, rows, False, like)
    move(&at[4], rate, rows, False, like)
    for r in range(rows):
        rate[r] = 1 / sqrt(rate[r] + eps)
        level[r] = tilt[r] = 0
    if way != WEIGHT:
        for _k in range(n):
            next_line(way, at, centre, rate, line, other, rows, like)
            for r in range(rows):
                level[r] += line[r]
                tilt[r] += line[r] * other[r]
        for r in range(rows):
            level[r] = level[r] / <double> n if way == BACK else 0
            tilt[r] /= <double> n
    for _k in range(n):
        next_line(way, at, centre, rate, line, other, rows, like)
        if way == WEIGHT:
            for r in range(rows):
                line[r] *= other[r]
        else:
            for r in range(rows):
                line[r] = rate[r] * (line[r] - level[r] - other[r] * tilt[r])
        move(&at[5], line, rows, True, like)


cdef bint side_by_side(cnp.ndarray x, cnp.ndarray mean) noexcept:
    """Whether neighbours in memory belong to different rows, and there are enough of them to take them together."""
    cdef int axis, best = -1
    for axis in range(cnp.PyArray_NDIM(x)):
        if cnp.PyArray_DIM(x, axis) > 1 and (
            best < 0 or abs(cnp.PyArray_STRIDE(x, axis)) < abs(cnp.PyArray_STRIDE(x, best))
        ):
            best = axis
    return best >= 0 and cnp.PyArray_DIM(mean, best) >= LANES


cdef void run(
    Way way, Cursor* at, double eps, Py_ssize_t rows, Py_ssize_t n, bint columns, double* room, real like
) noexcept nogil:
    """The loop that fits."""
    cdef bint forward = way == MEASURE or way == GIVEN or way == SQUARES
    if forward and columns:
        standardize_columns(way, at, eps, rows, n, room, like)
    elif columns:
        standardize_vjp_columns(way, at, eps, rows, n, room, like)
    elif real is float and forward:
        standardize_single_rows(way, at, eps, rows, n, <float*> room)
    elif real is float:
        standardize_vjp_single_rows(way, at, eps, rows, n, <float*> room)
    elif forward:
        standardize_rows(way, at, eps, rows, n, room)
    else:
        standardize_vjp_rows(way, at, eps, rows, n, room)


cdef bint normalize(Way way, tuple operands, double eps) except -1:
    """Run one of the two loops over six operands, `mean`, `var` and `out` the last; False when they do not fit."""
    cdef Cursor at[CURSORS]
    cdef cnp.ndarray out, mean, var, operand
    cdef int axis, j, size = kind_of(operands[5])
    cdef Py_ssize_t n = 1, rows = 1
    cdef bint columns
    cdef double* room
    for operand in operands:
        if size == 0 or kind_of(operand) != size:
            return False
    mean, var, out = operands[3], operands[4], operands[5]
    if not cnp.PyArray_ISWRITEABLE(out) or not cnp.PyArray_SAMESHAPE(mean, var):
        return False
    if way in (MEASURE, SQUARES) and not (cnp.PyArray_ISWRITEABLE(mean) and cnp.PyArray_ISWRITEABLE(var)):
        return False
    if cnp.PyArray_NDIM(mean) != cnp.PyArray_NDIM(out) or not cnp.PyArray_SAMESHAPE(operands[0], out):
        return False
    if way in (BACK, BACK_SQUARES, WEIGHT) and not cnp.PyArray_SAMESHAPE(operands[1], out):
        return False
    for axis in range(cnp.PyArray_NDIM(out)):
        if cnp.PyArray_DIM(mean, axis) == 1:
            n *= cnp.PyArray_DIM(out, axis)
        else:
            rows *= cnp.PyArray_DIM(out, axis)
    columns = side_by_side(operands[0], mean)
    for j in range(CURSORS):
        if not set_out(&at[j], operands[j], out, mean if j != 4 else var, columns):
            return False
    room = <double*> malloc((6 * rows if columns else 2 * n) * sizeof(double) + 1)
    if room == NULL:
        raise MemoryError(f"no memory for {6 * rows if columns else 2 * n} numbers")
    with nogil:
        if size == 4:
            run[float](way, at, eps, rows, n, columns, room, 0)
        else:
            run[double](way, at, eps, rows, n, columns, room, 0)
    free(room)
    return True


cdef int normalized(Way way, str op, bint written, tuple names, tuple operands, double eps) except -1:
    """Run a kernel, or raise what `checks` says of operands that it does not take."""
    if not all([isinstance(operand, cnp.ndarray) for operand in operands]) or not normalize(way, operands, eps):
        check_rows(check_arrays, op, written, **dict(zip(names, operands, strict=True)))
        raise AssertionError(f"{op}: refused without a reason")
    return 0


cdef tuple FORWARD = ("x", "weight", "bias", "mean", "var", "out")
cdef tuple BACKWARD = ("g", "x", "weight", "mean", "var", "out")


def standardize(x, weight, bias, eps, centred, mean, var, out):
    """``out = (x - mean) / sqrt(var + eps) * weight + bias``, with the mean and variance of each row of x."""
    normalized(MEASURE if centred else SQUARES, "standardize", True, FORWARD, (x, weight, bias, mean, var, out), eps)


def standardize_given(x, weight, bias, eps, mean, var, out):
    """As `standardize`, with a mean and a variance that are given instead of measured."""
    normalized(GIVEN, "standardize_given", False, FORWARD, (x, weight, bias, mean, var, out), eps)


def standardize_vjp(g, x, weight, eps, centred, mean, var, out):
    """The gradient of x through `standardize`: ``rate * (h - mean of h - y * mean of h*y)``, with h = g * weight."""
    normalized(
        BACK if centred else BACK_SQUARES, "standardize_vjp", False, BACKWARD, (g, x, weight, mean, var, out), eps
    )


def standardize_weight_vjp(g, x, eps, mean, var, out):
    """``out = g * (x - mean) / sqrt(var + eps)``: what each element adds to the gradient of its weight."""
    normalized(WEIGHT, "standardize_weight_vjp", False, BACKWARD, (g, x, x, mean, var, out), eps)
