"""Vector-Jacobian products of mul, exp and matmul as plain loops: the definition."""

from __future__ import annotations

from itertools import product
from typing import Any

from chapters.ch07_broadcasting.spec import BroadcastSpec
from chapters.ch16_rules.checks import check_exp, check_matmul, check_mul
from chapters.flat import rounded, shape, store, typecode, values

__all__ = ["exp_vjp", "matmul_vjp", "mul_vjp"]


def spread(x: Any, target: tuple[int, ...]) -> list[Any]:
    """The elements of `x`, repeated to fill a shape."""
    elements, strides = values(x), BroadcastSpec(shape(x), target).strides
    indices = product(*(range(size) for size in target))
    return [elements[sum(i * s for i, s in zip(index, strides, strict=True))] for index in indices]


# [mul-vjp]
def mul_vjp(grad: Any, x: Any, y: Any, grad_x: Any, grad_y: Any) -> None:
    """grad_x = grad * y and grad_y = grad * x, operands broadcast to the shape of grad.

    Parameters
    ----------
    grad : (…)
        Gradient of the product.
    x, y
        The operands; each broadcasts to the shape of `grad`.
    grad_x, grad_y
        Written; both have the shape of `grad`, also where an operand is smaller.

    Raises
    ------
    ValueError
        When shapes do not fit.
    TypeError
        When element types differ or are not floating point.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> grad_x, grad_y = Buffer.full(0, (2,)), Buffer.full(0, (2,))
    >>> mul_vjp(Buffer([1, 10]), Buffer([3, 3]), Buffer([4, 4]), grad_x, grad_y)
    >>> grad_x.tolist(), grad_y.tolist()
    ([4.0, 40.0], [3.0, 30.0])
    """
    check_mul(grad, x, y, grad_x, grad_y)
    # [mul-vjp-loop]
    code = typecode(grad)
    upstream = values(grad)
    left, right = spread(x, shape(grad)), spread(y, shape(grad))
    store(grad_x, [rounded(g * v, code) for g, v in zip(upstream, right, strict=True)])
    store(grad_y, [rounded(g * v, code) for g, v in zip(upstream, left, strict=True)])
    # [/mul-vjp-loop]


# [/mul-vjp]


# [exp-vjp]
def exp_vjp(grad: Any, y: Any, grad_x: Any) -> None:
    """grad_x = grad * y, where y = exp(x) is the saved result.

    Parameters
    ----------
    grad, y
        Gradient of the result and the result; one shape.
    grad_x
        Written; the same shape.

    Raises
    ------
    ValueError
        When shapes differ.
    TypeError
        When element types differ or are not floating point.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> grad_x = Buffer.full(0, (2,))
    >>> exp_vjp(Buffer([1, 10]), Buffer([7, 7]), grad_x)
    >>> grad_x.tolist()
    [7.0, 70.0]
    """
    check_exp(grad, y, grad_x)
    code = typecode(grad)
    store(grad_x, [rounded(g * v, code) for g, v in zip(values(grad), values(y), strict=True)])


# [/exp-vjp]


# [matmul-vjp]
def matmul_vjp(grad: Any, a: Any, b: Any, grad_a: Any, grad_b: Any) -> None:
    """grad_a = grad @ b.T and grad_b = a.T @ grad for c = a @ b.

    Parameters
    ----------
    grad : (M, N)
        Gradient of the product.
    a : (M, K)
    b : (K, N)
    grad_a : (M, K)
        Written.
    grad_b : (K, N)
        Written.

    Raises
    ------
    ValueError
        When shapes do not fit.
    TypeError
        When element types differ or are not floating point.

    Notes
    -----
    Sums over j for `grad_a` and over i for `grad_b` run in order and round after every step, here and in the twin.
    The NumPy rung adds in its BLAS's order: it is within ``(N + 2) * eps * (abs(grad) @ abs(b.T))`` and
    ``(M + 2) * eps * (abs(a.T) @ abs(grad))`` of the exact sums.

    Examples
    --------
    >>> from chapters.flat import Buffer
    >>> a, b = Buffer([1, 2], (1, 2)), Buffer([3, 4], (2, 1))
    >>> grad_a, grad_b = Buffer.full(0, (1, 2)), Buffer.full(0, (2, 1))
    >>> matmul_vjp(Buffer([10], (1, 1)), a, b, grad_a, grad_b)
    >>> grad_a.tolist(), grad_b.tolist()
    ([[30.0, 40.0]], [[10.0], [20.0]])
    """
    check_matmul(grad, a, b, grad_a, grad_b)
    code = typecode(grad)
    (m, n), k = shape(grad), shape(a)[1]
    upstream, left, right = values(grad), values(a), values(b)
    for_a, for_b = [0.0] * (m * k), [0.0] * (k * n)
    # [matmul-vjp-loop]
    for i in range(m):
        for j in range(n):
            for p in range(k):
                term = rounded(upstream[i * n + j] * right[p * n + j], code)
                for_a[i * k + p] = rounded(for_a[i * k + p] + term, code)
        for p in range(k):
            for j in range(n):
                term = rounded(left[i * k + p] * upstream[i * n + j], code)
                for_b[p * n + j] = rounded(for_b[p * n + j] + term, code)
    # [/matmul-vjp-loop]
    store(grad_a, for_a)
    store(grad_b, for_b)


# [/matmul-vjp]
