"""The error function as inline C-level code, for this chapter and for the activations of chapter 22."""

from libc.math cimport copysign, copysignf, fabs, fabsf

from chapters.ch12_elementwise.exponential cimport Float32, Float64, falling_exponential, multiply_add, real, series
from chapters.ch12_elementwise.polynomials cimport error_function_tail


cdef inline real half_scaled_complement(real z) noexcept nogil:
    """exp(z*z) * erfc(z) / 2 of z >= 0, which falls slowly and smoothly.

    Times z + 2.5 it is a polynomial in t = (z - 2.5) / (z + 2.5), which lies between -1 and 1. Interpolated at
    Chebyshev points, degree 10 is enough for float32 and 24 for float64. Even and odd powers are a chain each, which
    the processor works on side by side. An infinite z is nan.
    """
    cdef real r = <real> 1 / (z + <real> 2.5)
    cdef real t = (z - <real> 2.5) * r
    cdef real s = t * t
    cdef real even, odd
    if real is float:
        even = multiply_add(s, <real> -3.5080066e-05, <real> 0.0003296454)
        even = multiply_add(even, s, <real> -0.0023986807)
        even = multiply_add(even, s, <real> 0.014178338)
        even = multiply_add(even, s, <real> 0.22695726)
        even = multiply_add(even, s, <real> 0.5270159)
        odd = multiply_add(s, <real> 1.3503565e-05, <real> -0.00020696249)
        odd = multiply_add(odd, s, <real> 0.004191566)
        odd = multiply_add(odd, s, <real> -0.08562475)
        odd = multiply_add(odd, s, <real> -0.40232596)
    else:
        even = multiply_add(s, <real> -5.697168788152511e-10, <real> 5.680832730538918e-09)
        even = multiply_add(even, s, <real> -2.6844636795407338e-08)
        even = multiply_add(even, s, <real> 6.960549778284823e-08)
        even = multiply_add(even, s, <real> -3.372709546704344e-09)
        even = multiply_add(even, s, <real> -1.1659974264433048e-06)
        even = multiply_add(even, s, <real> 9.122154400107793e-06)
        even = multiply_add(even, s, <real> -5.630241228022643e-05)
        even = multiply_add(even, s, <real> 0.00035134686167669456)
        even = multiply_add(even, s, <real> -0.0024093927616026887)
        even = multiply_add(even, s, <real> 0.014180775065997365)
        even = multiply_add(even, s, <real> 0.22695705832404803)
        even = multiply_add(even, s, <real> 0.527015910152859)
        odd = multiply_add(s, <real> -1.7336942572832142e-11, <real> 3.2310197606679567e-09)
        odd = multiply_add(odd, s, <real> -3.709978032671771e-08)
        odd = multiply_add(odd, s, <real> 2.271316334648796e-07)
        odd = multiply_add(odd, s, <real> -9.84068710438908e-07)
        odd = multiply_add(odd, s, <real> 3.378690280214977e-06)
        odd = multiply_add(odd, s, <real> -9.76666922888792e-06)
        odd = multiply_add(odd, s, <real> 2.9154029367680802e-05)
        odd = multiply_add(odd, s, <real> -0.00021960415005290777)
        odd = multiply_add(odd, s, <real> 0.0041965221523810855)
        odd = multiply_add(odd, s, <real> -0.08562557262305952)
        odd = multiply_add(odd, s, <real> -0.40232592471957407)
    return r * multiply_add(t, odd, even)


cdef inline real complement(real x) noexcept nogil:
    """erfc(|x|) = 2 * exp(-z*z) * half_scaled_complement(z), with z = |x| held back where the result is 0.

    A rounded square would cost as many roundings as it is large. The head of z, its first half of the bits, has an
    exact square; what is missing, (z - head) * (z + head), is so small that exp of it less 1 is added to 1 last.
    """
    cdef Float32 single
    cdef Float64 wide
    cdef real most = 10.5 if real is float else 28.0
    cdef real z = fabsf(x) if real is float else fabs(x)
    cdef real head, value
    z = most if z > most else z
    if real is float:
        single.value = z
        single.bits = (single.bits >> 12) << 12
        head = single.value
    else:
        wide.value = z
        wide.bits = (wide.bits >> 27) << 27
        head = wide.value
    value = half_scaled_complement(z)
    value = falling_exponential(-head * head) * (value + value)
    return multiply_add(value, series((head - z) * (z + head), <real> 0), value)


cdef inline real error_function(real x) noexcept nogil:
    cdef real size = fabsf(x) if real is float else fabs(x)
    cdef real value = <real> 1 - complement(x)
    value = multiply_add(size, error_function_tail(size * size), size) if size < <real> 0.875 else value
    return copysignf(value, x) if real is float else copysign(value, x)


cdef inline real complementary_error_function(real x) noexcept nogil:
    cdef real size = fabsf(x) if real is float else fabs(x)
    cdef real beyond = complement(x)
    cdef real value = <real> 2 - beyond if x < 0 else beyond
    return <real> 1 - multiply_add(x, error_function_tail(x * x), x) if size < <real> 0.65 else value
