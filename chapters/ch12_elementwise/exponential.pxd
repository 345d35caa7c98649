"""e**x as inline C-level code, for every chapter whose loops need it; no Python object is touched.

exp(x) = 2**m * exp(r), where m is the whole number nearest to x / log 2. So |r| <= log(2) / 2, and there a few terms
of the series are enough. log 2 is subtracted in two parts, the first with so few digits that m times it is exact.
"""

from libc.math cimport copysign, copysignf
from libc.stdint cimport uint32_t, uint64_t

ctypedef fused real:
    float
    double


# region [multiply_add]
cdef extern from * nogil:
    """
    #if defined(__GNUC__) && (defined(__FMA__) || defined(__aarch64__))
    #define FUSED_SINGLE(x, y, z) __builtin_fmaf(x, y, z)
    #define FUSED_DOUBLE(x, y, z) __builtin_fma(x, y, z)
    #else
    #define FUSED_SINGLE(x, y, z) ((x) * (y) + (z))
    #define FUSED_DOUBLE(x, y, z) ((x) * (y) + (z))
    #endif
    """
    float FUSED_SINGLE(float x, float y, float z)
    double FUSED_DOUBLE(double x, double y, double z)


cdef inline real multiply_add(real x, real y, real z) noexcept nogil:
    """x * y + z: in one instruction, and rounded once, where the instruction set has that; else in two steps.

    So it stands only where a bound is promised and not the bits.
    """
    if real is float:
        return FUSED_SINGLE(x, y, z)
    else:
        return FUSED_DOUBLE(x, y, z)
# endregion [multiply_add]


cdef union Float32:
    float value
    uint32_t bits

cdef union Float64:
    double value
    uint64_t bits


# region [whole]
cdef inline real whole(real x) noexcept nogil:
    """The whole number nearest to x, which must be small: beside so large a number no bits are left for a fraction."""
    cdef real large = 1.5 * 2.0**23 if real is float else 1.5 * 2.0**52
    return (x + large) - large
# endregion [whole]


# region [power_of_two]
cdef inline real power_of_two(real m) noexcept nogil:
    """2**m: the last bits of `m + large` are m as an integer, and move to where a float has its exponent."""
    cdef Float32 single
    cdef Float64 double_
    if real is float:
        single.value = m + <float> (1.5 * 2.0**23)
        single.bits = (single.bits + 127) << 23
        return single.value
    else:
        double_.value = m + 1.5 * 2.0**52
        double_.bits = (double_.bits + 1023) << 52
        return double_.value
# endregion [power_of_two]


# region [series]
cdef inline real series(real x, real m) noexcept nogil:
    """exp(r) - 1 = r + r**2/2! + r**3/3! + ..., with r = x - m * log 2; to r**7 in float32 and r**13 in float64.

    r is the exact `high` less a small `low`, and enters the sum as these two, so that its own rounding costs nothing.
    The six terms of float32 are one chain; the twelve of float64 are three that the processor can work on side by side.
    """
    cdef real high, low, r
    if real is float:
        high = multiply_add(m, <float> -0.693359375, x)
        low = m * <float> -2.1219444005469057e-4
    else:
        high = multiply_add(m, -0.6931471803691238, x)
        low = m * 1.9082149292705877e-10
    r = high - low
    cdef real q, square, fourth, head, middle, tail
    square = r * r
    if real is float:
        q = multiply_add(r, <real> (1.0 / 5040.0), <real> (1.0 / 720.0))
        q = multiply_add(q, r, <real> (1.0 / 120.0))
        q = multiply_add(q, r, <real> (1.0 / 24.0))
        q = multiply_add(q, r, <real> (1.0 / 6.0))
        q = multiply_add(q, r, <real> 0.5)
    else:
        fourth = square * square
        head = multiply_add(r, <real> (1.0 / 6.0), <real> 0.5)
        head = multiply_add(square, multiply_add(r, <real> (1.0 / 120.0), <real> (1.0 / 24.0)), head)
        middle = multiply_add(r, <real> (1.0 / 5040.0), <real> (1.0 / 720.0))
        middle = multiply_add(square, multiply_add(r, <real> (1.0 / 362880.0), <real> (1.0 / 40320.0)), middle)
        tail = multiply_add(r, <real> (1.0 / 39916800.0), <real> (1.0 / 3628800.0))
        tail = multiply_add(
            square, multiply_add(r, <real> (1.0 / 6227020800.0), <real> (1.0 / 479001600.0)), tail
        )
        q = multiply_add(fourth, multiply_add(fourth, tail, middle), head)
    return high + multiply_add(square, q, -low)
# endregion [series]


cdef inline real power_from(real sum_) noexcept nogil:
    """2**m, where sum_ is m + large, and the last bits of large are the 127, or 1023, of a float's exponent."""
    cdef Float32 single
    cdef Float64 wide
    if real is float:
        single.value = sum_
        single.bits <<= 23
        return single.value
    else:
        wide.value = sum_
        wide.bits <<= 52
        return wide.value


# region [exponential]
cdef inline real scaled(real x, real sum_) noexcept nogil:
    """x * 2**m, where sum_ is m + large, in two halves: 2**m may itself be too large or too small for a float.

    The last bits of large are twice the 127, or 1023, that a float's exponent is stored with: half of the sum's last
    bits, which are its bits moved by one, is an exponent as it is stored, and so is the other half.
    """
    cdef Float32 single, other_single
    cdef Float64 double_, other_double
    if real is float:
        single.value = other_single.value = sum_
        single.bits >>= 1
        other_single.bits = (other_single.bits - single.bits) << 23
        single.bits <<= 23
        return x * single.value * other_single.value
    else:
        double_.value = other_double.value = sum_
        double_.bits >>= 1
        other_double.bits = (other_double.bits - double_.bits) << 52
        double_.bits <<= 52
        return x * double_.value * other_double.value


cdef inline real exponential(real x) noexcept nogil:
    """e**x."""
    cdef real highest = 89.0 if real is float else 710.0
    cdef real lowest = -105.0 if real is float else -746.0
    cdef real large = 1.5 * 2.0**23 + 254.0 if real is float else 1.5 * 2.0**52 + 2046.0
    cdef real sum_
    x = highest if x > highest else x
    x = lowest if x < lowest else x
    sum_ = multiply_add(x, <real> 1.4426950408889634, large)
    return scaled(<real> 1 + series(x, sum_ - large), sum_)
# endregion [exponential]


cdef inline real falling_exponential(real x) noexcept nogil:
    """e**x of x up to 0, bit for bit as `exponential`, with one clamp: of two the compiler makes a good deal more."""
    cdef real lowest = -105.0 if real is float else -746.0
    cdef real large = 1.5 * 2.0**23 + 254.0 if real is float else 1.5 * 2.0**52 + 2046.0
    cdef real sum_
    x = lowest if x < lowest else x
    sum_ = multiply_add(x, <real> 1.4426950408889634, large)
    return scaled(<real> 1 + series(x, sum_ - large), sum_)


# region [moderate]
cdef enum:
    STRETCH = 2048  # elements looked at together: 8 KB of float32, a quarter of a first-level cache


cdef inline bint all_within(real* x, real bound, Py_ssize_t n) noexcept nogil:
    """Whether no |x| is above a bound, and none is nan: without their signs, bits order as numbers do."""
    cdef Float32 single
    cdef Float64 wide
    cdef uint32_t most = 0
    cdef uint64_t wide_most = 0
    cdef Py_ssize_t k
    if real is float:
        for k in range(n):
            single.value = x[k]
            single.bits <<= 1
            most = single.bits if single.bits > most else most
        single.value = bound
        return most <= single.bits << 1
    else:
        for k in range(n):
            wide.value = x[k]
            wide.bits <<= 1
            wide_most = wide.bits if wide.bits > wide_most else wide_most
        wide.value = bound
        return wide_most <= wide.bits << 1


cdef inline bint all_moderate(real* x, Py_ssize_t n) noexcept nogil:
    """Whether e**x is a normal number for each x."""
    return all_within(x, <real> 87 if real is float else <real> 708, n)


cdef inline real shifted(real value, real sum_) noexcept nogil:
    """value * 2**m, where sum_ is m + large: m is added where a float has its exponent."""
    cdef Float32 single, exponent
    cdef Float64 wide, wide_exponent
    if real is float:
        single.value, exponent.value = value, sum_
        single.bits += exponent.bits << 23
        return single.value
    else:
        wide.value, wide_exponent.value = value, sum_
        wide.bits += wide_exponent.bits << 52
        return wide.value


cdef inline real moderate_exponential(real x) noexcept nogil:
    """e**x of a moderate x, bit for bit as `exponential`."""
    cdef real large = 1.5 * 2.0**23 if real is float else 1.5 * 2.0**52
    cdef real sum_ = multiply_add(x, <real> 1.4426950408889634, large)
    return shifted(<real> 1 + series(x, sum_ - large), sum_)
# endregion [moderate]


cdef inline real binary_exponential(real x) noexcept nogil:
    """2**x = 2**m * exp((x - m) * log 2), with m the whole number nearest to x: exact where x is whole."""
    cdef real highest = 130.0 if real is float else 1030.0
    cdef real lowest = -152.0 if real is float else -1080.0
    cdef real large = 1.5 * 2.0**23 + 254.0 if real is float else 1.5 * 2.0**52 + 2046.0
    cdef real sum_
    x = highest if x > highest else x
    x = lowest if x < lowest else x
    sum_ = x + large
    return scaled(<real> 1 + series((x - (sum_ - large)) * <real> 0.6931471805599453, <real> 0), sum_)


cdef inline real moderate_binary_exponential(real x) noexcept nogil:
    """2**x of a moderate x, bit for bit as `binary_exponential`."""
    cdef real large = 1.5 * 2.0**23 if real is float else 1.5 * 2.0**52
    cdef real sum_ = x + large
    return shifted(<real> 1 + series((x - (sum_ - large)) * <real> 0.6931471805599453, <real> 0), sum_)


cdef inline real exponential_less_one(real x) noexcept nogil:
    """exp(x) - 1 = 2**m * (exp(r) - 1) + (2**m - 1): no digit is lost near 0, and a zero keeps its sign.

    Beside a large 2**m the 1 is nothing, and 2 is multiplied in last, for 2**m may be too large by one.
    """
    cdef real highest = 89.0 if real is float else 710.0
    cdef real lowest = -20.0 if real is float else -40.0
    cdef real large = 1.5 * 2.0**23 if real is float else 1.5 * 2.0**52
    cdef real value, m, scale, one, two
    value = highest if x > highest else x
    value = lowest if value < lowest else value
    m = multiply_add(value, <real> 1.4426950408889634, large) - large
    one = <real> 1 if m > 80 else <real> 0
    two = <real> 2 if m > 80 else <real> 1
    scale = power_of_two(m - one)
    value = multiply_add(scale, series(value, m), scale - <real> 1) * two
    return copysignf(value, x) if real is float else copysign(value, x)


cdef inline real moderate_exponential_less_one(real x) noexcept nogil:
    """exp(x) - 1 of a moderate x, bit for bit as `exponential_less_one`."""
    cdef real large = 1.5 * 2.0**23 + 127.0 if real is float else 1.5 * 2.0**52 + 1023.0
    cdef real sum_ = multiply_add(x, <real> 1.4426950408889634, large)
    cdef real scale = power_from(sum_)
    cdef real value = multiply_add(scale, series(x, sum_ - large), scale - <real> 1)
    return copysignf(value, x) if real is float else copysign(value, x)


cdef inline real logistic_parts(real x, real* part, real* rest) noexcept nogil:
    """u and v of exp(x) = u / v, and their sum: halves of one number, they are too far from the ends to overflow."""
    cdef real highest = 105.0 if real is float else 746.0
    cdef real large = 1.5 * 2.0**23 + 254.0 if real is float else 1.5 * 2.0**52 + 2046.0
    cdef real sum_, u, v
    cdef Float32 single, other_single
    cdef Float64 double_, other_double
    x = highest if x > highest else x
    x = -highest if x < -highest else x
    sum_ = multiply_add(x, <real> 1.4426950408889634, large)
    u = <real> 1 + series(x, sum_ - large)
    if real is float:
        single.value = other_single.value = sum_
        single.bits >>= 1
        other_single.bits = (single.bits + 254 - other_single.bits) << 23
        single.bits <<= 23
        u = u * single.value
        v = other_single.value
    else:
        double_.value = other_double.value = sum_
        double_.bits >>= 1
        other_double.bits = (double_.bits + 2046 - other_double.bits) << 52
        double_.bits <<= 52
        u = u * double_.value
        v = other_double.value
    part[0], rest[0] = u, v
    return v + u


cdef inline real logistic(real x) noexcept nogil:
    """1 / (1 + exp(-x)) = u / (v + u)."""
    cdef real u, v
    cdef real sum_ = logistic_parts(x, &u, &v)
    return u / sum_


cdef inline real moderate_logistic(real x) noexcept nogil:
    """The same of a moderate x, bit for bit."""
    cdef real growth = moderate_exponential(x)
    return growth / (<real> 1 + growth)
