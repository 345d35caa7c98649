"""The hyperbolic functions and their kind as inline C-level code: exp(x) = 2**m * (1 + s), taken apart."""

from libc.math cimport copysign, copysignf, fabs, fabsf

from chapters.ch12_elementwise.exponential cimport multiply_add, power_from, power_of_two, real, series, whole


cdef inline real hyperbolic_tangent(real x) noexcept nogil:
    """tanh|x| = -e / (2 + e) with e = exp(-2|x|) - 1 = 2**m * (exp(r) - 1) + (2**m - 1): no digit is lost near 0."""
    cdef real lowest = -20.0 if real is float else -40.0
    cdef real large = 1.5 * 2.0**23 + 127.0 if real is float else 1.5 * 2.0**52 + 1023.0
    cdef real sum_, scale, e
    cdef real twice = <real> -2 * (fabsf(x) if real is float else fabs(x))
    twice = lowest if twice < lowest else twice
    sum_ = multiply_add(twice, <real> 1.4426950408889634, large)
    scale = power_from(sum_)
    e = multiply_add(scale, series(twice, sum_ - large), scale - <real> 1)
    e = -e / (<real> 2 + e)
    if real is float:
        return copysignf(e, x)
    else:
        return copysign(e, x)


cdef inline real halved_exponentials(real size, real* falling, real* scale, real* s) noexcept nogil:
    """exp(size) / 4 = scale * (1 + s), and exp(-size) / 4 = falling * (1 - s / (1 + s)) or so small that it is lost.

    The quarter keeps the scale within the floats where exp(size) / 2 itself is too large for them.
    """
    cdef real highest = 89.5 if real is float else 710.5
    cdef real lost = 40.0 if real is float else 80.0
    cdef real m
    size = highest if size > highest else size
    m = whole(size * <real> 1.4426950408889634)
    s[0] = series(size, m)
    scale[0] = power_of_two(m - <real> 2)
    m = lost if m > lost else m
    falling[0] = power_of_two(-m - <real> 2)
    return s[0] / (<real> 1 + s[0])


cdef inline real hyperbolic_sine(real x) noexcept nogil:
    """(exp(x) - exp(-x)) / 2, whose parts are added so that no digit is lost near 0; nearer still it is x itself."""
    cdef real near = 2.0**-13 if real is float else 2.0**-28
    cdef real size = fabsf(x) if real is float else fabs(x)
    cdef real falling, scale, s, u, value
    u = halved_exponentials(size, &falling, &scale, &s)
    value = (scale - falling) + multiply_add(scale, s, falling * u)
    value = size if size < near else value + value
    return copysignf(value, x) if real is float else copysign(value, x)


cdef inline real hyperbolic_cosine(real x) noexcept nogil:
    """(exp(x) + exp(-x)) / 2."""
    cdef real falling, scale, s, u, value
    u = halved_exponentials(fabsf(x) if real is float else fabs(x), &falling, &scale, &s)
    value = (scale + falling) + multiply_add(scale, s, -falling * u)
    return value + value
