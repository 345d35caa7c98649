"""Rung 1, the definition of matrix multiplication: three loops, each element of the product added up in order of k."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as places
from operator import index
from typing import Any

from chapters.ch14_matmul.checks import check, check_batch, check_block, check_order
from chapters.flat import Buffer, rounded, shape, store, typecode, values
from chapters.ieee import wrap_int64

__all__ = ["matmul", "matmul_batch", "matmul_in_blocks", "matmul_in_order"]

Step = tuple[int, int, int]


def matmul(a: Any, b: Any, out: Any) -> None:
    """Write the matrix product of `a` and `b` to `out`: ``out[i, j] = sum over k of a[i, k] * b[k, j]``.

    Parameters
    ----------
    a : float32, float64 or int64, shape (M, K)
        The left factor; any strides, so a transpose costs no copy.
    b : array of the type of `a`, shape (K, N)
        The right factor; any strides.
    out : array of the type of `a`, shape (M, N)
        Where the product goes; it must not share memory with a factor.

    Raises
    ------
    TypeError
        When the element types differ or are bool.
    ValueError
        When an operand has not two axes, the inner sizes differ, or `out` has not the shape of the product.

    Notes
    -----
    2 M N K operations. The rungs add in different orders and may keep products unrounded (fused multiply-add); each
    is within ``(K + 2) * eps * (abs(a) @ abs(b))`` of the exact product. int64 wraps. With K = 0 the product is zero.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (2, 1))
    >>> matmul(Buffer([1, 2, 3, 4], (2, 2)), Buffer([10, 1], (2, 1)), out)
    >>> out.tolist()
    [[12.0], [34.0]]
    """
    check(a, b, out)
    # region [matmul]
    code = typecode(a)
    (rows, inner), columns = shape(a), shape(b)[1]
    left, right = values(a), values(b)
    products: list[float] = []
    for i in range(rows):
        for j in range(columns):
            total: float = 0
            for k in range(inner):
                product = left[i * inner + k] * right[k * columns + j]
                total = rounded(total + rounded(product, code), code)
            products.append(wrap_int64(int(total)) if code == "q" else total)
    store(out, products)
    # endregion [matmul]


# region [batch]
def matmul_batch(a: Any, b: Any, out: Any) -> None:
    """Write the products of two stacks of matrices to `out`; leading axes broadcast to those of `out`.

    Parameters
    ----------
    a : float32, float64 or int64, shape (*, M, K)
        The left factors; any strides.
    b : array of the type of `a`, shape (*, K, N)
        The right factors; any strides.
    out : array of the type of `a`, shape (*, M, N)
        Where the products go; it must not share memory with a factor.

    Raises
    ------
    TypeError, ValueError
        As `matmul`; also when the leading axes of a factor do not broadcast to those of `out`.

    Notes
    -----
    Each product is that of `matmul`, within the same bound.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (2, 1, 1))
    >>> matmul_batch(Buffer([1, 2, 3, 4], (2, 1, 2)), Buffer([10, 1], (2, 1)), out)
    >>> out.tolist()
    [[[12.0]], [[34.0]]]
    """
    check_batch(a, b, out)
    code = typecode(a)
    (rows, inner), columns = shape(a)[-2:], shape(b)[-1]
    left, right = values(a), values(b)
    products: list[Any] = []
    for place in places(*map(range, shape(out)[:-2])):
        one = Buffer.full(0, (rows, columns), code)
        x, y = matrix_at(place, shape(a)) * rows * inner, matrix_at(place, shape(b)) * inner * columns
        matmul(
            Buffer(left[x : x + rows * inner], (rows, inner), code),
            Buffer(right[y : y + inner * columns], (inner, columns), code),
            one,
        )
        products.extend(one)
    store(out, products)


def matrix_at(place: tuple[int, ...], sizes: tuple[int, ...]) -> int:
    """The number of the matrix that a place of the output reads from a stack of this shape."""
    number = 0
    lead = sizes[:-2]
    for coordinate, size in zip(place[len(place) - len(lead) :], lead, strict=True):
        number = number * size + (coordinate if size > 1 else 0)
    return number


# endregion [batch]


# region [steps]
def steps(order: str, rows: int, columns: int, inner: int) -> Iterator[Step]:
    """The indices (i, j, k) of every multiplication, in one of six orders."""
    if order == "ijk":
        for i in range(rows):
            for j in range(columns):
                for k in range(inner):
                    yield i, j, k
    elif order == "jik":
        for j in range(columns):
            for i in range(rows):
                for k in range(inner):
                    yield i, j, k
    elif order == "ikj":
        for i in range(rows):
            for k in range(inner):
                for j in range(columns):
                    yield i, j, k
    elif order == "kij":
        for k in range(inner):
            for i in range(rows):
                for j in range(columns):
                    yield i, j, k
    elif order == "jki":
        for j in range(columns):
            for k in range(inner):
                for i in range(rows):
                    yield i, j, k
    else:
        for k in range(inner):
            for j in range(columns):
                for i in range(rows):
                    yield i, j, k


# endregion [steps]


# region [steps_in_blocks]
def steps_in_blocks(block: int, rows: int, columns: int, inner: int) -> Iterator[Step]:
    """The same indices, block by block; inside a block in order i, k, j."""
    for i0 in range(0, rows, block):
        for k0 in range(0, inner, block):
            for j0 in range(0, columns, block):
                for i in range(i0, min(i0 + block, rows)):
                    for k in range(k0, min(k0 + block, inner)):
                        for j in range(j0, min(j0 + block, columns)):
                            yield i, j, k


# endregion [steps_in_blocks]


# region [add_up]
def add_up(a: Any, b: Any, out: Any, walk: Iterator[Step]) -> None:
    """Add every product that a walk visits to its element of `out`, from zero."""
    code = typecode(a)
    inner, columns = shape(b)
    left, right = values(a), values(b)
    totals: list[float] = [0] * (shape(a)[0] * columns)
    for i, j, k in walk:
        product = rounded(left[i * inner + k] * right[k * columns + j], code)
        totals[i * columns + j] = rounded(totals[i * columns + j] + product, code)
    store(out, totals)


# endregion [add_up]


def matmul_in_order(a: Any, b: Any, out: Any, order: str = "ijk") -> None:
    """Write the matrix product of `a` and `b` to `out` by three plain loops in a given order.

    Parameters
    ----------
    a, b, out : as for `matmul`
        The factors and where the product goes.
    order : {"ijk", "ikj", "jik", "jki", "kij", "kji"}
        Which loop is outermost, which in the middle, which innermost.

    Raises
    ------
    TypeError, ValueError
        As `matmul`, and for an order that is none of the six.

    Notes
    -----
    Each element is added up in order of k whatever the order of the loops, and every product is rounded: all six
    give the same bits, on rungs 1 and 3. On rung 2 they are within the bound of `matmul`.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (2, 1))
    >>> matmul_in_order(Buffer([1, 2, 3, 4], (2, 2)), Buffer([10, 1], (2, 1)), out, "kji")
    >>> out.tolist()
    [[12.0], [34.0]]
    """
    check(a, b, out, "matmul_in_order")
    check_order(order)
    add_up(a, b, out, steps(order, shape(a)[0], shape(b)[1], shape(a)[1]))


def matmul_in_blocks(a: Any, b: Any, out: Any, block: int = 64) -> None:
    """Write the matrix product of `a` and `b` to `out` block by block, in the order i, k, j of blocks and inside them.

    Parameters
    ----------
    a, b, out : as for `matmul`
        The factors and where the product goes.
    block : int
        Rows and columns of a block; blocks at the right and lower edges may be smaller.

    Raises
    ------
    TypeError, ValueError
        As `matmul`, and for a block below 1.

    Notes
    -----
    The same additions in the same order for each element as in `matmul_in_order`, so the same bits on rungs 1 and 3.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> out = Buffer.full(0, (2, 1))
    >>> matmul_in_blocks(Buffer([1, 2, 3, 4], (2, 2)), Buffer([10, 1], (2, 1)), out, 1)
    >>> out.tolist()
    [[12.0], [34.0]]
    """
    block = index(block)
    check(a, b, out, "matmul_in_blocks")
    check_block(block)
    add_up(a, b, out, steps_in_blocks(block, shape(a)[0], shape(b)[1], shape(a)[1]))
