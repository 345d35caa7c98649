"""What the normalizing kernels refuse beside what chapter 12's `checks` do: one place, the same words on every rung."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chapters.flat import shape

__all__ = ["check_rows"]


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
