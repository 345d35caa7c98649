"""The reductions agree over all rungs: to the last bit, and NumPy's sums within the bound."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import combinations
from math import fsum, log2
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from chapters.ch13_reductions.reference import BLOCK, LANES, float_sum
from tests.kernels.parity import DTYPES, FLOATS, awkward, draw, layouts, outcome, parameters, same_bits
from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch13_reductions")
REFERENCE = RUNGS["python"]
REDUCTIONS = ("sum", "mean", "max", "min", "argmax", "all", "any", "prod", "var", "norm")
SUMMING = ("sum", "mean", "prod", "var", "norm")
SHAPES = [(), (1,), (5,), (LANES + 1,), (2, 3), (3, 4, 5), (4, 1), (1, 4), (33, 7), (7, 33), (5, 2, 3, 4), (9, 40)]


@pytest.fixture(params=[name for name in RUNGS if name != "python"])
def rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


@pytest.fixture(params=[name for name in RUNGS if name.startswith("cython")])
def twin(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


@pytest.fixture(params=RUNGS)
def any_rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


def takes(name: str, dtype: str) -> bool:
    return name not in ("mean", "var", "norm") or dtype in FLOATS


def result_dtype(name: str, dtype: str) -> str:
    if name in ("all", "any"):
        return "bool"
    return "int64" if name == "argmax" or (name in ("sum", "prod") and dtype == "bool") else dtype


def reduced_shapes(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every shape to which a shape reduces: any axes shrunk to 1, then any leading ones of size 1 dropped."""
    for count in range(len(shape) + 1):
        for axes in combinations(range(len(shape)), count):
            target = tuple(1 if axis in axes else size for axis, size in enumerate(shape))
            yield target
            while target and target[0] == 1:
                target = target[1:]
                yield target


def reduce(module: ModuleType, name: str, x: Any, shape: tuple[int, ...]) -> Any:
    """What a reduction writes into a fresh `out`, after a check that it leaves `x` alone."""
    before = x.tobytes()
    out = np.full(shape, 7).astype(result_dtype(name, x.dtype.name))
    assert getattr(module, name)(x, out) is None
    assert x.tobytes() == before
    return out


def values_of(dtype: str, shape: tuple[int, ...], seed: int = 0) -> Any:
    """Ordinary numbers with awkward ones among them, in a third of the cases with nan and infinities."""
    x = draw(dtype, shape, seed)
    special = awkward(dtype)
    if seed % 3 and dtype in FLOATS:
        special = np.array([0.0, -0.0], dtype)
    generator = np.random.default_rng(seed)
    return np.array(np.where(generator.random(shape) < 0.3, generator.choice(special, shape), x))


def close(name: str, got: Any, want: Any, x: Any) -> bool:
    """Whether two results of finite numbers are within twice the bound of each other; true where `x` is not finite."""
    size = np.abs(x.astype(np.float64)).sum()
    if name not in ("sum", "mean"):
        return (
            size > 1e20 or not np.isfinite(size) or np.allclose(got, want, 100 * np.finfo(x.dtype).eps, equal_nan=True)
        )
    return not np.isfinite(size) or np.abs(got.astype(np.float64) - want).max() <= 100 * np.finfo(x.dtype).eps * size


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_rung_agrees_with_the_reference_over_shapes_axes_and_layouts(name: str, dtype: str) -> None:
    if not takes(name, dtype):
        return
    for seed, shape in enumerate(SHAPES):
        x = values_of(dtype, shape, seed)
        for target in reduced_shapes(shape):
            want = reduce(REFERENCE, name, x, target)
            for rung, module in RUNGS.items():
                for layout, laid in layouts(x):
                    got = reduce(module, name, laid, target)
                    own_order = rung == "numpy" and name in SUMMING and dtype in FLOATS
                    agrees = close(name, got, want, x) if own_order else same_bits(got, want)
                    assert agrees, (rung, layout, shape, target, got, want)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", [BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 7 * BLOCK + 37])
def test_long_sums_have_the_bits_of_the_definition_by_rows_by_columns_and_with_gaps(
    twin: ModuleType, dtype: str, count: int
) -> None:
    x = draw(dtype, (5, count))
    code = {"float32": "f", "float64": "d"}[dtype]
    want = np.array([float_sum(row.tolist(), code) for row in x], dtype)
    wide = np.zeros((5, 2 * count), dtype)
    wide[:, ::2] = x
    for rows in (x, np.asfortranarray(x), wide[:, ::2], x[:, ::-1].copy()[:, ::-1], x.copy()[::-1][::-1]):
        assert same_bits(reduce(twin, "sum", rows, (5, 1))[:, 0], want)
        assert same_bits(reduce(twin, "sum", rows.T, (5,)), want)
    halves = np.stack([x, x]).transpose(1, 0, 2)
    assert same_bits(reduce(twin, "sum", halves, (5, 1, 1)), reduce(REFERENCE, "sum", halves, (5, 1, 1)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_broadcast_operands_are_summed_as_often_as_they_repeat(any_rung: ModuleType, dtype: str) -> None:
    row = draw(dtype, (1, 6))
    for x in (np.broadcast_to(row, (70, 6)), np.broadcast_to(row.T, (6, 70)), np.broadcast_to(row[0, :1], (70, 6))):
        for shape in ((), (x.shape[1],), (x.shape[0], 1)):
            got = reduce(any_rung, "sum", x, shape)
            want = reduce(REFERENCE, "sum", np.array(x), shape)
            assert np.allclose(got, want, rtol=1e-5) if any_rung is RUNGS["numpy"] else same_bits(got, want)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_error_of_a_sum_is_within_its_bound(any_rung: ModuleType, dtype: str) -> None:
    count = 20 * BLOCK + 5
    x = draw(dtype, (count,))
    error = abs(float(reduce(any_rung, "sum", x, ())) - fsum(x.tolist()))
    assert error <= (37 + log2(count / BLOCK)) * np.finfo(dtype).eps * fsum(np.abs(x).tolist())


def test_a_float32_sum_does_not_lose_small_numbers_one_by_one(any_rung: ModuleType) -> None:
    x = np.full(2**20, 0.1, np.float32)
    running = np.cumsum(x, dtype=np.float32)[-1]
    exact = 2**20 * float(np.float32(0.1))
    if any_rung is not REFERENCE:
        assert abs(float(reduce(any_rung, "sum", x, ())) - exact) < 1e-6 * exact < abs(float(running) - exact)


def test_one_element_keeps_its_sign_and_no_element_sums_to_zero(any_rung: ModuleType) -> None:
    assert np.signbit(reduce(any_rung, "sum", np.array([-0.0]), (1,)))[0]
    assert same_bits(reduce(any_rung, "sum", np.zeros((0, 2)), (2,)), np.zeros(2))
    assert np.isnan(reduce(any_rung, "mean", np.zeros((0, 2)), (2,))).all()


def test_int64_sums_wrap_and_bool_is_counted(any_rung: ModuleType) -> None:
    limits = np.iinfo(np.int64)
    assert reduce(any_rung, "sum", np.array([limits.max, 1, 1]), ()) == limits.min + 1
    assert reduce(any_rung, "sum", np.tile(np.array([True, False, True]), 999), ()) == 1998


def test_max_and_min_order_the_zeros(any_rung: ModuleType) -> None:
    for dtype in FLOATS:
        for count in (2, 3, 40, 70, 2000):
            x = np.full(count, -0.0, dtype)
            for place in (None, 0, count // 2, count - 1):
                zeros = x.copy()
                if place is not None:
                    zeros[place] = 0.0
                for laid, shape in ((zeros, ()), (np.stack([zeros] * 5, 1), (5,))):
                    assert np.all(np.signbit(reduce(any_rung, "max", laid, shape)) == (place is None))
                    assert np.all(np.signbit(reduce(any_rung, "min", -laid, shape)) == (place is not None))


@pytest.mark.parametrize("name", ["max", "min", "argmax"])
def test_a_nan_wins_wherever_it_stands(any_rung: ModuleType, name: str) -> None:
    for dtype in FLOATS:
        for count in (1, 5, 12, 25, 40, 70, 1500):
            for place in {0, count // 2, count - 1}:
                x = draw(dtype, (count,))
                x[count // 3] = np.inf
                x[place] = np.nan
                for laid, shape in ((x, ()), (np.stack([x] * 5, 1), (5,)), (np.stack([x] * 5), (5, 1))):
                    got = reduce(any_rung, name, laid, shape)
                    assert np.all(got == place) if name == "argmax" else np.isnan(got).all()


def test_infinities_of_both_signs_are_no_nan(any_rung: ModuleType) -> None:
    for dtype in FLOATS:
        for count in (2, 40, 70, 1500):
            x = draw(dtype, (count,))
            x[count // 2], x[0] = np.inf, -np.inf
            found = [reduce(any_rung, name, x, ()) for name in ("max", "min", "argmax")]
            assert found == [np.inf, -np.inf, count // 2]
            x[:] = np.finfo(dtype).max * np.where(np.arange(count) % 3, 1, -1)
            assert reduce(any_rung, "max", x, ()) == np.finfo(dtype).max == -reduce(any_rung, "min", x, ())


def test_argmax_takes_the_first_of_ties(any_rung: ModuleType) -> None:
    for dtype in DTYPES:
        for count in (2, 33, 100, 3000):
            x = np.zeros((count, 6), dtype)
            x[count // 2 :] = 1
            assert np.all(reduce(any_rung, "argmax", x, (6,)) == count // 2)
            assert reduce(any_rung, "argmax", x, ()) == count // 2 * 6
            assert np.all(reduce(any_rung, "argmax", np.array(x.T), (6, 1)) == count // 2)
    assert reduce(any_rung, "argmax", np.array([-1.0, -0.0, 0.0]), ()) == 1
    assert reduce(any_rung, "argmax", np.array([1.0, np.nan, np.inf, np.nan]), ()) == 1


def test_sum_undoes_broadcasting(any_rung: ModuleType) -> None:
    g = draw("float32", (4, 2, 3))
    for shape in ((4, 2, 3), (1, 2, 3), (2, 3), (2, 1), (1, 1), (3,), ()):
        lead = g.ndim - len(shape)
        axes = tuple(a for a in range(3) if a < lead or shape[a - lead] == 1)
        assert np.allclose(reduce(any_rung, "sum", g, shape), g.sum(axis=axes).reshape(shape), rtol=1e-5)
    assert same_bits(reduce(any_rung, "sum", g, g.shape), g)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_out_of_any_layout_is_filled(any_rung: ModuleType, name: str) -> None:
    x = draw("float32", (4, 5, 6))
    for shape in ((4, 5, 6), (4, 1, 6), (5, 1), (6,), (4, 5, 1)):
        want = reduce(any_rung, name, x, shape)
        for layout, out in layouts(np.zeros_like(want)):
            getattr(any_rung, name)(x, out)
            assert same_bits(np.array(out), want), layout


@pytest.mark.parametrize(
    ("name", "x", "out"),
    [
        ("sum", np.ones((2, 3)), np.ones((4, 5))),
        ("sum", np.ones(3), np.ones((3, 3))),
        ("sum", np.ones((1, 3)), np.ones((2, 3))),
        ("sum", np.ones(3, np.float32), np.ones(())),
        ("sum", np.ones(3, bool), np.ones((), bool)),
        ("sum", np.ones(3, np.int64), np.ones(())),
        ("sum", np.ones(3, np.complex128), np.ones((), np.complex128)),
        ("sum", np.ones(3, ">f4"), np.ones((), np.float32)),
        ("sum", np.frombuffer(b"\0" * 9, np.uint8)[1:].view(np.float32), np.ones((), np.float32)),
        ("mean", np.ones(3, np.int64), np.ones(())),
        ("mean", np.ones(3, bool), np.ones(())),
        ("mean", np.ones(3), np.ones((2,))),
        ("max", np.ones((0, 3)), np.ones(3)),
        ("max", np.ones(0), np.ones(())),
        ("min", np.ones((2, 0)), np.ones((2, 1))),
        ("argmax", np.ones((2, 0)), np.ones((2, 1), np.int64)),
        ("argmax", np.ones(3), np.ones(())),
        ("max", np.ones(3, np.int64), np.ones((), np.float32)),
        ("all", np.ones(3), np.ones(())),
        ("any", np.ones((2, 3), bool), np.ones((4, 5), bool)),
        ("prod", np.ones(3, bool), np.ones((), bool)),
        ("prod", np.ones(3), np.ones((2,))),
        ("var", np.ones(3, np.int64), np.ones(())),
        ("norm", np.ones(3, bool), np.ones(())),
        ("norm", np.ones(3), np.ones((), np.float32)),
        ("min", np.ones(3), np.broadcast_to(np.ones(()), ())),
    ],
)
def test_every_rung_refuses_with_the_same_words(any_rung: ModuleType, name: str, x: Any, out: Any) -> None:
    refused = outcome(getattr(any_rung, name), x, out)
    assert refused is not None
    assert refused == outcome(getattr(REFERENCE, name), x, out)
    assert name in refused[1] or "kernels take" in refused[1]


def test_the_errors_say_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"^sum: x is \(2, 3\) but out is \(4, 5\); from the right, every size of out"):
        REFERENCE.sum(np.ones((2, 3)), np.ones((4, 5)))
    with pytest.raises(TypeError, match=r"^mean: x is int64; cast it to float32 or float64 first$"):
        REFERENCE.mean(np.ones(3, np.int64), np.ones(()))
    with pytest.raises(ValueError, match=r"^max: x is \(0, 3\) and out \(3,\); there is no max of no elements$"):
        REFERENCE.max(np.ones((0, 3)), np.ones(3))


@pytest.mark.parametrize("name", ["max", "min", "argmax"])
def test_no_outputs_of_no_elements_are_fine(any_rung: ModuleType, name: str) -> None:
    reduce(any_rung, name, np.zeros((0, 3)), (0, 1))
    reduce(any_rung, name, np.zeros((0, 3)), (0, 3))


def test_rungs_offer_the_same_functions(any_rung: ModuleType) -> None:
    assert any_rung.__all__ == REFERENCE.__all__
    assert parameters(any_rung) == parameters(REFERENCE)


PLAIN = {"all": np.all, "any": np.any, "prod": np.prod, "var": lambda x, axis: np.var(x, axis, ddof=1)}


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_definition_is_that_of_numpy(name: str, dtype: str) -> None:
    if takes(name, dtype):
        for count in (1, 3, 40):
            x = draw(dtype, (2, count)) % 3 if dtype == "int64" else draw(dtype, (2, count))
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = PLAIN[name](x, axis=1)
            assert np.allclose(reduce(REFERENCE, name, x, (2, 1))[:, 0], want, rtol=1e-5, equal_nan=True)


def test_no_elements(any_rung: ModuleType) -> None:
    nothing = np.zeros((0, 2))
    assert reduce(any_rung, "all", nothing, (2,)).all()
    assert not reduce(any_rung, "any", nothing, (2,)).any()
    assert same_bits(reduce(any_rung, "prod", nothing, (2,)), np.ones(2))
    assert np.isnan(reduce(any_rung, "var", nothing, (2,))).all()
    assert same_bits(reduce(any_rung, "norm", nothing, (2,)), np.zeros(2))


def test_nan_and_minus_zero_are_judged_as_python_does(any_rung: ModuleType) -> None:
    for x, every, some in (([np.nan], True, True), ([-0.0], False, False), ([-0.0, np.nan], False, True)):
        assert reduce(any_rung, "all", np.array(x), ()) == every
        assert reduce(any_rung, "any", np.array(x), ()) == some


@pytest.mark.parametrize("name", ["all", "any"])
def test_the_odd_one_out_is_found_wherever_it_stands(any_rung: ModuleType, name: str) -> None:
    count = 3 * BLOCK + 5
    for place in (0, 1, BLOCK - 1, BLOCK, count - 1):
        for rows in (1, 6):
            x = np.full((rows, count), name == "all")
            x[:, place] = name != "all"
            assert np.all(reduce(any_rung, name, x, (rows, 1)) == (name != "all"))
            assert np.all(reduce(any_rung, name, x.T, (rows,)) == (name != "all"))


@pytest.mark.parametrize("correction", [0.0, 1.0, 0.5, 7.0])
def test_the_correction_is_taken_from_the_count_and_the_divisor_is_never_negative(
    any_rung: ModuleType, correction: float
) -> None:
    x, out = draw("float64", (3, 5)), np.zeros((3, 1))
    any_rung.var(x, out, correction)
    squares = ((x - x.mean(1, keepdims=True)) ** 2).sum(1, keepdims=True)
    assert np.allclose(out, squares / (5 - correction) if correction < 5 else np.inf)


def test_a_large_mean_costs_a_variance_no_digits(any_rung: ModuleType) -> None:
    x = np.array([[1e8, 1e8 + 1, 1e8 + 2] * 20], np.float64)
    for laid, shape in ((x, (1,)), (np.repeat(x.T, 5, 1), (1, 5))):
        assert np.allclose(reduce(any_rung, "var", laid, shape if shape != (1,) else (1, 1)), 2 / 3 * 60 / 59, 1e-12)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, np.inf, -np.inf, 3.0, 0.5, -1.0])
@pytest.mark.parametrize("dtype", FLOATS)
def test_norms_agree_over_rungs_and_layouts(rung: ModuleType, dtype: str, p: float) -> None:
    for shape in ((1,), (5,), (3, 40), (40, 7), (70, 9)):
        x = draw(dtype, shape)
        x.flat[0] = 0
        for target in ((1,) * len(shape), shape[1:], (*shape[:-1], 1)):
            want = np.zeros(target, dtype)
            REFERENCE.norm(x, want, p)
            axes = tuple(a for a, size in enumerate((1,) * (len(shape) - len(target)) + target) if size == 1)
            rows = np.moveaxis(x, axes, range(-len(axes), 0)).reshape(*(np.delete(shape, axes)), -1)
            with np.errstate(all="ignore"):
                assert np.allclose(want.ravel(), np.linalg.norm(rows, p, -1).ravel(), rtol=1e-5)
            for _, laid in layouts(x):
                got = np.zeros(target, dtype)
                rung.norm(laid, got, p)
                exact = p in (0, 1, 2, np.inf, -np.inf) and rung is not RUNGS["numpy"]
                assert same_bits(got, want) if exact else np.allclose(got, want, 20 * np.finfo(dtype).eps)


SCANS = ("cumsum", "cumprod")
SCAN_SHAPES = [(1,), (7,), (3, 10), (2, 3, 33), (4, 1), (0, 4), (3, 0), (40, 9), (2, 1030)]


@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("dtype", [*FLOATS, "int64"])
def test_running_totals_have_the_bits_of_the_definition_in_any_layout(rung: ModuleType, name: str, dtype: str) -> None:
    for seed, shape in enumerate(SCAN_SHAPES):
        x = values_of(dtype, shape, seed)
        want = np.zeros_like(x)
        getattr(REFERENCE, name)(x, want)
        for (_, laid), (_, out) in zip(layouts(x), layouts(want), strict=True):
            for target in (np.zeros_like(want), np.full_like(out, 7), laid.copy()):
                getattr(rung, name)(laid, target)
                assert same_bits(np.array(target), want), (shape, target.strides)
        getattr(rung, name)(x, x)
        assert same_bits(x, want)


@pytest.mark.parametrize("name", SCANS)
def test_running_totals_are_those_of_numpy(name: str) -> None:
    for dtype in (*FLOATS, "int64"):
        x = draw(dtype, (3, 20))
        got = np.zeros_like(x)
        getattr(REFERENCE, name)(x, got)
        assert np.allclose(got, getattr(np, name)(x, axis=-1), rtol=1e-5)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_gradient_of_a_running_product_is_exact_at_zeros(any_rung: ModuleType, dtype: str) -> None:
    g, x = np.ones((3, 4), dtype), np.array([[2, 0, 3, 4], [2, 0, 0, 3], [1, 2, 3, 4]], dtype)
    out = np.zeros_like(x)
    any_rung.cumprod_vjp(g, x, out)
    assert out.tolist() == [[1, 32, 0, 0], [1, 2, 0, 0], [33, 16, 10, 6]]


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_gradient_of_a_running_product_agrees_over_rungs_and_layouts(rung: ModuleType, dtype: str) -> None:
    for shape in SCAN_SHAPES:
        g, x = draw(dtype, shape, 1), draw(dtype, shape)
        x[x > 3] = 0
        want = np.zeros_like(x)
        REFERENCE.cumprod_vjp(g, x, want)
        for (_, laid), (_, turned) in zip(layouts(x), layouts(g), strict=True):
            out = np.zeros_like(laid)
            rung.cumprod_vjp(turned, laid, out)
            assert same_bits(np.array(out), want)


@pytest.mark.parametrize("name", [*SCANS, "cumprod_vjp"])
def test_running_totals_refuse_with_the_same_words(any_rung: ModuleType, name: str) -> None:
    x = np.ones((2, 3))
    second = (x,) if name.endswith("_vjp") else ()
    readonly = x.copy()
    readonly.flags.writeable = False
    calls = [
        (x, *second, np.ones((3, 2))),
        (x, *second, x.astype(np.float32)),
        (x.astype(bool), *[x.astype(bool)] * len(second), x.astype(bool)),
        (np.ones(()), *[np.ones(())] * len(second), np.ones(())),
        (x, *second, readonly),
        (x.astype(complex), *second, x),
    ]
    for call in calls:
        refused = outcome(getattr(any_rung, name), *call)
        assert refused is not None, call
        assert refused == outcome(getattr(REFERENCE, name), *call)


def test_large_arrays_agree_with_the_reference(twin: ModuleType) -> None:
    x = draw("float32", (170, 200))
    for shape in ((), (200,), (170, 1)):
        for name in REDUCTIONS:
            assert same_bits(reduce(twin, name, x, shape), reduce(REFERENCE, name, x, shape))


ROW_KERNELS = ("softmax", "log_softmax", "logsumexp", "softmax_vjp", "log_softmax_vjp")
ROW_SHAPES = [(1,), (7,), (3, 10), (2, 3, 33), (4, 1), (2, 300), (2, 1030), (0, 4), (3, 0), (2, 3, 2, 5)]


def row_kernel(module: ModuleType, name: str, *operands: Any) -> Any:
    """What a kernel of the softmax family writes into a fresh `out`, after a check that it leaves operands alone."""
    before = [x.tobytes() for x in operands]
    shape = (*operands[0].shape[:-1], 1) if name == "logsumexp" else operands[0].shape
    out = np.full(shape, 7, operands[0].dtype)
    assert getattr(module, name)(*operands, out) is None
    assert [x.tobytes() for x in operands] == before
    return out


def second_operand(name: str, x: Any) -> tuple[Any, ...]:
    """What a gradient kernel takes besides the gradient: the output of its forward kernel."""
    return (row_kernel(REFERENCE, name.removesuffix("_vjp"), x),) if name.endswith("_vjp") else ()


def nearly(got: Any, want: Any, scale: Any) -> bool:
    """Equal within a few units of the last place of the largest number that took part; nan and inf in place."""
    finite = np.isfinite(want)
    same = np.where(finite, True, (got == want) | (np.isnan(got) & np.isnan(want)))
    near = np.abs(np.where(finite, got, 0) - np.where(finite, want, 0)) <= 40 * np.finfo(want.dtype).eps * scale
    return bool(np.all(same & near))


@pytest.mark.parametrize("name", ROW_KERNELS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_the_softmax_family_agrees_over_rungs_and_layouts(rung: ModuleType, name: str, dtype: str) -> None:
    for shape in ROW_SHAPES:
        x = draw(dtype, shape)
        others = second_operand(name, draw(dtype, shape, 1))
        want = row_kernel(REFERENCE, name, x, *others)
        for layout, laid in layouts(x):
            got = row_kernel(rung, name, laid, *others)
            scale = np.abs(want) if name == "softmax" else 10 + 4 * shape[-1]
            assert nearly(got, want, scale), (layout, shape, got, want)
        for layout, out in layouts(np.zeros_like(want)):
            getattr(rung, name)(x, *others, out)
            assert same_bits(np.array(out), row_kernel(rung, name, x, *others)), (layout, shape)


@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax_is_near_the_exact_one_at_any_height(any_rung: ModuleType, dtype: str) -> None:
    for height in (0.0, 1000.0, -1000.0, 1e30):
        x = draw(dtype, (3, 50)) + np.array(height, dtype)
        exact = np.exp(x.astype(np.longdouble) - x.max(axis=-1, keepdims=True))
        exact /= exact.sum(axis=-1, keepdims=True)
        got = row_kernel(any_rung, "softmax", x)
        assert np.all(np.abs(got - exact) <= 20 * np.finfo(dtype).eps * exact)
        logarithms = row_kernel(any_rung, "log_softmax", x)
        assert np.allclose(logarithms, np.log(exact), rtol=20 * np.finfo(dtype).eps, atol=20 * np.finfo(dtype).eps)


def test_rows_with_infinities_and_nan(any_rung: ModuleType) -> None:
    inf, nan = np.inf, np.nan
    for dtype in FLOATS:
        x = np.array([[-inf, -inf], [inf, 0], [nan, 0], [-inf, 0], [inf, -inf]], dtype)
        weights = [[nan, nan], [nan, nan], [nan, nan], [0, 1], [nan, nan]]
        assert np.array_equal(row_kernel(any_rung, "softmax", x), weights, equal_nan=True)
        logarithms = [[nan, nan], [nan, nan], [nan, nan], [-inf, 0], [nan, nan]]
        assert np.array_equal(row_kernel(any_rung, "log_softmax", x), logarithms, equal_nan=True)
        total = [[-inf], [inf], [nan], [0], [inf]]
        assert np.array_equal(row_kernel(any_rung, "logsumexp", x), total, equal_nan=True)
        assert np.array_equal(row_kernel(any_rung, "logsumexp", np.zeros((2, 0), dtype)), np.full((2, 1), -inf))


@pytest.mark.parametrize("name", [name for name in ROW_KERNELS if name != "logsumexp"])
def test_a_row_kernel_may_write_over_its_operand(any_rung: ModuleType, name: str) -> None:
    for shape in ((3, 10), (2, 600)):
        x = draw("float32", shape)
        others = second_operand(name, x)
        want = row_kernel(any_rung, name, x, *others)
        for target in range(1 + len(others)):
            operands = [x.copy(), *[other.copy() for other in others]]
            getattr(any_rung, name)(*operands, operands[target])
            assert same_bits(operands[target], want)


def test_the_gradient_kernels_are_the_derivatives(any_rung: ModuleType) -> None:
    x, g, h = draw("float64", (4, 6)), draw("float64", (4, 6), 1), 1e-6
    for name in ("softmax", "log_softmax"):
        y = row_kernel(any_rung, name, x)
        got = row_kernel(any_rung, f"{name}_vjp", g, y)
        for place in np.ndindex(x.shape):
            up, down = x.copy(), x.copy()
            up[place] += h
            down[place] -= h
            slope = (g * (row_kernel(any_rung, name, up) - row_kernel(any_rung, name, down))).sum() / (2 * h)
            assert abs(got[place] - slope) < 1e-7


@pytest.mark.parametrize("name", ROW_KERNELS)
def test_the_softmax_family_refuses_with_the_same_words(any_rung: ModuleType, name: str) -> None:
    x = np.ones((2, 3))
    second = (x,) if name.endswith("_vjp") else ()
    out = np.ones((2, 1)) if name == "logsumexp" else x.copy()
    readonly = out.copy()
    readonly.flags.writeable = False
    unaligned = np.frombuffer(b"\0" * 17, np.uint8)[1:].view(np.float64).reshape(1, 2)
    calls = [
        (x, *second, np.ones((3, 2))),
        (x, *second, np.ones(3)),
        (x, *second, out.astype(np.float32)),
        (x.astype(np.int64), *second, out),
        (np.ones(()), *[np.ones(())] * len(second), np.ones(())),
        (x, *second, readonly),
        (unaligned, *[np.ones((1, 2))] * len(second), np.ones((1, 1 if name == "logsumexp" else 2))),
    ]
    if second:
        calls.append((x, np.ones((2, 4)), out))
    for call in calls:
        refused = outcome(getattr(any_rung, name), *call)
        assert refused is not None, call
        assert refused == outcome(getattr(REFERENCE, name), *call)
        assert refused[1].startswith(f"{name}: ")
