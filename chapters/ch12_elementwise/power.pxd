"""Powers of float32, and hypotenuses, as inline C-level code."""

from libc.math cimport INFINITY, NAN, copysignf, fabs, fabsf, sqrt
from libc.stdint cimport int32_t, uint32_t

from chapters.ch12_elementwise.exponential cimport Float32, Float64, multiply_add, real
from chapters.ch12_elementwise.logarithm cimport split


cdef inline double binary_logarithm_of_size(float size) noexcept nogil:
    """log2(x) of x >= 0 to 10 digits, what a power in float32 needs: -inf at 0, inf and nan as they are."""
    cdef float f
    cdef float m = split[float](size, &f)
    cdef double wide = f
    cdef double s = wide / (2.0 + wide)
    cdef double square = s * s
    cdef double q
    m = m if size < <float> INFINITY else size
    m = -<float> INFINITY if size == 0 else m
    q = multiply_add(square, 2.0 / 11.0 * 1.4426950408889634, 2.0 / 9.0 * 1.4426950408889634)
    q = multiply_add(q, square, 2.0 / 7.0 * 1.4426950408889634)
    q = multiply_add(q, square, 2.0 / 5.0 * 1.4426950408889634)
    q = multiply_add(q, square, 2.0 / 3.0 * 1.4426950408889634)
    q = multiply_add(q, square, 2.0 * 1.4426950408889634)
    return multiply_add(s, q, <double> m)


cdef inline float float_power(float x, float y) noexcept nogil:
    """x**y as 2**(y * log2|x|), rounded once; the sign and the special cases are those of IEEE 754.

    What must be exact to more digits than the result has, logarithm, product and sum, is float64. The rest is float32,
    of which twice as many fit into a vector.
    """
    cdef float size = fabsf(x)
    cdef float rest, p, value
    cdef double t, r
    cdef Float64 beside, power
    cdef Float32 near
    cdef int32_t low
    cdef bint whole
    t = y * binary_logarithm_of_size(size)
    t = 0.0 if (size == 1) | (y == 0) else t
    t = 140.0 if t > 140.0 else t
    t = -160.0 if t < -160.0 else t
    beside.value = t + 1.5 * 2.0**52
    r = (t - (beside.value - 1.5 * 2.0**52)) * 0.6931471805599453
    rest = <float> r
    p = multiply_add(rest, <float> (1.0 / 5040.0), <float> (1.0 / 720.0))
    p = multiply_add(p, rest, <float> (1.0 / 120.0))
    p = multiply_add(p, rest, <float> (1.0 / 24.0))
    p = multiply_add(p, rest, <float> (1.0 / 6.0))
    p = multiply_add(p, rest, <float> 0.5)
    power.value = 1.0 + multiply_add(r * r, <double> p, r)
    power.bits += beside.bits << 52  # times 2 to the whole part of t, which the last bits of the sum are
    value = <float> power.value
    # Of a negative base: an odd power is negative, and one that is not whole is no number. From 2**24 on every float32
    # is an even number; 0 stands for those, by a mask, since the compiler makes a branch of a choice.
    near.value = y
    near.bits &= 0 - <uint32_t> (fabsf(y) < <float> 2.0**24)
    low = <int32_t> near.value
    whole = (<float> low == near.value) & (y == y)
    value = -value if (copysignf(1, x) < 0) & low & whole else value
    return <float> NAN if (x < 0) & (size < <float> INFINITY) & (not whole) else value


cdef inline real hypotenuse(real x, real y) noexcept nogil:
    """sqrt(x*x + y*y): of float32 in float64, which has the range; of float64 by way of the smaller over the larger."""
    cdef double width = fabs(x)
    cdef double height = fabs(y)
    cdef double least, most, ratio, value
    if real is float:
        value = sqrt(width * width + height * height)
    else:
        least = width if width < height else height
        most = height if width < height else width
        ratio = least / most
        ratio = 0.0 if most == 0 else ratio
        value = most * sqrt(1.0 + ratio * ratio)
        value = x + y if (x != x) | (y != y) else value
    return INFINITY if (width == INFINITY) | (height == INFINITY) else <real> value
