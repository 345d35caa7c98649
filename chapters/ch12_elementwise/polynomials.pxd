"""Polynomials of the elementary functions: written by `coefficients`, which says how they are found."""

from chapters.ch12_elementwise.exponential cimport multiply_add, real


cdef inline real sine_tail(real t) noexcept nogil:
    """S in sin(r) = r + r**3 * S(r**2)."""
    cdef real q
    if real is float:
        q = multiply_add(<real> -0.00019587748, t, <real> 0.008332748)
        q = multiply_add(q, t, <real> -0.16666664)
    else:
        q = multiply_add(<real> -7.586662967321083e-13, t, <real> 1.605853103949209e-10)
        q = multiply_add(q, t, <real> -2.505210622879051e-08)
        q = multiply_add(q, t, <real> 2.7557319219328634e-06)
        q = multiply_add(q, t, <real> -0.00019841269841265052)
        q = multiply_add(q, t, <real> 0.008333333333333331)
        q = multiply_add(q, t, <real> -0.16666666666666666)
    return q


cdef inline real cosine_tail(real t) noexcept nogil:
    """C in cos(r) = 1 - r**2 / 2 + r**4 * C(r**2)."""
    cdef real q
    if real is float:
        q = multiply_add(<real> 2.4547799e-05, t, <real> -0.0013888302)
        q = multiply_add(q, t, <real> 0.041666664)
    else:
        q = multiply_add(<real> -1.1382582658234034e-11, t, <real> 2.0876145577441954e-09)
        q = multiply_add(q, t, <real> -2.755731726841358e-07)
        q = multiply_add(q, t, <real> 2.4801587298759292e-05)
        q = multiply_add(q, t, <real> -0.0013888888888887393)
        q = multiply_add(q, t, <real> 0.041666666666666664)
    return q


cdef inline real tangent_tail(real t) noexcept nogil:
    """T in tan(r) = r + r**3 * T(r**2)."""
    cdef real q
    if real is float:
        q = multiply_add(<real> 0.0038455003, t, <real> 0.0011813426)
        q = multiply_add(q, t, <real> 0.009964638)
        q = multiply_add(q, t, <real> 0.021620417)
        q = multiply_add(q, t, <real> 0.053994555)
        q = multiply_add(q, t, <real> 0.13333231)
        q = multiply_add(q, t, <real> 0.33333334)
    else:
        q = multiply_add(<real> 3.955140147934271e-06, t, <real> -9.769982841695932e-06)
        q = multiply_add(q, t, <real> 1.95865179893185e-05)
        q = multiply_add(q, t, <real> -1.025636011145881e-05)
        q = multiply_add(q, t, <real> 2.7155034534637123e-05)
        q = multiply_add(q, t, <real> 3.390352967196594e-05)
        q = multiply_add(q, t, <real> 9.877862710415807e-05)
        q = multiply_add(q, t, <real> 0.00023865883347324235)
        q = multiply_add(q, t, <real> 0.0005901132863795176)
        q = multiply_add(q, t, <real> 0.0014558232558036365)
        q = multiply_add(q, t, <real> 0.0035921290300179433)
        q = multiply_add(q, t, <real> 0.008863235471886544)
        q = multiply_add(q, t, <real> 0.021869488538198454)
        q = multiply_add(q, t, <real> 0.053968253968216265)
        q = multiply_add(q, t, <real> 0.1333333333333336)
        q = multiply_add(q, t, <real> 0.3333333333333333)
    return q


cdef inline real arcsine_tail(real t) noexcept nogil:
    """A in asin(x) = x + x**3 * A(x**2)."""
    cdef real q
    if real is float:
        q = multiply_add(<real> 0.04118944, t, <real> 0.01238281)
        q = multiply_add(q, t, <real> 0.032150704)
        q = multiply_add(q, t, <real> 0.044506297)
        q = multiply_add(q, t, <real> 0.07500378)
        q = multiply_add(q, t, <real> 0.16666666)
    else:
        q = multiply_add(<real> 0.05462342245995545, t, <real> -0.07016143633133538)
        q = multiply_add(q, t, <real> 0.06242349955062803)
        q = multiply_add(q, t, <real> -0.0199551769918292)
        q = multiply_add(q, t, <real> 0.015592482292120057)
        q = multiply_add(q, t, <real> 0.006572782124307948)
        q = multiply_add(q, t, <real> 0.010045292211704748)
        q = multiply_add(q, t, <real> 0.011520316595707071)
        q = multiply_add(q, t, <real> 0.0139672951147485)
        q = multiply_add(q, t, <real> 0.017352634270593918)
        q = multiply_add(q, t, <real> 0.022372163581204724)
        q = multiply_add(q, t, <real> 0.030381944351495247)
        q = multiply_add(q, t, <real> 0.04464285714386154)
        q = multiply_add(q, t, <real> 0.07499999999999572)
        q = multiply_add(q, t, <real> 0.16666666666666666)
    return q


cdef inline real arctangent_tail(real t) noexcept nogil:
    """B in atan(x) = x + x**3 * B(x**2)."""
    cdef real q
    if real is float:
        q = multiply_add(<real> 0.0014886919, t, <real> -0.009144629)
        q = multiply_add(q, t, <real> 0.026305001)
        q = multiply_add(q, t, <real> -0.048960514)
        q = multiply_add(q, t, <real> 0.070319146)
        q = multiply_add(q, t, <real> -0.08931827)
        q = multiply_add(q, t, <real> 0.11088262)
        q = multiply_add(q, t, <real> -0.14284004)
        q = multiply_add(q, t, <real> 0.1999995)
        q = multiply_add(q, t, <real> -0.33333334)
    else:
        q = multiply_add(<real> 7.767624330289916e-06, t, <real> -9.371186345052623e-05)
        q = multiply_add(q, t, <real> 0.0005376839297396243)
        q = multiply_add(q, t, <real> -0.001961255427168532)
        q = multiply_add(q, t, <real> 0.005140912856746938)
        q = multiply_add(q, t, <real> -0.01041215326035924)
        q = multiply_add(q, t, <real> 0.017183981722113346)
        q = multiply_add(q, t, <real> -0.024191345810140718)
        q = multiply_add(q, t, <real> 0.030330719265790507)
        q = multiply_add(q, t, <real> -0.035271331066871296)
        q = multiply_add(q, t, <real> 0.03938687540798632)
        q = multiply_add(q, t, <real> -0.043306538430670664)
        q = multiply_add(q, t, <real> 0.04758080083637821)
        q = multiply_add(q, t, <real> -0.052624922290256754)
        q = multiply_add(q, t, <real> 0.05882264416776449)
        q = multiply_add(q, t, <real> -0.06666657934573768)
        q = multiply_add(q, t, <real> 0.07692307078827029)
        q = multiply_add(q, t, <real> -0.0909090906193528)
        q = multiply_add(q, t, <real> 0.11111111110268297)
        q = multiply_add(q, t, <real> -0.14285714285701234)
        q = multiply_add(q, t, <real> 0.1999999999999992)
        q = multiply_add(q, t, <real> -0.3333333333333333)
    return q


cdef inline real error_function_tail(real t) noexcept nogil:
    """E in erf(x) = x + x * E(x**2)."""
    cdef real q
    if real is float:
        q = multiply_add(<real> 8.690094e-05, t, <real> -0.0008214513)
        q = multiply_add(q, t, <real> 0.0052070445)
        q = multiply_add(q, t, <real> -0.026861705)
        q = multiply_add(q, t, <real> 0.11283735)
        q = multiply_add(q, t, <real> -0.37612635)
        q = multiply_add(q, t, <real> 0.12837917)
    else:
        q = multiply_add(<real> 6.627559379863028e-11, t, <real> -1.1712541797672989e-09)
        q = multiply_add(q, t, <real> 1.4735386720202709e-08)
        q = multiply_add(q, t, <real> -1.6360017629891323e-07)
        q = multiply_add(q, t, <real> 1.646179316679292e-06)
        q = multiply_add(q, t, <real> -1.4925638162460864e-05)
        q = multiply_add(q, t, <real> 0.00012055332664194796)
        q = multiply_add(q, t, <real> -0.0008548327017901715)
        q = multiply_add(q, t, <real> 0.005223977625379897)
        q = multiply_add(q, t, <real> -0.02686617064512709)
        q = multiply_add(q, t, <real> 0.11283791670955111)
        q = multiply_add(q, t, <real> -0.37612638903183754)
        q = multiply_add(q, t, <real> 0.1283791670955126)
    return q


cdef inline real share_tail(real t) noexcept nogil:
    """N in P(X < x) = 1/2 + x * N(t) of a normal X, with t = 2 * (x / 5.5)**2 - 1."""
    cdef real q
    q = multiply_add(<real> -0.00027406603, t, <real> 0.0006551482)
    q = multiply_add(q, t, <real> -0.00040019577)
    q = multiply_add(q, t, <real> 0.0006437078)
    q = multiply_add(q, t, <real> -0.0025937106)
    q = multiply_add(q, t, <real> 0.0047183563)
    q = multiply_add(q, t, <real> -0.006700172)
    q = multiply_add(q, t, <real> 0.010167755)
    q = multiply_add(q, t, <real> -0.015042351)
    q = multiply_add(q, t, <real> 0.020383572)
    q = multiply_add(q, t, <real> -0.02604037)
    q = multiply_add(q, t, <real> 0.03206743)
    q = multiply_add(q, t, <real> -0.038793407)
    q = multiply_add(q, t, <real> 0.047737785)
    q = multiply_add(q, t, <real> -0.06417233)
    q = multiply_add(q, t, <real> 0.12855193)
    return q


cdef inline real slope_tail(real t) noexcept nogil:
    """G in P(X < x) + x * density(x) = 1/2 + x * G(t), with t = 2 * (x / 5.75)**2 - 1."""
    cdef real q
    q = multiply_add(<real> -0.0028484932, t, <real> 0.0064735333)
    q = multiply_add(q, t, <real> -0.0012527358)
    q = multiply_add(q, t, <real> 0.00010364326)
    q = multiply_add(q, t, <real> -0.018750751)
    q = multiply_add(q, t, <real> 0.033141162)
    q = multiply_add(q, t, <real> -0.032795403)
    q = multiply_add(q, t, <real> 0.042030312)
    q = multiply_add(q, t, <real> -0.060372934)
    q = multiply_add(q, t, <real> 0.06987261)
    q = multiply_add(q, t, <real> -0.07030834)
    q = multiply_add(q, t, <real> 0.066641524)
    q = multiply_add(q, t, <real> -0.059561953)
    q = multiply_add(q, t, <real> 0.05171924)
    q = multiply_add(q, t, <real> -0.047291942)
    q = multiply_add(q, t, <real> 0.049366683)
    q = multiply_add(q, t, <real> -0.06228145)
    q = multiply_add(q, t, <real> 0.12307183)
    return q
