"""Rung 1, the definition of the reductions: `out` says by its shape what is reduced.

Broadcasting stretches an axis of size 1; a reduction shrinks one to size 1. So `x` is reduced over every axis where
`out` has size 1 and `x` has not, and over the leading axes that `out` lacks. That makes ``sum(g, out)`` with `out` of
an operand's shape the exact inverse of having broadcast that operand.

The order in which `sum` adds is part of its definition, for floating-point addition is not associative: a loop over
vector registers and a plain loop must agree to the last bit. The reduced elements of one output, in row-major order
of `x`, are cut into blocks of 1024. Within a block, element k is added to lane k mod 32. The 32 lanes are folded in
half five times, and the sums of blocks are folded like the carries of a binary counter. An error can then grow only
with 32 additions in a lane, 5 folds and log2(n / 1024) carries, whatever n is.

`prod`, `var` and `norm` have an order of their own, that one pass can keep: float32 counts as float64, element k goes
to lane k mod 32, the 32 lanes are folded in half five times, and the result is rounded once. `cumsum` and `cumprod`
have no choice but to go from first to last; they too carry float64 along and round what they write.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import product
from math import copysign, inf, isfinite
from math import prod as product_of
from operator import add, mul
from typing import Any

from chapters import ieee
from chapters.ch13_reductions.checks import check, check_rows, check_scan, reduced_axes
from chapters.flat import rounded, shape, store, typecode, values

__all__ = [
    "all",
    "any",
    "argmax",
    "cumprod",
    "cumprod_vjp",
    "cumsum",
    "log_softmax",
    "log_softmax_vjp",
    "logsumexp",
    "max",
    "mean",
    "min",
    "norm",
    "prod",
    "softmax",
    "softmax_vjp",
    "sum",
    "var",
]

LANES = 32
BLOCK = 1024

Step = Callable[[float, float], float]


def groups(name: str, x: Any, out: Any) -> list[list[float]]:
    """For each element of `out` in row-major order, the elements of `x` that are reduced to it, in row-major order."""
    check(name, x, out)
    axes = reduced_axes(x, out)
    full = shape(x)
    steps, step = [0] * len(full), 1
    for axis in reversed(range(len(full))):
        if axis not in axes:
            steps[axis] = step
            step *= full[axis]
    found: list[list[float]] = [[] for _ in range(product_of(shape(out)))]
    for value, index in zip(values(x), product(*map(range, full)), strict=True):
        position = 0
        for i, stride in zip(index, steps, strict=True):
            position += i * stride
        found[position].append(value)
    return found


# region [block_sum]
def block_sum(elements: list[float], code: str) -> float:
    """The sum of at most 1024 floats: 32 lanes, each added up in order, folded in half until one is left."""
    lanes = array(code, [-0.0] * LANES)
    for k, value in enumerate(elements):
        lanes[k % LANES] += value
    half = LANES // 2
    while half:
        for lane in range(half):
            lanes[lane] += lanes[lane + half]
        half //= 2
    total: float = lanes[0]
    return total


# endregion [block_sum]


# region [float_sum]
def float_sum(elements: list[float], code: str) -> float:
    """The sum of any number of floats: sums of blocks, folded like the carries of a binary counter."""
    if not elements:
        return 0.0
    carries: list[float] = []
    for count, start in enumerate(range(0, len(elements), BLOCK), 1):
        total = block_sum(elements[start : start + BLOCK], code)
        while count % 2 == 0:
            total = rounded(carries.pop() + total, code)
            count //= 2
        carries.append(total)
    total = carries.pop()
    while carries:
        total = rounded(carries.pop() + total, code)
    return total


# endregion [float_sum]


def int_sum(elements: list[int]) -> int:
    """The sum of integers modulo 2**64, as a signed number; here the order of additions does not matter."""
    total = 0
    for value in elements:
        total += value
    return ieee.wrap_int64(total)


def sum(x: Any, out: Any) -> None:
    """Add up the elements of `x` along every axis that `out` lacks or has with size 1.

    Parameters
    ----------
    x : float32, float64, int64 or bool
        The elements; any shape, any strides.
    out : array of the type of `x`, int64 for bool
        Where the sums go. Its shape, aligned with that of `x` from the right, says which axes are reduced.

    Raises
    ------
    TypeError
        When `out` has another element type.
    ValueError
        When `out` has an axis that is neither 1 nor the size of that axis of `x`.

    Notes
    -----
    The order of the additions is the module's: its error is at most ``(37 + log2(n / 1024)) * eps * sum(abs(x))``.
    float32 adds up in float32, int64 modulo 2**64. The sum of no elements is 0; that of one is the element, so -0.0
    stays -0.0.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> x, rows, total = Buffer([1, 2, 3, 4, 5, 6], (2, 3)), Buffer([0, 0], (2, 1)), Buffer([0], ())
    >>> sum(x, rows), sum(x, total)
    (None, None)
    >>> rows.tolist(), total.tolist()
    ([[6.0], [15.0]], 21.0)
    """
    code = typecode(x)
    if code in "fd":
        store(out, [float_sum(elements, code) for elements in groups("sum", x, out)])
    else:
        store(out, [int_sum(elements) for elements in groups("sum", x, out)])  # type: ignore[arg-type]


def mean(x: Any, out: Any) -> None:
    """Write the sum along the reduced axes divided by the number of elements in it; nan where there are none.

    Parameters
    ----------
    x : float32 or float64
        The elements; any shape, any strides.
    out : array of the type of `x`
        Where the means go; its shape says which axes are reduced, as in `sum`.

    Raises
    ------
    TypeError
        When `x` is not floating-point, or `out` not of its type.
    ValueError
        When the shape of `out` is not one that `x` can be reduced to.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0], ())
    >>> mean(Buffer([1, 2, 6]), out)
    >>> out.tolist()
    3.0
    """
    code = typecode(x)
    means = []
    for elements in groups("mean", x, out):
        count = rounded(float(len(elements)), code)
        means.append(rounded(float_sum(elements, code) / count, code) if elements else float("nan"))
    store(out, means)


def larger(a: float, b: float) -> float:
    """The larger of two numbers; a nan is larger than all, and +0 larger than -0."""
    if a != a or b != b:
        return float("nan")
    if a == b:
        return a if copysign(1.0, a) > 0 else b
    return a if a > b else b


def smaller(a: float, b: float) -> float:
    """The smaller of two numbers; a nan is smaller than all, and -0 smaller than +0."""
    if a != a or b != b:
        return float("nan")
    if a == b:
        return a if copysign(1.0, a) < 0 else b
    return a if a < b else b


def extreme(name: str, choose: Callable[[float, float], float], x: Any, out: Any) -> None:
    """Write for each group the element that `choose` prefers to all others."""
    chosen = []
    for elements in groups(name, x, out):
        best = elements[0]
        for value in elements[1:]:
            best = choose(best, value)
        chosen.append(best)
    store(out, chosen)


def max(x: Any, out: Any) -> None:
    """Write the largest element along the reduced axes; a nan wins, and +0 is larger than -0.

    Parameters
    ----------
    x : float32, float64, int64 or bool
        The elements; any shape, any strides.
    out : array of the type of `x`
        Where the results go; its shape says which axes are reduced, as in `sum`.

    Raises
    ------
    TypeError
        When `out` has another element type.
    ValueError
        When the shape of `out` is not one that `x` can be reduced to, or a maximum of no elements is asked for.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0])
    >>> max(Buffer([1, 5, 3, 2], (2, 2)), out)
    >>> out.tolist()
    [3.0, 5.0]
    """
    extreme("max", larger, x, out)


def min(x: Any, out: Any) -> None:
    """Write the smallest element along the reduced axes; a nan wins, and -0 is smaller than +0.

    Parameters
    ----------
    x : float32, float64, int64 or bool
        The elements; any shape, any strides.
    out : array of the type of `x`
        Where the results go; its shape says which axes are reduced, as in `sum`.

    Raises
    ------
    TypeError
        When `out` has another element type.
    ValueError
        When the shape of `out` is not one that `x` can be reduced to, or a minimum of no elements is asked for.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0])
    >>> min(Buffer([1, 5, 3, 2], (2, 2)), out)
    >>> out.tolist()
    [1.0, 2.0]
    """
    extreme("min", smaller, x, out)


def argmax(x: Any, out: Any) -> None:
    """Write where the largest element along the reduced axes stands first; a nan is larger than all.

    Parameters
    ----------
    x : float32, float64, int64 or bool
        The elements; any shape, any strides.
    out : int64
        Where the positions go; its shape says which axes are reduced, as in `sum`. A position counts the reduced
        elements of one output in row-major order.

    Raises
    ------
    TypeError
        When `out` is not int64.
    ValueError
        When the shape of `out` is not one that `x` can be reduced to, or a maximum of no elements is asked for.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0], (2, 1), "q")
    >>> argmax(Buffer([1, 7, 7, 9, 2, 4], (2, 3)), out)
    >>> out.tolist()
    [[1], [0]]
    """
    positions = []
    for elements in groups("argmax", x, out):
        best = 0
        for k, value in enumerate(elements):
            if elements[best] != elements[best]:
                break
            if value > elements[best] or value != value:
                best = k
        positions.append(best)
    store(out, positions)


def all(x: Any, out: Any) -> None:
    """Write whether every element along the reduced axes is nonzero; true of no elements, and a nan is nonzero.

    Parameters
    ----------
    x : float32, float64, int64 or bool
        The elements; any shape, any strides.
    out : bool
        Where the answers go; its shape says which axes are reduced, as in `sum`.

    Raises
    ------
    TypeError
        When `out` is not bool.
    ValueError
        When the shape of `out` is not one that `x` can be reduced to.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0], (2, 1), "?")
    >>> all(Buffer([1, 0, 2, 3], (2, 2)), out)
    >>> out.tolist()
    [[False], [True]]
    """
    store(out, [0 not in elements for elements in groups("all", x, out)])


def any(x: Any, out: Any) -> None:
    """Write whether an element along the reduced axes is nonzero; false of no elements, and a nan is nonzero.

    Parameters
    ----------
    x : float32, float64, int64 or bool
        The elements; any shape, any strides.
    out : bool
        Where the answers go; its shape says which axes are reduced, as in `sum`.

    Raises
    ------
    TypeError
        When `out` is not bool.
    ValueError
        When the shape of `out` is not one that `x` can be reduced to.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0], (2, 1), "?")
    >>> any(Buffer([0, 0, 2, 0], (2, 2)), out)
    >>> out.tolist()
    [[False], [True]]
    """
    store(out, [elements.count(0) < len(elements) for elements in groups("any", x, out)])


# region [fold]
def fold(elements: list[float], start: float, step: Step, join: Step) -> float:
    """Element k taken in by lane k mod 32, in order; then the lanes folded in half until one is left."""
    lanes = [start] * LANES
    for k, value in enumerate(elements):
        lanes[k % LANES] = step(lanes[k % LANES], value)
    half = LANES // 2
    while half:
        for lane in range(half):
            lanes[lane] = join(lanes[lane], lanes[lane + half])
        half //= 2
    return lanes[0]


# endregion [fold]


def prod(x: Any, out: Any) -> None:
    """Write the product of the elements along the reduced axes; 1 of no elements.

    Parameters
    ----------
    x : float32, float64, int64 or bool
        The elements; any shape, any strides.
    out : array of the type of `x`, int64 for bool
        Where the products go; its shape says which axes are reduced, as in `sum`.

    Raises
    ------
    TypeError
        When `out` has another element type.
    ValueError
        When the shape of `out` is not one that `x` can be reduced to.

    Notes
    -----
    The order of the multiplications is the module's; int64 multiplies modulo 2**64.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0])
    >>> prod(Buffer([1, 2, 3, 4], (2, 2)), out)
    >>> out.tolist()
    [3.0, 8.0]
    """
    one = 1.0 if typecode(x) in "fd" else 1
    store(out, [fold(elements, one, mul, mul) for elements in groups("prod", x, out)])


# region [var]
def var(x: Any, out: Any, correction: float = 1.0) -> None:
    """Write the sum of squared distances from the mean over (count - correction), along the reduced axes.

    Parameters
    ----------
    x : float32 or float64
        The elements; any shape, any strides.
    out : array of the type of `x`
        Where the variances go; its shape says which axes are reduced, as in `sum`.
    correction : float
        What is taken from the count: 1 for the unbiased estimate from a sample, 0 for the variance of all there is.

    Raises
    ------
    TypeError
        When `x` is not floating-point, or `out` not of its type.
    ValueError
        When the shape of `out` is not one that `x` can be reduced to.

    Notes
    -----
    Two passes: the mean first, then the squares of what is left, so that a large mean costs no digits. A divisor below
    zero counts as zero.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0], ())
    >>> var(Buffer([1, 2, 6]), out)
    >>> out.tolist()
    7.0
    """
    variances = []
    for elements in groups("var", x, out):
        count = float(len(elements))
        center = ieee.div(fold(elements, 0.0, add, add), count)

        def step(total: float, value: float, center: float = center) -> float:
            return total + (value - center) * (value - center)

        divisor = count - correction if count > correction else 0.0
        variances.append(ieee.div(fold(elements, 0.0, step, add), divisor))
    store(out, variances)


# endregion [var]


def norm(x: Any, out: Any, p: float = 2.0) -> None:
    """Write the p-norm along the reduced axes, ``(sum of |x|**p) ** (1/p)``.

    Parameters
    ----------
    x : float32 or float64
        The elements; any shape, any strides.
    out : array of the type of `x`
        Where the norms go; its shape says which axes are reduced, as in `sum`.
    p : float
        The exponent. inf gives the largest absolute value, -inf the smallest, 0 the number of nonzero elements.

    Raises
    ------
    TypeError
        When `x` is not floating-point, or `out` not of its type.
    ValueError
        When the shape of `out` is not one that `x` can be reduced to.

    Notes
    -----
    The same bits on every rung for p = 0, 1, 2, inf and -inf, where nothing but IEEE 754's exact operations is done;
    within a few units of the last place for others. Of no elements the norm is 0, and inf for -inf.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0], ())
    >>> norm(Buffer([3, -4]), out)
    >>> out.tolist()
    5.0
    """
    found = groups("norm", x, out)
    if p == inf:
        store(
            out, [fold(elements, 0.0, lambda so_far, value: larger(so_far, abs(value)), larger) for elements in found]
        )
    elif p == -inf:
        store(
            out, [fold(elements, inf, lambda so_far, value: smaller(so_far, abs(value)), smaller) for elements in found]
        )
    elif p == 0:
        store(out, [float(len(elements) - elements.count(0)) for elements in found])
    elif p == 1:
        store(out, [fold(elements, 0.0, lambda total, value: total + abs(value), add) for elements in found])
    elif p == 2:
        store(
            out, [ieee.sqrt(fold(elements, 0.0, lambda total, value: total + value * value, add)) for elements in found]
        )
    else:
        totals = [fold(elements, 0.0, lambda total, value: total + ieee.pow(abs(value), p), add) for elements in found]
        store(out, [ieee.pow(total, 1 / p) for total in totals])


# region [running]
def running(x: Any, step: Step) -> list[float]:
    """Along the last axis each element joined with all before it."""
    results = []
    for row in rows(x):
        total = row[0] if row else 0.0
        results += row[:1]
        for value in row[1:]:
            total = step(total, value)
            results.append(total)
    return results


# endregion [running]


def cumsum(x: Any, out: Any) -> None:
    """Write the sum of each element and all before it, along the last axis.

    Parameters
    ----------
    x : float32, float64 or int64
        The elements; any shape with at least one axis, any strides.
    out : array of the type and shape of `x`
        Where the sums go; it may be `x`.

    Raises
    ------
    TypeError
        When `x` is bool or `out` not of its type.
    ValueError
        When `x` has no axis, or `out` another shape.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0, 0])
    >>> cumsum(Buffer([1, 2, 3]), out)
    >>> out.tolist()
    [1.0, 3.0, 6.0]
    """
    check_scan("cumsum", x=x, out=out)
    store(out, running(x, add))


def cumprod(x: Any, out: Any) -> None:
    """Write the product of each element and all before it, along the last axis.

    Parameters
    ----------
    x : float32, float64 or int64
        The elements; any shape with at least one axis, any strides.
    out : array of the type and shape of `x`
        Where the products go; it may be `x`.

    Raises
    ------
    TypeError
        When `x` is bool or `out` not of its type.
    ValueError
        When `x` has no axis, or `out` another shape.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0, 0])
    >>> cumprod(Buffer([2, 3, 4]), out)
    >>> out.tolist()
    [2.0, 6.0, 24.0]
    """
    check_scan("cumprod", x=x, out=out)
    store(out, running(x, mul))


# region [cumprod_vjp]
def cumprod_vjp(g: Any, x: Any, out: Any) -> None:
    """Write the gradient through `cumprod` along the last axis, without a division, so that zeros are no exception.

    Parameters
    ----------
    g : float32 or float64
        The gradient of the products.
    x : array of the type and shape of `g`
        What was multiplied.
    out : array of the type and shape of `g`
        Where the gradient of `x` goes; neither `g` nor `x`.

    Raises
    ------
    TypeError
        When the types differ or are not floating-point.
    ValueError
        When there is no axis, or the shapes differ.

    Notes
    -----
    Element k is a factor of product k and all later ones. What these give, taken by the last first, is
    ``later = g[k] + x[k + 1] * later``; the product of the elements before k is common to all of them. The first
    pass goes from last to first and writes `later`; the second goes from first to last and multiplies. Both carry
    float64 along and round what they write.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0, 0, 0])
    >>> cumprod_vjp(Buffer([1, 1, 1, 1]), Buffer([2, 0, 3, 4]), out)
    >>> out.tolist()
    [1.0, 32.0, 0.0, 0.0]
    """
    check_rows("cumprod_vjp", g=g, x=x, out=out)
    code = typecode(g)
    results = []
    for gradient, row in zip(rows(g), rows(x), strict=True):
        later = gradient[:]
        carried = gradient[-1] if gradient else 0.0
        for k in reversed(range(len(row) - 1)):
            carried = gradient[k] + row[k + 1] * carried
            later[k] = rounded(carried, code)
        before = 1.0
        for value, factor in zip(later, row, strict=True):
            results.append(before * value)
            before *= factor
    store(out, results)


# endregion [cumprod_vjp]


def rows(x: Any) -> list[list[float]]:
    """The elements along the last axis, one list for each position on the other axes."""
    size = shape(x)[-1]
    flat = values(x)
    return [flat[k * size : (k + 1) * size] for k in range(product_of(shape(x)[:-1]))]


# region [shifted_powers]
def shifted_powers(row: list[float], shift: float, code: str) -> list[float]:
    """exp(x - shift) of each element: with the row's largest as shift none overflows and one is 1."""
    return [rounded(ieee.exp(rounded(value - shift, code)), code) for value in row]


# endregion [shifted_powers]


def largest(row: list[float]) -> float:
    """The largest element, a nan if there is one, -inf where there is none."""
    best = -inf
    for value in row:
        best = larger(best, value)
    return best


def softmax(x: Any, out: Any) -> None:
    """Write exp(x) over its sum, along the last axis; the largest element is subtracted first.

    Parameters
    ----------
    x : float32 or float64, at least one axis
        The scores.
    out : array of the type and shape of `x`
        Where the weights go: each between 0 and 1, each row with sum 1. It may be `x` itself.

    Raises
    ------
    TypeError
        When an operand is not floating-point, or the two differ in type.
    ValueError
        When `x` has no axis or `out` another shape.

    Notes
    -----
    Subtracting the largest element changes nothing but the range of the exponentials. Each weight is within a few
    units of the last place, plus that of rounding x - max, which grows with the distance. A row with nothing but -inf,
    with +inf or with nan is nan.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0])
    >>> softmax(Buffer([1000, 1000]), out)
    >>> out.tolist()
    [0.5, 0.5]
    """
    check_rows("softmax", x=x, out=out)
    code = typecode(x)
    # region [softmax-loop]
    weights: list[float] = []
    for row in rows(x):
        powers = shifted_powers(row, largest(row), code)
        scale = rounded(ieee.div(1.0, float_sum(powers, code)), code)
        weights.extend(rounded(power * scale, code) for power in powers)
    store(out, weights)
    # endregion [softmax-loop]


def log_softmax(x: Any, out: Any) -> None:
    """Write the logarithm of `softmax`, along the last axis: x - max - log(sum(exp(x - max))).

    Parameters
    ----------
    x : float32 or float64, at least one axis
        The scores.
    out : array of the type and shape of `x`
        Where the logarithms go. It may be `x` itself.

    Raises
    ------
    TypeError
        When an operand is not floating-point, or the two differ in type.
    ValueError
        When `x` has no axis or `out` another shape.

    Notes
    -----
    Right also where the softmax itself would round to 0. A row with nothing but -inf, with +inf or with nan is nan.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0])
    >>> log_softmax(Buffer([0, 1000]), out)
    >>> out.tolist()
    [-1000.0, 0.0]
    """
    check_rows("log_softmax", x=x, out=out)
    code = typecode(x)
    logarithms: list[float] = []
    for row in rows(x):
        peak = largest(row)
        total = rounded(ieee.log(float_sum(shifted_powers(row, peak, code), code)), code)
        logarithms.extend(rounded(rounded(value - peak, code) - total, code) for value in row)
    store(out, logarithms)


def logsumexp(x: Any, out: Any) -> None:
    """Write log(sum(exp(x))) along the last axis, without overflow.

    Parameters
    ----------
    x : float32 or float64, at least one axis
        The scores.
    out : array of the type of `x`, of its shape with 1 for the last size
        Where the logarithms go.

    Raises
    ------
    TypeError
        When an operand is not floating-point, or the two differ in type.
    ValueError
        When `x` has no axis or `out` another shape.

    Notes
    -----
    No element, or nothing but -inf, gives -inf; +inf gives inf and nan gives nan.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0])
    >>> logsumexp(Buffer([1000, 1000]), out)
    >>> round(out[0], 4)
    1000.6931
    """
    check_rows("logsumexp", x=x, out=out)
    code = typecode(x)
    logarithms = []
    for row in rows(x):
        peak = largest(row)
        shift = peak if isfinite(peak) else 0.0
        total = rounded(ieee.log(float_sum(shifted_powers(row, shift, code), code)), code)
        logarithms.append(rounded(shift + total, code))
    store(out, logarithms)


def softmax_vjp(g: Any, y: Any, out: Any) -> None:
    """Write the gradient through `softmax`, along the last axis: y * (g - sum(g * y)).

    Parameters
    ----------
    g : float32 or float64, at least one axis
        The gradient of the weights.
    y : array of the type and shape of `g`
        The weights that `softmax` gave.
    out : array of the type and shape of `g`
        Where the gradient of the scores goes. It may be `g` or `y` itself.

    Raises
    ------
    TypeError
        When an operand is not floating-point, or two differ in type.
    ValueError
        When `g` has no axis or another operand another shape.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0])
    >>> softmax_vjp(Buffer([1, 0]), Buffer([0.5, 0.5]), out)
    >>> out.tolist()
    [0.25, -0.25]
    """
    check_rows("softmax_vjp", g=g, y=y, out=out)
    code = typecode(g)
    gradients: list[float] = []
    for row, weights in zip(rows(g), rows(y), strict=True):
        total = float_sum([rounded(v * weight, code) for v, weight in zip(row, weights, strict=True)], code)
        for v, weight in zip(row, weights, strict=True):
            gradients.append(rounded(weight * rounded(v - total, code), code))
    store(out, gradients)


def log_softmax_vjp(g: Any, y: Any, out: Any) -> None:
    """Write the gradient through `log_softmax`, along the last axis: g - exp(y) * sum(g).

    Parameters
    ----------
    g : float32 or float64, at least one axis
        The gradient of the logarithms.
    y : array of the type and shape of `g`
        The logarithms that `log_softmax` gave.
    out : array of the type and shape of `g`
        Where the gradient of the scores goes. It may be `g` or `y` itself.

    Raises
    ------
    TypeError
        When an operand is not floating-point, or two differ in type.
    ValueError
        When `g` has no axis or another operand another shape.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer([0, 0])
    >>> log_softmax_vjp(Buffer([1, 3]), Buffer([0, float("-inf")]), out)
    >>> out.tolist()
    [-3.0, 3.0]
    """
    check_rows("log_softmax_vjp", g=g, y=y, out=out)
    code = typecode(g)
    gradients: list[float] = []
    for row, logarithms in zip(rows(g), rows(y), strict=True):
        total = float_sum(row, code)
        for v, power in zip(row, shifted_powers(logarithms, 0.0, code), strict=True):
            gradients.append(rounded(v - rounded(power * total, code), code))
    store(out, gradients)
