"""What a reduction refuses, and in which words: one place, so that every rung raises the same error.

A twin tests the same things faster in C, and comes here only when something is wrong, to say what.
"""

from __future__ import annotations

from typing import Any

from chapters.flat import shape, typecode

__all__ = ["check", "check_rows", "check_scan", "reduced_axes", "refusal", "row_refusal", "scan_refusal"]

NAMES = {"f": "float32", "d": "float64", "q": "int64", "?": "bool"}


def refusal(name: str, x: Any, out: Any) -> Exception | None:
    """The error for operands that a reduction does not take, None for those it takes.

    Parameters
    ----------
    name : {"sum", "mean", "max", "min", "argmax", "all", "any", "prod", "var", "norm"}
        The reduction, whose name the error begins with.
    x, out : arrays or flat sequences
        What is reduced, and where the result goes.

    Raises
    ------
    TypeError
        When an element type is none that kernels take.
    """
    given, target = typecode(x), typecode(out)
    if name in ("mean", "var", "norm") and given not in "fd":
        return TypeError(f"{name}: x is {NAMES[given]}; cast it to float32 or float64 first")
    if name in ("all", "any"):
        expected = "?"
    else:
        expected = "q" if name == "argmax" or (name in ("sum", "prod") and given == "?") else given
    if target != expected:
        return TypeError(f"{name}: x is {NAMES[given]} but out is {NAMES[target]}; out must be {NAMES[expected]}")
    error = memory_refusal(name, x=x, out=out)
    if error is not None:
        return error
    full, kept = shape(x), shape(out)
    missing = len(full) - len(kept)
    if missing < 0 or any(size not in (full[missing + axis], 1) for axis, size in enumerate(kept)):
        return ValueError(
            f"{name}: x is {full} but out is {kept}; from the right, every size of out must be that of x or 1"
        )
    if name in ("max", "min", "argmax") and 0 in full and 0 not in kept:
        return ValueError(f"{name}: x is {full} and out {kept}; there is no {name} of no elements")
    return None


def memory_refusal(name: str, **operands: Any) -> Exception | None:
    """The error for an operand that is not aligned, or an `out` that cannot be written; None where all is well."""
    for operand, array in operands.items():
        if not getattr(getattr(array, "flags", None), "aligned", True):
            return ValueError(f"{name}: {operand} is not aligned to its element size; pass a copy")
    if not getattr(getattr(operands["out"], "flags", None), "writeable", True):
        return ValueError(f"{name}: out is read-only; pass a writable array")
    return None


def row_refusal(name: str, **operands: Any) -> Exception | None:
    """The error for operands that a kernel of the softmax family does not take, None for those it takes.

    Parameters
    ----------
    name : str
        The kernel, whose name the error begins with.
    **operands : arrays or flat sequences
        The operands by parameter name, the last one being `out`.

    Raises
    ------
    TypeError
        When an element type is none that kernels take.
    """
    first = next(iter(operands))
    code, full = typecode(operands[first]), shape(operands[first])
    if code not in "fd":
        return TypeError(f"{name}: {first} is {NAMES[code]}; cast it to float32 or float64 first")
    if not full:
        return ValueError(f"{name}: {first} is (); it needs at least one axis")
    for operand, array in operands.items():
        if typecode(array) != code:
            return TypeError(f"{name}: {first} is {NAMES[code]} but {operand} is {NAMES[typecode(array)]}")
        expected = (*full[:-1], 1) if name == "logsumexp" and operand == "out" else full
        if shape(array) != expected:
            return ValueError(f"{name}: {first} is {full} but {operand} is {shape(array)}; it must be {expected}")
    return memory_refusal(name, **operands)


def scan_refusal(name: str, x: Any, out: Any) -> Exception | None:
    """The error for operands that a running total does not take, None for those it takes.

    Raises
    ------
    TypeError
        When an element type is none that kernels take.
    """
    given, target = typecode(x), typecode(out)
    if given == "?":
        return TypeError(f"{name}: x is bool; cast it to int64 first")
    if target != given:
        return TypeError(f"{name}: x is {NAMES[given]} but out is {NAMES[target]}; out must be {NAMES[given]}")
    if not shape(x):
        return ValueError(f"{name}: x is (); it needs at least one axis")
    if shape(out) != shape(x):
        return ValueError(f"{name}: x is {shape(x)} but out is {shape(out)}; it must be {shape(x)}")
    return memory_refusal(name, x=x, out=out)


def check_scan(name: str, x: Any, out: Any) -> None:
    """Raise the `scan_refusal` of these operands, if there is one."""
    error = scan_refusal(name, x, out)
    if error is not None:
        raise error


def check_rows(name: str, **operands: Any) -> None:
    """Raise the `row_refusal` of these operands, if there is one."""
    error = row_refusal(name, **operands)
    if error is not None:
        raise error


def check(name: str, x: Any, out: Any) -> None:
    """Raise the `refusal` of these operands, if there is one."""
    error = refusal(name, x, out)
    if error is not None:
        raise error


def reduced_axes(x: Any, out: Any) -> tuple[int, ...]:
    """The axes of `x` that are reduced to give the shape of `out`."""
    full, kept = shape(x), shape(out)
    missing = len(full) - len(kept)
    return tuple(a for a, size in enumerate(full) if a < missing or (kept[a - missing] == 1 and size != 1))
