"""Rung 1, the definition of matrix multiplication: three loops, each element of the product added up in order of k."""

from __future__ import annotations

from typing import Any

from chapters.ch14_matmul.checks import check
from chapters.flat import rounded, shape, store, typecode, values
from chapters.ieee import wrap_int64

__all__ = ["matmul"]


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
