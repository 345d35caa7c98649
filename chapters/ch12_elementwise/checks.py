"""What the doors of this chapter refuse, and in which words: one place, so that every rung raises the same error.

A reference checks before it computes. The NumPy rung and the twin test the same things faster in C, and come here only
when something is wrong, to say what.
"""

from __future__ import annotations

from typing import Any

from chapters.flat import NAMES, shape, typecode

__all__ = ["check", "check_arrays", "check_value"]


def check(op: str, accepts: str, result: str, **operands: Any) -> str:
    """Raise for operands that an elementwise kernel does not take.

    Parameters
    ----------
    op : str
        The kernel's name, which every error begins with.
    accepts : str
        Type codes that the kernel takes, such as ``"fd"``.
    result : str
        The type code that `out` must have; empty where it is that of the operands, ``"any"`` where every one will do.
    **operands : arrays or flat sequences
        The operands by parameter name, the last one being `out`. One named ``condition`` must be bool.

    Returns
    -------
    str
        The operands' type code.

    Raises
    ------
    TypeError
        When an element type is not taken, or two operands differ in it.
    ValueError
        When an operand does not broadcast to `out`, or `out` cannot be written.
    """
    first = code = ""
    for name, operand in operands.items():
        found = typecode(operand)
        if name == "condition":
            if found != "?":
                raise TypeError(f"{op}: condition is {NAMES[found]}; it must be bool")
        elif name == "out":
            wanted = found if result == "any" else result or code or found
            if found != wanted:
                raise TypeError(
                    f"{op}: {first or 'the result'} is {NAMES[code]} but out is {NAMES[found]}; "
                    f"out must be {NAMES[wanted]}"
                )
            code = code or found
        elif not first:
            first, code = name, found
            if code not in accepts:
                taken = ", ".join(NAMES[each] for each in accepts)
                raise TypeError(f"{op}: {name} is {NAMES[code]}; {op} takes {taken}, so cast it with copy first")
        elif found != code:
            raise TypeError(f"{op}: {first} is {NAMES[code]} but {name} is {NAMES[found]}; cast one with copy first")
    target = shape(operands["out"])
    for name, operand in operands.items():
        if not getattr(getattr(operand, "flags", None), "aligned", True):
            raise ValueError(f"{op}: {name} is not aligned to its element size; pass a copy")
        sizes = shape(operand)
        lead = len(target) - len(sizes)
        if lead < 0 or any(own not in (1, to) for own, to in zip(sizes, target[lead:], strict=True)):
            raise ValueError(
                f"{op}: {name} is {sizes} but out is {target}; "
                f"from the right, every size of {name} must be 1 or that of out"
            )
    if not getattr(getattr(operands["out"], "flags", None), "writeable", True):
        raise ValueError(f"{op}: out is read-only; pass a writable array")
    return code


def check_value(op: str, code: str, value: float) -> float | int | bool:
    """A Python number as an element of a type: int64 truncates toward zero, bool asks whether it is not zero.

    Raises
    ------
    OverflowError
        When an int64 cannot hold it.
    """
    if code == "?":
        return value != 0
    if code != "q":
        return float(value)
    if not -(2**63) <= value < 2**63:
        raise OverflowError(f"{op}: {value} does not fit int64")
    return int(value)


def check_arrays(op: str, accepts: str, result: str, **operands: Any) -> str:
    """As `check`, for the rungs that take NumPy arrays alone.

    Raises
    ------
    TypeError
        Also when an operand is not a NumPy array; NumPy's scalars are none.
    ValueError
        As `check`.
    """
    for name, operand in operands.items():
        if not (hasattr(operand, "dtype") and hasattr(operand, "__setitem__")):
            raise TypeError(f"{op}: {name} is a {type(operand).__name__}; this rung takes NumPy arrays")
    return check(op, accepts, result, **operands)
