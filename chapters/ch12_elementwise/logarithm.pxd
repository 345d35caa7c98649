"""Logarithms and the inverse hyperbolic functions, which are logarithms too, as inline C-level code.

log(x) of x = 2**m * (1 + f) is m * log 2 + log(1 + f), where f lies around 0 and a short series is enough.
"""

from libc.math cimport INFINITY, NAN, copysign, copysignf, fabs, fabsf, sqrt, sqrtf
from libc.stdint cimport int32_t, uint32_t, uint64_t

from chapters.ch12_elementwise.exponential cimport Float32, Float64, multiply_add, real


cdef inline double whole_of_bits(uint64_t bits) noexcept nogil:
    """A small whole number as a double, without the conversion that few vector instruction sets have."""
    cdef Float64 beside
    beside.value = 2.0**52
    beside.bits += bits
    return beside.value - 2.0**52


cdef inline bint all_normal(real* x, real added, Py_ssize_t n) noexcept nogil:
    """Whether x + added is a positive, finite and normal number for each x: those have all bits between two bounds."""
    cdef Float32 single, tiny
    cdef Float64 wide, wide_tiny
    cdef uint32_t most = 0
    cdef uint64_t wide_most = 0
    cdef Py_ssize_t k
    if real is float:
        tiny.value = 1.1754943508222875e-38
        for k in range(n):
            single.value = x[k] + added
            single.bits -= tiny.bits
            most = single.bits if single.bits > most else most
        single.value = <float> INFINITY
        return most < single.bits - tiny.bits
    else:
        wide_tiny.value = 2.2250738585072014e-308
        for k in range(n):
            wide.value = x[k] + added
            wide.bits -= wide_tiny.bits
            wide_most = wide.bits if wide.bits > wide_most else wide_most
        wide.value = INFINITY
        return wide_most < wide.bits - wide_tiny.bits


cdef inline real split_normal(real x, real* f) noexcept nogil:
    """The m of a positive normal x = 2**m * (1 + f), with 1 + f from sqrt(1/2) to sqrt(2).

    Adding the bits of 1 less those of sqrt(1/2) makes the exponent change at sqrt(1/2) instead of at 1.
    """
    cdef Float32 single, single_one, single_root
    cdef Float64 wide, wide_one, wide_root
    if real is float:
        single.value, single_one.value, single_root.value = x, 1.0, 0.70710678
        single.bits += single_one.bits - single_root.bits
        x = <float> (<int32_t> (single.bits >> 23) - 127)
        single.bits = (single.bits & ((1 << 23) - 1)) + single_root.bits
        f[0] = single.value - <float> 1
    else:
        wide.value, wide_one.value, wide_root.value = x, 1.0, 0.7071067811865476
        wide.bits += wide_one.bits - wide_root.bits
        x = whole_of_bits(wide.bits >> 52) - 1023.0
        wide.bits = (wide.bits & ((<uint64_t> 1 << 52) - 1)) + wide_root.bits
        f[0] = wide.value - 1
    return x


cdef inline real split(real x, real* f) noexcept nogil:
    """The same of any positive finite x: a subnormal number is scaled up first."""
    cdef real tiny = 1.1754943508222875e-38 if real is float else 2.2250738585072014e-308
    cdef real scale = 2.0**25 if real is float else 2.0**54
    cdef real scaled_by = 25.0 if real is float else 54.0
    cdef bint small = x < tiny
    return split_normal(x * scale if small else x, f) - (scaled_by if small else <real> 0)


cdef inline real excess(real f, real half) noexcept nogil:
    """log(1 + f) - f + half, where half is f * f / 2.

    log(1 + f) is 2s + 2s**3/3 + 2s**5/5 + ... with s = f / (2 + f). As 2s = f - s * f, it is f less a small correction.
    """
    cdef real s = f / (<real> 2 + f)
    cdef real square = s * s
    cdef real q
    if real is float:
        q = multiply_add(square, <real> (2.0 / 13.0), <real> (2.0 / 11.0))
    else:
        q = multiply_add(square, <real> (2.0 / 23.0), <real> (2.0 / 21.0))
        q = multiply_add(q, square, <real> (2.0 / 19.0))
        q = multiply_add(q, square, <real> (2.0 / 17.0))
        q = multiply_add(q, square, <real> (2.0 / 15.0))
        q = multiply_add(q, square, <real> (2.0 / 13.0))
        q = multiply_add(q, square, <real> (2.0 / 11.0))
    q = multiply_add(q, square, <real> (2.0 / 9.0))
    q = multiply_add(q, square, <real> (2.0 / 7.0))
    q = multiply_add(q, square, <real> (2.0 / 5.0))
    q = multiply_add(q, square, <real> (2.0 / 3.0))
    return s * multiply_add(square, q, half)


cdef inline real from_split(real m, real f) noexcept nogil:
    """m * log 2 + log(1 + f); the small part of m * log 2 joins before anything large is added."""
    cdef real half = <real> 0.5 * f * f
    if real is float:
        return multiply_add(
            m, <float> 0.693359375, f - (half - multiply_add(m, <float> -2.1219444005469057e-4, excess(f, half)))
        )
    else:
        return multiply_add(
            m, 0.6931471803691238, f - (half - multiply_add(m, 1.9082149292705877e-10, excess(f, half)))
        )


cdef inline real binary_from_split(real m, real f) noexcept nogil:
    """m + log(1 + f) / log 2: exact where x is a power of two, for there f is 0."""
    cdef real half = <real> 0.5 * f * f
    return multiply_add(f - (half - excess(f, half)), <real> 1.4426950408889634, m)


cdef inline real decimal_from_split(real m, real f) noexcept nogil:
    """m * log10(2) + log(1 + f) / log(10), log10(2) in two parts: the first has so few bits that m of it are exact."""
    cdef real half = <real> 0.5 * f * f
    cdef real part = (f - (half - excess(f, half))) * <real> 0.4342944819032518
    if real is float:
        part = multiply_add(m, <float> 4.605038981195214e-06, part)
        return multiply_add(m, <float> 0.301025390625, part)
    else:
        part = multiply_add(m, 1.42050232272661e-13, part)
        return multiply_add(m, 0.30102999566383914, part)


cdef inline real logarithm(real x) noexcept nogil:
    """log(x) of a positive finite number."""
    cdef real f
    cdef real m = split(x, &f)
    return from_split(m, f)


cdef inline real normal_logarithm(real x) noexcept nogil:
    """log(x) of a positive normal number, bit for bit as `natural_logarithm`."""
    cdef real f
    cdef real m = split_normal(x, &f)
    return from_split(m, f)


cdef inline real at_the_ends(real x, real value) noexcept nogil:
    """The logarithm of any x, given what it is of positive finite numbers: -inf at 0, nan below, inf at inf."""
    value = x if not x < INFINITY else value
    value = NAN if x < 0 else value
    return -INFINITY if x == 0 else value


cdef inline real natural_logarithm(real x) noexcept nogil:
    return at_the_ends(x, logarithm(x))


cdef inline real binary_logarithm(real x) noexcept nogil:
    cdef real f
    cdef real m = split(x, &f)
    return at_the_ends(x, binary_from_split(m, f))


cdef inline real normal_binary_logarithm(real x) noexcept nogil:
    cdef real f
    cdef real m = split_normal(x, &f)
    return binary_from_split(m, f)


cdef inline real decimal_logarithm(real x) noexcept nogil:
    cdef real f
    cdef real m = split(x, &f)
    return at_the_ends(x, decimal_from_split(m, f))


cdef inline real normal_decimal_logarithm(real x) noexcept nogil:
    cdef real f
    cdef real m = split_normal(x, &f)
    return decimal_from_split(m, f)


cdef inline real logarithm_of_one_more(real x) noexcept nogil:
    """log(1 + x) with what the rounding of 1 + x lost put back: to first order, the loss divided by 1 + x."""
    cdef real total = <real> 1 + x
    cdef real lost = x - (total - <real> 1)
    return logarithm(total) + lost / total


cdef inline real normal_log_one_plus(real x) noexcept nogil:
    """log(1 + x) where 1 + x is a positive normal number, bit for bit as `log_one_plus`."""
    cdef real total = <real> 1 + x
    cdef real lost = x - (total - <real> 1)
    cdef real value = normal_logarithm(total) + lost / total
    return copysignf(value, x) if real is float else copysign(value, x)


cdef inline real log_one_plus(real x) noexcept nogil:
    """log(1 + x) of any x, with the sign of a zero."""
    cdef real value = logarithm_of_one_more(x)
    value = copysignf(value, x) if real is float else copysign(value, x)
    value = x if not x < INFINITY else value
    value = NAN if x < -1 else value
    return -INFINITY if x == -1 else value


# asinh, acosh, atanh. Where x is so large that x*x + 1 is x*x, asinh and acosh are log(2x).

cdef inline real of_large(real size, real excess_over_one) noexcept nogil:
    """log(1 + y), or log(2 * size) where that is large, in one logarithm."""
    cdef real large = 1e4 if real is float else 2e8
    cdef real total = <real> 1 + excess_over_one
    cdef real lost = (excess_over_one - (total - <real> 1)) / total
    total = size if size > large else total
    return logarithm(total) + (<real> 0.6931471805599453 if size > large else lost)


cdef inline real root(real x) noexcept nogil:
    if real is float:
        return sqrtf(x)
    else:
        return sqrt(x)


cdef inline real inverse_hyperbolic_sine(real x) noexcept nogil:
    """log(x + sqrt(x*x + 1)) as log(1 + y) with y = x + x*x / (1 + sqrt(x*x + 1)), which keeps its digits near 0."""
    cdef real size = fabsf(x) if real is float else fabs(x)
    cdef real square = size * size
    cdef real value = of_large(size, size + square / (<real> 1 + root(square + <real> 1)))
    value = size if not size < INFINITY else value
    return copysignf(value, x) if real is float else copysign(value, x)


cdef inline real inverse_hyperbolic_cosine(real x) noexcept nogil:
    """log(x + sqrt(x*x - 1)) as log(1 + y) with y = t + sqrt(t * (t + 2)) and t = x - 1."""
    cdef real t = x - <real> 1
    cdef real value = of_large(x, t + root(t * (t + <real> 2)))
    value = x if not x < INFINITY else value
    return NAN if x < 1 else value


cdef inline real inverse_hyperbolic_tangent(real x) noexcept nogil:
    """log((1 + x) / (1 - x)) / 2 as log(1 + y) / 2 with y = 2x / (1 - x); below 1/2 that is 2x + 2x*x / (1 - x)."""
    cdef real size = fabsf(x) if real is float else fabs(x)
    cdef real twice = size + size
    cdef real rest = <real> 1 - size
    cdef real y = twice + twice * size / rest if size < <real> 0.5 else twice / rest
    cdef real value = <real> 0.5 * logarithm_of_one_more(y)
    value = INFINITY if size == 1 else value
    value = NAN if not size <= 1 else value
    return copysignf(value, x) if real is float else copysign(value, x)
