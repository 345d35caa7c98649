"""Polynomials of the elementary functions: written by `coefficients`, which says how they are found."""

from chapters.ch12_elementwise.exponential cimport real


cdef inline real sine_tail(real t) noexcept nogil:
    """S in sin(r) = r + r**3 * S(r**2)."""
    cdef real q
    if real is float:
        q = <real> -0.00019587748 * t + <real> 0.008332748
        q = q * t - <real> 0.16666664
    else:
        q = -7.586662967321083e-13 * t + 1.605853103949209e-10
        q = q * t - 2.505210622879051e-08
        q = q * t + 2.7557319219328634e-06
        q = q * t - 0.00019841269841265052
        q = q * t + 0.008333333333333331
        q = q * t - 0.16666666666666666
    return q


cdef inline real cosine_tail(real t) noexcept nogil:
    """C in cos(r) = 1 - r**2 / 2 + r**4 * C(r**2)."""
    cdef real q
    if real is float:
        q = <real> 2.4547799e-05 * t - <real> 0.0013888302
        q = q * t + <real> 0.041666664
    else:
        q = -1.1382582658234034e-11 * t + 2.0876145577441954e-09
        q = q * t - 2.755731726841358e-07
        q = q * t + 2.4801587298759292e-05
        q = q * t - 0.0013888888888887393
        q = q * t + 0.041666666666666664
    return q


cdef inline real tangent_tail(real t) noexcept nogil:
    """T in tan(r) = r + r**3 * T(r**2)."""
    cdef real q
    if real is float:
        q = <real> 0.0038455003 * t + <real> 0.0011813426
        q = q * t + <real> 0.009964638
        q = q * t + <real> 0.021620417
        q = q * t + <real> 0.053994555
        q = q * t + <real> 0.13333231
        q = q * t + <real> 0.33333334
    else:
        q = 3.955140147934271e-06 * t - 9.769982841695932e-06
        q = q * t + 1.95865179893185e-05
        q = q * t - 1.025636011145881e-05
        q = q * t + 2.7155034534637123e-05
        q = q * t + 3.390352967196594e-05
        q = q * t + 9.877862710415807e-05
        q = q * t + 0.00023865883347324235
        q = q * t + 0.0005901132863795176
        q = q * t + 0.0014558232558036365
        q = q * t + 0.0035921290300179433
        q = q * t + 0.008863235471886544
        q = q * t + 0.021869488538198454
        q = q * t + 0.053968253968216265
        q = q * t + 0.1333333333333336
        q = q * t + 0.3333333333333333
    return q


cdef inline real arcsine_tail(real t) noexcept nogil:
    """A in asin(x) = x + x**3 * A(x**2)."""
    cdef real q
    if real is float:
        q = <real> 0.04118944 * t + <real> 0.01238281
        q = q * t + <real> 0.032150704
        q = q * t + <real> 0.044506297
        q = q * t + <real> 0.07500378
        q = q * t + <real> 0.16666666
    else:
        q = 0.05462342245995545 * t - 0.07016143633133538
        q = q * t + 0.06242349955062803
        q = q * t - 0.0199551769918292
        q = q * t + 0.015592482292120057
        q = q * t + 0.006572782124307948
        q = q * t + 0.010045292211704748
        q = q * t + 0.011520316595707071
        q = q * t + 0.0139672951147485
        q = q * t + 0.017352634270593918
        q = q * t + 0.022372163581204724
        q = q * t + 0.030381944351495247
        q = q * t + 0.04464285714386154
        q = q * t + 0.07499999999999572
        q = q * t + 0.16666666666666666
    return q


cdef inline real arctangent_tail(real t) noexcept nogil:
    """B in atan(x) = x + x**3 * B(x**2)."""
    cdef real q
    if real is float:
        q = <real> 0.0014886919 * t - <real> 0.009144629
        q = q * t + <real> 0.026305001
        q = q * t - <real> 0.048960514
        q = q * t + <real> 0.070319146
        q = q * t - <real> 0.08931827
        q = q * t + <real> 0.11088262
        q = q * t - <real> 0.14284004
        q = q * t + <real> 0.1999995
        q = q * t - <real> 0.33333334
    else:
        q = 7.767624330289916e-06 * t - 9.371186345052623e-05
        q = q * t + 0.0005376839297396243
        q = q * t - 0.001961255427168532
        q = q * t + 0.005140912856746938
        q = q * t - 0.01041215326035924
        q = q * t + 0.017183981722113346
        q = q * t - 0.024191345810140718
        q = q * t + 0.030330719265790507
        q = q * t - 0.035271331066871296
        q = q * t + 0.03938687540798632
        q = q * t - 0.043306538430670664
        q = q * t + 0.04758080083637821
        q = q * t - 0.052624922290256754
        q = q * t + 0.05882264416776449
        q = q * t - 0.06666657934573768
        q = q * t + 0.07692307078827029
        q = q * t - 0.0909090906193528
        q = q * t + 0.11111111110268297
        q = q * t - 0.14285714285701234
        q = q * t + 0.1999999999999992
        q = q * t - 0.3333333333333333
    return q


cdef inline real error_function_tail(real t) noexcept nogil:
    """E in erf(x) = x + x * E(x**2)."""
    cdef real q
    if real is float:
        q = <real> 8.690094e-05 * t - <real> 0.0008214513
        q = q * t + <real> 0.0052070445
        q = q * t - <real> 0.026861705
        q = q * t + <real> 0.11283735
        q = q * t - <real> 0.37612635
        q = q * t + <real> 0.12837917
    else:
        q = 6.627559379863028e-11 * t - 1.1712541797672989e-09
        q = q * t + 1.4735386720202709e-08
        q = q * t - 1.6360017629891323e-07
        q = q * t + 1.646179316679292e-06
        q = q * t - 1.4925638162460864e-05
        q = q * t + 0.00012055332664194796
        q = q * t - 0.0008548327017901715
        q = q * t + 0.005223977625379897
        q = q * t - 0.02686617064512709
        q = q * t + 0.11283791670955111
        q = q * t - 0.37612638903183754
        q = q * t + 0.1283791670955126
    return q
