"""Running totals beside PyTorch: values of every form of call, gradients at zeros and ties, and errors."""

from __future__ import annotations

import math

import pytest

import kael

torch = pytest.importorskip("torch")

from tests.ops.test_torch import compare, in_our_words, of, outcome, plain  # noqa: E402

NAN, INF = math.nan, math.inf

GRADIENTS = {
    "cumprod with a zero": of(lambda x: x.cumprod(0), [2.0, 0.0, 3.0, 4.0]),
    "cumprod with two zeros": of(lambda x: x.cumprod(0), [2.0, 0.0, 0.0, 3.0]),
    "cumsum, weighted": of(lambda x: x.cumsum(0), [1.0, 2.0, 3.0], weights=[1.0, 10.0, 100.0]),
    "cumsum of nothing": of(lambda x: x.cumsum(0), [[], []]),
    "cumprod of nothing": of(lambda x: x.cumprod(1), [[], []]),
    "cummax at ties": of(lambda x: x.cummax(0)[0], [1.0, 3.0, 3.0, 2.0]),
    "cummin at ties": of(lambda x: x.cummin(0)[0], [3.0, 1.0, 1.0, 2.0]),
    "logcumsumexp": of(lambda x: x.logcumsumexp(0), [1.0, 1000.0, -3.0], weights=[1.0, -2.0, 0.0]),
    "float16": of(lambda x: x.cumsum(0) + x.cumprod(0) + x.cummax(0)[0], [0.5, 1.5, 2.0], dtype="float16"),
    "diff": of(lambda x: x.diff(), [1.0, 4.0, 9.0], weights=[1.0, 10.0]),
}

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]

VALUES = {
    "dtypes": lambda k: [
        f(k.ones(3, dtype=getattr(k, dtype)), 0) for dtype in DTYPES for f in (k.cumsum, k.cumprod)
    ],
    "dtypes of cummax": lambda k: [k.ones(3, dtype=getattr(k, dtype)).cummax(0)[0] for dtype in DTYPES],
    "dtype=": lambda k: [
        k.tensor([1, 2]).cumsum(0, dtype=k.float64), k.tensor([1.7, 2.9]).cumprod(dim=0, dtype=k.int32),
    ],
    "integers wrap": lambda k: [k.tensor([2**62, 2**62]).cumsum(0), k.tensor([2**62, 3]).cumprod(-1)],
    "0-d": lambda k: [
        k.tensor(3.0).cumsum(0), k.tensor(3).cumprod(-1), *k.tensor(3.0).cummax(0), k.tensor(3.0).logcumsumexp(0)
    ],
    "cummax and cummin": lambda k: [
        part
        for data in ([1, 3, 3, 2, NAN, 1, NAN], [[3.0, 1.0], [1.0, 2.0], [3.0, 1.0]], [])
        for part in (*k.tensor(data).cummax(0), *k.tensor(data).cummin(0))
    ],
    "forms of diff": lambda k: [
        k.tensor([1, 3, 6]).diff(), k.tensor([1, 3, 6]).diff(n=0), k.tensor([1, 3, 6]).diff(5),
        k.tensor([True, False, False]).diff(), k.tensor([1, 3]).diff(prepend=k.tensor([0]), append=k.tensor([9])),
        k.diff(k.tensor([[1, 4], [9, 16]]), dim=0), k.tensor([3, 1], dtype=k.uint8).diff(),
    ],
    "forms of trapezoid": lambda k: [
        k.trapezoid(k.tensor([1.0, 2.0, 4.0])), k.trapezoid(k.tensor([1.0, 2.0, 4.0]), k.tensor([0.0, 1.0, 3.0])),
        k.trapezoid(k.tensor([1.0, 2.0, 4.0]), dx=2), k.trapezoid(k.tensor([1, 2])), k.trapezoid(k.tensor([1.0])),
        k.trapezoid(k.tensor([[1.0, 2.0], [3.0, 5.0]]), dim=0),
        k.trapezoid(k.tensor([[1.0, 2.0], [3.0, 5.0]]), k.tensor([0.0, 3.0]), dim=0), k.trapezoid(k.zeros(2, 0)),
    ],
}  # fmt: skip

RANGE = "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
ERRORS = {
    "axis of cumsum": (lambda k: k.tensor([1.0]).cumsum(1), RANGE),
    "axis of cumprod": (lambda k: k.tensor([1.0]).cumprod(1), RANGE),
    "axis of cummax": (lambda k: k.tensor([1.0]).cummax(1), RANGE),
    "logcumsumexp of integers": (lambda k: k.tensor([1]).logcumsumexp(0), " not implemented for "),
    "cumsum into bool": (lambda k: k.tensor([2]).cumsum(0, dtype=k.bool), " not implemented for "),
    "diff of 0-d": (lambda k: k.tensor(1).diff(), "diff expects input to be at least one-dimensional"),
    "diff a negative number of times": (lambda k: k.tensor([1]).diff(-1), "order must be non-negative but got -1"),
    "trapezoid of 0-d": (
        lambda k: k.trapezoid(k.tensor(1.0)), "Dimension specified as -1 but tensor has no dimensions"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GRADIENTS)
def test_values_and_gradients(name: str) -> None:
    compare(plain(GRADIENTS[name](kael)), plain(GRADIENTS[name](torch)))


@pytest.mark.parametrize("name", VALUES)
def test_values_and_dtypes(name: str) -> None:
    compare(plain(VALUES[name](kael)), plain(VALUES[name](torch)))


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    program, text = ERRORS[name]
    theirs, ours = outcome(program, torch), outcome(program, kael)
    assert text in ours[1]
    assert text in in_our_words(theirs[1])
    assert ours[0] is theirs[0]
