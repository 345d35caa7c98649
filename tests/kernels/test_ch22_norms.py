"""The normalizing kernels agree over all rungs within their stated bounds, whatever is a row and however it lies."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.kernels.parity import FLOATS, draw, layouts, outcome, same_bits
from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch22_layers")
REFERENCE = RUNGS["python"]

NORMS = ("standardize", "standardize_given", "standardize_vjp", "standardize_weight_vjp")

# The shape of x, that of the statistics, and that of weight and bias.
ROWS = {
    "a layer": ((5, 7), (5, 1), (7,)),
    "a layer of two axes": ((4, 3, 5), (4, 1, 1), (3, 5)),
    "groups": ((2, 3, 4, 5), (2, 3, 1, 1), (3, 4, 1)),
    "a batch": ((6, 3), (1, 3), (3,)),
    "a wide batch": ((6, 40), (1, 40), (40,)),
    "a wide batch of one": ((1, 40), (1, 40), (40,)),
    "a wide batch of none": ((0, 40), (1, 40), (40,)),
    "channels last": ((3, 5, 33), (1, 1, 33), ()),
    "a batch of maps": ((4, 3, 5, 2), (1, 3, 1, 1), (3, 1, 1)),
    "long rows": ((3, 1100), (3, 1), (1100,)),
    "many rows": ((300, 33), (300, 1), ()),
    "one row": ((40,), (1,), (40,)),
    "one number": ((), (), ()),
    "rows of one": ((4, 1), (4, 1), (1,)),
    "rows of none": ((3, 0), (3, 1), (0,)),
    "no rows": ((0, 3), (0, 1), (3,)),
}


@pytest.fixture(params=RUNGS)
def any_rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


def operands(dtype: str, shapes: Any) -> dict[str, Any]:
    """Ordinary numbers of these shapes."""
    shape, statistics, weight = shapes
    drawn = {name: draw(dtype, shape, seed) for seed, name in enumerate(("g", "x"))}
    drawn |= {name: draw(dtype, weight, seed) for seed, name in enumerate(("weight", "bias"), 2)}
    return drawn | {"mean": draw(dtype, statistics, 4), "var": np.asarray(np.abs(draw(dtype, statistics, 5)))}


READS = {
    "standardize": ("x", "weight", "bias"),
    "standardize_given": ("x", "weight", "bias", "mean", "var"),
    "standardize_vjp": ("g", "x", "weight", "mean", "var"),
    "standardize_weight_vjp": ("g", "x", "mean", "var"),
}


def run(module: ModuleType, name: str, given: dict[str, Any], centred: bool, out: Any = None) -> list[Any]:
    """The results of a kernel, after a check that it leaves alone what it only reads."""
    read = {key: given[key] for key in READS[name]}
    before = {key: array.tobytes() for key, array in read.items()}
    out = np.full(given["x"].shape, 7.0, given["x"].dtype) if out is None else out
    written = {} if "mean" in read else {key: np.full_like(given[key], 7.0) for key in ("mean", "var")}
    options = {"centred": centred} if name in ("standardize", "standardize_vjp") else {}
    assert getattr(module, name)(**read, **options, **written, eps=0.01, out=out) is None
    assert {key: array.tobytes() for key, array in read.items()} == before
    return [out, *written.values()]


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", NORMS)
def test_results_are_within_the_bounds(any_rung: ModuleType, name: str, rows: str, dtype: str, centred: bool) -> None:
    given = operands(dtype, ROWS[rows])
    exact = run(REFERENCE, name, {key: array.astype("float64") for key, array in given.items()}, centred)
    count = given["x"].size / max(given["mean"].size, 1)
    eps = (count + 8) * np.finfo("float64").eps + 8 * np.finfo(dtype).eps
    rate = 10.0  # 1 / sqrt(eps), which no variance exceeds; the numbers drawn are at most 4
    for got, want in zip(run(any_rung, name, given, centred), exact, strict=True):
        assert got.dtype == dtype
        np.testing.assert_allclose(got, want, rtol=0, atol=eps * rate * 16 * 16)


@pytest.mark.parametrize("rows", ["a layer", "groups", "a batch of maps", "a wide batch"])
@pytest.mark.parametrize("name", NORMS)
def test_layouts_do_not_change_the_result(any_rung: ModuleType, name: str, rows: str) -> None:
    given = operands("float32", ROWS[rows])
    want = run(any_rung, name, given, True)
    for key in READS[name]:
        for where, array in layouts(given[key]):
            for got, wanted in zip(run(any_rung, name, {**given, key: array}, True), want, strict=True):
                np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6, err_msg=f"{key} {where}")
    for where, out in layouts(np.zeros_like(want[0])):
        assert same_bits(run(any_rung, name, given, True, out)[0], want[0]), f"out {where}"


def test_repeated_operands_are_read_as_they_are(any_rung: ModuleType) -> None:
    given = operands("float64", ROWS["a layer"])
    repeated = {key: np.broadcast_to(array.ravel()[0], array.shape) for key, array in given.items()}
    copies = {key: array.copy() for key, array in repeated.items()}
    for name in NORMS[1:]:
        assert same_bits(run(any_rung, name, repeated, True)[0], run(any_rung, name, copies, True)[0])


def test_a_constant_row_becomes_the_bias_and_its_slope_is_that_of_the_eps(any_rung: ModuleType) -> None:
    x, out = np.full((2, 4), 3.0), np.zeros((2, 4))
    mean, var = np.zeros((2, 1)), np.zeros((2, 1))
    any_rung.standardize(x, np.array(5.0), np.array(0.5), 1e-4, True, mean, var, out)
    np.testing.assert_array_equal((mean, var), (np.full((2, 1), 3.0), np.zeros((2, 1))))
    np.testing.assert_array_equal(out, 0.5)
    any_rung.standardize_vjp(np.arange(8.0).reshape(2, 4), x, np.array(1.0), 1e-4, True, mean, var, out)
    np.testing.assert_allclose(out, np.tile([-150.0, -50.0, 50.0, 150.0], (2, 1)), rtol=1e-12)


def test_nan_and_infinity_stay_in_their_row(any_rung: ModuleType) -> None:
    x = draw("float32", (3, 20))
    x[0, 3], x[1, 4] = np.nan, np.inf
    for name in ("standardize", "standardize_vjp"):
        out = run(any_rung, name, {**operands("float32", ((3, 20), (3, 1), (20,))), "x": x}, True)[0]
        assert np.isnan(out[0]).any()
        assert not np.isfinite(out[1]).all()
        assert np.isfinite(out[2]).all()


SIZES = [
    (1e-36, 0),
    (1e-36, 1),
    (1e-18, 1),
    (1e-18, -1000),
    (1.0, -1000),
    (1e18, 0),
    (1e18, -1000),
    (5e37, 0),
    (5e37, 1),
]


@pytest.mark.parametrize(("factor", "away"), SIZES)
def test_float32_of_any_size_is_normalized_as_in_float64(any_rung: ModuleType, factor: float, away: float) -> None:
    given = operands("float32", ((4, 70), (4, 1), (70,)))
    given["x"] = (given["x"] + np.float32(away)) * np.float32(factor)
    eps = 0.01 * factor**2
    wide = {key: array.astype("float64") for key, array in given.items()}
    statistics, exact, out = np.zeros((2, 4, 1)), np.zeros((4, 70)), np.zeros((4, 70), "float32")
    REFERENCE.standardize(wide["x"], wide["weight"], wide["bias"], eps, True, *statistics, exact)
    with np.errstate(over="ignore"):  # of the variance, where it is written
        any_rung.standardize(given["x"], given["weight"], given["bias"], eps, True, given["mean"], given["var"], out)
    largest = 10 / factor * np.abs(wide["x"]).max() * 4 + 4  # rate * max |x| * |weight| + |bias|
    np.testing.assert_allclose(out, exact, rtol=0, atol=40 * np.finfo("float32").eps * largest)


@pytest.mark.parametrize("count", [33, 300, 5000])
def test_a_row_that_begins_unlike_the_rest_is_measured_as_well(any_rung: ModuleType, count: int) -> None:
    x = draw("float32", (1, count))
    x[:, :32] += 1000
    mean, var, out = np.zeros((1, 1), "float32"), np.zeros((1, 1), "float32"), np.zeros_like(x)
    any_rung.standardize(x, np.float32([1]), np.float32([0]), 0.0, True, mean, var, out)
    np.testing.assert_allclose(mean, x.mean(dtype="float64"), rtol=1e-6)
    np.testing.assert_allclose(var, x.var(dtype="float64"), rtol=1e-6)
    np.testing.assert_allclose(out, (x - x.mean(dtype="float64")) / x.std(dtype="float64"), atol=1e-5)


def test_out_may_be_x(any_rung: ModuleType) -> None:
    for rows in ("a layer", "a batch of maps"):
        given = operands("float64", ROWS[rows])
        want = run(any_rung, "standardize", given, True)[0]
        x = given["x"]
        any_rung.standardize(x, given["weight"], given["bias"], 0.01, True, given["mean"], given["var"], x)
        assert same_bits(x, want)


X, COLUMN = np.zeros((2, 3)), np.zeros((2, 1))
FIXED = np.zeros((2, 1))
FIXED.flags.writeable = False
ONE = np.array(1.0)
BAD_CALLS = {
    "integers": (
        "standardize", (X.astype(int), ONE, ONE, 0.1, True, COLUMN, COLUMN, X),
        ("TypeError", "standardize: x is int64; standardize takes float32, float64, so cast it with copy first"),
    ),
    "two types": (
        "standardize_given", (X, np.float32([1]), ONE, 0.1, COLUMN, COLUMN, X),
        ("TypeError", "standardize_given: x is float64 but weight is float32; cast one with copy first"),
    ),
    "x smaller than out": (
        "standardize", (COLUMN, ONE, ONE, 0.1, True, COLUMN, COLUMN, X),
        ("ValueError", "standardize: x is (2, 1) but out is (2, 3); their shapes must be equal"),
    ),
    "g smaller than out": (
        "standardize_vjp", (COLUMN, X, ONE, 0.1, True, COLUMN, COLUMN, X),
        ("ValueError", "standardize_vjp: g is (2, 1) but out is (2, 3); their shapes must be equal"),
    ),
    "statistics of fewer axes": (
        "standardize", (X, ONE, ONE, 0.1, True, np.zeros(3), np.zeros(3), X),
        ("ValueError", "standardize: mean is (3,) and var is (3,) but out is (2, 3); both must have the size of out, "
         "or 1, along every axis"),
    ),
    "two kinds of statistics": (
        "standardize_weight_vjp", (X, X, 0.1, COLUMN, np.zeros((1, 3)), X),
        ("ValueError", "standardize_weight_vjp: mean is (2, 1) and var is (1, 3) but out is (2, 3); both must have "
         "the size of out, or 1, along every axis"),
    ),
    "statistics that cannot be written": (
        "standardize", (X, ONE, ONE, 0.1, True, COLUMN, FIXED, X.copy()),
        ("ValueError", "standardize: var is read-only; pass a writable array"),
    ),
    "a weight that does not fit": (
        "standardize", (X, np.zeros(2), ONE, 0.1, True, COLUMN, COLUMN, X),
        ("ValueError", "standardize: weight is (2,) but out is (2, 3); from the right, every size of weight must be 1 "
         "or that of out"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls_raise_the_same_on_every_rung(any_rung: ModuleType, case: str) -> None:
    name, arguments, error = BAD_CALLS[case]
    assert outcome(getattr(any_rung, name), *arguments) == error
