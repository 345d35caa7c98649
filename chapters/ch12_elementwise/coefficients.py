"""The twin's polynomials, worked out: ``python -m chapters.ch12_elementwise.coefficients`` writes `polynomials.pxd`.

A polynomial that goes through a function at Chebyshev points is, for functions as smooth as these, nearly as good as
the best one of its degree. We interpolate with 60 digits and round at the end. Each polynomial is a correction, small
beside what it is added to, and so its own rounding costs a fraction of a unit in the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, getcontext, localcontext
from math import cos, pi
from pathlib import Path
from struct import pack, unpack

DIGITS = 60

Function = Callable[[Decimal], Decimal]


def series(first: Decimal, ratio: Callable[[int], Decimal]) -> Decimal:
    """The sum of a power series whose first term is given, each further one as its ratio to the one before it."""
    total, term, n = first, first, 0
    while term and abs(term) > abs(total) * Decimal(10) ** -getcontext().prec:
        n += 1
        term *= ratio(n)
        total += term
    return total


def sine(t: Decimal) -> Decimal:
    """S in ``sin(r) = r + r**3 * S(r**2)``."""
    return series(Decimal(-1) / 6, lambda n: -t / ((2 * n + 2) * (2 * n + 3)))


def cosine(t: Decimal) -> Decimal:
    """C in ``cos(r) = 1 - r**2 / 2 + r**4 * C(r**2)``."""
    return series(Decimal(1) / 24, lambda n: -t / ((2 * n + 3) * (2 * n + 4)))


def tangent(t: Decimal) -> Decimal:
    """T in ``tan(r) = r + r**3 * T(r**2)``."""
    cosine_minus_one = t * (t * cosine(t) - Decimal("0.5"))
    return (sine(t) - cosine_minus_one / t) / (1 + cosine_minus_one)


def arcsine(t: Decimal) -> Decimal:
    """A in ``asin(x) = x + x**3 * A(x**2)``."""
    return series(Decimal(1) / 6, lambda n: t * (2 * n + 1) ** 2 / ((2 * n + 2) * (2 * n + 3)))


def arctangent(t: Decimal) -> Decimal:
    """B in ``atan(x) = x + x**3 * B(x**2)``."""
    # The angle is halved until its series converges fast: atan(x) = 2 * atan(x / (1 + sqrt(1 + x * x))).
    x, doublings = t.sqrt(), 0
    while x > Decimal("0.1"):
        x, doublings = x / (1 + (1 + x * x).sqrt()), doublings + 1
    square = x * x
    angle = Decimal(2**doublings) * series(x, lambda n: -square * (2 * n - 1) / (2 * n + 1))
    return (angle / t.sqrt() - 1) / t


def error_function(t: Decimal) -> Decimal:
    """E in ``erf(x) = x + x * E(x**2)``."""
    half_turn = 16 * inverse_tangent(5) - 4 * inverse_tangent(239)
    return 2 / half_turn.sqrt() * series(Decimal(1), lambda n: -t * (2 * n - 1) / (n * (2 * n + 1))) - 1


REACH = {"share": Decimal("5.5"), "slope": Decimal("5.75")}
"""How far from 0 a float32 of `share` and of `slope` is anything but 0 or 1, as nearly as gelu promises."""


def normal(t: Decimal) -> Decimal:
    """N in ``P(X < x) = 1/2 + x * N(x**2)``, X being normal."""
    return (error_function(t / 2) + 1) / Decimal(8).sqrt()


def share(t: Decimal) -> Decimal:
    """N in ``P(X < x) = 1/2 + x * N(t)`` of a normal X, with ``t = 2 * (x / 5.5)**2 - 1``."""
    return normal((1 + t) / 2 * REACH["share"] ** 2)


def slope(t: Decimal) -> Decimal:
    """G in ``P(X < x) + x * density(x) = 1/2 + x * G(t)``, with ``t = 2 * (x / 5.75)**2 - 1``."""
    square = (1 + t) / 2 * REACH["slope"] ** 2
    return normal(square) + normal(Decimal(0)) * (-square / 2).exp()


def inverse_tangent(n: int) -> Decimal:
    """atan(1/n), of which Machin's formula makes pi."""
    return series(Decimal(1) / n, lambda k: Decimal(1 - 2 * k) / ((2 * k + 1) * n * n))


INTERVALS: dict[str, tuple[Function, str, str, int, int]] = {
    "sine": (sine, "0", "0.6172", 3, 7),
    "cosine": (cosine, "0", "0.6172", 3, 6),
    "tangent": (tangent, "0", "0.6172", 7, 16),
    "arcsine": (arcsine, "0", "0.3165", 6, 15),
    "arctangent": (arctangent, "0", "1", 10, 22),
    "error_function": (error_function, "0", "0.7657", 7, 13),
    "share": (share, "-1", "1", 16, 0),
    "slope": (slope, "-1", "1", 18, 0),
}
"""Per polynomial: the function, its interval, how many coefficients float32 and float64 need; 0 where it has none."""


def interpolate(function: Function, start: Decimal, end: Decimal, count: int) -> list[Decimal]:
    """The coefficients, that of the highest power first, of the polynomial through `count` Chebyshev points.

    Newton's divided differences are expanded into powers at the end; 60 digits bear the loss.
    """
    points = [start + (end - start) * (1 + chebyshev(k, count)) / 2 for k in range(count)]
    differences = [function(point) for point in points]
    for order in range(1, count):
        for k in range(count - 1, order - 1, -1):
            differences[k] = (differences[k] - differences[k - 1]) / (points[k] - points[k - order])
    powers = [Decimal(0)] * count
    for point, difference in zip(reversed(points), reversed(differences), strict=True):
        shifted = [*powers[1:], Decimal(0)]
        powers = [up - point * own for up, own in zip(shifted, powers, strict=True)]
        powers[-1] += difference
    return powers


def chebyshev(k: int, count: int) -> Decimal:
    """The cosine of ``(2k + 1) / (2 count)`` half turns: exact digits matter less here than that no two agree."""
    return Decimal(cos(pi * (2 * k + 1) / (2 * count)))


def evaluate(powers: list[Decimal], t: Decimal) -> Decimal:
    """A polynomial at t, by Horner's rule."""
    value = Decimal(0)
    for coefficient in powers:
        value = value * t + coefficient
    return value


def as_float32(value: Decimal) -> float:
    """The nearest float32."""
    return float(unpack("f", pack("f", float(value)))[0])


def shortest(value: float, single: bool) -> str:
    """The fewest digits that name a float."""
    if not single:
        return repr(value)
    return next(text for text in (f"{value:.{n}g}" for n in range(1, 10)) if as_float32(Decimal(text)) == value)


def rounded(name: str, single: bool) -> list[str]:
    """The coefficients of a polynomial as they stand in the twin, that of the highest power first."""
    function, start, end, *counts = INTERVALS[name]
    with localcontext() as context:
        context.prec = DIGITS
        powers = interpolate(function, Decimal(start), Decimal(end), counts[0 if single else 1])
    return [shortest(as_float32(power) if single else float(power), single) for power in powers]


def largest_error(name: str, single: bool) -> Decimal:
    """The largest difference between a function and its polynomial, at 200 points of the interval."""
    function, start, end, *_ = INTERVALS[name]
    with localcontext() as context:
        context.prec = DIGITS
        powers = [Decimal(text) for text in rounded(name, single)]
        points = [Decimal(start) + (Decimal(end) - Decimal(start)) * k / 200 for k in range(1, 201)]
        return max(abs(evaluate(powers, point) - function(point)) for point in points)


def horner(coefficients: list[str]) -> list[str]:
    """The lines that evaluate a polynomial, a multiplication and an addition each."""
    first, *others = coefficients
    start = [f"q = multiply_add(<real> {first}, t, <real> {others[0]})"]
    return start + [f"q = multiply_add(q, t, <real> {text})" for text in others[1:]]


def polynomial(name: str) -> str:
    """One inline function of Cython, for both types of float or for float32 alone."""
    function, *_, wide = INTERVALS[name]
    formula = (function.__doc__ or "").replace("`", "")
    lines = [f"cdef inline real {name}_tail(real t) noexcept nogil:", f'    """{formula}"""', "    cdef real q"]
    if wide:
        for single, condition in ((True, "if real is float:"), (False, "else:")):
            lines += ["    " + condition, *["        " + line for line in horner(rounded(name, single))]]
    else:
        lines += ["    " + line for line in horner(rounded(name, True))]
    return "\n".join([*lines, "    return q", ""])


def source() -> str:
    """The text of `polynomials.pxd`."""
    head = (
        '"""Polynomials of the elementary functions: written by `coefficients`, which says how they are found."""\n\n'
        "from chapters.ch12_elementwise.exponential cimport multiply_add, real\n"
    )
    return "\n\n".join([head, *[polynomial(name) for name in INTERVALS]])


if __name__ == "__main__":
    path = Path(__file__).with_name("polynomials.pxd")
    path.write_text(source(), encoding="utf-8")
    for name, (*_, wide) in INTERVALS.items():
        errors = [f"{largest_error(name, single):.1e}" for single in ((True, False) if wide else (True,))]
        print(f"{name:<15} largest error in float32" + " and float64" * bool(wide), *errors)
