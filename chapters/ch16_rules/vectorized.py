"""Rung 2: the vector-Jacobian products of mul, exp and matmul in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters.ch16_rules.checks import check_exp, check_matmul, check_mul

__all__ = ["exp_vjp", "matmul_vjp", "mul_vjp"]

Array = np.ndarray[Any, Any]


def mul_vjp(grad: Array, x: Array, y: Array, grad_x: Array, grad_y: Array) -> None:
    """grad_x = grad * y and grad_y = grad * x, operands broadcast to the shape of grad."""
    check_mul(grad, x, y, grad_x, grad_y)
    with np.errstate(all="ignore"):
        # [mul-vjp-loop]
        np.multiply(grad, y, out=grad_x)
        np.multiply(grad, x, out=grad_y)
        # [/mul-vjp-loop]


def exp_vjp(grad: Array, y: Array, grad_x: Array) -> None:
    """grad_x = grad * y, where y = exp(x) is the saved result."""
    check_exp(grad, y, grad_x)
    with np.errstate(all="ignore"):
        np.multiply(grad, y, out=grad_x)


def matmul_vjp(grad: Array, a: Array, b: Array, grad_a: Array, grad_b: Array) -> None:
    """grad_a = grad @ b.T and grad_b = a.T @ grad for c = a @ b."""
    check_matmul(grad, a, b, grad_a, grad_b)
    with np.errstate(all="ignore"):
        # [matmul-vjp-loop]
        np.matmul(grad, b.T, out=grad_a)
        np.matmul(a.T, grad, out=grad_b)
        # [/matmul-vjp-loop]
