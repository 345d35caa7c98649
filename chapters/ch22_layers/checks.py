"""What the kernels over rows refuse beside what chapter 12's `checks` do: one place, the same words on every rung."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chapters.flat import NAMES, shape, typecode, values

__all__ = ["check_rows", "check_scores"]


def check_rows(check: Callable[..., str], op: str, written: bool, **operands: Any) -> str:
    """Raise for operands that do not divide into rows, one for each element of `mean`; gives the type code.

    Parameters
    ----------
    check : callable
        Chapter 12's `check` or `check_arrays`.
    op : str
        The kernel's name.
    written : bool
        Whether `mean` and `var` are results as well.
    **operands : arrays or flat sequences
        The operands by parameter name, the last one being `out`.

    Raises
    ------
    TypeError, ValueError
        As `check`; and when `x` or `g` has not the shape of `out`, or `mean` and `var` have not its number of axes.
    """
    code = check(op, "fd", "", **operands)
    target = shape(operands["out"])
    for name in ("g", "x"):
        if name in operands and shape(operands[name]) != target:
            raise ValueError(f"{op}: {name} is {shape(operands[name])} but out is {target}; their shapes must be equal")
    mean, var = shape(operands["mean"]), shape(operands["var"])
    if len(mean) != len(target) or mean != var:
        raise ValueError(
            f"{op}: mean is {mean} and var is {var} but out is {target}; both must have the size of out, or 1, along "
            "every axis"
        )
    for name in ("mean", "var") if written else ():
        if not getattr(getattr(operands[name], "flags", None), "writeable", True):
            raise ValueError(f"{op}: {name} is read-only; pass a writable array")
    return code


def check_scores(op: str, x: Any, target: Any, level: Any, out: Any, g: Any = None) -> None:
    """Raise for operands that `cross_entropy` or its gradient does not take.

    Parameters
    ----------
    op : str
        The kernel's name, which every error begins with.
    x : float32 or float64, of shape (..., C)
        The scores of C classes.
    target : int64, of shape (...)
        The right class of each row; a negative one for a row that does not count.
    level : of the type of `x`, of shape (..., 2)
        What the forward kernel leaves for the backward one.
    out : of the type of `x`
        Of shape (...), or with `g` that of `x`.
    g : of the type of `x`, of shape (...), optional
        The gradient of each row's loss.

    Raises
    ------
    TypeError
        When an element type is another.
    ValueError
        When a shape is another, or something cannot be read or written.
    IndexError
        When a target is none of the classes.
    """
    code, full = typecode(x), shape(x)
    if code not in "fd":
        raise TypeError(f"{op}: x is {NAMES[code]}; {op} takes float32, float64, so cast it with copy first")
    if not full:
        raise ValueError(f"{op}: x is (); it needs an axis of classes")
    rows = full[:-1]
    expected = {
        "target": (target, "q", rows),
        "level": (level, code, (*rows, 2)),
        "out": (out, code, rows if g is None else full),
    }
    if g is not None:
        expected["g"] = (g, code, rows)
    for name, (operand, kind, sizes) in expected.items():
        if typecode(operand) != kind:
            raise TypeError(f"{op}: {name} is {NAMES[typecode(operand)]}; it must be {NAMES[kind]}")
        if shape(operand) != sizes:
            raise ValueError(f"{op}: x is {full} but {name} is {shape(operand)}; it must be {sizes}")
    for name, operand in {"x": x, "target": target, "level": level, "out": out, "g": g}.items():
        if not getattr(getattr(operand, "flags", None), "aligned", True):
            raise ValueError(f"{op}: {name} is not aligned to its element size; pass a copy")
    written = {"out": out, "level": level} if g is None else {"out": out}
    for name, operand in written.items():
        if not getattr(getattr(operand, "flags", None), "writeable", True):
            raise ValueError(f"{op}: {name} is read-only; pass a writable array")
    largest = target.max(initial=-1) if hasattr(target, "max") else max(values(target), default=-1)
    if largest >= full[-1]:
        raise IndexError(f"{op}: a target is {largest}, but there are {full[-1]} classes, from 0")
