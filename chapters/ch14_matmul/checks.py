"""What a matrix product refuses, and in which words: one place, so that every rung raises the same error.

The twin tests the same things faster in C, and comes here only when something is wrong, to say what.
"""

from __future__ import annotations

from typing import Any

from chapters.flat import shape, typecode

__all__ = ["ORDERS", "batch_refusal", "check", "check_batch", "check_block", "check_order", "refusal"]

NAMES = {"f": "float32", "d": "float64", "q": "int64", "?": "bool"}

ORDERS = ("ijk", "ikj", "jik", "jki", "kij", "kji")
"""The six orders of three loops, the outermost first."""


def refusal(a: Any, b: Any, out: Any, name: str = "matmul") -> Exception | None:
    """The error for operands of which no product can be made, None where one can.

    Raises
    ------
    TypeError
        When an element type is none that kernels take.
    """
    error = type_refusal(a, b, out, name)
    if error is not None:
        return error
    for which, operand in (("a", a), ("b", b), ("out", out)):
        if len(shape(operand)) != 2:
            return ValueError(f"{name}: {which} is {shape(operand)}, with {len(shape(operand))} axes; it must have 2")
    (rows, inner), (depth, columns) = shape(a), shape(b)
    if inner != depth:
        return ValueError(f"{name}: a is {shape(a)} but b is {shape(b)}; inner sizes {inner} and {depth} differ")
    if shape(out) != (rows, columns):
        return ValueError(f"{name}: out is {shape(out)} but a {shape(a)} times b {shape(b)} is {(rows, columns)}")
    return None


def type_refusal(a: Any, b: Any, out: Any, name: str) -> Exception | None:
    """The error for element types that differ or are not taken, and for memory that cannot be used."""
    code = typecode(a)
    if code == "?":
        return TypeError(f"{name}: a is bool; {name} takes float32, float64, int64, so cast it with copy first")
    for which, operand in (("b", b), ("out", out)):
        if typecode(operand) != code:
            return TypeError(
                f"{name}: a is {NAMES[code]} but {which} is {NAMES[typecode(operand)]}; they must be alike"
            )
    for which, operand in (("a", a), ("b", b), ("out", out)):
        if not getattr(getattr(operand, "flags", None), "aligned", True):
            return ValueError(f"{name}: {which} is not aligned to its element size; pass a copy")
    if not getattr(getattr(out, "flags", None), "writeable", True):
        return ValueError(f"{name}: out is read-only; pass a writable array")
    return None


def batch_refusal(a: Any, b: Any, out: Any) -> Exception | None:
    """As `refusal`, for stacks of matrices."""
    error = type_refusal(a, b, out, "matmul_batch")
    if error is not None:
        return error
    for which, operand in (("a", a), ("b", b), ("out", out)):
        if len(shape(operand)) < 2:
            return ValueError(f"matmul_batch: {which} is {shape(operand)}; it must have at least 2 axes")
    (rows, inner), (depth, columns) = shape(a)[-2:], shape(b)[-2:]
    if inner != depth:
        return ValueError(f"matmul_batch: a is {shape(a)} but b is {shape(b)}; inner sizes {inner} and {depth} differ")
    batch = shape(out)[:-2]
    fits = shape(out)[-2:] == (rows, columns)
    for operand in (a, b):
        own = shape(operand)[:-2]
        fits = fits and len(own) <= len(batch)
        fits = fits and all(size in (1, to) for size, to in zip(own[::-1], batch[::-1], strict=False))
    if not fits:
        return ValueError(
            f"matmul_batch: out is {shape(out)} but a is {shape(a)} and b is {shape(b)}; the leading axes must "
            f"broadcast to those of out, and its matrices be {(rows, columns)}"
        )
    return None


def check_batch(a: Any, b: Any, out: Any) -> None:
    """Raise the `batch_refusal` of these operands, if there is one."""
    error = batch_refusal(a, b, out)
    if error is not None:
        raise error


def check(a: Any, b: Any, out: Any, name: str = "matmul") -> None:
    """Raise the `refusal` of these operands, if there is one."""
    error = refusal(a, b, out, name)
    if error is not None:
        raise error


def check_order(order: str) -> None:
    """Refuse what is no order of the three loops."""
    if order not in ORDERS:
        raise ValueError(f"matmul_in_order: order is {order!r}; choose from {', '.join(ORDERS)}")


def check_block(block: int) -> None:
    """Refuse a block without room."""
    if block < 1:
        raise ValueError(f"matmul_in_blocks: block is {block}; it must be at least 1")
