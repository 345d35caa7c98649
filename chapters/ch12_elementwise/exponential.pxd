"""e**x as inline C-level code, for every chapter whose loops need it; no Python object is touched.

exp(x) = 2**m * exp(r), where m is the whole number nearest to x / log 2. So |r| <= log(2) / 2, and there a few terms
of the series are enough. log 2 is subtracted in two parts, the first with so few digits that m times it is exact.
"""

from libc.stdint cimport uint32_t, uint64_t

ctypedef fused real:
    float
    double


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
        high = x - m * <float> 0.693359375
        low = m * <float> -2.1219444005469057e-4
    else:
        high = x - m * 0.6931471803691238
        low = m * 1.9082149292705877e-10
    r = high - low
    cdef real q, square, fourth, head, middle, tail
    if real is float:
        q = r * <real> (1.0 / 5040.0) + <real> (1.0 / 720.0)
        q = q * r + <real> (1.0 / 120.0)
        q = q * r + <real> (1.0 / 24.0)
        q = q * r + <real> (1.0 / 6.0)
        q = q * r + <real> 0.5
    else:
        square = r * r
        fourth = square * square
        head = (0.5 + r * (1.0 / 6.0)) + square * (1.0 / 24.0 + r * (1.0 / 120.0))
        middle = (1.0 / 720.0 + r * (1.0 / 5040.0)) + square * (1.0 / 40320.0 + r * (1.0 / 362880.0))
        tail = (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) + square * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0))
        q = head + fourth * (middle + fourth * tail)
    return high + (r * r * q - low)
# endregion [series]


# region [exponential]
cdef inline real scaled(real x, real sum_) noexcept nogil:
    """x * 2**m, where sum_ is m + large, in two halves: 2**m may itself be too large or too small for a float.

    Half of m is the bits of the sum moved by one, since the last bits of large are 0.
    """
    cdef Float32 single, other_single
    cdef Float64 double_, other_double
    if real is float:
        single.value = other_single.value = sum_
        single.bits >>= 1
        other_single.bits = (other_single.bits - single.bits + 127) << 23
        single.bits = (single.bits + 127) << 23
        return x * single.value * other_single.value
    else:
        double_.value = other_double.value = sum_
        double_.bits >>= 1
        other_double.bits = (other_double.bits - double_.bits + 1023) << 52
        double_.bits = (double_.bits + 1023) << 52
        return x * double_.value * other_double.value


cdef inline real exponential(real x) noexcept nogil:
    """e**x."""
    cdef real highest = 89.0 if real is float else 710.0
    cdef real lowest = -105.0 if real is float else -746.0
    cdef real large = 1.5 * 2.0**23 if real is float else 1.5 * 2.0**52
    cdef real sum_
    x = highest if x > highest else x
    x = lowest if x < lowest else x
    sum_ = x * <real> 1.4426950408889634 + large
    return scaled(<real> 1 + series(x, sum_ - large), sum_)
# endregion [exponential]
