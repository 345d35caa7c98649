"""What convolutions and pools refuse, and in which words: one place, so that every rung raises the same error.

The twin tests the same things faster in C, and comes here only when something is wrong, to say what.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from chapters.flat import NAMES, shape, typecode, values

__all__ = ["check", "column_errors", "convolution_errors", "place_errors", "pool_errors"]

Pair = Sequence[int]

OPERANDS = {
    "conv2d": ("x", "weight", "out"),
    "conv2d_input_vjp": ("out", "weight", "g"),
    "conv2d_weight_vjp": ("x", "out", "g"),
    "unfold2d": ("x", "out"),
    "fold2d": ("out", "columns"),
    "max_pool2d": ("x", "out"),
    "avg_pool2d": ("x", "out"),
    "avg_pool2d_vjp": ("out", "g"),
}
"""By kernel, the parameters that are the image, the weights if there are any, and what becomes of the image."""


def check(errors: Iterator[Exception]) -> None:
    """Raise the first of these errors, if there is one."""
    for error in errors:
        raise error


def convolution_errors(
    name: str, image: Any, weight: Any, result: Any, bias: Any, steps: Sequence[Pair], groups: int
) -> Iterator[Exception]:
    """Why there is no convolution between these operands; nothing where there is.

    Parameters
    ----------
    name : str
        The kernel, whose name each error begins with.
    image, weight, result : arrays or flat sequences
        Of shapes (N, C, H, W), (F, C / groups, kernel height, kernel width) and (N, F, rows, columns).
    bias : array or flat sequence of shape (F,), or None
        What is added.
    steps : (stride, padding, dilation)
        A pair of integers each, for the vertical and the horizontal axis.
    groups : int
        Into how many groups the channels fall.
    """
    x, w, y = OPERANDS[name]
    operands = {x: image, w: weight, y: result}
    yield from memory_errors(name, "fdq", operands if bias is None else {**operands, "bias": bias})
    yield from axes_errors(name, operands, 4)
    yield from steps_errors(name, steps)
    (samples, channels), (filters, depth) = shape(image)[:2], shape(weight)[:2]
    if groups < 1 or filters % groups:
        yield ValueError(f"{name}: groups is {groups}; it must be positive and divide the {filters} filters")
    if channels != depth * groups:
        yield ValueError(f"{name}: {x} has {channels} channels, but {groups} groups of {depth} are {depth * groups}")
    if shape(result)[:2] != (samples, filters):
        yield ValueError(f"{name}: {y} is {shape(result)}; it must begin with {samples} samples, {filters} filters")
    if bias is not None and shape(bias) != (filters,):
        yield ValueError(f"{name}: bias is {shape(bias)}; it must be {(filters,)}")


def column_errors(name: str, image: Any, columns: Any, steps: Sequence[Pair]) -> Iterator[Exception]:
    """Why an image of four axes and its windows of six do not fit; nothing where they do."""
    x, y = OPERANDS[name]
    yield from memory_errors(name, "fdq", {x: image, y: columns})
    yield from axes_errors(name, {x: image}, 4)
    yield from axes_errors(name, {y: columns}, 6)
    yield from steps_errors(name, steps)
    yield from pair_errors(name, x, image, y, columns)


def pool_errors(name: str, image: Any, result: Any, indices: Any, rows: Any, columns: Any) -> Iterator[Exception]:
    """Why an image, its pool, the places chosen (or None) and the windows do not fit; nothing where they do."""
    x, y = OPERANDS[name]
    yield from memory_errors(name, "fd" if indices is None else "fdq", {x: image, y: result})
    yield from axes_errors(name, {x: image, y: result}, 4)
    yield from pair_errors(name, x, image, y, result)
    if indices is not None:
        yield from index_errors(name, y, result, indices)
    for axis, which, windows in ((2, "rows", rows), (3, "columns", columns)):
        wanted = (shape(result)[axis], 3)
        if typecode(windows) != "q" or shape(windows) != wanted:
            yield TypeError(
                f"{name}: {which} is {NAMES[typecode(windows)]} {shape(windows)}; it must be int64 {wanted}, a window "
                f"for each of {y}"
            )
        numbers = values(windows)
        for start, stop, third in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
            if start < 0 or stop > shape(image)[axis] or third < 1:
                yield ValueError(
                    f"{name}: {which} has the window {(start, stop, third)}; it must lie in 0 to {shape(image)[axis]}, "
                    "and its third number must be positive"
                )


def place_errors(name: str, g: Any, indices: Any, out: Any) -> Iterator[Exception]:
    """Why a gradient, places and the array they are places of do not fit; nothing where they do."""
    yield from memory_errors(name, "fd", {"g": g, "out": out})
    yield from axes_errors(name, {"g": g, "out": out}, 4)
    yield from pair_errors(name, "g", g, "out", out)
    yield from index_errors(name, "g", g, indices)


def index_errors(name: str, which: str, operand: Any, indices: Any) -> Iterator[Exception]:
    """Why indices do not name a place for each element of an operand."""
    if typecode(indices) != "q":
        yield TypeError(f"{name}: indices is {NAMES[typecode(indices)]}; it must be int64")
    yield from memory_errors(name, "q", {"indices": indices})
    if shape(indices) != shape(operand):
        yield ValueError(f"{name}: {which} is {shape(operand)} but indices is {shape(indices)}; they must be alike")


def pair_errors(name: str, x: str, image: Any, y: str, other: Any) -> Iterator[Exception]:
    """Why two operands are not of the same samples and channels."""
    if shape(image)[:2] != shape(other)[:2]:
        yield ValueError(
            f"{name}: {x} is {shape(image)} but {y} is {shape(other)}; samples and channels, the first two sizes, must "
            "be equal"
        )


def axes_errors(name: str, operands: dict[str, Any], count: int) -> Iterator[Exception]:
    """Why an operand has not so many axes."""
    for which, operand in operands.items():
        if len(shape(operand)) != count:
            yield ValueError(f"{name}: {which} is {shape(operand)}; it must have {count} axes")


def memory_errors(name: str, allowed: str, operands: dict[str, Any]) -> Iterator[Exception]:
    """Why element types are not taken or differ, or memory cannot be read or written."""
    first = next(iter(operands))
    code = typecode(operands[first])
    if code not in allowed:
        taken = ", ".join(NAMES[each] for each in allowed)
        yield TypeError(f"{name}: {first} is {NAMES[code]}; {name} takes {taken}, so cast it with copy first")
    for which, operand in operands.items():
        if typecode(operand) != code:
            yield TypeError(
                f"{name}: {first} is {NAMES[code]} but {which} is {NAMES[typecode(operand)]}; they must be alike"
            )
    for which, operand in operands.items():
        if not getattr(getattr(operand, "flags", None), "aligned", True):
            yield ValueError(f"{name}: {which} is not aligned to its element size; pass a copy")
        writes = which == "out" or (which == "indices" and name == "max_pool2d")
        if writes and not getattr(getattr(operand, "flags", None), "writeable", True):
            yield ValueError(f"{name}: {which} is read-only; pass a writable array")


def steps_errors(name: str, steps: Sequence[Pair]) -> Iterator[Exception]:
    """Why no window can be moved by this stride, padding and dilation."""
    for which, pair, least in zip(("stride", "padding", "dilation"), steps, (1, 0, 1), strict=True):
        if len(pair) != 2 or min(pair) < least:
            yield ValueError(f"{name}: {which} is {pair}; it must be two numbers, each at least {least}")
