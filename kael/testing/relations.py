"""Recognising a wrong answer: the relations between what came and what was expected that known mistakes leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kael.testing.because import Because
from kael.testing.values import seen

__all__ = ["close", "known_mistake", "likely_cause"]

Array = NDArray[Any]
TOLERANCES = {"float16": (1e-2, 1e-3), "float32": (1e-5, 1e-6), "float64": (1e-9, 1e-12)}


def close(got: Array, expected: Array) -> Array:
    """Per element, whether two arrays of one shape agree to what their element type can hold; nan agrees with nan."""
    relative, absolute = TOLERANCES.get(got.dtype.name, (0.0, 0.0))
    if relative == 0.0:
        return np.asarray(got == expected)
    finite = expected[np.isfinite(expected)]
    scale = max(1.0, float(np.max(np.abs(finite), initial=0.0)))
    with np.errstate(invalid="ignore"):
        same: Array = np.isclose(got, expected, rtol=relative, atol=absolute * scale, equal_nan=True)
    return same


def same(got: Array, expected: Array) -> bool:
    """Whether two arrays have one shape and agree everywhere."""
    return got.shape == expected.shape and bool(np.all(close(got, expected)))


def likely_cause(got: Any, expected: Array, because: Because) -> str:
    """The mistake that gives `got`, in words; empty when none that is known does.

    The question's own mistakes are tried first, then those that any tensor can suffer.
    """
    found = seen(got)
    if got is None:
        unset = (words for words, value in because.mistakes.items() if value is None)
        return next(unset, because.cause or "there is nothing: a value was never returned, or never set")
    if found is None:
        return ""
    answer = found.array
    mistake = known_mistake(answer, because)
    if mistake:
        return mistake
    if not np.issubdtype(answer.dtype, np.number) or not np.issubdtype(expected.dtype, np.number):
        return ""
    return next((words for relation in RELATIONS for words in relation(answer, expected, because)), "")


def known_mistake(answer: Array, because: Because) -> str:
    """The question's own mistake that gives this answer; empty when none does."""
    for words, value in because.mistakes.items():
        wrong = seen(value)
        if wrong is not None and same(answer, wrong.array):
            return words
    return ""


def _nothing_written(got: Array, expected: Array, because: Because) -> Iterator[str]:
    if got.shape == expected.shape and got.size and not np.any(got):
        what = "every element" if got.ndim else "the number"
        yield f"{what} is zero: nothing was added to the starting zeros, or a gradient never arrived"


def _overwritten(got: Array, expected: Array, because: Because) -> Iterator[str]:
    if len(because.contributions) < 2:
        return
    for number, part in enumerate(because.contributions):
        alone = seen(part)
        if alone is not None and same(got, alone.array):
            yield (
                f"overwritten instead of accumulated: this is contribution {number + 1} of "
                f"{len(because.contributions)} alone, and the others are lost"
            )


def _missing_factor(got: Array, expected: Array, because: Because) -> Iterator[str]:
    for name, value in because.factors.items():
        factor = seen(value)
        if factor is not None and got.shape == expected.shape:
            try:
                product = got * factor.array
            except ValueError:
                continue
            if same(product, expected):
                yield f"a factor is missing: {name}"


def _summed_elsewhere(got: Array, expected: Array, because: Because) -> Iterator[str]:
    source = seen(because.source)
    if source is None or source.array.ndim > 5:
        return
    axes = range(source.array.ndim)
    for count in range(source.array.ndim + 1):
        for chosen in combinations(axes, count):
            for keep in (False, True):
                total = source.array.sum(axis=chosen, keepdims=keep) if chosen else source.array
                if same(got, np.asarray(total, source.array.dtype)) and not same(got, expected):
                    kept = " and left in place with size 1" if keep and chosen else ""
                    yield (
                        f"summed over the axes {chosen}{kept}, which are not the ones that were repeated"
                        if chosen
                        else "not summed over the axes that were repeated"
                    )


def _not_summed(got: Array, expected: Array, because: Because) -> Iterator[str]:
    if got.ndim < expected.ndim or got.size <= expected.size:
        return
    lead = got.ndim - expected.ndim
    repeated = tuple(
        axis for axis in range(got.ndim) if axis < lead or (expected.shape[axis - lead] == 1 and got.shape[axis] != 1)
    )
    if repeated and same(got.sum(axis=repeated).reshape(-1), expected.reshape(-1)):
        yield f"not summed over a broadcast axis: summing over {repeated} gives what was expected"


def _other_shape(got: Array, expected: Array, because: Because) -> Iterator[str]:
    if got.ndim == 2 and got.shape != got.shape[::-1] and same(got.T, expected):
        yield "transposed: rows and columns are exchanged"
    elif got.shape != expected.shape and [n for n in got.shape if n != 1] == [n for n in expected.shape if n != 1]:
        more = got.ndim - expected.ndim
        if same(got.reshape(expected.shape), expected):
            count = "one axis" if abs(more) == 1 else f"{abs(more)} axes"
            what = f"{count} of size 1 too {'many' if more > 0 else 'few'}"
            yield "the numbers are right, the shape is not: " + (what if more else "an axis of size 1 is misplaced")
    elif got.ndim > 1 and got.shape == expected.shape and same(got.T, expected):
        yield "transposed: rows and columns are exchanged"
    elif 2 < got.ndim < 6 and got.ndim == expected.ndim:
        for first, second in combinations(range(got.ndim), 2):
            if same(np.swapaxes(got, first, second), expected):
                yield f"transposed: the axes {first} and {second} are exchanged"


def _scaled(got: Array, expected: Array, because: Because) -> Iterator[str]:
    if got.shape != expected.shape or not np.any(expected) or not np.all(np.isfinite(got)):
        return
    place = np.unravel_index(int(np.argmax(np.abs(expected))), expected.shape)
    if got[place] == 0:
        return
    ratio = float(got[place] / expected[place])
    if not same(got / ratio, np.asarray(expected, got.dtype if got.dtype.kind == "f" else float)):
        return
    if np.isclose(ratio, 1):
        return
    what = "every element" if got.ndim else "the number"
    if np.isclose(ratio, -1):
        yield "negated: every sign is the wrong way round"
    elif np.isclose(ratio, round(ratio)) and abs(round(ratio)) > 1:
        yield f"{what} is {round(ratio)} times too large: something was counted {round(ratio)} times"
    elif np.isclose(1 / ratio, round(1 / ratio)):
        yield f"{what} is divided by {round(1 / ratio)}: a mean where a sum belongs, or a missing factor"


def _off_by_one(got: Array, expected: Array, because: Because) -> Iterator[str]:
    if got.shape != expected.shape:
        return
    for axis in range(got.ndim):
        for shift in (1, -1):
            if got.shape[axis] > 1 and same(np.roll(got, shift, axis), expected):
                yield f"off by one along axis {axis}"


RELATIONS: tuple[Callable[[Array, Array, Because], Iterator[str]], ...] = (
    _nothing_written,
    _overwritten,
    _missing_factor,
    _summed_elsewhere,
    _not_summed,
    _other_shape,
    _scaled,
    _off_by_one,
)
