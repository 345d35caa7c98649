"""Sorting and counting beside PyTorch: values of every form of call, gradients at ties, and errors."""

from __future__ import annotations

import math

import pytest

import kael

torch = pytest.importorskip("torch")

from tests.ops.test_torch import compare, in_our_words, of, outcome, plain  # noqa: E402

NAN, INF = math.nan, math.inf
MANY = [n * 37 % 101 for n in range(100)]
ROWS = [[3.0, 1.0, 2.0, 5.0], [0.5, 7.0, 6.0, 4.0]]

GRADIENTS = {
    "sort": of(lambda x: x.sort()[0], [3.0, 1.0, 2.0], weights=[1.0, 10.0, 100.0]),
    "stable sort of ties": of(
        lambda x: x.sort(stable=True)[0], [3.0, 1.0, 3.0, 1.0], weights=[1.0, 10.0, 100.0, 1000.0]
    ),
    "sort descending over rows": of(lambda x: x.sort(0, True)[0], ROWS, weights=[[1.0] * 4, [10.0] * 4]),
    "topk": of(lambda x: x.topk(2)[0], [3.0, 1.0, 2.0], weights=[1.0, 10.0]),
    "topk of rows, smallest": of(lambda x: x.topk(2, 1, False)[0], ROWS, weights=[[1.0, 10.0], [100.0, 1000.0]]),
    "topk of none": of(lambda x: x.topk(0)[0], [3.0, 1.0]),
    "kthvalue": of(lambda x: x.kthvalue(2)[0], [3.0, 1.0, 2.0]),
    "median of ties shares": of(lambda x: x.median(), [1.0, 3.0, 3.0]),
    "median of nan": of(lambda x: x.median(), [1.0, NAN, NAN]),
    "median along an axis": of(lambda x: x.median(1)[0], ROWS, weights=[1.0, 10.0]),
    "median keeps the axis": of(lambda x: x.median(0, keepdim=True)[0], ROWS),
    "nanmedian": of(lambda x: x.nanmedian() + x.nanmedian(0)[0], [1.0, NAN, 2.0, 5.0]),
    "mode": of(lambda x: x.mode()[0], [1.0, 2.0, 2.0, 3.0]),
    "0-d": of(lambda x: x.sort()[0] + x.topk(1)[0] + x.kthvalue(1)[0] + x.median() + x.median(0)[0] + x.mode()[0], 2.0),
    "float16": of(lambda x: x.sort()[0] + x.median(), [0.5, 1.5, 2.0], dtype="float16"),
}

DTYPES = ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]

VALUES = {
    "dtypes": lambda k: [
        part
        for dtype in DTYPES
        for x in [k.tensor([3, 1, 2], dtype=getattr(k, dtype))]
        for part in (*x.sort(), *x.topk(2), *x.kthvalue(2), x.median(), *x.median(0), *x.mode(), x.unique())
    ],
    "bool": lambda k: [*k.tensor([True, False, True]).sort(), k.tensor([True, False, True]).unique()],
    "forms of sort": lambda k: [
        part
        for found in (
            k.sort(k.tensor(ROWS)), k.sort(k.tensor(ROWS), 0), k.sort(k.tensor(ROWS), descending=True),
            k.sort(k.tensor(ROWS), 0, True), k.sort(k.tensor([3, 1, 3, 1]), stable=True, dim=0, descending=True),
            k.tensor([NAN, 1.0, INF]).sort(), k.tensor([NAN, 1.0, INF]).sort(descending=True), k.zeros(0).sort(),
            k.tensor(3.0).sort(), k.zeros(2, 0).sort(0),
        )
        for part in found
    ],
    "argsort and msort": lambda k: [
        k.tensor(ROWS).argsort(), k.tensor(ROWS).argsort(0, True), k.argsort(k.tensor([2, 1, 2]), stable=True),
        k.msort(k.tensor(ROWS)),
    ],
    "forms of topk": lambda k: [
        part
        for found in (
            k.topk(k.tensor(ROWS), 2), k.topk(k.tensor(ROWS), 1, 0), k.tensor(ROWS).topk(3, -1, False),
            k.tensor(ROWS).topk(k=2, largest=False, sorted=True), k.tensor([1.0, NAN, 3.0]).topk(2),
            k.tensor([1.0, NAN, 3.0]).topk(2, largest=False), k.tensor(1.0).topk(1), k.tensor([1.0]).topk(0),
            k.tensor(MANY).topk(5), k.tensor(MANY).topk(5, largest=False),
        )
        for part in found
    ],
    "kthvalue": lambda k: [
        *k.tensor(ROWS).kthvalue(1), *k.tensor(ROWS).kthvalue(2, 0, True), *k.tensor([3.0, NAN, 1.0]).kthvalue(3)
    ],
    "medians": lambda k: [
        k.median(k.tensor(ROWS)), *k.median(k.tensor(ROWS), 1), *k.tensor(ROWS).median(dim=0, keepdim=True),
        k.zeros(0).median(), k.zeros(0, dtype=k.int64).median(), *k.zeros(0, 2).median(1),
        k.tensor([3, 1, 2, 4]).median(),
        *k.tensor([1.0, NAN, 2.0, NAN]).median(0), k.tensor([1.0, NAN, 2.0, 3.0]).nanmedian(),
        *k.tensor([1.0, NAN, 2.0, 3.0]).nanmedian(0), *k.tensor([NAN, NAN]).nanmedian(0), k.zeros(0).nanmedian(),
    ],
    "mode": lambda k: [
        part
        for data in ([1, 2, 2, 3, 3], [3, 1, 3, 1], [5, 4, 5, 4, 5, 4, 4], [[2, 1, 2, 1, 1], [0, 0, 3, 3, 3]])
        for part in (*k.tensor(data).mode(), *k.tensor(data).mode(0, True))
    ],
    "unique": lambda k: [
        part
        for found in (
            k.unique(k.tensor([3, 1, 3]), return_inverse=True, return_counts=True),
            k.tensor([[3, 1], [3, 2]]).unique(True, True, True), k.tensor([NAN, NAN, 1.0]).unique(return_counts=True),
            k.tensor([[3, 1], [0, 1], [3, 1]]).unique(dim=0, return_inverse=True, return_counts=True),
            k.tensor([[3, 1, 3], [2, 1, 2]]).unique(dim=1, return_inverse=True, return_counts=True),
            k.zeros(0).unique(return_inverse=True, return_counts=True), (k.zeros(0, 2).unique(dim=0),),
            k.tensor(3).unique(return_inverse=True),
            (k.tensor([[NAN, 1.0], [NAN, 1.0]]).unique(dim=0),),
            k.tensor([True, False, True]).unique(return_counts=True), (k.tensor([5, 4, 5]).unique(),),
        )
        for part in found
    ],
    "unique_consecutive": lambda k: [
        part
        for found in (
            k.tensor([1, 1, 2, 1]).unique_consecutive(return_inverse=True, return_counts=True),
            k.unique_consecutive(k.tensor([[1, 1], [1, 1], [2, 1]]), True, True, 0),
            k.tensor([[1, 1], [2, 2]]).unique_consecutive(return_inverse=True),
            (k.tensor([NAN, NAN]).unique_consecutive(), k.tensor(5).unique_consecutive()),
        )
        for part in found
    ],
    "bincount": lambda k: [
        k.tensor([1, 2, 2]).bincount(), k.bincount(k.tensor([1, 2, 2]), minlength=5),
        k.tensor([3], dtype=k.uint8).bincount(),
        k.tensor([1, 2, 2]).bincount(k.tensor([0.5, 1.0, 2.0])), k.tensor([1, 2, 2]).bincount(k.tensor([1, 1, 2]), 4),
        k.tensor([1, 2]).bincount(k.tensor([0.5, 1.0], dtype=k.float64)),
        k.zeros(0, dtype=k.int64).bincount(minlength=3),
        k.tensor([1]).bincount(k.tensor([1.0], dtype=k.float16)), k.zeros(0, dtype=k.int64).bincount(k.zeros(0)),
    ],
    "histc": lambda k: [
        k.tensor([1.0, 2.0, 3.0]).histc(3), k.tensor([1.0, 2.0, 3.0]).histc(3, 0, 2), k.tensor([1.0, 1.0]).histc(2),
        k.histc(k.tensor([1.0, NAN]), 2, 0, 1), k.zeros(0).histc(2), k.histc(k.tensor(ROWS), bins=4, min=1, max=5),
    ],
}  # fmt: skip

ERRORS = {
    "axis of sort": (lambda k: k.zeros(2).sort(1), "Dimension out of range (expected to be in range of [-1, 0]"),
    "axis of argsort": (lambda k: k.zeros(2).argsort(1), "Dimension out of range"),
    "topk of too many": (lambda k: k.zeros(2).topk(3), "selected index k out of range"),
    "topk of a negative number": (lambda k: k.zeros(2).topk(-1), "selected index k out of range"),
    "kthvalue of too many": (
        lambda k: k.zeros(2).kthvalue(3), "kthvalue(): selected number k out of range for dimension 0"
    ),
    "kthvalue 0": (lambda k: k.zeros(2).kthvalue(0), "kthvalue(): selected number k out of range for dimension 0"),
    "kthvalue of nothing": (
        lambda k: k.zeros(0, 2).kthvalue(1, 0), "kthvalue(): Expected reduction dim 0 to have non-zero size."
    ),
    "kthvalue of bool": (lambda k: k.tensor([True]).kthvalue(1), " not implemented for "),
    "topk of bool": (lambda k: k.tensor([True]).topk(1), "topk does not support bool dtypes"),
    "median along nothing": (
        lambda k: k.zeros(0, 2).median(0), "median(): Expected reduction dim 0 to have non-zero size."
    ),
    "median of bool": (lambda k: k.tensor([True]).median(), " not implemented for "),
    "mode along nothing": (lambda k: k.zeros(0, 2).mode(0), "mode(): Expected reduction dim 0 to have non-zero size."),
    "unique of empty rows": (
        lambda k: k.zeros(2, 0).unique(dim=0),
        "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied",
    ),
    "unique along an axis of 0-d": (
        lambda k: k.tensor(3).unique(dim=0), "Dimension specified as 0 but tensor has no dimensions"
    ),
    "bincount of negative numbers": (
        lambda k: k.tensor([-1]).bincount(), "bincount only supports 1-d non-negative integral inputs."
    ),
    "bincount of two axes": (
        lambda k: k.tensor([[1]]).bincount(), "bincount only supports 1-d non-negative integral inputs."
    ),
    "bincount of floats": (lambda k: k.tensor([1.0]).bincount(), " not implemented for "),
    "bincount minlength": (lambda k: k.tensor([1]).bincount(minlength=-1), "minlength should be >= 0"),
    "bincount weights": (
        lambda k: k.tensor([1]).bincount(k.tensor([1.0, 2.0])), "weights should be 1-d and have the same length"
    ),
    "histc of integers": (lambda k: k.tensor([1]).histc(2), " not implemented for "),
    "histc without bins": (lambda k: k.tensor([1.0]).histc(0), "bins must be > 0, but got 0"),
    "histc backwards": (lambda k: k.tensor([1.0]).histc(2, 3, 1), "histc: max must be larger than min"),
    "histc to inf": (lambda k: k.tensor([1.0, INF]).histc(2), "inf] is not finite"),
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


def test_equal_elements_keep_their_order_without_being_asked_to() -> None:
    x = kael.tensor([n * 7 % 10 for n in range(1000)])
    for descending in (False, True):
        values, places = x.sort(descending=descending)
        again = x.sort(descending=descending, stable=True)
        assert places.tolist() == again.indices.tolist()
        assert values.tolist() == x[places].tolist()
