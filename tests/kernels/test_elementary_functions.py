"""The twins' polynomials: dense over all float32, at the places where one formula gives way to another, their text."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from chapters.ch12_elementwise import coefficients
from tests.kernels.bounds import BINARY, BOUNDS, UNARY
from tests.kernels.parity import FLOATS, same_bits
from tests.kernels.rungs import load_rungs
from tests.kernels.sweep import apply, errors, exactly, worst

RUNGS = load_rungs("ch12_elementwise")
REFERENCE = RUNGS["python"]
TWINS = {name: module for name, module in RUNGS.items() if name.startswith("cython")}

pytestmark = [
    pytest.mark.skipif(not TWINS, reason="no twin is built here"),
    pytest.mark.filterwarnings("ignore:.* encountered in .*:RuntimeWarning"),  # of NumPy, about the oracle
]


@pytest.fixture(params=TWINS)
def twin(request: pytest.FixtureRequest) -> ModuleType:
    return TWINS[request.param]


def of_two(module: ModuleType, name: str, x: Any, y: Any) -> Any:
    out = np.empty(np.broadcast_shapes(x.shape, y.shape), x.dtype)
    getattr(module, name)(x, y, out)
    return out


@pytest.mark.parametrize("name", UNARY)
def test_every_so_many_of_all_float32(twin: ModuleType, name: str) -> None:
    error, at = worst(twin, name, step=9973)
    assert error <= BOUNDS[name][0], f"{name}({at!r}) is off by {error:.2f} ulp"


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_float32_with_any_bits(twin: ModuleType, name: str) -> None:
    generator = np.random.default_rng(11)
    x, y = generator.integers(0, 2**32, (2, 200_000), dtype=np.uint32).view(np.float32)
    near = generator.uniform(-4, 4, (2, 200_000)).astype(np.float32)
    for one, two in ((x, y), tuple(near), (np.abs(near[0]), 10 * near[1]), (x, np.rint(near[1]))):
        wide = one.astype(np.float64), two.astype(np.float64)
        if name == "xlogy":
            exact = np.where((wide[0] == 0) & ~np.isnan(wide[1]), 0, wide[0] * np.log(wide[1]))
        else:
            exact = {"pow": np.power, "atan2": np.arctan2, "hypot": np.hypot}[name](*wide)
        error = errors(of_two(twin, name, one, two), exact)
        place = int(np.argmax(error))
        assert error[place] <= BOUNDS[name][0], f"{name}({one[place]!r}, {two[place]!r})"


@pytest.mark.parametrize("spread", [1e-6, 0.4, 80.0])
def test_float32_powers_of_every_size(twin: ModuleType, spread: float) -> None:
    generator = np.random.default_rng(5)
    x = np.exp(generator.uniform(-spread, spread, 200_000)).astype(np.float32)
    x = x[x != 1]
    y = (generator.uniform(-151, 129, x.size) / np.log2(x.astype(np.float64))).astype(np.float32)
    error = errors(of_two(twin, "pow", x, y), np.power(x.astype(np.float64), y.astype(np.float64)))
    assert error.max() <= BOUNDS["pow"][0]


def test_signs_of_float32_powers_of_negative_numbers(twin: ModuleType) -> None:
    near_limits = [2.0**e + part for e in (21, 22, 23, 24, 31) for part in (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0)]
    y = np.array([*near_limits, 0.5, 1.0, 1.5, 2.0, 3.0, np.inf, np.nan, 3e38], np.float32)
    y = np.concatenate([y, -y])
    x = np.array([-1.0, np.nextafter(np.float32(-1), np.float32(0)), -0.0, -np.inf, -1e-40, 1.0, np.nan], np.float32)
    got = of_two(twin, "pow", x[:, None], y)
    want = np.power(x[:, None].astype(np.float64), y.astype(np.float64))
    assert np.array_equal(np.isnan(got), np.isnan(want))
    assert np.array_equal(np.signbit(got)[~np.isnan(want)], np.signbit(want)[~np.isnan(want)])
    assert errors(got, want).max() <= BOUNDS["pow"][0]


def turning_points(dtype: str) -> Any:
    """Where formulas, polynomials and special cases meet, with the neighbours of each, of both signs."""
    limits = np.finfo(dtype)
    ends = [1e-4, 2.0**-13, 2.0**-28, 0.4142135623730951, 0.5, 0.5625, 0.65, 0.7071067811865476, 0.875, 1.0, 1.5]
    ends += [np.pi / 4, np.pi / 2, np.pi, 10.5, 28.0, 89.0, 89.5, 104.0, 710.0, 745.0, 1e4, 2e8, 1e6, 2.5, 4194303.5]
    ends += [2.0**20 + 0.5, 2.0**21 + 0.5, 2.0**22 + 0.5, 2.0**23, 2.0**23 + 1, 2.0**24, 2.0**49 + 0.5, 2.0**50 + 0.5]
    ends += [2.0**51 + 0.5, 2.0**52, 2.0**52 + 1, 2.0**53, 1e18, 1e20, 1e30, float(limits.max), float(limits.tiny)]
    x = np.array([*ends, float(limits.smallest_subnormal), np.inf, 0.0], dtype)
    x = np.concatenate([x, np.nextafter(x, dtype_of(dtype)(np.inf)), np.nextafter(x, dtype_of(dtype)(-np.inf))])
    return np.concatenate([x, -x, np.array([np.nan], dtype)])


def dtype_of(dtype: str) -> Any:
    return np.dtype(dtype).type


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_nothing_happens_where_formulas_meet(twin: ModuleType, name: str, dtype: str) -> None:
    x = turning_points(dtype)
    got, want = apply(twin, name, x), apply(REFERENCE, name, x)
    special = ~np.isfinite(want) | (want == 0)
    assert same_bits(np.where(special, got, 0), np.where(special, want, 0))
    unit = np.spacing(np.abs(want[~special]))
    apart = np.abs(got[~special] - want[~special]) / unit
    assert apart.max() <= BOUNDS[name][0] + 1  # the reference has a unit of its own


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BINARY)
def test_special_pairs(twin: ModuleType, name: str, dtype: str) -> None:
    x = np.array([0.0, 1.0, 2.0, 3.0, 0.5, 2.5, 1e-3, 1e9, 1e30, np.inf, np.finfo(dtype).tiny], dtype)
    x = np.concatenate([x, -x, np.array([np.nan], dtype)])
    got, want = of_two(twin, name, x[:, None], x), of_two(REFERENCE, name, x[:, None], x)
    special = ~np.isfinite(want) | (want == 0)
    assert same_bits(np.where(special, got, 0), np.where(special, want, 0))
    apart = np.abs(got[~special] - want[~special]) / np.spacing(np.abs(want[~special]))
    assert apart.max() <= BOUNDS[name][0] + 1


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_a_neighbour_out_of_reach_changes_no_bit(twin: ModuleType, name: str, dtype: str) -> None:
    x = np.random.default_rng(3).uniform(-1e6, 1e6, 1500).astype(dtype)
    want = apply(twin, name, x)
    for far in (1e6, -3e7, 1e30, np.inf, np.nan):
        mixed = x.copy()
        mixed[::7] = far
        got = apply(twin, name, mixed)
        assert same_bits(np.delete(got, np.s_[::7]), np.delete(want, np.s_[::7]))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_far_arguments_may_be_written_over(twin: ModuleType, name: str, dtype: str) -> None:
    x = np.random.default_rng(3).uniform(-3e6, 3e6, 1500).astype(dtype)
    want = apply(twin, name, x)
    getattr(twin, name)(x, x)
    assert same_bits(x, want)


@pytest.mark.parametrize("dtype", FLOATS)
def test_powers_of_two_have_whole_logarithms(twin: ModuleType, dtype: str) -> None:
    powers = np.arange(np.finfo(dtype).minexp - np.finfo(dtype).nmant, np.finfo(dtype).maxexp).astype(dtype)
    assert same_bits(apply(twin, "log2", np.exp2(powers.astype(np.float64)).astype(dtype)), powers)
    assert same_bits(apply(twin, "exp2", powers), np.exp2(powers.astype(np.float64)).astype(dtype))


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", FLOATS)
def test_instruction_sets_differ_by_no_more_than_both_may_err(name: str, dtype: str) -> None:
    x = np.random.default_rng(5).normal(0, 20, 4000).astype(dtype)
    first, *others = [apply(module, name, x) for module in TWINS.values()]
    numbers = np.isfinite(first)
    unit = np.spacing(np.abs(first[numbers]))
    for other in others:
        assert same_bits(other[~numbers], first[~numbers])
        assert (np.abs(other[numbers] - first[numbers]) <= 2 * BOUNDS[name][0] * unit).all()


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", FLOATS)
def test_neither_place_nor_company_changes_a_bit(twin: ModuleType, name: str, dtype: str) -> None:
    x = np.random.default_rng(5).normal(0, 20, 5003).astype(dtype)
    want = apply(twin, name, x)
    for start, stop in ((0, 1), (1, 14), (4090, 4101), (5002, 5003)):
        assert same_bits(apply(twin, name, x[start:stop].copy()), want[start:stop])
    for other in (1e30, -1000.0, -np.inf, np.nan, 0.0):
        mixed = x.copy()
        mixed[::97] = other
        assert same_bits(np.delete(apply(twin, name, mixed), np.s_[::97]), np.delete(want, np.s_[::97]))


def test_the_polynomials_are_those_worked_out() -> None:
    path = Path(coefficients.__file__).with_name("polynomials.pxd")
    assert path.read_text(encoding="utf-8") == coefficients.source(), (
        "run python -m chapters.ch12_elementwise.coefficients"
    )


@pytest.mark.parametrize("name", sorted(set(coefficients.INTERVALS) - set(coefficients.REACH)))
def test_a_polynomial_costs_a_fraction_of_a_unit(name: str) -> None:
    _, _, end, *_ = coefficients.INTERVALS[name]
    for single, bits in ((True, 24), (False, 53)):
        assert float(coefficients.largest_error(name, single)) * float(end) < 0.35 * 2.0**-bits


@pytest.mark.parametrize("name", coefficients.REACH)
def test_a_polynomial_of_gelu_costs_an_eps(name: str) -> None:
    assert coefficients.largest_error(name, True) * coefficients.REACH[name] < Decimal(2) ** -23
    beyond = float(coefficients.REACH[name])
    tail = math.erfc(beyond / math.sqrt(2)) / 2
    density = beyond * math.exp(-beyond * beyond / 2) / math.sqrt(2 * math.pi)
    assert (tail if name == "share" else density - tail) < 2 * 2.0**-23


def test_the_sweep_sees_an_error(twin: ModuleType) -> None:
    x = np.array([1.0, 2.0, np.inf, np.nan, 0.0], np.float32)
    exact = exactly(twin, "tanh", x.astype(np.float64))
    got = apply(twin, "tanh", x)
    assert errors(got, exact).max() <= BOUNDS["tanh"][0]
    for k, wrong in ((0, 0.7616), (2, np.nan), (3, 0.0), (4, -0.0)):
        bad = got.copy()
        bad[k] = wrong
        assert errors(bad, exact)[k] > BOUNDS["tanh"][0]
