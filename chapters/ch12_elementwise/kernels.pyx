"""Rung 3, the twin: the elementwise kernels in Cython, beside `reference` loop by loop.

A. Each kernel is one loop over contiguous elements, `out[k] = rule(x[k], y[k])`, which the C compiler turns into vector
   instructions. Fused types make one C function of it per element type.
   A value that is not always needed is read before the choice: the compiler may not read memory on a guess.
B. `launch` is the driver of all of them. It finds the loop for the element types, and where all operands have one shape
   and lie contiguous in memory it calls it once. That is the common case, and the cheap one.
C. Otherwise chapter 7's walk merges what axes it can, and the loop runs along the last axis. An operand that repeats or
   is strided along it is first gathered into a block on the stack that stays in the cache; a strided `out` is scattered
   from one; short rows are taken several at a time, and operands that lie the other way round (a transpose) tile by
   tile. So no loop needs a second form, and strided operands are computed with vectors too.
D. What does not fit is refused with the words of `checks`.

int64 is computed as uint64, whose overflow C defines: it wraps. A literal beside a float32 is cast to its type, for
`1.0 + x` would be float64 arithmetic in C.
"""

cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject
from libc.math cimport ceil as ceil_double
from libc.math cimport INFINITY, ceilf, copysign, copysignf, fabs, fabsf, floorf, rint, rintf, sqrtf
from libc.math cimport floor as floor_double
from libc.math cimport pow as pow_double
from libc.math cimport sqrt as sqrt_double
from libc cimport math as libm
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from chapters.ch07_broadcasting.walk cimport MAX_AXES, MAX_OPERANDS, Walk, advance, distance, fit, merge, order
from chapters.ch12_elementwise.error_function cimport complementary_error_function, error_function
from chapters.ch12_elementwise.exponential cimport (
    STRETCH, all_moderate, all_within, binary_exponential, exponential, exponential_less_one, logistic,
    moderate_binary_exponential, moderate_exponential, moderate_exponential_less_one, moderate_logistic, real,
)
from chapters.ch12_elementwise.hyperbolic cimport hyperbolic_cosine, hyperbolic_sine, hyperbolic_tangent
from chapters.ch12_elementwise.logarithm cimport (
    all_normal, binary_logarithm, decimal_logarithm, inverse_hyperbolic_cosine, inverse_hyperbolic_sine,
    inverse_hyperbolic_tangent, log_one_plus, natural_logarithm, normal_binary_logarithm, normal_decimal_logarithm,
    normal_log_one_plus, normal_logarithm,
)
from chapters.ch12_elementwise.power cimport float_power, hypotenuse
from chapters.ch12_elementwise.trigonometry cimport (
    NEAR, arccosine, arcsine, arctangent, arctangent_of_point, cardinal_sine, is_near, sine_or_cosine, tangent,
)

import numpy as np

from chapters.ch07_broadcasting.spec import broadcast_shapes
from chapters.ch12_elementwise.checks import check_arrays, check_value

cnp.import_array()

__all__ = [
    "abs",
    "abs_vjp",
    "acos",
    "acosh",
    "add",
    "add_scaled",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "broadcast_add_kernel",
    "ceil",
    "clamp",
    "clamp_vjp",
    "copy",
    "cos",
    "cosh",
    "div",
    "elementwise_add",
    "eq",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fill",
    "floor",
    "floor_divide",
    "fmod",
    "ge",
    "gt",
    "hypot",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "lerp",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "ne",
    "neg",
    "pow",
    "reciprocal",
    "relu",
    "relu_vjp",
    "remainder",
    "round",
    "rsqrt",
    "sigmoid",
    "sigmoid_vjp",
    "sign",
    "sin",
    "sinc",
    "sinc_vjp",
    "sinh",
    "sqrt",
    "sub",
    "tan",
    "tanh",
    "tanh_vjp",
    "trunc",
    "where",
    "xlogy",
]

ctypedef fused wrapping:
    float
    double
    uint64_t

ctypedef fused signed_number:
    float
    double
    int64_t

ctypedef fused number:
    float
    double
    int64_t
    uint8_t

ctypedef fused target:
    float
    double
    int64_t
    uint8_t

ctypedef fused bits:
    uint8_t
    uint32_t
    uint64_t


# Binary arithmetic

# region [add loop]
cdef void add_loop(wrapping* x, wrapping* y, wrapping* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] + y[k]
# endregion [add loop]


cdef void sub_loop(wrapping* x, wrapping* y, wrapping* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] - y[k]


# region [mul loop]
cdef void mul_loop(wrapping* x, wrapping* y, wrapping* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] * y[k]
# endregion [mul loop]


cdef void div_loop(real* x, real* y, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] / y[k]


cdef void pow_loop(real* x, real* y, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        if real is float:
            out[k] = float_power(x[k], y[k])
        else:
            out[k] = pow_double(x[k], y[k])


# Powers whose exponent is one number for all elements, and one of those below. What takes several steps takes them in
# float64, which leaves float32 one rounding.

cdef void first_power_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k]


cdef void square_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] * x[k]


cdef void cube_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef double wide
    for k in range(n):
        wide = x[k]
        out[k] = <real> (wide * wide * wide)


cdef inline real root_as_power(real x) noexcept nogil:
    """x**0.5: the square root, but +0 of -0 and inf of -inf."""
    cdef real root = sqrtf(x) if real is float else sqrt_double(x)
    return <real> INFINITY if x == -<real> INFINITY else root + <real> 0


cdef void root_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = root_as_power(x[k])


cdef void inverse_root_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = <real> (1.0 / root_as_power(<double> x[k]))


cdef inline uint64_t int_pow(int64_t x, int64_t y) noexcept nogil:
    """x**y by squaring, modulo 2**64; with a negative exponent what is left of 1 / x**-y without its fraction."""
    cdef uint64_t power = 1
    cdef uint64_t square = <uint64_t> x
    if y < 0:
        if x == -1:
            return <uint64_t> (-1 if y & 1 else 1)
        return x == 1
    while y > 0:
        if y & 1:
            power *= square
        square *= square
        y >>= 1
    return power


cdef void int_pow_loop(int64_t* x, int64_t* y, uint64_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = int_pow(x[k], y[k])


cdef void maximum_loop(number* x, number* y, number* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef number larger
    for k in range(n):
        larger = x[k] if x[k] > y[k] else y[k]
        if number is float or number is double:
            larger = x[k] if x[k] != x[k] else larger
            larger = x[k] + y[k] if (x[k] == 0) & (y[k] == 0) else larger
        out[k] = larger


cdef void minimum_loop(number* x, number* y, number* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef number smaller
    for k in range(n):
        smaller = x[k] if x[k] < y[k] else y[k]
        if number is float or number is double:
            smaller = x[k] if x[k] != x[k] else smaller
            smaller = -(-x[k] - y[k]) if (x[k] == 0) & (y[k] == 0) else smaller
        out[k] = smaller


# Comparisons and logic: bool results

cdef void eq_loop(number* x, number* y, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] == y[k]


cdef void ne_loop(number* x, number* y, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] != y[k]


cdef void lt_loop(number* x, number* y, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] < y[k]


cdef void le_loop(number* x, number* y, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] <= y[k]


cdef void gt_loop(number* x, number* y, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] > y[k]


cdef void ge_loop(number* x, number* y, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] >= y[k]


cdef void and_loop(uint8_t* x, uint8_t* y, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] & y[k]


cdef void or_loop(uint8_t* x, uint8_t* y, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] | y[k]


cdef void xor_loop(uint8_t* x, uint8_t* y, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] ^ y[k]


cdef void not_loop(uint8_t* x, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] ^ 1


# Unary

cdef void neg_loop(wrapping* x, wrapping* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = -x[k]


cdef void abs_loop(signed_number* x, signed_number* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        if signed_number is float:
            out[k] = fabsf(x[k])
        elif signed_number is double:
            out[k] = fabs(x[k])
        else:
            out[k] = <int64_t> (-<uint64_t> x[k]) if x[k] < 0 else x[k]


cdef void sign_loop(signed_number* x, signed_number* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = (x[k] > 0) - (x[k] < 0)


# region [relu loop]
cdef void relu_loop(signed_number* x, signed_number* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = 0 if x[k] <= 0 else x[k]
# endregion [relu loop]


cdef void sqrt_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        if real is float:
            out[k] = sqrtf(x[k])
        else:
            out[k] = sqrt_double(x[k])


cdef void floor_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        if real is float:
            out[k] = floorf(x[k])
        else:
            out[k] = floor_double(x[k])


cdef void ceil_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        if real is float:
            out[k] = ceilf(x[k])
        else:
            out[k] = ceil_double(x[k])


cdef void round_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        if real is float:
            out[k] = rintf(x[k])
        else:
            out[k] = rint(x[k])


# exp and log, and what is built on them

# region [exp loop]
cdef void exp_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + STRETCH, n)
        if all_moderate(x + start, stop - start):
            for k in range(start, stop):
                out[k] = moderate_exponential(x[k])
        else:
            for k in range(start, stop):
                out[k] = exponential(x[k])
        start = stop
# endregion [exp loop]


cdef void sigmoid_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + STRETCH, n)
        if all_moderate(x + start, stop - start):
            for k in range(start, stop):
                out[k] = moderate_logistic(x[k])
        else:
            for k in range(start, stop):
                out[k] = logistic(x[k])
        start = stop


cdef void log_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + STRETCH, n)
        if all_normal(x + start, <real> 0, stop - start):
            for k in range(start, stop):
                out[k] = normal_logarithm(x[k])
        else:
            for k in range(start, stop):
                out[k] = natural_logarithm(x[k])
        start = stop


cdef void tanh_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = hyperbolic_tangent(x[k])


cdef void exp2_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + STRETCH, n)
        if all_moderate(x + start, stop - start):
            for k in range(start, stop):
                out[k] = moderate_binary_exponential(x[k])
        else:
            for k in range(start, stop):
                out[k] = binary_exponential(x[k])
        start = stop


cdef void expm1_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + STRETCH, n)
        if all_moderate(x + start, stop - start):
            for k in range(start, stop):
                out[k] = moderate_exponential_less_one(x[k])
        else:
            for k in range(start, stop):
                out[k] = exponential_less_one(x[k])
        start = stop


cdef void log1p_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + STRETCH, n)
        if all_normal(x + start, <real> 1, stop - start):
            for k in range(start, stop):
                out[k] = normal_log_one_plus(x[k])
        else:
            for k in range(start, stop):
                out[k] = log_one_plus(x[k])
        start = stop


cdef void log2_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + STRETCH, n)
        if all_normal(x + start, <real> 0, stop - start):
            for k in range(start, stop):
                out[k] = normal_binary_logarithm(x[k])
        else:
            for k in range(start, stop):
                out[k] = binary_logarithm(x[k])
        start = stop


cdef void log10_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + STRETCH, n)
        if all_normal(x + start, <real> 0, stop - start):
            for k in range(start, stop):
                out[k] = normal_decimal_logarithm(x[k])
        else:
            for k in range(start, stop):
                out[k] = decimal_logarithm(x[k])
        start = stop


# Sine, cosine and tangent. An element beyond the reach of the reduction is the C library's; so that the others do not
# wait for it, elements are looked at in blocks.

cdef void sin_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + BLOCK, n)
        if all_within(x + start, <real> NEAR, stop - start):
            for k in range(start, stop):
                out[k] = copysignf(0, x[k]) if x[k] == 0 else sine_or_cosine(x[k], 0)
        else:
            for k in range(start, stop):
                if is_near(x[k]):
                    out[k] = copysignf(0, x[k]) if x[k] == 0 else sine_or_cosine(x[k], 0)
                else:
                    out[k] = libm.sinf(x[k]) if real is float else libm.sin(x[k])
        start = stop


cdef void cos_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + BLOCK, n)
        if all_within(x + start, <real> NEAR, stop - start):
            for k in range(start, stop):
                out[k] = sine_or_cosine(x[k], 1)
        else:
            for k in range(start, stop):
                if is_near(x[k]):
                    out[k] = sine_or_cosine(x[k], 1)
                else:
                    out[k] = libm.cosf(x[k]) if real is float else libm.cos(x[k])
        start = stop


cdef void tan_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, stop, start = 0
    while start < n:
        stop = min(start + BLOCK, n)
        if all_within(x + start, <real> NEAR, stop - start):
            for k in range(start, stop):
                out[k] = tangent(x[k])
        else:
            for k in range(start, stop):
                if is_near(x[k]):
                    out[k] = tangent(x[k])
                else:
                    out[k] = libm.tanf(x[k]) if real is float else libm.tan(x[k])
        start = stop


cdef void asin_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = arcsine(x[k])


cdef void acos_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = arccosine(x[k])


cdef void atan_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = arctangent(x[k])


cdef void sinh_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = hyperbolic_sine(x[k])


cdef void cosh_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = hyperbolic_cosine(x[k])


cdef void asinh_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = inverse_hyperbolic_sine(x[k])


cdef void acosh_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = inverse_hyperbolic_cosine(x[k])


cdef void atanh_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = inverse_hyperbolic_tangent(x[k])


cdef void erf_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = error_function(x[k])


cdef void erfc_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = complementary_error_function(x[k])


cdef inline double cardinal_slope(double x) noexcept nogil:
    """The derivative of `cardinal_sine`: its series near 0, where the difference of the closed form loses digits."""
    cdef double angle = libm.M_PI * x
    cdef double nearest, cosine, term, total
    cdef int n
    if libm.fabs(angle) > 1:
        nearest = rint(x)
        cosine = libm.cos(libm.M_PI * (x - nearest))
        return ((-cosine if libm.fmod(nearest, 2.0) != 0 else cosine) - cardinal_sine(x)) / x
    term, total = -libm.M_PI * angle / 3, 0.0
    for n in range(1, 10):
        total += term
        term *= -angle * angle / (2 * n * (2 * n + 3))
    return total


cdef void sinc_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = cardinal_sine(x[k])


cdef void sinc_vjp_loop(real* g, real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = <real> (g[k] * cardinal_slope(x[k]))


cdef void atan2_loop(real* x, real* y, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = arctangent_of_point(x[k], y[k])


cdef void hypot_loop(real* x, real* y, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = hypotenuse(x[k], y[k])


cdef void xlogy_loop(real* x, real* y, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef real value
    for k in range(n):
        value = x[k] * natural_logarithm(y[k])
        out[k] = 0 if (x[k] == 0) & (y[k] == y[k]) else value


# Division in its other forms. C leaves the remainder of an integer by 0 undefined, and that of the smallest by -1.

cdef inline signed_number left_over(signed_number x, signed_number y) noexcept nogil:
    """What x / y leaves when the quotient drops its fraction."""
    if signed_number is float:
        return libm.fmodf(x, y)
    elif signed_number is double:
        return libm.fmod(x, y)
    else:
        return 0 if y == 0 or y == -1 else x % y


cdef void fmod_loop(signed_number* x, signed_number* y, signed_number* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = left_over(x[k], y[k])


cdef void remainder_loop(signed_number* x, signed_number* y, signed_number* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef signed_number left
    for k in range(n):
        left = left_over(x[k], y[k])
        out[k] = left + y[k] if left != 0 and (left < 0) != (y[k] < 0) else left


cdef inline real floor_quotient(real x, real y) noexcept nogil:
    """x / y rounded down so that it fits the remainder."""
    cdef real left, quotient, below
    if y == 0:
        return x / y
    left = left_over(x, y)
    quotient = (x - left) / y
    if left != 0 and (left < 0) != (y < 0):
        quotient -= 1
    if quotient == 0:
        return copysignf(0, x / y) if real is float else copysign(0, x / y)
    below = floorf(quotient) if real is float else floor_double(quotient)
    return below + 1 if quotient - below > <real> 0.5 else below


cdef inline int64_t int_floor_quotient(int64_t x, int64_t y) noexcept nogil:
    if y == 0:
        return 0
    if y == -1:
        return <int64_t> (-<uint64_t> x)
    return x // y - (x % y != 0 and (x < 0) != (y < 0))


cdef void floor_divide_loop(signed_number* x, signed_number* y, signed_number* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        if signed_number is int64_t:
            out[k] = int_floor_quotient(x[k], y[k])
        else:
            out[k] = floor_quotient(x[k], y[k])


cdef void reciprocal_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = <real> 1 / x[k]


cdef void rsqrt_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = <real> 1 / (sqrtf(x[k]) if real is float else sqrt_double(x[k]))


cdef void trunc_loop(real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = libm.truncf(x[k]) if real is float else libm.trunc(x[k])


cdef void isnan_loop(real* x, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] != x[k]


cdef void isinf_loop(real* x, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = (x[k] == INFINITY) | (x[k] == -INFINITY)


cdef void isfinite_loop(real* x, uint8_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = (x[k] < INFINITY) & (x[k] > -INFINITY)


# Three operands

cdef void clamp_loop(number* x, number* low, number* high, number* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef number value, least, most
    for k in range(n):
        value, least, most = x[k], low[k], high[k]
        value = least if value < least else value
        if number is float or number is double:
            value = least if least != least else value
            value = most if most != most else value
        out[k] = most if value > most else value


cdef void clamp_vjp_loop(real* g, real* x, real* low, real* high, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef real up
    for k in range(n):
        up = g[k]
        out[k] = up if (low[k] <= x[k]) & (x[k] <= high[k]) else 0


cdef void lerp_loop(real* start, real* end, real* weight, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef real way, ahead, back
    for k in range(n):
        way = end[k] - start[k]
        ahead = start[k] + weight[k] * way
        back = end[k] - way * (<real> 1 - weight[k])
        out[k] = ahead if (weight[k] < <real> 0.5) & (weight[k] > <real> -0.5) else back


# Selection, casts, and the backward passes that save a temporary

cdef void where_loop(bits* x, bits* y, uint8_t* condition, bits* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef bits left, right
    for k in range(n):
        left, right = x[k], y[k]
        out[k] = left if condition[k] else right


cdef void cast_loop(number* x, target* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        if target is uint8_t:
            out[k] = x[k] != 0
        elif target is int64_t and (number is float or number is double):
            out[k] = <int64_t> x[k] if (x[k] >= -(2.0**63)) & (x[k] < 2.0**63) else LOWEST
        else:
            out[k] = <target> x[k]


cdef void fill_loop(number* value, number* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = value[k]


cdef void add_scaled_loop(real* x, real* y, real* alpha, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] + alpha[k] * y[k]


# region [tanh_vjp loop]
cdef void tanh_vjp_loop(real* g, real* y, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = g[k] * (<real> 1 - y[k] * y[k])
# endregion [tanh_vjp loop]


cdef void sigmoid_vjp_loop(real* g, real* y, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = g[k] * ((<real> 1 - y[k]) * y[k])


cdef void relu_vjp_loop(real* g, real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef real up
    for k in range(n):
        up = g[k]
        out[k] = 0 if x[k] <= 0 else up


cdef void abs_vjp_loop(real* g, real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = g[k] * ((x[k] > 0) - (x[k] < 0))


# The driver

cdef enum:
    FLOAT32
    FLOAT64
    INT64
    BOOL
    KINDS
    OTHER = -1
    BLOCK = 512  # elements gathered at a time: five operands of 8 bytes are 20 KB, less than a first-level cache
    SHORT = 128  # elements of a row up to which several rows share a call
    LINE = 64  # bytes that a cache fetches at a time
    TALL = 16  # rows of a tile, for operands that lie the other way round: a line of each of its columns
    WIDE = 64
    CORNER = 8
    MANY = 16384  # elements from which on other threads may run meanwhile: giving up the GIL costs as much as 500

cdef union Element:
    float single
    double double_
    int64_t integer
    uint8_t truth

ctypedef void (*Loop2)(void*, void*, Py_ssize_t) noexcept nogil
ctypedef void (*Loop3)(void*, void*, void*, Py_ssize_t) noexcept nogil
ctypedef void (*Loop4)(void*, void*, void*, void*, Py_ssize_t) noexcept nogil
ctypedef void (*Loop5)(void*, void*, void*, void*, void*, Py_ssize_t) noexcept nogil

cdef int64_t LOWEST = <int64_t> (<uint64_t> 1 << 63)
cdef int kind_of_type[24]
cdef int size_of_kind[KINDS]


@cython.final
cdef class Kernel:
    """A kernel's loops by the element types of its first operand and of `out`, and how its errors name things."""

    cdef str op, accepts, result
    cdef tuple names
    cdef int condition
    cdef void* loops[KINDS * KINDS]


cdef Kernel kernel(str op, tuple names, str accepts, str result=""):
    """A kernel whose loops are still to be entered."""
    cdef Kernel made = Kernel.__new__(Kernel)
    made.op, made.names, made.accepts, made.result = op, names, accepts, result
    made.condition = 2 if "condition" in names else 0
    memset(made.loops, 0, sizeof(made.loops))
    return made


cdef inline int kind_of(object operand) noexcept:
    """The element type of an operand that a loop may read: a NumPy array, aligned, in this machine's byte order."""
    cdef int number_of_type
    if not cnp.PyArray_Check(operand) or not cnp.PyArray_ISBEHAVED_RO(operand):
        return OTHER
    number_of_type = cnp.PyArray_TYPE(operand)
    return kind_of_type[number_of_type] if number_of_type < 24 else OTHER


cdef inline void call(void* loop, int operands, char** at, Py_ssize_t n) noexcept nogil:
    if operands == 2:
        (<Loop2> loop)(at[0], at[1], n)
    elif operands == 3:
        (<Loop3> loop)(at[0], at[1], at[2], n)
    elif operands == 4:
        (<Loop4> loop)(at[0], at[1], at[2], at[3], n)
    else:
        (<Loop5> loop)(at[0], at[1], at[2], at[3], at[4], n)


# region [gather loop]
cdef void gather_loop(bits* source, Py_ssize_t step, bits* block, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef bits value
    if step == 0:
        value = source[0]
        for k in range(n):
            block[k] = value
    elif step == 2:
        for k in range(n):
            block[k] = source[2 * k]
    else:
        for k in range(n):
            block[k] = source[k * step]
# endregion [gather loop]


cdef void scatter_loop(bits* block, bits* to, Py_ssize_t step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        to[k * step] = block[k]


cdef void gather(char* source, Py_ssize_t step, char* block, int size, Py_ssize_t n) noexcept nogil:
    """Collect elements of 1, 4 or 8 bytes that lie `step` bytes apart."""
    if step == size:
        memcpy(block, source, n * size)
    elif size == 4:
        gather_loop[uint32_t](<uint32_t*> source, step // 4, <uint32_t*> block, n)
    elif size == 8:
        gather_loop[uint64_t](<uint64_t*> source, step // 8, <uint64_t*> block, n)
    else:
        gather_loop[uint8_t](<uint8_t*> source, step, <uint8_t*> block, n)


cdef void scatter(char* block, char* to, Py_ssize_t step, int size, Py_ssize_t n) noexcept nogil:
    """The reverse: put elements of 1, 4 or 8 bytes `step` bytes apart."""
    if size == 4:
        scatter_loop[uint32_t](<uint32_t*> block, <uint32_t*> to, step // 4, n)
    elif size == 8:
        scatter_loop[uint64_t](<uint64_t*> block, <uint64_t*> to, step // 8, n)
    else:
        scatter_loop[uint8_t](<uint8_t*> block, <uint8_t*> to, step, n)


cdef void run(void* loop, Walk* walk, char** bases, int* sizes) noexcept nogil:
    """Call a loop along the last axis of a walk, once for every index of the axes before it."""
    cdef int out = walk.operands - 1
    cdef int last = walk.axes - 1
    cdef int other = crossing(walk, sizes)
    if other >= 0:
        run_tiles(loop, walk, other, bases, sizes)
        return
    if walk.axes > 1 and walk.sizes[last] <= SHORT:
        run_rows(loop, walk, bases, sizes)
        return
    cdef Py_ssize_t index[MAX_AXES]
    cdef Py_ssize_t offsets[MAX_OPERANDS]
    cdef char* at[MAX_OPERANDS]
    cdef char* held[MAX_OPERANDS]
    cdef char* place
    cdef uint64_t blocks[MAX_OPERANDS][BLOCK]
    cdef bint gathered[MAX_OPERANDS]
    cdef int j
    cdef Py_ssize_t start, n, length = walk.sizes[last]
    cdef Py_ssize_t step = length
    for j in range(last):
        index[j] = 0
    for j in range(walk.operands):
        offsets[j] = 0
        held[j] = NULL
        gathered[j] = length > 1 and walk.steps[j][last] != sizes[j]
        if gathered[j]:
            step = min(step, BLOCK)
    while True:
        start = 0
        while start < length:
            n = min(step, length - start)
            for j in range(walk.operands):
                at[j] = bases[j] + offsets[j] + start * walk.steps[j][last]
                if gathered[j]:
                    if j != out and at[j] != held[j]:
                        gather(at[j], walk.steps[j][last], <char*> blocks[j], sizes[j], n)
                    if walk.steps[j][last] == 0:
                        held[j] = at[j]
                    at[j] = <char*> blocks[j]
            call(loop, walk.operands, at, n)
            if gathered[out]:
                place = bases[out] + offsets[out] + start * walk.steps[out][last]
                scatter(at[out], place, walk.steps[out][last], sizes[out], n)
            start += step
        if not advance(walk, index, offsets):
            break


cdef void run_rows(void* loop, Walk* walk, char** bases, int* sizes) noexcept nogil:
    """As `run`, where the last axis is short: many of its rows, gathered into one block, go through one call."""
    cdef Py_ssize_t index[MAX_AXES]
    cdef Py_ssize_t offsets[MAX_OPERANDS]
    cdef char* at[MAX_OPERANDS]
    cdef char* held[MAX_OPERANDS]
    cdef uint64_t blocks[MAX_OPERANDS][BLOCK]
    cdef bint gathered[MAX_OPERANDS]
    cdef int out = walk.operands - 1
    cdef int last = walk.axes - 1
    cdef int j
    cdef Py_ssize_t length = walk.sizes[last]
    cdef Py_ssize_t height = walk.sizes[last - 1]
    cdef Py_ssize_t most = BLOCK // length
    cdef Py_ssize_t top, row, rows
    cdef char* place
    for j in range(last):
        index[j] = 0
    for j in range(walk.operands):
        offsets[j] = 0
        held[j] = NULL
        gathered[j] = walk.steps[j][last] != sizes[j] or walk.steps[j][last - 1] != sizes[j] * length
    walk.axes -= 1
    while True:
        top = 0
        while top < height:
            rows = min(most, height - top)
            for j in range(walk.operands):
                at[j] = bases[j] + offsets[j] + top * walk.steps[j][last - 1]
                if gathered[j]:
                    if j != out and at[j] != held[j]:
                        for row in range(rows):
                            place = <char*> blocks[j] + row * length * sizes[j]
                            gather(at[j] + row * walk.steps[j][last - 1], walk.steps[j][last], place, sizes[j], length)
                    if walk.steps[j][last - 1] == 0:
                        held[j] = at[j]
                    at[j] = <char*> blocks[j]
            call(loop, walk.operands, at, rows * length)
            if gathered[out]:
                for row in range(rows):
                    place = bases[out] + offsets[out] + (top + row) * walk.steps[out][last - 1]
                    scatter(at[out] + row * length * sizes[out], place, walk.steps[out][last], sizes[out], length)
            top += rows
        if not advance(walk, index, offsets):
            break


cdef int crossing(Walk* walk, int* sizes) noexcept nogil:
    """The axis along which the elements of some operand are neighbours, which jumps along the last one; -1 if none."""
    cdef int axis, j, last = walk.axes - 1
    if walk.sizes[last] < TALL:
        return -1
    for j in range(walk.operands - 1):
        if distance(walk.steps[j][last]) >= LINE:
            for axis in range(last):
                if walk.steps[j][axis] == sizes[j] and walk.sizes[axis] >= TALL:
                    return axis
    return -1


# region [transposed]
cdef void transposed_loop(
    bits* source, Py_ssize_t step, bits* block, Py_ssize_t rows, Py_ssize_t columns
) noexcept nogil:
    """Collect a tile whose columns lie contiguous in memory: eight by eight elements at a time, turned in registers."""
    cdef bits corner[CORNER * CORNER]
    cdef Py_ssize_t row, column, top, first = 0
    while first + CORNER <= columns:
        top = 0
        while top + CORNER <= rows:
            for column in range(CORNER):
                for row in range(CORNER):
                    corner[column * CORNER + row] = source[(first + column) * step + top + row]
            for column in range(CORNER):
                for row in range(CORNER):
                    block[(top + row) * WIDE + first + column] = corner[column * CORNER + row]
            top += CORNER
        for column in range(first, first + CORNER):
            for row in range(top, rows):
                block[row * WIDE + column] = source[column * step + row]
        first += CORNER
    for column in range(first, columns):
        for row in range(rows):
            block[row * WIDE + column] = source[column * step + row]
# endregion [transposed]


cdef void gather_tile(
    char* source, Py_ssize_t down, Py_ssize_t along, char* block, int size, Py_ssize_t rows, Py_ssize_t columns,
) noexcept nogil:
    """Collect a tile row after row: one step down and one step along it are so many bytes."""
    cdef Py_ssize_t row
    if down == size and size == 4:
        transposed_loop[uint32_t](<uint32_t*> source, along // 4, <uint32_t*> block, rows, columns)
    elif down == size and size == 8:
        transposed_loop[uint64_t](<uint64_t*> source, along // 8, <uint64_t*> block, rows, columns)
    elif down == size:
        transposed_loop[uint8_t](<uint8_t*> source, along, <uint8_t*> block, rows, columns)
    else:
        for row in range(rows):
            gather(source + row * down, along, block + row * WIDE * size, size, columns)


cdef void run_tiles(void* loop, Walk* walk, int other, char** bases, int* sizes) noexcept nogil:
    """As `run`, tile by tile of the last axis and another one, so that no operand is read across its lines."""
    cdef Py_ssize_t index[MAX_AXES]
    cdef Py_ssize_t offsets[MAX_OPERANDS]
    cdef Py_ssize_t down[MAX_OPERANDS]
    cdef Py_ssize_t along[MAX_OPERANDS]
    cdef char* at[MAX_OPERANDS]
    cdef char* first[MAX_OPERANDS]
    cdef uint64_t blocks[MAX_OPERANDS][TALL * WIDE]
    cdef bint gathered[MAX_OPERANDS]
    cdef int out = walk.operands - 1
    cdef int last = walk.axes - 1
    cdef int axis, j
    cdef Py_ssize_t height = walk.sizes[other], width = walk.sizes[last], top, start, row, rows, columns, ahead = 0
    for j in range(walk.operands):
        offsets[j] = 0
        down[j], along[j] = walk.steps[j][other], walk.steps[j][last]
        gathered[j] = along[j] != sizes[j]
        if gathered[j] and down[j] == sizes[j]:
            ahead = <Py_ssize_t> (<size_t> bases[j] % LINE) // sizes[j] % TALL
        for axis in range(other, last - 1):
            walk.steps[j][axis] = walk.steps[j][axis + 1]
    for axis in range(other, last - 1):
        walk.sizes[axis] = walk.sizes[axis + 1]
    for axis in range(last):
        index[axis] = 0
    walk.axes -= 1
    while True:
        top = 0
        while top < height:
            rows = min(TALL - ahead if top == 0 else TALL, height - top)  # so that tiles begin where lines begin
            start = 0
            while start < width:
                columns = min(<Py_ssize_t> WIDE, width - start)
                for j in range(walk.operands):
                    first[j] = bases[j] + offsets[j] + top * down[j] + start * along[j]
                    if gathered[j] and j != out:
                        gather_tile(first[j], down[j], along[j], <char*> blocks[j], sizes[j], rows, columns)
                for row in range(rows):
                    for j in range(walk.operands):
                        at[j] = <char*> blocks[j] + row * WIDE * sizes[j] if gathered[j] else first[j] + row * down[j]
                    call(loop, walk.operands, at, columns)
                    if gathered[out]:
                        scatter(at[out], first[out] + row * down[out], along[out], sizes[out], columns)
                start += WIDE
            top += rows
        if not advance(walk, index, offsets):
            break


cdef bint launch(Kernel kernel, PyObject** operands, int arrays, char* scalar) noexcept:
    """Run a kernel over arrays, `out` last, and perhaps one scalar before it; False when they do not fit.

    The third array of `where` is a condition: bool, whatever the others are.
    """
    cdef Walk walk
    cdef char* bases[MAX_OPERANDS]
    cdef int sizes[MAX_OPERANDS]
    cdef int kinds[MAX_OPERANDS]
    cdef cnp.ndarray out = <cnp.ndarray> operands[arrays - 1]
    cdef cnp.ndarray operand
    cdef int axes, axis, j
    cdef Py_ssize_t n = 1
    cdef bint alike
    cdef void* loop

    for j in range(arrays):
        kinds[j] = kind_of(<object> operands[j])
        if kinds[j] == OTHER:
            return False
        if 0 < j < arrays - 1 and kinds[j] != (BOOL if j == kernel.condition else kinds[0]):
            return False
    loop = kernel.loops[kinds[0] * KINDS + kinds[arrays - 1]]
    if loop == NULL or not cnp.PyArray_ISWRITEABLE(out):
        return False

    axes = cnp.PyArray_NDIM(out)
    alike = scalar == NULL and cnp.PyArray_IS_C_CONTIGUOUS(out)
    for axis in range(axes):
        n *= cnp.PyArray_DIM(out, axis)
    for j in range(arrays - 1):
        operand = <cnp.ndarray> operands[j]
        if not alike:
            break
        alike = cnp.PyArray_NDIM(operand) == axes and cnp.PyArray_IS_C_CONTIGUOUS(operand)
        for axis in range(axes):
            if alike:
                alike = cnp.PyArray_DIM(operand, axis) == cnp.PyArray_DIM(out, axis)
    # region [contiguous]
    if alike:
        for j in range(arrays):
            bases[j] = cnp.PyArray_BYTES(<cnp.ndarray> operands[j])
        if n < MANY:
            call(loop, arrays, bases, n)
        else:
            with nogil:
                call(loop, arrays, bases, n)
        return True
    # endregion [contiguous]

    walk.axes = axes
    walk.operands = 0
    for axis in range(axes):
        walk.sizes[axis] = cnp.PyArray_DIM(out, axis)
    for j in range(arrays):
        if j == arrays - 1 and scalar != NULL:
            fit(&walk, walk.operands, 0, NULL, NULL)
            bases[walk.operands] = scalar
            sizes[walk.operands] = size_of_kind[kinds[0]]
            walk.operands += 1
        operand = <cnp.ndarray> operands[j]
        if not fit(
            &walk, walk.operands, cnp.PyArray_NDIM(operand), <Py_ssize_t*> cnp.PyArray_DIMS(operand),
            <Py_ssize_t*> cnp.PyArray_STRIDES(operand)
        ):
            return False
        bases[walk.operands] = cnp.PyArray_BYTES(operand)
        sizes[walk.operands] = size_of_kind[kinds[j]]
        walk.operands += 1
    if n == 0:
        return True
    order(&walk, walk.operands - 1)
    merge(&walk)
    if n < MANY:
        run(loop, &walk, bases, sizes)
    else:
        with nogil:
            run(loop, &walk, bases, sizes)
    return True


cdef int refuse(Kernel kernel, tuple operands) except -1:
    """Raise what `checks` says of operands that `launch` has refused."""
    check_arrays(kernel.op, kernel.accepts, kernel.result, **dict(zip(kernel.names, operands, strict=True)))
    raise AssertionError(f"{kernel.op}: refused without a reason")


cdef int unary(Kernel kernel, object x, object out) except -1:
    cdef PyObject* operands[2]
    operands[0], operands[1] = <PyObject*> x, <PyObject*> out
    if not launch(kernel, operands, 2, NULL):
        refuse(kernel, (x, out))
    return 0


cdef int binary(Kernel kernel, object x, object y, object out) except -1:
    cdef PyObject* operands[3]
    operands[0], operands[1], operands[2] = <PyObject*> x, <PyObject*> y, <PyObject*> out
    if not launch(kernel, operands, 3, NULL):
        refuse(kernel, (x, y, out))
    return 0


cdef int ternary(Kernel kernel, object x, object y, object z, object out) except -1:
    cdef PyObject* operands[4]
    operands[0], operands[1], operands[2], operands[3] = <PyObject*> x, <PyObject*> y, <PyObject*> z, <PyObject*> out
    if not launch(kernel, operands, 4, NULL):
        refuse(kernel, (x, y, z, out))
    return 0


# The kernels and their doors
#
# A loop is entered under the kinds of the first operand and of out.

cdef int kinds_of_numbers() except -1:
    """Number NumPy's types as kinds: int64 is `long` on one platform and `long long` on another."""
    cdef int j
    cdef int kind
    for j in range(24):
        kind_of_type[j] = OTHER
    for kind, dtype in ((FLOAT32, np.float32), (FLOAT64, np.float64), (INT64, np.int64), (BOOL, np.bool_)):
        for code in "fdlq?":
            if np.dtype(code) == np.dtype(dtype):
                kind_of_type[np.dtype(code).num] = kind
        size_of_kind[kind] = np.dtype(dtype).itemsize
    return 0

kinds_of_numbers()


cdef int enter(Kernel kernel, int kind, void* loop) except -1:
    """A loop whose result is of the operands' kind."""
    kernel.loops[kind * KINDS + kind] = loop
    return 0


cdef int enter_test(Kernel kernel, int kind, void* loop) except -1:
    """A loop whose result is bool."""
    kernel.loops[kind * KINDS + BOOL] = loop
    return 0


cdef Kernel of_floats(str op, tuple names, void* single, void* wide, bint test=False):
    """A kernel of floats alone, with its two loops; a test's result is bool."""
    cdef Kernel made = kernel(op, names, "fd", "?" if test else "")
    made.loops[FLOAT32 * KINDS + (BOOL if test else FLOAT32)] = single
    made.loops[FLOAT64 * KINDS + (BOOL if test else FLOAT64)] = wide
    return made

cdef Kernel ADD = kernel("add", ("x", "y", "out"), "fdq?")
enter(ADD, FLOAT32, <void*> add_loop[float])
enter(ADD, FLOAT64, <void*> add_loop[double])
enter(ADD, INT64, <void*> add_loop[uint64_t])
enter(ADD, BOOL, <void*> or_loop)

cdef Kernel SUB = kernel("sub", ("x", "y", "out"), "fdq")
enter(SUB, FLOAT32, <void*> sub_loop[float])
enter(SUB, FLOAT64, <void*> sub_loop[double])
enter(SUB, INT64, <void*> sub_loop[uint64_t])

cdef Kernel MUL = kernel("mul", ("x", "y", "out"), "fdq?")
enter(MUL, FLOAT32, <void*> mul_loop[float])
enter(MUL, FLOAT64, <void*> mul_loop[double])
enter(MUL, INT64, <void*> mul_loop[uint64_t])
enter(MUL, BOOL, <void*> and_loop)

cdef Kernel DIV = kernel("div", ("x", "y", "out"), "fd")
enter(DIV, FLOAT32, <void*> div_loop[float])
enter(DIV, FLOAT64, <void*> div_loop[double])

cdef Kernel POW = kernel("pow", ("x", "y", "out"), "fdq")
enter(POW, FLOAT32, <void*> pow_loop[float])
enter(POW, FLOAT64, <void*> pow_loop[double])
enter(POW, INT64, <void*> int_pow_loop)

cdef dict POWERS = {
    exponent: made for exponent, made in (
        (1.0, of_floats("pow", ("x", "out"), <void*> first_power_loop[float], <void*> first_power_loop[double])),
        (2.0, of_floats("pow", ("x", "out"), <void*> square_loop[float], <void*> square_loop[double])),
        (3.0, of_floats("pow", ("x", "out"), <void*> cube_loop[float], <void*> cube_loop[double])),
        (0.5, of_floats("pow", ("x", "out"), <void*> root_loop[float], <void*> root_loop[double])),
        (-0.5, of_floats("pow", ("x", "out"), <void*> inverse_root_loop[float], <void*> inverse_root_loop[double])),
        (-1.0, of_floats("pow", ("x", "out"), <void*> reciprocal_loop[float], <void*> reciprocal_loop[double])),
    )
}

cdef Kernel MAXIMUM = kernel("maximum", ("x", "y", "out"), "fdq?")
enter(MAXIMUM, FLOAT32, <void*> maximum_loop[float])
enter(MAXIMUM, FLOAT64, <void*> maximum_loop[double])
enter(MAXIMUM, INT64, <void*> maximum_loop[int64_t])
enter(MAXIMUM, BOOL, <void*> maximum_loop[uint8_t])

cdef Kernel MINIMUM = kernel("minimum", ("x", "y", "out"), "fdq?")
enter(MINIMUM, FLOAT32, <void*> minimum_loop[float])
enter(MINIMUM, FLOAT64, <void*> minimum_loop[double])
enter(MINIMUM, INT64, <void*> minimum_loop[int64_t])
enter(MINIMUM, BOOL, <void*> minimum_loop[uint8_t])

cdef Kernel EQ = kernel("eq", ("x", "y", "out"), "fdq?", "?")
enter_test(EQ, FLOAT32, <void*> eq_loop[float])
enter_test(EQ, FLOAT64, <void*> eq_loop[double])
enter_test(EQ, INT64, <void*> eq_loop[int64_t])
enter_test(EQ, BOOL, <void*> eq_loop[uint8_t])

cdef Kernel NE = kernel("ne", ("x", "y", "out"), "fdq?", "?")
enter_test(NE, FLOAT32, <void*> ne_loop[float])
enter_test(NE, FLOAT64, <void*> ne_loop[double])
enter_test(NE, INT64, <void*> ne_loop[int64_t])
enter_test(NE, BOOL, <void*> ne_loop[uint8_t])

cdef Kernel LT = kernel("lt", ("x", "y", "out"), "fdq?", "?")
enter_test(LT, FLOAT32, <void*> lt_loop[float])
enter_test(LT, FLOAT64, <void*> lt_loop[double])
enter_test(LT, INT64, <void*> lt_loop[int64_t])
enter_test(LT, BOOL, <void*> lt_loop[uint8_t])

cdef Kernel LE = kernel("le", ("x", "y", "out"), "fdq?", "?")
enter_test(LE, FLOAT32, <void*> le_loop[float])
enter_test(LE, FLOAT64, <void*> le_loop[double])
enter_test(LE, INT64, <void*> le_loop[int64_t])
enter_test(LE, BOOL, <void*> le_loop[uint8_t])

cdef Kernel GT = kernel("gt", ("x", "y", "out"), "fdq?", "?")
enter_test(GT, FLOAT32, <void*> gt_loop[float])
enter_test(GT, FLOAT64, <void*> gt_loop[double])
enter_test(GT, INT64, <void*> gt_loop[int64_t])
enter_test(GT, BOOL, <void*> gt_loop[uint8_t])

cdef Kernel GE = kernel("ge", ("x", "y", "out"), "fdq?", "?")
enter_test(GE, FLOAT32, <void*> ge_loop[float])
enter_test(GE, FLOAT64, <void*> ge_loop[double])
enter_test(GE, INT64, <void*> ge_loop[int64_t])
enter_test(GE, BOOL, <void*> ge_loop[uint8_t])

cdef Kernel LOGICAL_AND = kernel("logical_and", ("x", "y", "out"), "?", "?")
enter(LOGICAL_AND, BOOL, <void*> and_loop)

cdef Kernel LOGICAL_OR = kernel("logical_or", ("x", "y", "out"), "?", "?")
enter(LOGICAL_OR, BOOL, <void*> or_loop)

cdef Kernel LOGICAL_NOT = kernel("logical_not", ("x", "out"), "?", "?")
enter(LOGICAL_NOT, BOOL, <void*> not_loop)

cdef Kernel NEG = kernel("neg", ("x", "out"), "fdq")
enter(NEG, FLOAT32, <void*> neg_loop[float])
enter(NEG, FLOAT64, <void*> neg_loop[double])
enter(NEG, INT64, <void*> neg_loop[uint64_t])

cdef Kernel ABS = kernel("abs", ("x", "out"), "fdq")
enter(ABS, FLOAT32, <void*> abs_loop[float])
enter(ABS, FLOAT64, <void*> abs_loop[double])
enter(ABS, INT64, <void*> abs_loop[int64_t])

cdef Kernel SIGN = kernel("sign", ("x", "out"), "fdq")
enter(SIGN, FLOAT32, <void*> sign_loop[float])
enter(SIGN, FLOAT64, <void*> sign_loop[double])
enter(SIGN, INT64, <void*> sign_loop[int64_t])

cdef Kernel RELU = kernel("relu", ("x", "out"), "fdq")
enter(RELU, FLOAT32, <void*> relu_loop[float])
enter(RELU, FLOAT64, <void*> relu_loop[double])
enter(RELU, INT64, <void*> relu_loop[int64_t])

cdef Kernel EXP = kernel("exp", ("x", "out"), "fd")
enter(EXP, FLOAT32, <void*> exp_loop[float])
enter(EXP, FLOAT64, <void*> exp_loop[double])

cdef Kernel LOG = kernel("log", ("x", "out"), "fd")
enter(LOG, FLOAT32, <void*> log_loop[float])
enter(LOG, FLOAT64, <void*> log_loop[double])

cdef Kernel SQRT = kernel("sqrt", ("x", "out"), "fd")
enter(SQRT, FLOAT32, <void*> sqrt_loop[float])
enter(SQRT, FLOAT64, <void*> sqrt_loop[double])

cdef Kernel TANH = kernel("tanh", ("x", "out"), "fd")
enter(TANH, FLOAT32, <void*> tanh_loop[float])
enter(TANH, FLOAT64, <void*> tanh_loop[double])

cdef Kernel SIGMOID = kernel("sigmoid", ("x", "out"), "fd")
enter(SIGMOID, FLOAT32, <void*> sigmoid_loop[float])
enter(SIGMOID, FLOAT64, <void*> sigmoid_loop[double])

cdef Kernel FLOOR = kernel("floor", ("x", "out"), "fd")
enter(FLOOR, FLOAT32, <void*> floor_loop[float])
enter(FLOOR, FLOAT64, <void*> floor_loop[double])

cdef Kernel CEIL = kernel("ceil", ("x", "out"), "fd")
enter(CEIL, FLOAT32, <void*> ceil_loop[float])
enter(CEIL, FLOAT64, <void*> ceil_loop[double])

cdef Kernel ROUND = kernel("round", ("x", "out"), "fd")
enter(ROUND, FLOAT32, <void*> round_loop[float])
enter(ROUND, FLOAT64, <void*> round_loop[double])

cdef Kernel LOG1P = of_floats("log1p", ("x", "out"), <void*> log1p_loop[float], <void*> log1p_loop[double])
cdef Kernel EXPM1 = of_floats("expm1", ("x", "out"), <void*> expm1_loop[float], <void*> expm1_loop[double])
cdef Kernel LOG2 = of_floats("log2", ("x", "out"), <void*> log2_loop[float], <void*> log2_loop[double])
cdef Kernel LOG10 = of_floats("log10", ("x", "out"), <void*> log10_loop[float], <void*> log10_loop[double])
cdef Kernel EXP2 = of_floats("exp2", ("x", "out"), <void*> exp2_loop[float], <void*> exp2_loop[double])
cdef Kernel SIN = of_floats("sin", ("x", "out"), <void*> sin_loop[float], <void*> sin_loop[double])
cdef Kernel COS = of_floats("cos", ("x", "out"), <void*> cos_loop[float], <void*> cos_loop[double])
cdef Kernel TAN = of_floats("tan", ("x", "out"), <void*> tan_loop[float], <void*> tan_loop[double])
cdef Kernel ASIN = of_floats("asin", ("x", "out"), <void*> asin_loop[float], <void*> asin_loop[double])
cdef Kernel ACOS = of_floats("acos", ("x", "out"), <void*> acos_loop[float], <void*> acos_loop[double])
cdef Kernel ATAN = of_floats("atan", ("x", "out"), <void*> atan_loop[float], <void*> atan_loop[double])
cdef Kernel SINH = of_floats("sinh", ("x", "out"), <void*> sinh_loop[float], <void*> sinh_loop[double])
cdef Kernel COSH = of_floats("cosh", ("x", "out"), <void*> cosh_loop[float], <void*> cosh_loop[double])
cdef Kernel ASINH = of_floats("asinh", ("x", "out"), <void*> asinh_loop[float], <void*> asinh_loop[double])
cdef Kernel ACOSH = of_floats("acosh", ("x", "out"), <void*> acosh_loop[float], <void*> acosh_loop[double])
cdef Kernel ATANH = of_floats("atanh", ("x", "out"), <void*> atanh_loop[float], <void*> atanh_loop[double])
cdef Kernel ERF = of_floats("erf", ("x", "out"), <void*> erf_loop[float], <void*> erf_loop[double])
cdef Kernel ERFC = of_floats("erfc", ("x", "out"), <void*> erfc_loop[float], <void*> erfc_loop[double])
cdef Kernel SINC = of_floats("sinc", ("x", "out"), <void*> sinc_loop[float], <void*> sinc_loop[double])
cdef Kernel SINC_VJP = of_floats(
    "sinc_vjp", ("g", "x", "out"), <void*> sinc_vjp_loop[float], <void*> sinc_vjp_loop[double]
)
cdef Kernel RECIPROCAL = of_floats(
    "reciprocal", ("x", "out"), <void*> reciprocal_loop[float], <void*> reciprocal_loop[double]
)
cdef Kernel RSQRT = of_floats("rsqrt", ("x", "out"), <void*> rsqrt_loop[float], <void*> rsqrt_loop[double])
cdef Kernel TRUNC = of_floats("trunc", ("x", "out"), <void*> trunc_loop[float], <void*> trunc_loop[double])
cdef Kernel ISNAN = of_floats(
    "isnan", ("x", "out"), <void*> isnan_loop[float], <void*> isnan_loop[double], True
)
cdef Kernel ISINF = of_floats(
    "isinf", ("x", "out"), <void*> isinf_loop[float], <void*> isinf_loop[double], True
)
cdef Kernel ISFINITE = of_floats(
    "isfinite", ("x", "out"), <void*> isfinite_loop[float], <void*> isfinite_loop[double], True
)
cdef Kernel ATAN2 = of_floats("atan2", ("x", "y", "out"), <void*> atan2_loop[float], <void*> atan2_loop[double])
cdef Kernel HYPOT = of_floats("hypot", ("x", "y", "out"), <void*> hypot_loop[float], <void*> hypot_loop[double])
cdef Kernel XLOGY = of_floats("xlogy", ("x", "y", "out"), <void*> xlogy_loop[float], <void*> xlogy_loop[double])
cdef Kernel LERP = of_floats(
    "lerp", ("start", "end", "weight", "out"), <void*> lerp_loop[float], <void*> lerp_loop[double]
)
cdef Kernel CLAMP_VJP = of_floats(
    "clamp_vjp", ("g", "x", "low", "high", "out"), <void*> clamp_vjp_loop[float], <void*> clamp_vjp_loop[double]
)

cdef Kernel FMOD = kernel("fmod", ("x", "y", "out"), "fdq")
enter(FMOD, FLOAT32, <void*> fmod_loop[float])
enter(FMOD, FLOAT64, <void*> fmod_loop[double])
enter(FMOD, INT64, <void*> fmod_loop[int64_t])

cdef Kernel REMAINDER = kernel("remainder", ("x", "y", "out"), "fdq")
enter(REMAINDER, FLOAT32, <void*> remainder_loop[float])
enter(REMAINDER, FLOAT64, <void*> remainder_loop[double])
enter(REMAINDER, INT64, <void*> remainder_loop[int64_t])

cdef Kernel FLOOR_DIVIDE = kernel("floor_divide", ("x", "y", "out"), "fdq")
enter(FLOOR_DIVIDE, FLOAT32, <void*> floor_divide_loop[float])
enter(FLOOR_DIVIDE, FLOAT64, <void*> floor_divide_loop[double])
enter(FLOOR_DIVIDE, INT64, <void*> floor_divide_loop[int64_t])

cdef Kernel CLAMP = kernel("clamp", ("x", "low", "high", "out"), "fdq?")
enter(CLAMP, FLOAT32, <void*> clamp_loop[float])
enter(CLAMP, FLOAT64, <void*> clamp_loop[double])
enter(CLAMP, INT64, <void*> clamp_loop[int64_t])
enter(CLAMP, BOOL, <void*> clamp_loop[uint8_t])

cdef Kernel LOGICAL_XOR = kernel("logical_xor", ("x", "y", "out"), "?", "?")
enter(LOGICAL_XOR, BOOL, <void*> xor_loop)

cdef Kernel WHERE = kernel("where", ("condition", "x", "y", "out"), "fdq?")
enter(WHERE, FLOAT32, <void*> where_loop[uint32_t])
enter(WHERE, FLOAT64, <void*> where_loop[uint64_t])
enter(WHERE, INT64, <void*> where_loop[uint64_t])
enter(WHERE, BOOL, <void*> where_loop[uint8_t])

cdef Kernel COPY = kernel("copy", ("x", "out"), "fdq?", "any")
COPY.loops[FLOAT32 * KINDS + FLOAT32] = <void*> cast_loop[float, float]
COPY.loops[FLOAT32 * KINDS + FLOAT64] = <void*> cast_loop[float, double]
COPY.loops[FLOAT32 * KINDS + INT64] = <void*> cast_loop[float, int64_t]
COPY.loops[FLOAT32 * KINDS + BOOL] = <void*> cast_loop[float, uint8_t]
COPY.loops[FLOAT64 * KINDS + FLOAT32] = <void*> cast_loop[double, float]
COPY.loops[FLOAT64 * KINDS + FLOAT64] = <void*> cast_loop[double, double]
COPY.loops[FLOAT64 * KINDS + INT64] = <void*> cast_loop[double, int64_t]
COPY.loops[FLOAT64 * KINDS + BOOL] = <void*> cast_loop[double, uint8_t]
COPY.loops[INT64 * KINDS + FLOAT32] = <void*> cast_loop[int64_t, float]
COPY.loops[INT64 * KINDS + FLOAT64] = <void*> cast_loop[int64_t, double]
COPY.loops[INT64 * KINDS + INT64] = <void*> cast_loop[int64_t, int64_t]
COPY.loops[INT64 * KINDS + BOOL] = <void*> cast_loop[int64_t, uint8_t]
COPY.loops[BOOL * KINDS + FLOAT32] = <void*> cast_loop[uint8_t, float]
COPY.loops[BOOL * KINDS + FLOAT64] = <void*> cast_loop[uint8_t, double]
COPY.loops[BOOL * KINDS + INT64] = <void*> cast_loop[uint8_t, int64_t]
COPY.loops[BOOL * KINDS + BOOL] = <void*> cast_loop[uint8_t, uint8_t]

cdef Kernel FILL = kernel("fill", ("out",), "fdq?")
enter(FILL, FLOAT32, <void*> fill_loop[float])
enter(FILL, FLOAT64, <void*> fill_loop[double])
enter(FILL, INT64, <void*> fill_loop[int64_t])
enter(FILL, BOOL, <void*> fill_loop[uint8_t])

cdef Kernel ADD_SCALED = kernel("add_scaled", ("x", "y", "out"), "fd")
enter(ADD_SCALED, FLOAT32, <void*> add_scaled_loop[float])
enter(ADD_SCALED, FLOAT64, <void*> add_scaled_loop[double])

cdef Kernel TANH_VJP = kernel("tanh_vjp", ("g", "y", "out"), "fd")
enter(TANH_VJP, FLOAT32, <void*> tanh_vjp_loop[float])
enter(TANH_VJP, FLOAT64, <void*> tanh_vjp_loop[double])

cdef Kernel SIGMOID_VJP = kernel("sigmoid_vjp", ("g", "y", "out"), "fd")
enter(SIGMOID_VJP, FLOAT32, <void*> sigmoid_vjp_loop[float])
enter(SIGMOID_VJP, FLOAT64, <void*> sigmoid_vjp_loop[double])

cdef Kernel RELU_VJP = kernel("relu_vjp", ("g", "x", "out"), "fd")
enter(RELU_VJP, FLOAT32, <void*> relu_vjp_loop[float])
enter(RELU_VJP, FLOAT64, <void*> relu_vjp_loop[double])

cdef Kernel ABS_VJP = kernel("abs_vjp", ("g", "x", "out"), "fd")
enter(ABS_VJP, FLOAT32, <void*> abs_vjp_loop[float])
enter(ABS_VJP, FLOAT64, <void*> abs_vjp_loop[double])

cdef Kernel BROADCAST_ADD = kernel("broadcast_add_kernel", ("a", "b", "out"), "fdq?")
BROADCAST_ADD.loops = ADD.loops
cdef Kernel ELEMENTWISE_ADD = kernel("elementwise_add", ("a", "b", "out"), "fdq?")
ELEMENTWISE_ADD.loops = ADD.loops


def add(x, y, out):
    """Sum: ``out = x + y``; int64 wraps, and of bools it is *or*."""
    binary(ADD, x, y, out)


def sub(x, y, out):
    """Difference: ``out = x - y`` of float32, float64 or int64; int64 wraps. Exact, as `add`."""
    binary(SUB, x, y, out)


# region [mul]
def mul(x, y, out):
    """Product: ``out = x * y``; int64 wraps, and of bools it is *and*. Exact, as `add`."""
    binary(MUL, x, y, out)
# endregion [mul]


def div(x, y, out):
    """Quotient of floats: ``out = x / y``; 1/0 is inf and 0/0 is nan. Exact, as `add`."""
    binary(DIV, x, y, out)


def pow(x, y, out):
    """Power: ``out = x ** y``; int64 wraps, and a negative int64 exponent leaves 0, or ±1 of a base of ±1."""
    cdef PyObject* operands[2]
    cdef Kernel short_ = power_by(x, y, out)
    if short_ is not None:
        operands[0], operands[1] = <PyObject*> x, <PyObject*> out
        if launch(short_, operands, 2, NULL):
            return
    binary(POW, x, y, out)


cdef inline Kernel power_by(object x, object y, object out):
    """The shorter way to a power whose exponent is one number for all elements; None where there is no such."""
    if not (cnp.PyArray_Check(x) and cnp.PyArray_Check(y) and cnp.PyArray_Check(out)):
        return None
    if cnp.PyArray_SIZE(y) != 1 or cnp.PyArray_NDIM(y) > cnp.PyArray_NDIM(out) or kind_of(y) != kind_of(x):
        return None
    return POWERS.get(y.item())


def maximum(x, y, out):
    """The larger of two: nan if either is nan, and +0 of two zeros of opposite sign. Exact, as `add`."""
    binary(MAXIMUM, x, y, out)


def minimum(x, y, out):
    """The smaller of two: nan if either is nan, and -0 of two zeros of opposite sign. Exact, as `add`."""
    binary(MINIMUM, x, y, out)


def eq(x, y, out):
    """``out = x == y`` as bool; nan equals nothing, and -0 equals +0."""
    binary(EQ, x, y, out)


def ne(x, y, out):
    """``out = x != y`` as bool; nan differs from everything, itself included."""
    binary(NE, x, y, out)


def lt(x, y, out):
    """``out = x < y`` as bool; false where either is nan."""
    binary(LT, x, y, out)


def le(x, y, out):
    """``out = x <= y`` as bool; false where either is nan."""
    binary(LE, x, y, out)


def gt(x, y, out):
    """``out = x > y`` as bool; false where either is nan."""
    binary(GT, x, y, out)


def ge(x, y, out):
    """``out = x >= y`` as bool; false where either is nan."""
    binary(GE, x, y, out)


def logical_and(x, y, out):
    """``out = x and y`` of bools."""
    binary(LOGICAL_AND, x, y, out)


def logical_or(x, y, out):
    """``out = x or y`` of bools."""
    binary(LOGICAL_OR, x, y, out)


def logical_xor(x, y, out):
    """``out = x != y`` of bools: one of the two and not both."""
    binary(LOGICAL_XOR, x, y, out)


def logical_not(x, out):
    """``out = not x`` of bools."""
    unary(LOGICAL_NOT, x, out)


def neg(x, out):
    """``out = -x`` of float32, float64 or int64; the smallest int64 stays itself. Exact."""
    unary(NEG, x, out)


def abs(x, out):
    """``out = |x|`` of float32, float64 or int64; the smallest int64 stays itself. Exact."""
    unary(ABS, x, out)


def exp(x, out):
    """``out = e ** x`` of floats; inf beyond the largest float, then subnormal numbers and 0 below the smallest."""
    unary(EXP, x, out)


def log(x, out):
    """Natural logarithm of floats: -inf at 0, nan below."""
    unary(LOG, x, out)


def sqrt(x, out):
    """Square root of floats: nan below 0, and -0 of -0. Exact."""
    unary(SQRT, x, out)


def tanh(x, out):
    """Hyperbolic tangent of floats; keeps the sign of zero."""
    unary(TANH, x, out)


def sigmoid(x, out):
    """``out = 1 / (1 + exp(-x))`` of floats: 0 at -inf, 1 at inf, and full precision between them."""
    unary(SIGMOID, x, out)


def relu(x, out):
    """``out = max(x, 0)`` of float32, float64 or int64: nan stays nan, and -0 becomes +0. Exact."""
    unary(RELU, x, out)


def sign(x, out):
    """1, 0 or -1; 0 for nan and for both zeros. Exact."""
    unary(SIGN, x, out)


def floor(x, out):
    """The largest whole number that is not above x, as a float. Exact."""
    unary(FLOOR, x, out)


def ceil(x, out):
    """The smallest whole number that is not below x, as a float. Exact."""
    unary(CEIL, x, out)


def round(x, out):
    """The nearest whole number, as a float; halves go to the even one. Exact."""
    unary(ROUND, x, out)


def copy(x, out):
    """``out = x`` in the type of `out`, whichever the two are: the cast."""
    unary(COPY, x, out)


def tanh_vjp(g, y, out):
    """``out = g * (1 - y * y)``, with y = tanh(x): the backward pass without a temporary. Exact, step by step."""
    binary(TANH_VJP, g, y, out)


def sigmoid_vjp(g, y, out):
    """``out = g * ((1 - y) * y)``, with y = sigmoid(x). Exact, step by step."""
    binary(SIGMOID_VJP, g, y, out)


def relu_vjp(g, x, out):
    """``out = 0 where x <= 0, else g``: nothing at 0, and all of g where x is nan. Exact."""
    binary(RELU_VJP, g, x, out)


def abs_vjp(g, x, out):
    """``out = g * sign(x)``: nothing at 0. Exact."""
    binary(ABS_VJP, g, x, out)


def log1p(x, out):
    """``out = log(1 + x)`` of floats, exact near 0 where 1 + x would round; -inf at -1, nan below."""
    unary(LOG1P, x, out)


def expm1(x, out):
    """``out = e ** x - 1`` of floats, exact near 0 where e ** x would round."""
    unary(EXPM1, x, out)


def log2(x, out):
    """Logarithm to base 2 of floats: -inf at 0, nan below."""
    unary(LOG2, x, out)


def log10(x, out):
    """Logarithm to base 10 of floats: -inf at 0, nan below."""
    unary(LOG10, x, out)


def exp2(x, out):
    """``out = 2 ** x`` of floats."""
    unary(EXP2, x, out)


def sin(x, out):
    """Sine of floats in radians; nan at an infinity."""
    unary(SIN, x, out)


def cos(x, out):
    """Cosine of floats in radians; nan at an infinity."""
    unary(COS, x, out)


def tan(x, out):
    """Tangent of floats in radians; nan at an infinity."""
    unary(TAN, x, out)


def asin(x, out):
    """The angle from -pi/2 to pi/2 whose sine is x; nan outside -1 to 1."""
    unary(ASIN, x, out)


def acos(x, out):
    """The angle from 0 to pi whose cosine is x; nan outside -1 to 1."""
    unary(ACOS, x, out)


def atan(x, out):
    """The angle from -pi/2 to pi/2 whose tangent is x."""
    unary(ATAN, x, out)


def sinh(x, out):
    """Hyperbolic sine of floats."""
    unary(SINH, x, out)


def cosh(x, out):
    """Hyperbolic cosine of floats."""
    unary(COSH, x, out)


def asinh(x, out):
    """Inverse hyperbolic sine of floats."""
    unary(ASINH, x, out)


def acosh(x, out):
    """Inverse hyperbolic cosine of floats; nan below 1."""
    unary(ACOSH, x, out)


def atanh(x, out):
    """Inverse hyperbolic tangent of floats: an infinity at -1 and 1, nan beyond."""
    unary(ATANH, x, out)


def erf(x, out):
    """The error function ``2/sqrt(pi) * (integral of exp(-t*t) from 0 to x)`` of floats."""
    unary(ERF, x, out)


def erfc(x, out):
    """``out = 1 - erf(x)`` of floats, without the loss of digits where erf(x) is near 1."""
    unary(ERFC, x, out)


def sinc(x, out):
    """``out = sin(pi * x) / (pi * x)`` of floats, 1 at 0: exactly 0 at the other whole numbers, nan at infinity."""
    unary(SINC, x, out)


def sinc_vjp(g, x, out):
    """``out = g * (cos(pi * x) - sinc(x)) / x``, 0 at 0: the slope of `sinc`, by its series near 0."""
    binary(SINC_VJP, g, x, out)


def reciprocal(x, out):
    """``out = 1 / x`` of floats. Exact."""
    unary(RECIPROCAL, x, out)


def rsqrt(x, out):
    """``out = 1 / sqrt(x)`` of floats: inf at 0, nan below. Exact, step by step."""
    unary(RSQRT, x, out)


def trunc(x, out):
    """x without its fraction, as a float. Exact."""
    unary(TRUNC, x, out)


def isnan(x, out):
    """Where a float is nan, as bool."""
    unary(ISNAN, x, out)


def isinf(x, out):
    """Where a float is an infinity of either sign, as bool."""
    unary(ISINF, x, out)


def isfinite(x, out):
    """Where a float is neither an infinity nor nan, as bool."""
    unary(ISFINITE, x, out)


def atan2(x, y, out):
    """The angle from -pi to pi of the point with height x and width y, as in ``atan(x / y)``."""
    binary(ATAN2, x, y, out)


def hypot(x, y, out):
    """``out = sqrt(x * x + y * y)`` of floats, without overflow on the way."""
    binary(HYPOT, x, y, out)


def xlogy(x, y, out):
    """``out = x * log(y)`` of floats, 0 where x is 0 and y a number: the term of an entropy."""
    binary(XLOGY, x, y, out)


def fmod(x, y, out):
    """What x / y leaves when the quotient drops its fraction: it has the sign of x. Exact."""
    binary(FMOD, x, y, out)


def remainder(x, y, out):
    """What x / y leaves when the quotient is rounded down: it has the sign of y, but a zero that of x. Exact."""
    binary(REMAINDER, x, y, out)


def floor_divide(x, y, out):
    """``out = x / y`` rounded down. Exact, step by step."""
    binary(FLOOR_DIVIDE, x, y, out)


def clamp(x, low, high, out):
    """x, or the bound that it lies beyond; `high` where the bounds cross, nan where one of the three is. Exact."""
    ternary(CLAMP, x, low, high, out)


def lerp(start, end, weight, out):
    """``out = start + weight * (end - start)`` of floats, computed from the nearer end. Exact, step by step."""
    ternary(LERP, start, end, weight, out)


def clamp_vjp(g, x, low, high, out):
    """``out = g where low <= x <= high, else 0``: all of g at a bound, nothing at nan. Exact."""
    cdef PyObject* operands[5]
    operands[0], operands[1], operands[2] = <PyObject*> g, <PyObject*> x, <PyObject*> low
    operands[3], operands[4] = <PyObject*> high, <PyObject*> out
    if not launch(CLAMP_VJP, operands, 5, NULL):
        refuse(CLAMP_VJP, (g, x, low, high, out))


def where(condition, x, y, out):
    """``out = x if condition else y``; the condition is bool, and all three broadcast to `out`. Exact."""
    cdef PyObject* operands[4]
    operands[0], operands[1], operands[2] = <PyObject*> x, <PyObject*> y, <PyObject*> condition
    operands[3] = <PyObject*> out
    if not launch(WHERE, operands, 4, NULL):
        refuse(WHERE, (condition, x, y, out))


def fill(out, value):
    """Write one number into every element, as `copy` would cast it; OverflowError where no int64 can hold it."""
    cdef PyObject* operands[1]
    cdef Element element
    cdef int kind = kind_of(out)
    if kind == FLOAT32:
        element.single = <float> <double> value
    elif kind == FLOAT64:
        element.double_ = value
    elif kind == INT64:
        element.integer = check_value("fill", "q", value)
    else:
        element.truth = value != 0
    operands[0] = <PyObject*> out
    if not launch(FILL, operands, 1, <char*> &element):
        refuse(FILL, (out,))


def add_scaled(x, y, double alpha, out):
    """``out = x + alpha * y`` of floats, rounded after each of the two steps: the step of an optimizer. Exact."""
    cdef PyObject* operands[3]
    cdef Element element
    operands[0], operands[1], operands[2] = <PyObject*> x, <PyObject*> y, <PyObject*> out
    if kind_of(x) == FLOAT32:
        element.single = <float> alpha
    else:
        element.double_ = alpha
    if not launch(ADD_SCALED, operands, 3, <char*> &element):
        refuse(ADD_SCALED, (x, y, out))


def broadcast_add_kernel(a, b, out):
    """``out = a + b`` where axes of size 1 repeat: the kernel of section 12.4, `add` under its first name."""
    binary(BROADCAST_ADD, a, b, out)


def elementwise_add(a, b):
    """``a + b`` in a fresh buffer, of the shape that the two broadcast to; neither operand is touched."""
    out = np.empty(broadcast_shapes(np.shape(a), np.shape(b)), getattr(a, "dtype", None))
    binary(ELEMENTWISE_ADD, a, b, out)
    return out


def checked_read(cnp.ndarray[double, ndim=1] values, Py_ssize_t index):
    """One element; in a build with KAEL_DEBUG=1 an index out of range raises IndexError."""
    return values[index]
