"""Rung 1, the definition of the engine's hot loops: sum a gradient down, add one up, and walk a tape backwards."""

from __future__ import annotations

from itertools import product
from typing import Any

from chapters.ch07_broadcasting.spec import BroadcastSpec
from chapters.ch17_engine.checks import ADD, LEAF, MUL, check_accumulate, check_tape, check_unbroadcast
from chapters.flat import rounded, shape, store, typecode, values

__all__ = ["accumulate_gradient", "traverse", "unbroadcast_gradient"]


# [unbroadcast-kernel]
def unbroadcast_gradient(grad: Any, out: Any) -> None:
    """Sum a gradient down to the shape of an operand that was broadcast.

    Parameters
    ----------
    grad : float32 or float64
        A gradient of the broadcast shape.
    out : array of the type of `grad`
        Written; its shape is the operand's, which broadcasts to that of `grad`.

    Raises
    ------
    TypeError
        When the element types differ or are not floating point.
    ValueError
        When no broadcast leads from the shape of `out` to that of `grad`.

    Notes
    -----
    Every element of `out` adds up what reached its copies one by one, in row-major order, rounding after each step;
    the twin gives the same bits. The NumPy rung adds in its own order: it is within n * eps of the sum of n absolute
    values.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (1, 3))
    >>> unbroadcast_gradient(Buffer.full(1, (2, 3)), out)
    >>> out.tolist()
    [[2.0, 2.0, 2.0]]
    """
    check_unbroadcast(grad, out)
    # [unbroadcast-loop]
    code, full = typecode(grad), shape(grad)
    strides = BroadcastSpec(shape(out), full).strides
    totals = [0.0] * len(values(out))
    for index, g in zip(product(*(range(size) for size in full)), values(grad), strict=True):
        k = sum(i * stride for i, stride in zip(index, strides, strict=True))
        totals[k] = rounded(totals[k] + g, code)
    store(out, totals)
    # [/unbroadcast-loop]


# [/unbroadcast-kernel]


# [accumulate-kernel]
def accumulate_gradient(total: Any, incoming: Any, out: Any) -> None:
    """Write total + incoming to a buffer of its own; neither operand changes.

    Parameters
    ----------
    total, incoming : float32 or float64
        What has arrived so far, and the next contribution; one shape.
    out : array of the same type and shape
        Written.

    Raises
    ------
    TypeError
        When the element types differ or are not floating point.
    ValueError
        When the shapes differ: a gradient is never broadcast on its way in.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, ())
    >>> accumulate_gradient(Buffer([1], ()), Buffer([4], ()), out)
    >>> out.tolist()
    5.0
    """
    check_accumulate(total, incoming, out)
    # [accumulate-loop]
    code = typecode(total)
    store(out, [rounded(a + b, code) for a, b in zip(values(total), values(incoming), strict=True)])
    # [/accumulate-loop]


# [/accumulate-kernel]


# [traverse]
def traverse(op: Any, left: Any, right: Any, value: Any, root: int, grad: Any) -> None:
    """Walk a tape of scalars backwards from its root and fill the gradient of every entry.

    Parameters
    ----------
    op : int64, shape (entries,)
        What made each entry: 0 nothing (a leaf), 1 a sum, 2 a product, 3 an exponential.
    left, right : int64, shape (entries,)
        Entries that it was made of, both earlier ones; read where `op` has that many operands.
    value : float64, shape (entries,)
        Values of the forward pass.
    root : int
        The entry to differentiate.
    grad : float64, shape (entries,)
        Written: the derivative of the root by each entry; 0 where none arrives.

    Raises
    ------
    TypeError
        When an array has another element type.
    ValueError
        When a length is wrong, an operation is unknown, or an input is not an earlier entry.

    Notes
    -----
    An entry that nothing has reached is passed over; one that zero has reached is not, so that 0 * inf gives nan. The
    first contribution is assigned, later ones are added, in the order of the walk. Linear in the entries.

    Examples
    --------
    w = x*y + x at x = 3, y = 4:

    >>> from chapters.flat import Buffer
    >>> grad = Buffer.full(0, (4,))
    >>> traverse([0, 0, 2, 1], [0, 0, 0, 2], [0, 0, 1, 0], [3.0, 4.0, 12.0, 15.0], 3, grad)
    >>> grad.tolist()
    [5.0, 3.0, 1.0, 1.0]
    """
    size = check_tape(op, left, right, value, root, grad)
    # [traverse-loop]
    ops, firsts, seconds, made = values(op), values(left), values(right), values(value)
    gradient: list[float] = [0.0] * size
    arrived = [False] * size
    gradient[root] = 1.0
    arrived[root] = True
    for k in range(root, -1, -1):
        if not arrived[k] or ops[k] == LEAF:
            continue
        g, first, second = gradient[k], int(firsts[k]), int(seconds[k])
        if ops[k] == ADD:
            contributions = [(first, g), (second, g)]
        elif ops[k] == MUL:
            contributions = [(first, g * made[second]), (second, g * made[first])]
        else:
            contributions = [(first, g * made[k])]
        for entry, contribution in contributions:
            gradient[entry] = gradient[entry] + contribution if arrived[entry] else contribution
            arrived[entry] = True
    store(grad, gradient)
    # [/traverse-loop]


# [/traverse]
