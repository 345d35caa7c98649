"""Reductions beside PyTorch: values of every form of call, gradients at zeros and ties, warnings, and errors."""

from __future__ import annotations

import math

import pytest

import kael

torch = pytest.importorskip("torch")

from tests.ops.test_torch import compare, in_our_words, of, outcome, plain  # noqa: E402

NAN, INF = math.nan, math.inf
ROWS = [[1.0, 2.0, 4.0], [3.0, 3.0, 3.0]]

GRADIENTS = {
    "prod with one zero": of(lambda x: x.prod(), [2.0, 0.0, 4.0]),
    "prod with two zeros": of(lambda x: x.prod(), [2.0, 0.0, 0.0]),
    "prod of a zero": of(lambda x: x.prod(), [0.0]),
    "prod per lane": of(lambda x: x.prod(0), [[0.0, 3.0], [0.0, 0.0]]),
    "prod keeps an axis": of(lambda x: x.prod(-1, keepdim=True), ROWS, weights=[[1.0], [10.0]]),
    "prod of 0-d": of(lambda x: x.prod() + x.prod(0), 3.0),
    "norm at 0": of(lambda x: x.norm(), [0.0, 0.0]),
    "1-norm at 0": of(lambda x: x.norm(1), [0.0, -2.0]),
    "inf-norm at ties": of(lambda x: x.norm(INF), [3.0, -3.0, 1.0]),
    "3-norm with zeros": of(lambda x: x.norm(3), [0.0, 2.0, -1.0]),
    "half-norm with zeros": of(lambda x: x.norm(0.5), [0.0, 2.0, -1.0]),
    "the square root of a sum of squares at 0": of(lambda x: (x * x).sum().sqrt(), [0.0, 0.0]),
    "std of constants": of(lambda x: x.std(), [2.0, 2.0, 2.0]),
    "std of one": of(lambda x: x.std(), [2.0]),
    "var of one": of(lambda x: x.var(), [2.0]),
    "biased var of one": of(lambda x: x.var(correction=0) + x.std(correction=0), [2.0]),
    "var": of(lambda x: x.var(), [1.0, 2.0, 4.0]),
    "var over axes": of(lambda x: x.var((0, 1), keepdim=True), ROWS),
    "var_mean": of(lambda x: x.var(1) + x.mean(1), ROWS, weights=[1.0, 10.0]),
    "aminmax": of(lambda x: x.aminmax()[0] + 2 * x.aminmax().max, [1.0, 1.0, 3.0]),
    "nansum": of(lambda x: x.nansum(), [1.0, NAN, 3.0]),
    "float16": of(lambda x: x.prod() + x.var() + x.norm(), [0.5, 1.5, 2.0], dtype="float16"),
}

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]

VALUES = {
    "dtypes of all and any": lambda k: [
        f(k.ones(2, dtype=getattr(k, dtype))) for dtype in DTYPES for f in (k.all, k.any)
    ],
    "dtypes of prod": lambda k: [k.ones(2, dtype=getattr(k, dtype)).prod() for dtype in DTYPES],
    "dtypes of count_nonzero": lambda k: [k.ones(2, dtype=getattr(k, dtype)).count_nonzero() for dtype in DTYPES],
    "dtypes of var and norm": lambda k: [
        f(k.ones(2, dtype=getattr(k, dtype))) for dtype in DTYPES[6:] for f in (k.var, k.std, k.norm)
    ],
    "dtype=": lambda k: [
        f(k.tensor([1, 2]), dtype=k.float64) for f in (k.sum, k.mean, k.prod, k.nansum)
    ] + [k.norm(k.tensor([1.0, 2.0]), dtype=k.float64), k.prod(k.tensor([2.5, 2.0]), dtype=k.int64)],
    "all and any": lambda k: [
        f(k.tensor([[1.0, 0.0], [NAN, 2.0]]), *dims)
        for f in (k.all, k.any) for dims in ((), (0,), (1, True), (-1,), ((0, 1),), ((0, 1), True), ((),))
    ],
    "all and any of nothing": lambda k: [
        k.zeros(0).all(), k.zeros(0).any(), k.zeros(2, 0).all(1), k.zeros(0, 2).any(1)
    ],
    "prod of nothing": lambda k: [k.zeros(0).prod(), k.zeros(2, 0).prod(1), k.zeros(0, 2).prod(1)],
    "integer prod wraps": lambda k: k.tensor([2**62, 3, 5]).prod(),
    "forms of var and std": lambda k: [
        value
        for f in (k.var, k.std)
        for value in (
            f(k.tensor(ROWS)), f(k.tensor(ROWS), False), f(k.tensor(ROWS), 1), f(k.tensor(ROWS), 1, False),
            f(k.tensor(ROWS), (0, 1), True, True), f(k.tensor(ROWS), dim=-1, unbiased=False, keepdim=True),
            f(k.tensor(ROWS), correction=0.5), f(k.tensor(ROWS), None, keepdim=True),
            f(k.tensor(ROWS), 0, correction=0),
        )
    ],
    "var_mean and std_mean": lambda k: [
        value
        for f in (k.var_mean, k.std_mean)
        for value in (*f(k.tensor(ROWS)), *f(k.tensor(ROWS), 1, keepdim=True), *f(k.tensor(ROWS), False))
    ],
    "forms of norm": lambda k: [
        k.tensor(ROWS).norm(*arguments)
        for arguments in (
            (), ("fro",), (2,), (1,), (0,), (INF,), (-INF,), (3,), (-1,), (2, 0), (1, (0, 1)), (INF, 1, True),
            ("fro", (0, 1), True), (None,), (2, None, True),
        )
    ] + [k.norm(k.tensor(ROWS), p=1, dim=-1, keepdim=True)],
    "linalg.vector_norm": lambda k: [
        k.linalg.vector_norm(k.tensor(ROWS)), k.linalg.vector_norm(k.tensor(ROWS), 3, (0, 1), True),
        k.linalg.vector_norm(k.tensor(ROWS), INF, dim=1), k.linalg.vector_norm(k.tensor(ROWS), dtype=k.float64),
    ],
    "norms of nothing": lambda k: [
        k.zeros(0).norm(), k.zeros(0).norm(1), k.zeros(0).norm(0), k.zeros(0, 3).norm(INF, 1)
    ],
    "aminmax": lambda k: [
        value for arguments in ({}, {"dim": 1}, {"dim": 0, "keepdim": True})
        for value in k.aminmax(k.tensor(ROWS), **arguments)
    ],
    "max and min of two": lambda k: [k.max(k.tensor([1, 5]), k.tensor([3, 2])), k.tensor([1.0]).min(k.tensor([3, 2]))],
    "count_nonzero": lambda k: [
        k.count_nonzero(k.tensor(ROWS) - 3), k.count_nonzero(k.tensor(ROWS) - 3, 1),
        k.tensor(ROWS).count_nonzero((0, 1)),
    ],
    "nansum and nanmean": lambda k: [
        k.nansum(k.tensor([1.0, NAN])), k.nansum(k.tensor([1, 2])), k.nanmean(k.tensor([[1.0, NAN], [NAN, NAN]]), 1),
    ],
    "logical reductions of comparisons": lambda k: [(k.tensor([1, 2]) > 1).any(), (k.tensor([1, 2]) > 1).all(),
        (k.tensor([1, 2, 3]) > 1).sum()],
}  # fmt: skip

ERRORS = {
    "var of integers": (lambda k: k.tensor([1, 2]).var(), "std and var only support floating point and complex dtypes"),
    "norm of integers": (lambda k: k.tensor([1, 2]).norm(), "linalg.vector_norm: Expected a floating point"),
    "inf-norm of nothing": (
        lambda k: k.zeros(0).norm(INF),
        "linalg.vector_norm cannot compute the inf norm on an empty tensor because the operation does not have an",
    ),
    "-inf-norm of nothing": (
        lambda k: k.zeros(0).norm(-INF),
        "linalg.vector_norm cannot compute the -inf norm on an empty tensor because the operation does not have an",
    ),
    "inf-norm along nothing": (
        lambda k: k.zeros(0, 3).norm(INF, 0), "linalg.vector_norm cannot compute the inf norm on the dimension 0"
    ),
    "axis of norm twice": (lambda k: k.zeros(2, 2).norm(2, (1, 1)), "dim 1 appears multiple times in the list of dims"),
    "axis of var twice": (lambda k: k.zeros(2, 2).var((0, 0)), "dim 0 appears multiple times in the list of dims"),
    "axis of all twice": (lambda k: k.zeros(2, 2).all((0, 0)), "dim 0 appears multiple times in the list of dims"),
    "axis of prod": (
        lambda k: k.zeros(2, 2).prod(2), "Dimension out of range (expected to be in range of [-2, 1], but got 2)"
    ),
    "mean into integers": (
        lambda k: k.tensor([1.0]).mean(dtype=k.int64), "mean(): could not infer output dtype. Optional dtype must be"
    ),
    "nanmean of integers": (lambda k: k.tensor([1]).nanmean(), "nanmean(): expected input to have floating point"),
    "argmax of bool": (lambda k: k.tensor([True]).argmax(), "argmax(): does not support bool input"),
    "argmin of bool": (lambda k: k.tensor([True]).argmin(0), "argmin(): does not support bool input"),
    "min of nothing": (lambda k: k.zeros(0).min(), "min(): Expected reduction dim"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning")
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


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
def test_no_degrees_of_freedom_are_warned_about_as_in_pytorch(name: str) -> None:
    texts = []
    for k in (torch, kael):
        with pytest.warns(UserWarning) as caught:
            getattr(k, name)(k.tensor([1.0]))
        texts.append(str(caught[0].message).partition(" (Trig")[0])
    assert texts[0] == texts[1]
    assert texts[0].startswith(f"{name}(): degrees of freedom is <= 0.")


def test_a_norm_of_matrices_as_maps_is_named() -> None:
    with pytest.raises(NotImplementedError, match="norm: p='nuc': kael has vector norms alone; give a number or 'fro'"):
        kael.ones(2, 2).norm("nuc")


def test_unbiased_and_correction_say_one_thing() -> None:
    with pytest.raises(TypeError, match="give unbiased or correction, not both"):
        kael.ones(2).var(unbiased=True, correction=1)
