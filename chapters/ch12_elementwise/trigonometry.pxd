"""The circular functions and their inverses as inline C-level code.

The nearest multiple q of pi/2 is subtracted: what is left, r, lies between -pi/4 and pi/4, and the last bits of q say
which of sine, cosine and their negatives is wanted of it. pi/2 is subtracted in parts of 33 bits, so that q times a
part is exact up to a million; float32 is reduced in float64, which takes two parts, and float64 itself takes four.
"""

from libc.math cimport INFINITY, copysign, copysignf, fabs, fabsf, sqrt, sqrtf

from chapters.ch12_elementwise.exponential cimport Float32, Float64, multiply_add, real, whole
from chapters.ch12_elementwise.polynomials cimport arcsine_tail, arctangent_tail, cosine_tail, sine_tail, tangent_tail


cdef enum:
    NEAR = 1000000  # up to where q times a part of pi/2 is exact


cdef inline bint is_near(real x) noexcept nogil:
    """Whether the reduction holds; no infinity and no nan is near."""
    return (x <= <real> NEAR) & (x >= <real> -NEAR)


cdef inline real from_parts(real r, real low, bint odd, bint negative) noexcept nogil:
    """The sine of r + low, or if `odd` its cosine, or the negative of that. low is small beside the last bit of r."""
    cdef real t = r * r
    cdef real half = <real> 0.5 * t
    cdef real sine = r + multiply_add(r * t, sine_tail(t), low)
    cdef real rest = <real> 1 - half
    cdef real cosine = rest + (((<real> 1 - rest) - half) + multiply_add(t * t, cosine_tail(t), -r * low))
    cdef real value = cosine if odd else sine
    return -value if negative else value


cdef inline real sine_or_cosine(real x, int quarters) noexcept nogil:
    """sin(x + quarters * pi/2) of a near x."""
    cdef Float32 single
    cdef Float64 beside
    cdef double q, r, low, next_
    cdef float rounded
    beside.value = multiply_add(<double> x, 0.6366197723675814, 1.5 * 2.0**52)
    q = beside.value - 1.5 * 2.0**52
    r = multiply_add(q, -1.5707963267341256, <double> x)
    if real is float:
        r = multiply_add(q, -6.077100506506192e-11, r)
        rounded = <float> r
        single.value = <float> q + <float> (1.5 * 2.0**23)
        single.bits += quarters
        return from_parts(rounded, <float> 0, single.bits & 1, single.bits & 2)
    else:
        next_ = r - q * 6.077100506303966e-11
        low = (r - next_) - q * 6.077100506303966e-11
        r = next_ - q * 2.0222662487111665e-21
        low += ((next_ - r) - q * 2.0222662487111665e-21) - q * 8.4784276603689e-32
        beside.bits += quarters
        return from_parts(r, low, beside.bits & 1, beside.bits & 2)


cdef inline real tangent(real x) noexcept nogil:
    """tan(x) of a near x: the tangent of what is left, or beside an odd multiple of pi/2 its negative reciprocal."""
    cdef Float64 beside
    cdef double q, r, low, next_, value, correction
    cdef float single, square
    beside.value = multiply_add(<double> x, 0.6366197723675814, 1.5 * 2.0**52)
    q = beside.value - 1.5 * 2.0**52
    r = multiply_add(q, -1.5707963267341256, <double> x)
    if real is float:
        r = multiply_add(q, -6.077100506506192e-11, r)
        single = <float> r
        square = single * single
        value = r + single * (square * tangent_tail(square))
        return <float> ((-1.0 if beside.bits & 1 else value) / (value if beside.bits & 1 else 1.0))
    else:
        next_ = r - q * 6.077100506303966e-11
        low = (r - next_) - q * 6.077100506303966e-11
        r = next_ - q * 2.0222662487111665e-21
        low += ((next_ - r) - q * 2.0222662487111665e-21) - q * 8.4784276603689e-32
        correction = r * r
        correction = r * (correction * tangent_tail(correction))
        value = r + correction
        correction += low * (1.0 + value * value)
        value = r + correction
        correction -= value - r
        next_ = -1.0 / value
        next_ += next_ * next_ * correction
        value = next_ if beside.bits & 1 else value
        return x if x == 0 else value


# Turns: sin(pi * x), and what is built on it

cdef inline real sine_of_turns(real x, int quarters) noexcept nogil:
    """sin(pi * x + quarters * pi/2), from the distance to the nearest half: exactly 0 at whole numbers.

    Whole turns go first, two at a time; a float as large as `many` is an even number.
    """
    cdef real many = 2.0**24 if real is float else 2.0**53
    cdef Float32 single
    cdef Float64 wide
    cdef real q
    x = x if (x < many) & (x > -many) else x - x
    x = x - <real> 4 * whole(<real> 0.25 * x)
    q = whole(x + x)
    if real is float:
        single.value = q + <float> (1.5 * 2.0**23)
        single.bits += quarters
        x = <float> 3.1415926535897931 * (x - <float> 0.5 * q)
        return from_parts(x, <float> 0, single.bits & 1, single.bits & 2)
    else:
        wide.value = q + 1.5 * 2.0**52
        wide.bits += quarters
        x = 3.1415926535897931 * (x - 0.5 * q)
        return from_parts(x, 0.0, wide.bits & 1, wide.bits & 2)


cdef inline real cardinal_sine(real x) noexcept nogil:
    cdef real value = sine_of_turns(x, 0) / (<real> 3.1415926535897931 * x)
    return <real> 1 if x == 0 else value


# The inverses

cdef inline real quarter_less(real w) noexcept nogil:
    """pi/2 - w, with pi/2 in two parts."""
    if real is float:
        return <float> 1.5707963705062866 - (w + <float> 4.371138828673793e-08)
    else:
        return 1.5707963267948966 - (w - 6.123233995736766e-17)


cdef inline real half_less(real w) noexcept nogil:
    """pi - w."""
    if real is float:
        return <float> 3.1415927410125732 - (w + <float> 8.742277657347586e-08)
    else:
        return 3.1415926535897931 - (w - 1.2246467991473532e-16)


cdef inline real angle_from_size(real size, bint large) noexcept nogil:
    """asin(size), or of a large one half of acos(size): the angle whose sine is sqrt((1 - size) / 2)."""
    cdef real t = <real> 0.5 * (<real> 1 - size) if large else size * size
    cdef real s
    if real is float:
        s = sqrtf(t)
    else:
        s = sqrt(t)
    s = s if large else size
    return multiply_add(s * t, arcsine_tail(t), s)


cdef inline real arcsine(real x) noexcept nogil:
    cdef real size = fabsf(x) if real is float else fabs(x)
    cdef bint large = size > <real> 0.5625
    cdef real w = angle_from_size(size, large)
    w = quarter_less(w + w) if large else w
    return copysignf(w, x) if real is float else copysign(w, x)


cdef inline real arccosine(real x) noexcept nogil:
    cdef real size = fabsf(x) if real is float else fabs(x)
    cdef bint large = size > <real> 0.5625
    cdef real w = angle_from_size(size, large)
    cdef real near_one = w + w if x > 0 else half_less(w + w)
    return near_one if large else quarter_less(w if x > 0 else -w)


cdef inline real arctangent(real x) noexcept nogil:
    """atan of |x| or, beyond 1, pi/2 less that of its reciprocal."""
    cdef real size = fabsf(x) if real is float else fabs(x)
    cdef bint large = size > 1
    cdef real t = (<real> 1 if large else size) / (size if large else <real> 1)
    cdef real w = multiply_add(t * (t * t), arctangent_tail(t * t), t)
    w = quarter_less(w) if large else w
    return copysignf(w, x) if real is float else copysign(w, x)


cdef inline real arctangent_of_point(real y, real x) noexcept nogil:
    """The angle of the point (x, y), from the smaller coordinate divided by the larger."""
    cdef real height = fabsf(y) if real is float else fabs(y)
    cdef real width = fabsf(x) if real is float else fabs(x)
    cdef bint steep = height > width
    cdef real least = width if steep else height
    cdef real most = height if steep else width
    cdef real one = copysignf(1, x) if real is float else copysign(1, x)
    cdef real t = least / most
    t = 0 if most == 0 else t
    t = <real> 1 if least == INFINITY else t
    cdef real w = multiply_add(t * (t * t), arctangent_tail(t * t), t)
    w = quarter_less(w) if steep else w
    w = half_less(w) if one < 0 else w
    w = copysignf(w, y) if real is float else copysign(w, y)
    return x + y if (x != x) | (y != y) else w
