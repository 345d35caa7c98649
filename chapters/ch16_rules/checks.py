"""What the vjp kernels refuse, and in which words: one place for every rung."""

from __future__ import annotations

from typing import Any

from chapters.flat import shape, typecode

__all__ = ["check_exp", "check_matmul", "check_mul"]

NAMES = {"f": "float32", "d": "float64", "q": "int64", "?": "bool"}


def check_types(op: str, **operands: Any) -> None:
    """Raise unless all operands are of one floating point type.

    Raises
    ------
    TypeError
        When they are not.
    """
    code = typecode(operands["grad"])
    for name, operand in operands.items():
        found = typecode(operand)
        if found not in "fd" or found != code:
            raise TypeError(
                f"{op}: grad is {NAMES[code]} and {name} is {NAMES[found]}; all must be float32 or all float64"
            )


def check_shape(op: str, name: str, operand: Any, wanted: tuple[int, ...], of: str) -> None:
    """Raise unless an operand has the shape that another one asks for.

    Raises
    ------
    ValueError
        When it has not.
    """
    if shape(operand) != wanted:
        raise ValueError(f"{op}: {name} is {shape(operand)} but {of} asks for {wanted}")


def check_mul(grad: Any, x: Any, y: Any, grad_x: Any, grad_y: Any) -> None:
    """Raise for what `mul_vjp` does not take.

    Raises
    ------
    TypeError, ValueError
        As `mul_vjp`.
    """
    check_types("mul_vjp", grad=grad, x=x, y=y, grad_x=grad_x, grad_y=grad_y)
    full = shape(grad)
    for name, operand in (("x", x), ("y", y)):
        own = shape(operand)
        lead = len(full) - len(own)
        if lead < 0 or any(size not in (1, wanted) for size, wanted in zip(own, full[lead:], strict=True)):
            raise ValueError(f"mul_vjp: {name} is {own} but grad is {full}; each size must be 1 or grad's")
    check_shape("mul_vjp", "grad_x", grad_x, full, "grad")
    check_shape("mul_vjp", "grad_y", grad_y, full, "grad")


def check_exp(grad: Any, y: Any, grad_x: Any) -> None:
    """Raise for what `exp_vjp` does not take.

    Raises
    ------
    TypeError, ValueError
        As `exp_vjp`.
    """
    check_types("exp_vjp", grad=grad, y=y, grad_x=grad_x)
    check_shape("exp_vjp", "y", y, shape(grad), "grad")
    check_shape("exp_vjp", "grad_x", grad_x, shape(grad), "grad")


def check_matmul(grad: Any, a: Any, b: Any, grad_a: Any, grad_b: Any) -> None:
    """Raise for what `matmul_vjp` does not take.

    Raises
    ------
    TypeError, ValueError
        As `matmul_vjp`.
    """
    check_types("matmul_vjp", grad=grad, a=a, b=b, grad_a=grad_a, grad_b=grad_b)
    for name, operand in (("grad", grad), ("a", a), ("b", b)):
        if len(shape(operand)) != 2:
            raise ValueError(f"matmul_vjp: {name} is {shape(operand)}; a matrix has two axes")
    (m, n), k = shape(grad), shape(a)[1]
    check_shape("matmul_vjp", "a", a, (m, k), "grad")
    check_shape("matmul_vjp", "b", b, (k, n), "a and grad")
    check_shape("matmul_vjp", "grad_a", grad_a, (m, k), "a")
    check_shape("matmul_vjp", "grad_b", grad_b, (k, n), "b")
