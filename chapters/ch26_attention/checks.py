"""What attention refuses, and in which words: one place, so that every rung raises the same error.

The twin tests the same things faster in C, and comes here only when something is wrong, to say what.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chapters.flat import NAMES, shape, typecode

__all__ = ["check", "errors"]


def errors(
    name: str, query: Any, key: Any, value: Any, mask: Any, out: Any, totals: Any, **gradients: Any
) -> Iterator[Exception]:
    """Why these operands do not fit; nothing where they do. `gradients` are `g` and those of query, key and value."""
    operands = {"query": query, "key": key, "value": value, "out": out, "totals": totals, **gradients}
    code = typecode(query)
    if code not in "fd":
        yield TypeError(f"{name}: query is {NAMES[code]}; {name} takes float32, float64, so cast it with copy first")
    for which, operand in operands.items():
        if typecode(operand) != code:
            yield TypeError(
                f"{name}: query is {NAMES[code]} but {which} is {NAMES[typecode(operand)]}; they must be alike"
            )
    if mask is not None and typecode(mask) not in ("?", code):
        yield TypeError(f"{name}: mask is {NAMES[typecode(mask)]}; it must be bool or {NAMES[code]}")
    written = ("query_gradient", "key_gradient", "value_gradient") if gradients else ("out", "totals")
    for which, operand in operands.items() if mask is None else [*operands.items(), ("mask", mask)]:
        if not getattr(getattr(operand, "flags", None), "aligned", True):
            yield ValueError(f"{name}: {which} is not aligned to its element size; pass a copy")
        if which in written and not getattr(getattr(operand, "flags", None), "writeable", True):
            yield ValueError(f"{name}: {which} is read-only; pass a writable array")
    for which in ("query", "key", "value", "out"):
        if len(shape(operands[which])) < 2:
            yield ValueError(f"{name}: {which} is {shape(operands[which])}; it must have at least 2 axes")
    batch = shape(out)[:-2]
    (rows, size), (keys, wide) = shape(query)[-2:], shape(value)[-2:]
    wanted: dict[str, tuple[int, ...]] = {
        "query": (rows, size),
        "key": (keys, size),
        "value": (keys, wide),
        "mask": (rows, keys),
    }
    for which, matrix in wanted.items():
        operand = mask if which == "mask" else operands[which]
        if operand is not None and not fits(shape(operand), matrix, batch, exactly=which != "mask"):
            yield ValueError(
                f"{name}: {which} is {shape(operand)} but its matrices must be {matrix} and its leading axes broadcast "
                f"to {batch}, by query {shape(query)}, value {shape(value)} and out {shape(out)}"
            )
    whole: dict[str, tuple[int, ...]] = {"out": (*batch, rows, wide), "totals": (*batch, rows, 2)}
    if gradients:
        whole |= {
            "g": (*batch, rows, wide),
            "query_gradient": (*batch, rows, size),
            "key_gradient": (*batch, keys, size),
            "value_gradient": (*batch, keys, wide),
        }
    for which, full in whole.items():
        if shape(operands[which]) != full:
            yield ValueError(
                f"{name}: {which} is {shape(operands[which])}; it must be {full} for query {shape(query)}, value "
                f"{shape(value)} and leading axes {batch}"
            )


def fits(found: tuple[int, ...], matrix: tuple[int, ...], batch: tuple[int, ...], exactly: bool) -> bool:
    """Whether matrices stand on the last two axes, which may repeat unless `exactly`, and the others broadcast."""
    ends = found[-2:] == matrix if exactly else broadcasts(found[-2:], matrix)
    return ends and broadcasts(found[:-2], batch)


def broadcasts(found: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether a shape broadcasts to another."""
    if len(found) > len(to):
        return False
    return all(size in (1, want) for size, want in zip(found[::-1], to[::-1], strict=False))


def check(found: Iterator[Exception]) -> None:
    """Raise the first error, if there is one."""
    for error in found:
        raise error
