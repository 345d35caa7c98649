"""Vector-Jacobian products of mul, exp and matmul as plain loops: the definition."""

from __future__ import annotations

from itertools import product
from typing import Any

from chapters.flat import rounded, shape, store, typecode, values

__all__ = ["exp_vjp", "matmul_vjp", "mul_vjp"]


def spread(x: Any, out_shape: tuple[int, ...]) -> list[Any]:
    """The elements of `x` repeated to a shape that it broadcasts to."""
    elements, sizes = values(x), shape(x)
    strides, step = [], 1
    for size in reversed(sizes):
        strides.append(0 if size == 1 else step)
        step *= size
    strides += [0] * (len(out_shape) - len(sizes))
    strides.reverse()
    return [
        elements[sum(i * s for i, s in zip(index, strides, strict=True))] for index in product(*map(range, out_shape))
    ]


def same_kind(name: str, **operands: Any) -> str:
    """The common element type of the operands.

    Raises
    ------
    TypeError
        When they differ or are not floating point.
    """
    codes = {word: typecode(x) for word, x in operands.items()}
    first = codes["grad"]
    for word, code in codes.items():
        if code not in "fd" or code != first:
            raise TypeError(f"{name}: grad is {NAMES[first]} but {word} is {NAMES[code]}; use one floating point type")
    return first


NAMES = {"f": "float32", "d": "float64", "q": "int64", "?": "bool"}


def same_shape(name: str, word: str, have: tuple[int, ...], want: tuple[int, ...], of: str) -> None:
    """Refuse an operand whose shape is not the one that `of` asks for."""
    if have != want:
        raise ValueError(f"{name}: {word} is {have} but {of} asks for {want}")


def fits(name: str, word: str, have: tuple[int, ...], grad: tuple[int, ...]) -> None:
    """Refuse an operand that does not broadcast to the gradient's shape."""
    tail = grad[len(grad) - len(have) :] if len(have) <= len(grad) else None
    if tail is None or any(size not in (1, wanted) for size, wanted in zip(have, tail, strict=True)):
        raise ValueError(f"{name}: {word} is {have} and does not broadcast to grad, which is {grad}")


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
    """
    code = same_kind("mul_vjp", grad=grad, x=x, y=y, grad_x=grad_x, grad_y=grad_y)
    for word, operand in (("x", x), ("y", y)):
        fits("mul_vjp", word, shape(operand), shape(grad))
    for word, target in (("grad_x", grad_x), ("grad_y", grad_y)):
        same_shape("mul_vjp", word, shape(target), shape(grad), "grad")
    upstream = values(grad)
    left, right = spread(x, shape(grad)), spread(y, shape(grad))
    store(grad_x, [rounded(g * v, code) for g, v in zip(upstream, right, strict=True)])
    store(grad_y, [rounded(g * v, code) for g, v in zip(upstream, left, strict=True)])


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
    """
    code = same_kind("exp_vjp", grad=grad, y=y, grad_x=grad_x)
    same_shape("exp_vjp", "y", shape(y), shape(grad), "grad")
    same_shape("exp_vjp", "grad_x", shape(grad_x), shape(grad), "grad")
    store(grad_x, [rounded(g * v, code) for g, v in zip(values(grad), values(y), strict=True)])


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
    Each sum runs in order and rounds after every step, so that every rung gives the same bits.
    """
    code = same_kind("matmul_vjp", grad=grad, a=a, b=b, grad_a=grad_a, grad_b=grad_b)
    for word, operand in (("grad", grad), ("a", a), ("b", b)):
        if len(shape(operand)) != 2:
            raise ValueError(f"matmul_vjp: {word} is {shape(operand)}; matrices have two axes")
    (m, n), k = shape(grad), shape(a)[1]
    same_shape("matmul_vjp", "a", shape(a), (m, k), "grad")
    same_shape("matmul_vjp", "b", shape(b), (k, n), "a and grad")
    same_shape("matmul_vjp", "grad_a", shape(grad_a), (m, k), "a")
    same_shape("matmul_vjp", "grad_b", shape(grad_b), (k, n), "b")
    upstream, left, right = values(grad), values(a), values(b)
    for_a, for_b = [0.0] * (m * k), [0.0] * (k * n)
    for i in range(m):
        for p in range(k):
            total = 0.0
            for j in range(n):
                total = rounded(total + rounded(upstream[i * n + j] * right[p * n + j], code), code)
            for_a[i * k + p] = total
    for i in range(m):
        for p in range(k):
            for j in range(n):
                step = rounded(left[i * k + p] * upstream[i * n + j], code)
                for_b[p * n + j] = rounded(for_b[p * n + j] + step, code)
    store(grad_a, for_a)
    store(grad_b, for_b)
