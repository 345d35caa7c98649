"""Rung 3, the twin: the activations and losses in Cython, beside `reference` rule by rule.

A. Each kernel is one loop over contiguous elements that the C compiler turns into vector instructions; fused types make
   one C function of it per element type. Its operands are `at[0]`, `at[1]`, ..., the result is the last.
B. `blocks` finds every loop contiguous memory to run on, whatever the shapes and strides.
C. What does not fit is refused with the words of chapter 12's `checks`.

The exponential is chapter 12's polynomial. A literal beside a float32 is cast to its type, for `1.0 + x` would be
float64 arithmetic in C.
"""

cimport cython
cimport numpy as cnp
from libc.math cimport erfc, erfcf

from chapters.ch12_elementwise.exponential cimport exponential, power_of_two, real, series, whole
from chapters.ch22_layers.blocks cimport Loop, launch

from chapters.ch12_elementwise.checks import check_arrays

cnp.import_array()

__all__ = [
    "elu",
    "elu_vjp",
    "gelu",
    "gelu_tanh",
    "gelu_tanh_vjp",
    "gelu_vjp",
    "glu",
    "glu_gate_vjp",
    "hardsigmoid",
    "hardsigmoid_vjp",
    "hardswish",
    "hardswish_vjp",
    "hardtanh",
    "hardtanh_vjp",
    "leaky_relu",
    "leaky_relu_vjp",
    "logsigmoid",
    "logsigmoid_vjp",
    "mish",
    "mish_vjp",
    "prelu",
    "prelu_vjp",
    "prelu_weight_vjp",
    "silu",
    "silu_vjp",
    "softplus",
    "softplus_vjp",
    "softsign",
    "softsign_vjp",
]


# What the rules are made of

cdef inline real logistic(real x) noexcept nogil:
    """1 / (1 + exp(-x)) by way of exp(-|x|), which cannot overflow."""
    cdef real decay = exponential(x if x < 0 else -x)
    return (decay if x < 0 else <real> 1) / (<real> 1 + decay)


cdef inline real below(real x) noexcept nogil:
    """The normal distribution: the share of it that lies below x."""
    if real is float:
        return <float> 0.5 * erfcf(x * <float> -0.70710678118654752)
    else:
        return 0.5 * erfc(x * -0.70710678118654752)


cdef inline real bell(real x) noexcept nogil:
    """The density of the normal distribution."""
    return exponential(<real> -0.5 * x * x) * <real> 0.39894228040143268


cdef inline real log_one_plus(real x) noexcept nogil:
    """log(1 + x) for x from 0 to 1: 2s + 2s**3/3 + 2s**5/5 + ... with s = x / (2 + x), at most 1/3."""
    cdef real s = x / (<real> 2 + x)
    cdef real square = s * s
    cdef real q
    if real is float:
        q = square * <real> (2.0 / 15.0) + <real> (2.0 / 13.0)
    else:
        q = square * (2.0 / 33.0) + 2.0 / 31.0
        q = q * square + 2.0 / 29.0
        q = q * square + 2.0 / 27.0
        q = q * square + 2.0 / 25.0
        q = q * square + 2.0 / 23.0
        q = q * square + 2.0 / 21.0
        q = q * square + 2.0 / 19.0
        q = q * square + 2.0 / 17.0
        q = q * square + 2.0 / 15.0
        q = q * square + 2.0 / 13.0
    q = q * square + <real> (2.0 / 11.0)
    q = q * square + <real> (2.0 / 9.0)
    q = q * square + <real> (2.0 / 7.0)
    q = q * square + <real> (2.0 / 5.0)
    q = q * square + <real> (2.0 / 3.0)
    return s * <real> 2 + s * (square * q)


cdef inline real exp_less_one(real x) noexcept nogil:
    """exp(x) - 1 for x up to 0, as 2**m * (exp(r) - 1) + (2**m - 1): no digit is lost near 0."""
    cdef real lowest = -20.0 if real is float else -40.0
    cdef real m, scale
    x = lowest if x < lowest else x
    x = <real> 0 if x > 0 else x
    m = whole(x * <real> 1.4426950408889634)
    scale = power_of_two(m)
    return scale * series(x, m) + (scale - <real> 1)


cdef inline real bent(real x) noexcept nogil:
    """What the approximation of gelu puts into sigmoid: twice sqrt(2/pi) * (x + 0.044715 * x**3)."""
    return <real> 1.5957691216057308 * x * (<real> 1 + <real> 0.044715 * x * x)


# Activations and their gradients

cdef void gelu_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] * below(x[k])


cdef void gelu_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = g[k] * (below(x[k]) + x[k] * bell(x[k]))


cdef void gelu_tanh_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] * logistic(bent(x[k]))


cdef void gelu_tanh_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real decay, rest, share, near, slope, inside
    for k in range(n):
        near = <real> 30 if x[k] > 30 else x[k]
        near = <real> -30 if near < -30 else near
        inside = bent(near)
        decay = exponential(inside if inside < 0 else -inside)
        rest = <real> 1 / (<real> 1 + decay)
        share = decay * rest if inside < 0 else rest
        slope = <real> 1.5957691216057308 * (<real> 1 + <real> 0.134145 * near * near)
        out[k] = g[k] * (share + near * (decay * rest * rest * slope))


# region [silu loop]
cdef void silu_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] * logistic(x[k])


cdef void silu_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real decay, rest
    for k in range(n):
        decay = exponential(x[k] if x[k] < 0 else -x[k])
        rest = <real> 1 / (<real> 1 + decay)
        if x[k] < 0:
            out[k] = g[k] * (decay * rest * (<real> 1 + x[k] * rest))
        else:
            out[k] = g[k] * (rest * (<real> 1 + x[k] * (decay * rest)))
# endregion [silu loop]


cdef void mish_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    cdef real e, square, top
    for k in range(n):
        e = exponential(x[k] if x[k] < 0 else -x[k])
        square = e * e
        top = <real> 1 + <real> 2 * e if x[k] > 0 else square + <real> 2 * e
        out[k] = x[k] * (top / (top + (<real> 2 * square if x[k] > 0 else <real> 2)))


cdef void mish_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real e, square, top, base, rise
    for k in range(n):
        e = exponential(x[k] if x[k] < 0 else -x[k])
        square = e * e
        top = <real> 1 + <real> 2 * e if x[k] > 0 else square + <real> 2 * e
        base = top + (<real> 2 * square if x[k] > 0 else <real> 2)
        rise = <real> 4 * (<real> 1 + e) * (square if x[k] > 0 else e)
        out[k] = g[k] * (top / base + x[k] * (rise / (base * base)))


cdef void softplus_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    cdef real beta = p[0], threshold = p[1]
    cdef real steep, value, result
    for k in range(n):
        value = x[k]
        steep = value * beta
        result = log_one_plus(exponential(steep if steep < 0 else -steep))
        result = (result if steep < 0 else steep + result) / beta
        out[k] = value if steep > threshold else result


cdef void softplus_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real beta = p[0], threshold = p[1]
    cdef real steep, up
    for k in range(n):
        up = g[k]
        steep = x[k] * beta
        out[k] = up if steep > threshold else up * logistic(steep)


cdef void logsigmoid_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = (<real> 0 if x[k] > 0 else x[k]) - log_one_plus(exponential(x[k] if x[k] < 0 else -x[k]))


cdef void logsigmoid_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = g[k] * logistic(-x[k])


# region [elu loop]
cdef void elu_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    cdef real upper = p[0], lower = p[1], steepness = p[2]
    cdef real value
    for k in range(n):
        value = exp_less_one(x[k] * steepness) * lower
        out[k] = x[k] * upper if x[k] > 0 else value


cdef void elu_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real upper = p[0], lower = p[1], steepness = p[2]
    cdef real slope
    for k in range(n):
        slope = exponential(x[k] * steepness) * lower
        out[k] = g[k] * (slope if x[k] <= 0 else upper)
# endregion [elu loop]


cdef void hardtanh_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    cdef real low = p[0], high = p[1]
    cdef real value
    for k in range(n):
        value = low if x[k] < low else x[k]
        out[k] = high if x[k] > high else value


cdef void hardtanh_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real low = p[0], high = p[1]
    cdef real up
    for k in range(n):
        up = g[k]
        out[k] = <real> 0 if (x[k] <= low) | (x[k] >= high) else up


cdef inline real shifted(real x) noexcept nogil:
    """x + 3, held between 0 and 6."""
    x = x + <real> 3
    x = <real> 0 if x < 0 else x
    return <real> 6 if x > 6 else x


cdef void hardsigmoid_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = shifted(x[k]) / <real> 6


cdef void hardsigmoid_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real up
    for k in range(n):
        up = g[k] / <real> 6
        out[k] = up if (x[k] > -3) & (x[k] < 3) else <real> 0


cdef void hardswish_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] * (shifted(x[k]) / <real> 6)


cdef void hardswish_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real up, inside
    for k in range(n):
        up = g[k]
        inside = up * (x[k] / <real> 3 + <real> 0.5)
        inside = inside if x[k] < 3 else up
        out[k] = <real> 0 if x[k] <= -3 else inside


cdef void softsign_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] / (<real> 1 + (-x[k] if x[k] < 0 else x[k]))


cdef void softsign_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real base
    for k in range(n):
        base = <real> 1 + (-x[k] if x[k] < 0 else x[k])
        out[k] = g[k] / base / base


cdef void leaky_relu_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* out = at[1]
    cdef Py_ssize_t k
    cdef real slope = p[0]
    for k in range(n):
        out[k] = x[k] * (<real> 1 if x[k] > 0 else slope)


cdef void leaky_relu_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real slope = p[0]
    for k in range(n):
        out[k] = g[k] * (<real> 1 if x[k] > 0 else slope)


cdef void prelu_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* weight = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real slope
    for k in range(n):
        slope = weight[k]
        out[k] = x[k] * (<real> 1 if x[k] > 0 else slope)


cdef void prelu_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* weight = at[2]
    cdef real* out = at[3]
    cdef Py_ssize_t k
    cdef real slope
    for k in range(n):
        slope = weight[k]
        out[k] = g[k] * (<real> 1 if x[k] > 0 else slope)


cdef void prelu_weight_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    cdef real part
    for k in range(n):
        part = x[k] * g[k]
        out[k] = <real> 0 if x[k] > 0 else part


cdef void glu_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* x = at[0]
    cdef real* gate = at[1]
    cdef real* out = at[2]
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = x[k] * logistic(gate[k])


cdef void glu_gate_vjp_loop(real** at, const real* p, Py_ssize_t n) noexcept nogil:
    cdef real* g = at[0]
    cdef real* x = at[1]
    cdef real* gate = at[2]
    cdef real* out = at[3]
    cdef Py_ssize_t k
    cdef real decay, rest
    for k in range(n):
        decay = exponential(gate[k] if gate[k] < 0 else -gate[k])
        rest = <real> 1 / (<real> 1 + decay)
        out[k] = g[k] * (decay * rest * rest) * x[k]


# The kernels and their doors

@cython.final
cdef class Kernel:
    """A kernel's loops for float32 and float64, and how its errors name the operands."""

    cdef str op
    cdef tuple names
    cdef Loop single, wide


cdef Kernel kernel(str op, tuple names, void* single, void* wide):
    cdef Kernel made = Kernel.__new__(Kernel)
    made.op, made.names, made.single, made.wide = op, names, <Loop> single, <Loop> wide
    return made


cdef int apply(Kernel kernel, tuple operands, tuple parameters) except -1:
    """Run a kernel, or raise what `checks` says of operands that it does not take."""
    if not launch(kernel.single, kernel.wide, operands, parameters):
        check_arrays(kernel.op, "fd", "", **dict(zip(kernel.names, operands, strict=True)))
        raise AssertionError(f"{kernel.op}: refused without a reason")
    return 0


cdef Kernel ELU = kernel("elu", ("x", "out"), <void*> elu_loop[float], <void*> elu_loop[double])
cdef Kernel ELU_VJP = kernel("elu_vjp", ("g", "x", "out"), <void*> elu_vjp_loop[float], <void*> elu_vjp_loop[double])
cdef Kernel GELU = kernel("gelu", ("x", "out"), <void*> gelu_loop[float], <void*> gelu_loop[double])
cdef Kernel GELU_TANH = kernel("gelu_tanh", ("x", "out"), <void*> gelu_tanh_loop[float], <void*> gelu_tanh_loop[double])
cdef Kernel GELU_TANH_VJP = kernel(
    "gelu_tanh_vjp", ("g", "x", "out"), <void*> gelu_tanh_vjp_loop[float], <void*> gelu_tanh_vjp_loop[double]
)
cdef Kernel GELU_VJP = kernel(
    "gelu_vjp", ("g", "x", "out"), <void*> gelu_vjp_loop[float], <void*> gelu_vjp_loop[double]
)
cdef Kernel GLU = kernel("glu", ("x", "gate", "out"), <void*> glu_loop[float], <void*> glu_loop[double])
cdef Kernel GLU_GATE_VJP = kernel(
    "glu_gate_vjp", ("g", "x", "gate", "out"), <void*> glu_gate_vjp_loop[float], <void*> glu_gate_vjp_loop[double]
)
cdef Kernel HARDSIGMOID = kernel(
    "hardsigmoid", ("x", "out"), <void*> hardsigmoid_loop[float], <void*> hardsigmoid_loop[double]
)
cdef Kernel HARDSIGMOID_VJP = kernel(
    "hardsigmoid_vjp", ("g", "x", "out"), <void*> hardsigmoid_vjp_loop[float], <void*> hardsigmoid_vjp_loop[double]
)
cdef Kernel HARDSWISH = kernel("hardswish", ("x", "out"), <void*> hardswish_loop[float], <void*> hardswish_loop[double])
cdef Kernel HARDSWISH_VJP = kernel(
    "hardswish_vjp", ("g", "x", "out"), <void*> hardswish_vjp_loop[float], <void*> hardswish_vjp_loop[double]
)
cdef Kernel HARDTANH = kernel("hardtanh", ("x", "out"), <void*> hardtanh_loop[float], <void*> hardtanh_loop[double])
cdef Kernel HARDTANH_VJP = kernel(
    "hardtanh_vjp", ("g", "x", "out"), <void*> hardtanh_vjp_loop[float], <void*> hardtanh_vjp_loop[double]
)
cdef Kernel LEAKY_RELU = kernel(
    "leaky_relu", ("x", "out"), <void*> leaky_relu_loop[float], <void*> leaky_relu_loop[double]
)
cdef Kernel LEAKY_RELU_VJP = kernel(
    "leaky_relu_vjp", ("g", "x", "out"), <void*> leaky_relu_vjp_loop[float], <void*> leaky_relu_vjp_loop[double]
)
cdef Kernel LOGSIGMOID = kernel(
    "logsigmoid", ("x", "out"), <void*> logsigmoid_loop[float], <void*> logsigmoid_loop[double]
)
cdef Kernel LOGSIGMOID_VJP = kernel(
    "logsigmoid_vjp", ("g", "x", "out"), <void*> logsigmoid_vjp_loop[float], <void*> logsigmoid_vjp_loop[double]
)
cdef Kernel MISH = kernel("mish", ("x", "out"), <void*> mish_loop[float], <void*> mish_loop[double])
cdef Kernel MISH_VJP = kernel(
    "mish_vjp", ("g", "x", "out"), <void*> mish_vjp_loop[float], <void*> mish_vjp_loop[double]
)
cdef Kernel PRELU = kernel("prelu", ("x", "weight", "out"), <void*> prelu_loop[float], <void*> prelu_loop[double])
cdef Kernel PRELU_VJP = kernel(
    "prelu_vjp", ("g", "x", "weight", "out"), <void*> prelu_vjp_loop[float], <void*> prelu_vjp_loop[double]
)
cdef Kernel PRELU_WEIGHT_VJP = kernel(
    "prelu_weight_vjp", ("g", "x", "out"), <void*> prelu_weight_vjp_loop[float], <void*> prelu_weight_vjp_loop[double]
)
cdef Kernel SILU = kernel("silu", ("x", "out"), <void*> silu_loop[float], <void*> silu_loop[double])
cdef Kernel SILU_VJP = kernel(
    "silu_vjp", ("g", "x", "out"), <void*> silu_vjp_loop[float], <void*> silu_vjp_loop[double]
)
cdef Kernel SOFTPLUS = kernel("softplus", ("x", "out"), <void*> softplus_loop[float], <void*> softplus_loop[double])
cdef Kernel SOFTPLUS_VJP = kernel(
    "softplus_vjp", ("g", "x", "out"), <void*> softplus_vjp_loop[float], <void*> softplus_vjp_loop[double]
)
cdef Kernel SOFTSIGN = kernel("softsign", ("x", "out"), <void*> softsign_loop[float], <void*> softsign_loop[double])
cdef Kernel SOFTSIGN_VJP = kernel(
    "softsign_vjp", ("g", "x", "out"), <void*> softsign_vjp_loop[float], <void*> softsign_vjp_loop[double]
)


def elu(x, alpha, scale, steepness, out):
    """``out = scale * x`` above 0, else ``scale * alpha * (e**(steepness*x) - 1)``: elu, celu and selu in one."""
    apply(ELU, (x, out), (scale, alpha * scale, steepness))


def elu_vjp(g, x, alpha, scale, steepness, out):
    """``out = g * scale`` above 0 and at nan, else ``g * scale * alpha * steepness * e**(steepness*x)``."""
    apply(ELU_VJP, (g, x, out), (scale, alpha * scale * steepness, steepness))


def gelu(x, out):
    """``out = x * P(X < x)`` for a normal X, of floats: ``x/2 * (1 + erf(x / sqrt 2))``."""
    apply(GELU, (x, out), ())


def gelu_tanh(x, out):
    """``out = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x**3)))``, as ``x * sigmoid(...)``. Within 8 eps of |x|."""
    apply(GELU_TANH, (x, out), ())


def gelu_tanh_vjp(g, x, out):
    """The gradient through `gelu_tanh`; 0 and g far out, where x**2 overflows. Within 16 eps of |g|."""
    apply(GELU_TANH_VJP, (g, x, out), ())


def gelu_vjp(g, x, out):
    """``out = g * (P(X < x) + x * density(x))``. Within 8 eps of |g|."""
    apply(GELU_VJP, (g, x, out), ())


def glu(x, gate, out):
    """``out = x * sigmoid(gate)``; it is also the gradient of x. Within 8 eps of |x|."""
    apply(GLU, (x, gate, out), ())


def glu_gate_vjp(g, x, gate, out):
    """``out = g * x * s * (1 - s)`` with s = sigmoid(gate): the gradient of the gate. Within 8 eps of |g * x|."""
    apply(GLU_GATE_VJP, (g, x, gate, out), ())


def hardsigmoid(x, out):
    """``out = (x + 3) / 6``, held between 0 and 1. Exact, step by step."""
    apply(HARDSIGMOID, (x, out), ())


def hardsigmoid_vjp(g, x, out):
    """``out = g / 6`` between -3 and 3, 0 elsewhere and at nan. Exact."""
    apply(HARDSIGMOID_VJP, (g, x, out), ())


def hardswish(x, out):
    """``out = x * hardsigmoid(x)``. Exact, step by step. Howard et al., Searching for MobileNetV3, 2019."""
    apply(HARDSWISH, (x, out), ())


def hardswish_vjp(g, x, out):
    """``out = g * (x/3 + 1/2)`` between -3 and 3, 0 from -3 down, g from 3 up and at nan. Exact, step by step."""
    apply(HARDSWISH_VJP, (g, x, out), ())


def hardtanh(x, low, high, out):
    """``out = x``, held between low and high; nan stays nan. Exact."""
    apply(HARDTANH, (x, out), (low, high))


def hardtanh_vjp(g, x, low, high, out):
    """``out = 0 where x <= low or x >= high, else g``: nothing at the bounds, all of g at nan. Exact."""
    apply(HARDTANH_VJP, (g, x, out), (low, high))


def leaky_relu(x, negative_slope, out):
    """``out = x`` above 0, else ``negative_slope * x``. Exact."""
    apply(LEAKY_RELU, (x, out), (negative_slope,))


def leaky_relu_vjp(g, x, negative_slope, out):
    """``out = g`` where x > 0, else ``negative_slope * g``. Exact."""
    apply(LEAKY_RELU_VJP, (g, x, out), (negative_slope,))


def logsigmoid(x, out):
    """``out = log(sigmoid(x))``, as ``min(x, 0) - log(1 + e**-|x|)``. Within 8 eps of the result."""
    apply(LOGSIGMOID, (x, out), ())


def logsigmoid_vjp(g, x, out):
    """``out = g * sigmoid(-x)``. Within 8 eps of |g|."""
    apply(LOGSIGMOID_VJP, (g, x, out), ())


def mish(x, out):
    """``out = x * tanh(log(1 + e**x))``. Within 8 eps of |x|; nan at -inf."""
    apply(MISH, (x, out), ())


def mish_vjp(g, x, out):
    """``out = g * (t + x * (1 - t*t) * sigmoid(x))`` with t = tanh(log(1 + e**x)). Within 8 eps of |g|."""
    apply(MISH_VJP, (g, x, out), ())


def prelu(x, weight, out):
    """``out = x`` above 0, else ``weight * x``: leaky_relu with a slope that is learned. Exact."""
    apply(PRELU, (x, weight, out), ())


def prelu_vjp(g, x, weight, out):
    """``out = g`` where x > 0, else ``weight * g``: the gradient of x. Exact."""
    apply(PRELU_VJP, (g, x, weight, out), ())


def prelu_weight_vjp(g, x, out):
    """``out = 0`` where x > 0, else ``x * g``: what each element adds to the gradient of its weight. Exact."""
    apply(PRELU_WEIGHT_VJP, (g, x, out), ())


def silu(x, out):
    """``out = x * sigmoid(x)``, also called swish. Within 8 eps of |x|; nan at -inf."""
    apply(SILU, (x, out), ())


def silu_vjp(g, x, out):
    """``out = g * s * (1 + x * (1 - s))`` with s = sigmoid(x). Within 8 eps of |g|."""
    apply(SILU_VJP, (g, x, out), ())


def softplus(x, beta, threshold, out):
    """``out = log(1 + e**(beta*x)) / beta``, and x itself where beta*x exceeds the threshold."""
    apply(SOFTPLUS, (x, out), (beta, threshold))


def softplus_vjp(g, x, beta, threshold, out):
    """``out = g * sigmoid(beta*x)``, and g itself beyond the threshold. Within 8 eps of (1 + |beta*x|) |g|."""
    apply(SOFTPLUS_VJP, (g, x, out), (beta, threshold))


def softsign(x, out):
    """``out = x / (1 + |x|)``; nan at both infinities. Exact, step by step."""
    apply(SOFTSIGN, (x, out), ())


def softsign_vjp(g, x, out):
    """``out = g / (1 + |x|)**2``. Exact, step by step."""
    apply(SOFTSIGN_VJP, (g, x, out), ())
