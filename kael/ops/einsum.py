"""Einstein summation: products of several tensors, summed over the subscripts that the output lacks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy
from numpy.lib.stride_tricks import as_strided

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.dispatch import cast, common_shape
from kael.ops.matmul import product
from kael.tensors import Tensor, fresh, view_of

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

# A subscript is a number: of a letter its place in LETTERS, of an axis under an ellipsis -1 for the last, -2, ...
Axes = tuple[int, ...]


def einsum_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    subscripts, output = node.attributes
    shape, dtype = node.inputs[position].shape, g.dtype
    inside = dtype.wide or dtype
    arrays, sides = [g.array.astype(inside.numpy, copy=False)], [output]
    for number, axes in enumerate(subscripts):
        if number != position:
            other = node.saved[number].get().array.astype(inside.numpy, copy=False)
            arrays.append(diagonals(other, axes))
            sides.append(distinct(axes))
    # [einsum-vjp]
    own = distinct(subscripts[position])
    sizes = [shape[subscripts[position].index(axis)] for axis in own]
    present = set().union(*sides)
    wanted = [axis for axis, size in zip(own, sizes, strict=True) if axis in present and size != 1]
    found = contract(arrays, sides, wanted, inside)
    missing = tuple([place for place, axis in enumerate(own) if axis not in wanted])
    gradient = filled(shape, dtype, 0.0)
    diagonals(gradient.array, subscripts[position])[...] = numpy.expand_dims(found, missing)
    # [/einsum-vjp]
    return gradient


@cache
def row(operands: int) -> Op:
    """The row of the table for so many operands; listed is that for two."""
    return Op(
        "einsum", "products summed over the subscripts that the output lacks", einsum_vjp,
        "the einsum of g and the other operands over the operand's own subscripts",
        tuple([tuple([other for other in range(operands) if other != own]) for own in range(operands)]),
        dtypes="equal", listed=operands == 2,
    )  # fmt: skip


row(2)


def distinct(axes: Iterable[int]) -> Axes:
    """Subscripts without their repetitions."""
    return tuple(dict.fromkeys(axes))


def diagonals(array: Any, axes: Axes) -> Any:
    """A view with one axis for each distinct subscript: the diagonal where one is repeated."""
    own = distinct(axes)
    if len(own) == len(axes):
        return array
    sizes = [array.shape[axes.index(axis)] for axis in own]
    steps = [sum(step for step, other in zip(array.strides, axes, strict=True) if other == axis) for axis in own]
    return as_strided(array, sizes, steps)


def summed(array: Any, axes: Sequence[int], wanted: Collection[int]) -> tuple[Any, list[int]]:
    """An array summed over the axes that nobody wants, and those that are left."""
    left = [axis for axis in axes if axis in wanted]
    if len(left) < len(axes):
        kept = tuple([size if axis in wanted else 1 for size, axis in zip(array.shape, axes, strict=True)])
        out = table.empty(kept, array.dtype)
        table.sum(array, out)
        array = out.reshape([size for size, axis in zip(array.shape, axes, strict=True) if axis in wanted])
    return array, left


# [contract]
def contract(arrays: Sequence[Any], sides: Sequence[Sequence[int]], output: Sequence[int], dtype: Any) -> Any:
    """Multiply arrays from the left to the right, each axis summed as soon as nothing later needs it."""
    total, axes = arrays[0], list(sides[0])
    for number in range(1, len(arrays)):
        later = set(output).union(*sides[number + 1 :])
        total, axes = paired(total, axes, arrays[number], list(sides[number]), later, dtype)
    total, axes = summed(total, axes, output)
    return total.transpose([axes.index(axis) for axis in output])


# [/contract]


def paired(a: Any, a_axes: list[int], b: Any, b_axes: list[int], later: set[int], dtype: Any) -> tuple[Any, list[int]]:
    """The product of two arrays over their common axes, summed over those that nothing later needs.

    A common axis of size 1 on one side only is stretched: if it is summed, the other side is summed alone.
    """
    a_sizes, b_sizes = dict(zip(a_axes, a.shape, strict=True)), dict(zip(b_axes, b.shape, strict=True))
    inner = [axis for axis in a_axes if axis in b_axes and axis not in later and a_sizes[axis] == b_sizes[axis]]
    a, a_axes = summed(a, a_axes, later.union(inner))
    b, b_axes = summed(b, b_axes, later.union(inner))
    batch = [axis for axis in a_axes if axis in b_axes and axis not in inner]
    left = [axis for axis in a_axes if axis not in b_axes]
    right = [axis for axis in b_axes if axis not in a_axes]
    a = a.transpose([a_axes.index(axis) for axis in (*batch, *left, *inner)])
    b = b.transpose([b_axes.index(axis) for axis in (*batch, *inner, *right)])
    heads, rows, columns = len(batch), [a_sizes[axis] for axis in left], [b_sizes[axis] for axis in right]
    if not inner or not (left or right):
        a = a.reshape((*a.shape[: heads + len(left)], *[1] * len(right), *a.shape[heads + len(left) :]))
        b = b.reshape((*b.shape[:heads], *[1] * len(left), *b.shape[heads:]))
        out = table.empty(common_shape(a.shape, b.shape), a.dtype)
        table.mul(a, b, out)
        return summed(out, [*batch, *left, *right, *inner], {*batch, *left, *right})
    depth = prod(a_sizes[axis] for axis in inner)
    result = product(
        a.reshape(*a.shape[:heads], prod(rows), depth), b.reshape(*b.shape[:heads], depth, prod(columns)), dtype
    )
    return result.reshape((*result.shape[:heads], *rows, *columns)), [*batch, *left, *right]


def einsum(*arguments: Any) -> Tensor:
    """Products of tensors, summed over the subscripts that the output lacks: ``einsum("ik,kj->ij", a, b)`` is `matmul`.

    Parameters
    ----------
    *arguments : str and Tensors, or Tensors and lists of int
        The equation and its operands (each alone or all in one list); or each operand followed by the list of its
        subscripts, numbers from 0 to 51 or ``...``, and after all of them, optionally, the list of the output's.

        In an equation, each letter names an axis. A letter that occurs twice in one operand takes its diagonal; one
        that the output lacks is summed over; ``...`` stands for the axes that no letter names, which broadcast.
        Without ``->`` the output has the axes under ``...``, then in alphabetical order (capitals first) the letters
        that occur once.

    Raises
    ------
    RuntimeError
        When the equation cannot be read or does not fit its operands, or when dtypes differ.
    ValueError
        When there is no operand, or a subscript list holds another number.

    Notes
    -----
    The operands are multiplied from the left to the right, each pair by `matmul` where something is summed. The
    gradient of an operand is the einsum of the output's gradient and the other operands. One operand whose axes are
    only reordered, or taken along a diagonal, gives a view.

    Examples
    --------
    >>> import kael
    >>> a = kael.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> kael.einsum("ii", a), kael.einsum("ij->j", a), kael.einsum("ij,kj->ik", a, a)
    (tensor(5.), tensor([4., 6.]), tensor([[ 5., 11.],
            [11., 25.]]))
    >>> kael.einsum(a, [0, 1], a, [0, 1], [0])
    tensor([ 5., 25.])
    """
    if arguments and isinstance(arguments[0], str):
        equation, *operands = arguments
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = list(operands[0])
        lists, output = parsed(equation)
    else:
        operands = list(arguments[0::2])
        output = listed(operands.pop()) if operands and not isinstance(operands[-1], Tensor) else None
        lists = [listed(subscripts) for subscripts in arguments[1::2]]
    if not operands:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    for number, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            raise TypeError(f"einsum: operand {number} is {type(operand).__name__}; all must be tensors")
    if len(operands) != len(lists):
        word = "fewer" if len(operands) < len(lists) else "more"
        raise RuntimeError(f"einsum(): {word} operands were provided than specified in the equation")
    subscripts, covered = numbered(lists, operands)
    wanted = output_axes(subscripts, covered, output)
    check_sizes(subscripts, operands)
    return evaluated(tuple(operands), subscripts, wanted)


def evaluated(operands: tuple[Tensor, ...], subscripts: tuple[Axes, ...], output: Axes) -> Tensor:
    """The sum of products itself, recorded."""
    first = operands[0]
    for operand in operands:
        if operand.dtype is not first.dtype:
            raise RuntimeError(f"expected scalar type {first.dtype.name} but found {operand.dtype.name}")
    if len(operands) > 1 and first.dtype.category == 0:
        raise NotImplementedError('"bmm" not implemented for bool; cast the operands to a type of numbers first')
    if len(operands) == 1 and first.dtype.category < 2 and set(output) < set(subscripts[0]):
        first = cast(first, dtypes.int64)
        operands = (first,)
    dtype = first.dtype
    inside = dtype.wide or dtype
    arrays = [
        diagonals(operand.array, axes).astype(inside.numpy, copy=False)
        for operand, axes in zip(operands, subscripts, strict=True)
    ]
    result = contract(arrays, [distinct(axes) for axes in subscripts], output, inside).astype(dtype.numpy, copy=False)
    seen = len(operands) == 1 and numpy.may_share_memory(result, first.array)
    tensor = view_of(first, result) if seen else fresh(result, dtype)
    return record(tensor, row(len(operands)), operands, (subscripts, output))


def parsed(equation: str) -> tuple[list[list[Any]], list[Any] | None]:
    """The subscripts of each operand and of the output, None where it is left to be inferred."""
    sides: list[list[Any]] = [[]]
    output: list[Any] | None = None
    current, name, place = sides[0], "operand 0", 0
    while place < len(equation):
        letter = equation[place]
        if letter in LETTERS:
            if output is not None and LETTERS.index(letter) in output:
                raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
            current.append(LETTERS.index(letter))
        elif letter == ".":
            if ... in current:
                already = "but an ellipsis (...)" if output is not None else "for which an ellipsis"
                raise RuntimeError(f"einsum(): found '.' for {name} {already} was already found")
            if not equation.startswith("...", place):
                raise RuntimeError(f"einsum(): found '.' for {name} that is not part of any ellipsis (...)")
            current.append(...)
            place += 2
        elif letter == "," and output is None:
            current = []
            sides.append(current)
            name = f"operand {len(sides) - 1}"
        elif output is None and equation.startswith("->", place):
            current = output = []
            name = "output"
            place += 1
        elif letter != " ":
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {place} in the equation string, subscripts must be in "
                f"[a-zA-Z], but got {letter!r} in {equation!r}"
            )
        place += 1
    return sides, output


def listed(subscripts: Any) -> list[Any]:
    """The subscripts of a list of numbers and, once, an ellipsis."""
    for subscript in subscripts:
        if subscript is not ... and not 0 <= subscript < len(LETTERS):
            raise ValueError(
                f"einsum(): subscript in subscript list is not within the valid range [0, 52), got {subscript}"
            )
    return list(subscripts)


def numbered(lists: list[list[Any]], operands: list[Tensor]) -> tuple[tuple[Axes, ...], int]:
    """For each operand the subscripts of its axes, and how many axes an ellipsis covers at most."""
    found, most = [], 0
    for number, (subscripts, operand) in enumerate(zip(lists, operands, strict=True)):
        ndim, named = operand.array.ndim, sum(subscript is not ... for subscript in subscripts)
        open_ended = ... in subscripts
        if named > ndim if open_ended else named != ndim:
            says = "is more than" if open_ended else "does not match"
            rest = "" if open_ended else " and no ellipsis was given"
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) {says} the number of dimensions "
                f"({ndim}) for operand {number}{rest}"
            )
        covered = range(named - ndim, 0) if open_ended else range(0)
        most = max(most, len(covered))
        axes: list[int] = []
        for subscript in subscripts:
            axes.extend(covered if subscript is ... else [subscript])
        found.append(tuple(axes))
    return tuple(found), most


def output_axes(subscripts: tuple[Axes, ...], covered: int, output: list[Any] | None) -> Axes:
    """The subscripts of the output's axes, inferred where none are given."""
    if output is None:
        letters = [axis for axes in subscripts for axis in axes if axis >= 0]
        return (*range(-covered, 0), *sorted(axis for axis in set(letters) if letters.count(axis) == 1))
    axes: list[int] = []
    for subscript in output:
        axes.extend(range(-covered, 0) if subscript is ... else [subscript])
    for axis in axes:
        if axis >= 0 and axes.count(axis) > 1:
            raise RuntimeError(f"einsum(): output subscript {LETTERS[axis]} appears more than once in the output")
        if axis >= 0 and not any(axis in own for own in subscripts):
            raise RuntimeError(
                f"einsum(): output subscript {LETTERS[axis]} does not appear in the equation for any input operand"
            )
    return tuple(axes)


def check_sizes(subscripts: tuple[Axes, ...], operands: list[Tensor]) -> None:
    """Refuse axes of one subscript whose sizes neither agree nor broadcast."""
    seen: dict[int, int] = {}
    for number, (axes, operand) in enumerate(zip(subscripts, operands, strict=True)):
        own: dict[int, int] = {}
        for axis, size in zip(axes, operand.array.shape, strict=True):
            if own.setdefault(axis, size) != size:
                raise RuntimeError(
                    f"einsum(): subscript {LETTERS[axis]} is repeated for operand {number} but the sizes don't match, "
                    f"{size} != {own[axis]}"
                )
        for axis, size in own.items():
            before = seen.get(axis, 1)
            if 1 not in (size, before) and size != before:
                what = (
                    f"subscript {LETTERS[axis]} has size {size} for operand {number} which does not broadcast with "
                    f"previously seen size {before}"
                    if axis >= 0
                    else f"axis {axis} covered by ellipsis in operand {number} has size {size} which does not "
                    f"broadcast with previously seen size {before}"
                )
                raise RuntimeError(f"einsum(): {what}")
            seen[axis] = size if before == 1 else before


FUNCTIONS = (einsum,)
