"""Powers of float32, and hypotenuses, as inline C-level code."""

from libc.math cimport INFINITY, NAN, copysign, fabs, sqrt

from chapters.ch12_elementwise.exponential cimport Float64, power_of_two, real, whole
from chapters.ch12_elementwise.logarithm cimport split


cdef inline double binary_logarithm_of_size(double x) noexcept nogil:
    """log2(x) of x >= 0 that is not a subnormal float64, to 13 digits: what a power in float32 needs."""
    cdef double f, s, square, q, m = split[double](x, &f)
    s = f / (2.0 + f)
    square = s * s
    q = square * (2.0 / 17.0) + 2.0 / 15.0
    q = q * square + 2.0 / 13.0
    q = q * square + 2.0 / 11.0
    q = q * square + 2.0 / 9.0
    q = q * square + 2.0 / 7.0
    q = q * square + 2.0 / 5.0
    q = q * square + 2.0 / 3.0
    q = q * square + 2.0
    m = m + s * q * 1.4426950408889634
    m = -INFINITY if x == 0 else m
    return m if x < INFINITY else x


cdef inline float float_power(float base, float exponent) noexcept nogil:
    """x**y as 2**(y * log2|x|), in float64 and rounded once; the sign and the special cases are those of IEEE 754."""
    cdef double x = base
    cdef double y = exponent
    cdef double size = fabs(x)
    cdef double large = 1e9  # beyond it every float32 is an even number
    cdef double t, m, r, q
    cdef Float64 beside
    t = y * binary_logarithm_of_size(size)
    t = 0.0 if size == 1.0 else t
    t = 0.0 if y == 0.0 else t
    t = 140.0 if t > 140.0 else t
    t = -160.0 if t < -160.0 else t
    m = whole(t)
    r = (t - m) * 0.6931471805599453
    q = r * (1.0 / 40320.0) + 1.0 / 5040.0
    q = q * r + 1.0 / 720.0
    q = q * r + 1.0 / 120.0
    q = q * r + 1.0 / 24.0
    q = q * r + 1.0 / 6.0
    q = q * r + 0.5
    q = (1.0 + (r + r * r * q)) * power_of_two(m)
    # Of a negative base: an odd power is negative, and one that is not whole is no number.
    t = y if fabs(y) < large else 0.0
    beside.value = t + 1.5 * 2.0**52
    r = -q if beside.bits & 1 else q
    m = beside.value - 1.5 * 2.0**52 - t  # what t lacks to a whole number
    r = q if m != 0.0 else r
    q = r if copysign(1.0, x) < 0.0 else q
    m = NAN if m != 0.0 else 0.0
    m = NAN if y != y else m
    m = m if x < 0.0 else 0.0
    m = 0.0 if size == INFINITY else m
    m = 0.0 if y == 0.0 else m
    q = m if m != m else q
    return <float> q


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
