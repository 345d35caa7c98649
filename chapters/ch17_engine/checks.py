"""What the engine's kernels refuse, and in which words: one place for every rung."""

from __future__ import annotations

from typing import Any

from chapters.ch15_graph.checks import check_index, check_vector
from chapters.flat import shape, typecode, values

__all__ = ["check_accumulate", "check_tape", "check_unbroadcast"]

NAMES = {"f": "float32", "d": "float64", "q": "int64", "?": "bool"}
LEAF, ADD, MUL, EXP = range(4)


def check_types(op: str, **operands: Any) -> None:
    """Raise unless all operands are of one floating point type.

    Raises
    ------
    TypeError
        When they are not.
    """
    first, code = next((name, typecode(operand)) for name, operand in operands.items())
    for name, operand in operands.items():
        found = typecode(operand)
        if found not in "fd" or found != code:
            raise TypeError(
                f"{op}: {first} is {NAMES[code]} and {name} is {NAMES[found]}; all must be float32 or all float64"
            )


def check_unbroadcast(grad: Any, out: Any) -> None:
    """Raise for what `unbroadcast_gradient` does not take.

    Raises
    ------
    TypeError, ValueError
        As `unbroadcast_gradient`.
    """
    check_types("unbroadcast_gradient", grad=grad, out=out)
    full, own = shape(grad), shape(out)
    lead = len(full) - len(own)
    if lead < 0 or any(size not in (1, wide) for size, wide in zip(own, full[lead:], strict=True)):
        raise ValueError(f"unbroadcast_gradient: cannot reduce {full} to {own}")


def check_accumulate(total: Any, incoming: Any, out: Any) -> None:
    """Raise for what `accumulate_gradient` does not take.

    Raises
    ------
    TypeError, ValueError
        As `accumulate_gradient`.
    """
    check_types("accumulate_gradient", total=total, incoming=incoming, out=out)
    for name, operand in (("incoming", incoming), ("out", out)):
        if shape(operand) != shape(total):
            raise ValueError(f"accumulate_gradient: total is {shape(total)} but {name} is {shape(operand)}")


def check_tape(op: Any, left: Any, right: Any, value: Any, root: int, grad: Any) -> int:
    """Raise for what `traverse` does not take.

    Returns
    -------
    int
        How many entries the tape has.

    Raises
    ------
    TypeError, ValueError
        As `traverse`.
    """
    check_vector("traverse", "op", op, "q")
    size = len(op)
    for name, operand, code in (
        ("left", left, "q"),
        ("right", right, "q"),
        ("value", value, "d"),
        ("grad", grad, "d"),
    ):
        check_vector("traverse", name, operand, code, size)
    check_index("traverse", "root", root, size)
    for k, (made, first, second) in enumerate(zip(values(op), values(left), values(right), strict=True)):
        if not LEAF <= made <= EXP:
            raise ValueError(f"traverse: op[{k}] is {made}; it must be {LEAF}, {ADD}, {MUL} or {EXP}")
        if made != LEAF and not 0 <= first < k:
            raise ValueError(f"traverse: left[{k}] is {first}; an input must be an earlier entry, 0 to {k - 1}")
        if made in (ADD, MUL) and not 0 <= second < k:
            raise ValueError(f"traverse: right[{k}] is {second}; an input must be an earlier entry, 0 to {k - 1}")
    return size
