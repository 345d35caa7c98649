"""Comparing a tensor with what it should be, strictly, and saying what went wrong in five lines."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from kael.testing.because import Because
from kael.testing.mismatch import Mismatch
from kael.testing.relations import close, known_mistake, likely_cause
from kael.testing.values import Seen, memory, seen

__all__ = ["Inputs", "assert_equal", "assert_tensor"]

HOMES = ("builtins", "numpy", "chapters", "kael")
"""Where the types are at home that an answer may be of."""


class Inputs:
    """What a call was given, remembered as it was before the call.

    Parameters
    ----------
    *values : number, array, Buffer or tensor
        The arguments.
    may_share : bool
        Whether the result may lie in the memory of an argument.

    Examples
    --------
    >>> import numpy as np
    >>> from kael.testing import Inputs, assert_tensor
    >>> x = np.array([1.0, 2.0])
    >>> given = Inputs(x)
    >>> assert_tensor(x * 2, np.array([2.0, 4.0]), because="x * 2", inputs=given)
    """

    def __init__(self, *values: Any, may_share: bool = False) -> None:
        self.values = values
        self.may_share = may_share
        self.before = [seen(value) for value in values]

    def changed(self) -> str:
        """In words, the first argument that is not what it was; empty when all are."""
        for number, (value, before) in enumerate(zip(self.values, self.before, strict=True), 1):
            now = seen(value)
            if before is None or (now is not None and now.shape == before.shape and _equal_bits(now, before)):
                continue
            after = "not a tensor any more" if now is None else now.described()
            return f"argument {number} was {before.described()} before the call and is {after} after it"
        return ""

    def shared(self, result: Any) -> int:
        """The number of the argument whose memory holds `result`; 0 for none."""
        mine = memory(result)
        for number, value in enumerate(self.values, 1):
            theirs = memory(value)
            if mine is theirs:
                return number
            if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray) and np.shares_memory(mine, theirs):
                return number
        return 0


def _equal_bits(a: Seen, b: Seen) -> bool:
    return a.dtype == b.dtype and a.array.tobytes() == b.array.tobytes()


def assert_tensor(actual: Any, expected: Any, *, because: Because | str, inputs: Inputs | None = None) -> None:
    """Raise unless `actual` is `expected`: same type, shape, element type and values.

    Nothing is converted and nothing broadcasts. A scalar is not a vector of equal numbers, an integer array is not a
    float one, and nan is wrong wherever a number is expected.

    Parameters
    ----------
    actual : object
        The answer.
    expected : number, array, Buffer or tensor
        What it should be. A NumPy array stands for any tensor type; everything else asks for its own type.
    because : Because or str
        What was called; a `Because` also knows which mistakes give which answers.
    inputs : Inputs, optional
        The arguments of the call: they must be what they were, and the result must lie in memory of its own.

    Raises
    ------
    Mismatch
        With five lines: what was called, expected and got, the likely cause, the section to read and the command that
        runs the check again.

    Notes
    -----
    Values agree within 1e-9 relative for float64, 1e-5 for float32, exactly for integers and bool; beside the
    largest expected element, differences of 1e-12 and 1e-6 of it are forgiven.

    Examples
    --------
    >>> import numpy as np
    >>> from kael.testing import assert_tensor
    >>> assert_tensor(np.ones((3, 2)), np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]), because="ones")
    Traceback (most recent call last):
    ...
    kael.testing.mismatch.Mismatch: called:       ones
    expected:     shape (2, 3); got shape (3, 2)
    likely cause: transposed: rows and columns are exchanged
    """
    __tracebackhide__ = True
    question = Because(because) if isinstance(because, str) else because
    wanted = seen(expected)
    if wanted is None:
        raise TypeError(f"assert_tensor: expected is {type(expected).__name__}; give a number, an array or a tensor")
    got = seen(actual)
    if got is None or not _same_type(actual, expected):
        kind = "a tensor" if isinstance(expected, np.ndarray) else f"a {wanted.kind}"
        kind = wanted.described() if isinstance(expected, int | float) else kind
        cause = likely_cause(actual, wanted.array, question)
        if got is not None and got.shape == wanted.shape and first_bad(got, wanted) is None:
            cause = cause or "the numbers are right, what holds them is not"
        raise Mismatch(question, kind, _short(actual), cause)
    if got.shape != wanted.shape:
        raise Mismatch(
            question, f"shape {wanted.shape}", f"shape {got.shape}", likely_cause(actual, wanted.array, question)
        )
    if got.dtype != wanted.dtype and not isinstance(expected, int | float):
        cause = known_mistake(got.array, question) or "the element type was changed on the way"
        raise Mismatch(question, wanted.dtype, got.dtype, cause)
    index = first_bad(got, wanted)
    if index is not None:
        cause = likely_cause(actual, wanted.array, question)
        if not np.all(np.isfinite(got.array[index])) and np.all(np.isfinite(wanted.array[index])):
            cause = cause or "a nan or inf where a number belongs: a division by zero, or memory that was never written"
        if not index:
            raise Mismatch(question, wanted.described(), got.described(), cause)
        place = f"at {list(index)} of a {wanted.dtype} of shape {wanted.shape}"
        raise Mismatch(question, f"{wanted.array[index]!s} {place}", str(got.array[index]), cause)
    if inputs is not None:
        _check_inputs(actual, inputs, question)


def _same_type(actual: Any, expected: Any) -> bool:
    """Whether a value is of the type that is asked for, and no type of the caller's own that derives from it."""
    kind = type(actual)
    known = getattr(sys.modules.get(kind.__module__), kind.__name__, None) is kind
    if not known or kind.__module__.partition(".")[0] not in HOMES:
        return False
    if isinstance(expected, np.ndarray):
        return not isinstance(actual, bool | int | float)
    if isinstance(expected, float | int) and not isinstance(expected, bool):
        return isinstance(actual, float | int | np.floating | np.integer) and not isinstance(actual, bool)
    return isinstance(actual, type(expected))


def first_bad(got: Seen, wanted: Seen) -> tuple[int, ...] | None:
    """Index of the first element, in row-major order, that is off; None when all agree."""
    off = np.argwhere(~close(got.array, wanted.array))
    return tuple(int(k) for k in off[0]) if len(off) else None


def _check_inputs(actual: Any, inputs: Inputs, question: Because) -> None:
    __tracebackhide__ = True
    changed = inputs.changed()
    if changed:
        raise Mismatch(question, "arguments left as they were", changed, question.cause or "an argument was written to")
    number = 0 if inputs.may_share else inputs.shared(actual)
    if number:
        got = f"a result in the memory of argument {number}"
        raise Mismatch(question, "a result in memory of its own", got, question.cause or "an argument was passed on")


def assert_equal(actual: Any, expected: Any, *, because: Because | str) -> None:
    """Raise unless two plain Python values are equal and of one type.

    Parameters
    ----------
    actual, expected : object
        The answer and what it should be.
    because : Because or str
        As for `assert_tensor`; a mistake is recognised when it equals the answer.

    Raises
    ------
    Mismatch
        When they differ.

    Examples
    --------
    >>> from kael.testing import assert_equal
    >>> assert_equal((0, 2), (0, 2), because="axes")
    """
    __tracebackhide__ = True
    question = Because(because) if isinstance(because, str) else because
    if type(actual) is type(expected) and actual == expected:
        return
    known = [
        words for words, value in question.mistakes.items() if type(value) is type(actual) and bool(value == actual)
    ]
    raise Mismatch(question, repr(expected), _short(actual), known[0] if known else "")


def _short(value: Any) -> str:
    text = repr(value)
    if len(text) <= 80:
        return text
    return f"{text[:77]}..." if isinstance(value, str) else f"a {type(value).__name__}"
