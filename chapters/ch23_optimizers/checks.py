"""What a step refuses, and in which words: one place, so that every rung raises the same error."""

from __future__ import annotations

from typing import Any

from chapters.flat import NAMES, shape, typecode

__all__ = ["check"]


def check(name: str, **operands: Any) -> str:
    """Raise for operands that a step does not take; gives their type code.

    Parameters
    ----------
    name : str
        The kernel's name, which every error begins with.
    **operands : arrays or flat sequences
        The operands by parameter name, `param` first; all but `grad` are written.

    Raises
    ------
    TypeError
        When `param` is not floating point, or an element type differs from its.
    ValueError
        When a shape differs from that of `param`, or memory cannot be used.
    """
    param = operands["param"]
    code, sizes = typecode(param), shape(param)
    if code not in "fd":
        raise TypeError(f"{name}: param is {NAMES[code]}; {name} takes float32, float64, so cast it with copy first")
    for which, operand in operands.items():
        if typecode(operand) != code:
            raise TypeError(
                f"{name}: param is {NAMES[code]} but {which} is {NAMES[typecode(operand)]}; they must be alike"
            )
        if shape(operand) != sizes:
            raise ValueError(f"{name}: {which} is {shape(operand)} but param is {sizes}; their shapes must be equal")
        if not getattr(getattr(operand, "flags", None), "aligned", True):
            raise ValueError(f"{name}: {which} is not aligned to its element size; pass a copy")
        if which != "grad" and not getattr(getattr(operand, "flags", None), "writeable", True):
            raise ValueError(f"{name}: {which} is read-only; pass a writable array")
    return code
