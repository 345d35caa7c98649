"""Rung 1, the definition of the reductions: `out` says by its shape what is reduced.

Broadcasting stretches an axis of size 1; a reduction shrinks one to size 1. So `x` is reduced over every axis where
`out` has size 1 and `x` has not, and over the leading axes that `out` lacks. That makes ``sum(g, out)`` with `out` of
an operand's shape the exact inverse of having broadcast that operand.

The order in which `sum` adds is part of its definition, for floating-point addition is not associative: a loop over
vector registers and a plain loop must agree to the last bit. The reduced elements of one output, in row-major order
of `x`, are cut into blocks of 1024. Within a block, element k is added to lane k mod 32. The 32 lanes are folded in
half five times, and the sums of blocks are folded like the carries of a binary counter. An error can then grow only
with 32 additions in a lane, 5 folds and log2(n / 1024) carries, whatever n is.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import product
from math import copysign, prod
from typing import Any

from chapters.ch13_reductions.checks import check, reduced_axes
from chapters.flat import rounded, shape, store, typecode, values

__all__ = ["argmax", "max", "mean", "min", "sum"]

LANES = 32
BLOCK = 1024


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
    found: list[list[float]] = [[] for _ in range(prod(shape(out)))]
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


def int_sum(elements: list[int]) -> int:
    """The sum of integers modulo 2**64, as a signed number; here the order of additions does not matter."""
    total = 0
    for value in elements:
        total += value
    return (total + 2**63) % 2**64 - 2**63


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
