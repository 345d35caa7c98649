"""Elementary functions: powers of e and logarithms, the circular and hyperbolic functions, and erf beside them.

Each has its formula, what it saves, its gradient and its kinks in one place, as in `kael.ops.elementwise`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from kael import dtypes
from kael.autograd.op import OUTPUT, Op
from kael.kernels import table
from kael.ops.dispatch import cast, promoted, sum_to
from kael.ops.elementwise import (
    BOTH,
    add,
    binary,
    div,
    eq,
    fused,
    le,
    logical_and,
    mul,
    neg,
    square,
    sub,
    unary_float,
    where,
)
from kael.tensors import Tensor


def binary_float(op: Op, kernel: Callable[..., None], x: Any, y: Any) -> Tensor:
    """Apply a kernel of two operands whose result is floating point, and record it."""
    a, b = promoted(op.name, x, y)
    if not a.dtype.is_floating_point:
        a, b = cast(a, dtypes.default), cast(b, dtypes.default)
    return binary(op, kernel, a, b)


def exp_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, node.saved[OUTPUT].get())


def log_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return div(g, node.saved[0].get())


def sqrt_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return div(g, mul(node.saved[OUTPUT].get(), 2))


def tanh_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(table.tanh_vjp, g, node.saved[OUTPUT].get())


def sigmoid_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(table.sigmoid_vjp, g, node.saved[OUTPUT].get())


def log1p_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return div(g, add(node.saved[0].get(), 1))


def expm1_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, add(node.saved[OUTPUT].get(), 1))


def exp2_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, mul(node.saved[OUTPUT].get(), math.log(2)))


def log2_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return div(g, mul(node.saved[0].get(), math.log(2)))


def log10_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return div(g, mul(node.saved[0].get(), math.log(10)))


def rsqrt_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    y = node.saved[OUTPUT].get()
    return mul(mul(g, -0.5), mul(square(y), y))


def sin_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, cos(node.saved[0].get()))


def cos_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(neg(g), sin(node.saved[0].get()))


def tan_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, add(square(node.saved[OUTPUT].get()), 1))


def asin_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, rsqrt(sub(1, square(node.saved[0].get()))))


def acos_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(neg(g), rsqrt(sub(1, square(node.saved[0].get()))))


def atan_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return div(g, add(square(node.saved[0].get()), 1))


def sinh_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, cosh(node.saved[0].get()))


def cosh_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, sinh(node.saved[0].get()))


def asinh_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, rsqrt(add(square(node.saved[0].get()), 1)))


def acosh_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, rsqrt(sub(square(node.saved[0].get()), 1)))


def atanh_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return div(g, sub(1, square(node.saved[0].get())))


def erf_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    slope = mul(exp(neg(square(node.saved[0].get()))), 2 / math.sqrt(math.pi))
    return mul(neg(g) if node.op is ERFC else g, slope)


def atan2_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    height, width = node.saved[0].get(), node.saved[1].get()
    distance = add(square(height), square(width))
    slope = div(neg(height) if position else width, distance)
    return sum_to(mul(g, where(eq(distance, 0), 0.0, slope)), node.inputs[position].shape)


def hypot_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    slope = div(node.saved[position].get(), node.saved[OUTPUT].get())
    return sum_to(mul(g, slope), node.inputs[position].shape)


def xlogy_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    x, y = node.saved[0].get(), node.saved[1].get()
    if position:
        return sum_to(div(mul(g, x), y), node.inputs[1].shape)
    flat = logical_and(eq(x, 0), le(y, 0))
    return sum_to(where(flat, 0.0, xlogy(g, y)), node.inputs[0].shape)


def sinc_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return fused(table.sinc_vjp, g, node.saved[0].get())


EXP = Op("exp", "e**x", exp_vjp, "g*y", ((OUTPUT,),), dtypes="floating point")
LOG = Op("log", "natural logarithm of x", log_vjp, "g/x", ((0,),), kinks="inf at 0", dtypes="floating point")
SQRT = Op("sqrt", "square root of x", sqrt_vjp, "g/(2*y)", ((OUTPUT,),), kinks="inf at 0", dtypes="floating point")
TANH = Op("tanh", "hyperbolic tangent of x", tanh_vjp, "g*(1-y**2)", ((OUTPUT,),), dtypes="floating point")
SIGMOID = Op("sigmoid", "1/(1 + e**-x)", sigmoid_vjp, "g*y*(1-y)", ((OUTPUT,),), dtypes="floating point")
LOG1P = Op("log1p", "log(1 + x)", log1p_vjp, "g/(1+x)", ((0,),), kinks="inf at -1", dtypes="floating point")
EXPM1 = Op("expm1", "e**x - 1", expm1_vjp, "g*(y+1)", ((OUTPUT,),), dtypes="floating point")
EXP2 = Op("exp2", "2**x", exp2_vjp, "g*y*log(2)", ((OUTPUT,),), dtypes="floating point")
LOG2 = Op(
    "log2", "logarithm of x to base 2", log2_vjp, "g/(x*log(2))", ((0,),), kinks="inf at 0", dtypes="floating point"
)
LOG10 = Op(
    "log10", "logarithm of x to base 10", log10_vjp, "g/(x*log(10))", ((0,),), kinks="inf at 0", dtypes="floating point"
)
RSQRT = Op("rsqrt", "1/sqrt(x)", rsqrt_vjp, "-g*y**3/2", ((OUTPUT,),), kinks="-inf at 0", dtypes="floating point")
SIN = Op("sin", "sine of x", sin_vjp, "g*cos(x)", ((0,),), dtypes="floating point")
COS = Op("cos", "cosine of x", cos_vjp, "-g*sin(x)", ((0,),), dtypes="floating point")
TAN = Op("tan", "tangent of x", tan_vjp, "g*(1+y**2)", ((OUTPUT,),), dtypes="floating point")
ASIN = Op(
    "asin", "angle whose sine is x", asin_vjp, "g/sqrt(1-x**2)", ((0,),), kinks="inf at -1 and 1",
    dtypes="floating point",
)  # fmt: skip
ACOS = Op(
    "acos", "angle whose cosine is x", acos_vjp, "-g/sqrt(1-x**2)", ((0,),), kinks="-inf at -1 and 1",
    dtypes="floating point",
)  # fmt: skip
ATAN = Op("atan", "angle whose tangent is x", atan_vjp, "g/(1+x**2)", ((0,),), dtypes="floating point")
SINH = Op("sinh", "hyperbolic sine of x", sinh_vjp, "g*cosh(x)", ((0,),), dtypes="floating point")
COSH = Op("cosh", "hyperbolic cosine of x", cosh_vjp, "g*sinh(x)", ((0,),), dtypes="floating point")
ASINH = Op("asinh", "number whose sinh is x", asinh_vjp, "g/sqrt(x**2+1)", ((0,),), dtypes="floating point")
ACOSH = Op(
    "acosh", "number whose cosh is x", acosh_vjp, "g/sqrt(x**2-1)", ((0,),), kinks="inf at 1", dtypes="floating point"
)
ATANH = Op(
    "atanh", "number whose tanh is x", atanh_vjp, "g/(1-x**2)", ((0,),), kinks="inf at -1 and 1",
    dtypes="floating point",
)  # fmt: skip
ERF = Op("erf", "error function of x", erf_vjp, "2*g*exp(-x**2)/sqrt(pi)", ((0,),), dtypes="floating point")
ERFC = Op("erfc", "1 - erf(x)", erf_vjp, "-2*g*exp(-x**2)/sqrt(pi)", ((0,),), dtypes="floating point")
ATAN2 = Op(
    "atan2", "angle of the point (y, x)", atan2_vjp, "g*y/(x**2+y**2) to x, -g*x/(x**2+y**2) to y", BOTH,
    kinks="0 to both where both are 0", dtypes="promoted, integers to float32",
)  # fmt: skip
HYPOT = Op(
    "hypot", "sqrt(x**2 + y**2)", hypot_vjp, "g*x/output to x, g*y/output to y", ((0, OUTPUT), (1, OUTPUT)),
    kinks="nan to both where both are 0", dtypes="promoted, floating point",
)  # fmt: skip
XLOGY = Op(
    "xlogy", "x * log(y)", xlogy_vjp, "g*log(y) to x, g*x/y to y", BOTH,
    kinks="0 to x where x is 0 and y is not positive", dtypes="promoted, integers to float32",
)  # fmt: skip
SINC = Op("sinc", "sin(pi*x)/(pi*x), 1 at 0", sinc_vjp, "g*(cos(pi*x)-y)/x", ((0,),), dtypes="floating point")


def atan2(x: Any, other: Any) -> Tensor:
    """The angle from -pi to pi of the point with height x and width `other`, as in ``atan(x / other)``."""
    return binary_float(ATAN2, table.atan2, x, other)


def hypot(x: Any, other: Any) -> Tensor:
    """The hypotenuse ``sqrt(x**2 + other**2)``, without overflow on the way."""
    x, other = promoted("hypot", x, other)
    if not x.dtype.is_floating_point:
        raise NotImplementedError(f"hypot: not implemented for {x.dtype.name}; cast to a floating-point dtype first")
    return binary(HYPOT, table.hypot, x, other)


def xlogy(x: Any, other: Any) -> Tensor:
    """The product ``x * log(other)``, 0 where x is 0 and `other` a number."""
    return binary_float(XLOGY, table.xlogy, x, other)


def exp(x: Any) -> Tensor:
    """The exponential of x; integers become float32."""
    return unary_float(EXP, table.exp, x)


def log(x: Any) -> Tensor:
    """The natural logarithm of x; -inf at 0, nan below."""
    return unary_float(LOG, table.log, x)


def sqrt(x: Any) -> Tensor:
    """The square root of x; nan below 0."""
    return unary_float(SQRT, table.sqrt, x)


def tanh(x: Any) -> Tensor:
    """The hyperbolic tangent of x."""
    return unary_float(TANH, table.tanh, x)


def sigmoid(x: Any) -> Tensor:
    """The logistic function ``1/(1 + e**-x)``."""
    return unary_float(SIGMOID, table.sigmoid, x)


def log1p(x: Any) -> Tensor:
    """The logarithm ``log(1 + x)``, exact near 0; -inf at -1, nan below."""
    return unary_float(LOG1P, table.log1p, x)


def expm1(x: Any) -> Tensor:
    """The exponential less one, ``e**x - 1``, exact near 0."""
    return unary_float(EXPM1, table.expm1, x)


def exp2(x: Any) -> Tensor:
    """The power ``2**x``."""
    return unary_float(EXP2, table.exp2, x)


def log2(x: Any) -> Tensor:
    """The logarithm of x to base 2; -inf at 0, nan below."""
    return unary_float(LOG2, table.log2, x)


def log10(x: Any) -> Tensor:
    """The logarithm of x to base 10; -inf at 0, nan below."""
    return unary_float(LOG10, table.log10, x)


def rsqrt(x: Any) -> Tensor:
    """The reciprocal of the square root, ``1/sqrt(x)``; inf at 0, nan below."""
    return unary_float(RSQRT, table.rsqrt, x)


def sin(x: Any) -> Tensor:
    """The sine of x in radians."""
    return unary_float(SIN, table.sin, x)


def cos(x: Any) -> Tensor:
    """The cosine of x in radians."""
    return unary_float(COS, table.cos, x)


def tan(x: Any) -> Tensor:
    """The tangent of x in radians."""
    return unary_float(TAN, table.tan, x)


def asin(x: Any) -> Tensor:
    """The angle from -pi/2 to pi/2 whose sine is x; nan outside -1 to 1."""
    return unary_float(ASIN, table.asin, x)


def acos(x: Any) -> Tensor:
    """The angle from 0 to pi whose cosine is x; nan outside -1 to 1."""
    return unary_float(ACOS, table.acos, x)


def atan(x: Any) -> Tensor:
    """The angle from -pi/2 to pi/2 whose tangent is x."""
    return unary_float(ATAN, table.atan, x)


def sinh(x: Any) -> Tensor:
    """The hyperbolic sine of x."""
    return unary_float(SINH, table.sinh, x)


def cosh(x: Any) -> Tensor:
    """The hyperbolic cosine of x."""
    return unary_float(COSH, table.cosh, x)


def asinh(x: Any) -> Tensor:
    """The inverse hyperbolic sine of x."""
    return unary_float(ASINH, table.asinh, x)


def acosh(x: Any) -> Tensor:
    """The inverse hyperbolic cosine of x; nan below 1."""
    return unary_float(ACOSH, table.acosh, x)


def atanh(x: Any) -> Tensor:
    """The inverse hyperbolic tangent of x; an infinity at -1 and 1, nan beyond."""
    return unary_float(ATANH, table.atanh, x)


def erf(x: Any) -> Tensor:
    """The error function ``2/sqrt(pi) * (integral of exp(-t**2) from 0 to x)``."""
    return unary_float(ERF, table.erf, x)


def erfc(x: Any) -> Tensor:
    """The complement of the error function, ``1 - erf(x)``, without its loss of digits."""
    return unary_float(ERFC, table.erfc, x)


def sinc(x: Any) -> Tensor:
    """The normalized cardinal sine ``sin(pi*x)/(pi*x)``, 1 at 0; exactly 0 at the other whole numbers."""
    return unary_float(SINC, table.sinc, x)


METHODS = (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    hypot,
    log,
    log10,
    log1p,
    log2,
    rsqrt,
    sigmoid,
    sin,
    sinc,
    sinh,
    sqrt,
    tan,
    tanh,
    xlogy,
)
FUNCTIONS = METHODS
INPLACE = METHODS
ALIASES = {
    "arccos": acos,
    "arccosh": acosh,
    "arcsin": asin,
    "arcsinh": asinh,
    "arctan": atan,
    "arctan2": atan2,
    "arctanh": atanh,
}
