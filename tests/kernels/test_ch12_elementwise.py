"""The elementwise kernels agree over all rungs: in bits where arithmetic is exact, else within their stated bounds."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzzing import examples
from tests.kernels.bounds import BINARY, BOUNDS, HYPERBOLIC, UNARY, WITHIN_TWO
from tests.kernels.parity import DTYPES, FLOATS, awkward, draw, layouts, outcome, parameters, same_bits, ulps
from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch12_elementwise")
REFERENCE = RUNGS["python"]
TWINS = [name for name in RUNGS if name.startswith("cython")]

NUMBERS = ("float32", "float64", "int64")
EXACT_UNARY = {
    **dict.fromkeys(("neg", "abs", "sign", "relu"), NUMBERS),
    **dict.fromkeys(("sqrt", "floor", "ceil", "round", "trunc", "reciprocal", "rsqrt"), FLOATS),
    **dict.fromkeys(("isnan", "isinf", "isfinite"), FLOATS),
    "logical_not": ("bool",),
}
EXACT_BINARY = {
    **dict.fromkeys(("add", "mul", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge"), DTYPES),
    "sub": NUMBERS,
    **dict.fromkeys(("div", "tanh_vjp", "sigmoid_vjp", "relu_vjp", "abs_vjp"), FLOATS),
    "pow": ("int64",),
    **dict.fromkeys(("fmod", "remainder", "floor_divide"), NUMBERS),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), ("bool",)),
}
EXACT_TERNARY = {"clamp": DTYPES, "lerp": FLOATS}
TESTS = ("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "logical_not")
TESTS += ("isnan", "isinf", "isfinite")

unary_cases = [(name, dtype) for name, dtypes in EXACT_UNARY.items() for dtype in dtypes]
binary_cases = [(name, dtype) for name, dtypes in EXACT_BINARY.items() for dtype in dtypes]


@pytest.fixture(params=[name for name in RUNGS if name != "python"])
def rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


@pytest.fixture(params=RUNGS)
def any_rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


def result_of(module: ModuleType, name: str, *operands: Any, dtype: Any = None) -> Any:
    """What a kernel writes into a fresh `out`, after a check that it leaves its operands alone."""
    arrays = [np.asarray(operand) for operand in operands]
    before = [array.tobytes() for array in arrays]
    out = np.empty(
        np.broadcast_shapes(*(a.shape for a in arrays)), dtype or ("bool" if name in TESTS else arrays[-1].dtype)
    )
    assert getattr(module, name)(*operands, out) is None
    assert [array.tobytes() for array in arrays] == before
    return out


def test_every_rung_offers_the_same_kernels_with_the_same_parameters(rung: ModuleType) -> None:
    assert rung.__all__ == REFERENCE.__all__
    assert parameters(rung) == parameters(REFERENCE)


def test_the_tables_of_this_file_name_every_kernel() -> None:
    others = {"add_scaled", "broadcast_add_kernel", "clamp_vjp", "copy", "elementwise_add", "fill", "sinc_vjp", "where"}
    tables = {*EXACT_UNARY, *EXACT_BINARY, *EXACT_TERNARY, *UNARY, *BINARY}
    assert tables | others == set(REFERENCE.__all__)


@pytest.mark.parametrize(("name", "dtype"), unary_cases)
def test_exact_unary_kernels_give_the_bits_of_the_reference(rung: ModuleType, name: str, dtype: str) -> None:
    x = awkward(dtype)
    assert same_bits(result_of(rung, name, x), result_of(REFERENCE, name, x))


@pytest.mark.parametrize(("name", "dtype"), binary_cases)
def test_exact_binary_kernels_give_the_bits_of_the_reference(rung: ModuleType, name: str, dtype: str) -> None:
    x, y = awkward(dtype)[:, None], awkward(dtype)
    assert same_bits(result_of(rung, name, x, y), result_of(REFERENCE, name, x, y))


@pytest.mark.parametrize(("name", "dtype"), [(name, dtype) for name, all_ in EXACT_TERNARY.items() for dtype in all_])
def test_exact_ternary_kernels_give_the_bits_of_the_reference(rung: ModuleType, name: str, dtype: str) -> None:
    x = awkward(dtype)
    operands = x[:, None, None], x[:, None], x
    assert same_bits(result_of(rung, name, *operands), result_of(REFERENCE, name, *operands))


@pytest.mark.parametrize("dtype", FLOATS)
def test_clamp_vjp_passes_what_lies_between_the_bounds(rung: ModuleType, dtype: str) -> None:
    x, g = awkward(dtype), draw(dtype, (len(awkward(dtype)),))
    operands = g, x[:, None, None], x[:, None], x
    assert same_bits(result_of(rung, "clamp_vjp", *operands), result_of(REFERENCE, "clamp_vjp", *operands))
    for _, one in layouts(np.stack([x, x[::-1]])):
        got = result_of(rung, "clamp_vjp", g, one, np.asarray(-0.5, dtype), np.asarray(2.5, dtype))
        assert same_bits(got, np.where((one >= -0.5) & (one <= 2.5), g, 0).astype(dtype))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 17, 511, 512, 513, 1031])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_sizes_around_vector_and_block_lengths(rung: ModuleType, size: int, dtype: str) -> None:
    x, y = draw(dtype, (size,)), draw(dtype, (size,), seed=1)
    wide = np.repeat(x, 3)[::3]
    for name in ("add", "maximum", "lt"):
        want = result_of(REFERENCE, name, x, y)
        assert same_bits(result_of(rung, name, x, y), want)
        assert same_bits(result_of(rung, name, wide, y), want)


def test_a_large_array_is_computed_to_its_last_element(rung: ModuleType) -> None:
    x, y = draw("float32", (300, 1001)), draw("float32", (1001,), seed=1)
    assert same_bits(result_of(rung, "mul", x, y), x * y)
    assert same_bits(result_of(rung, "mul", x, x), x * x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (2, 3, 4)])
def test_layouts_of_operands_and_out_do_not_change_a_bit(rung: ModuleType, shape: tuple[int, ...], dtype: str) -> None:
    x, y = draw(dtype, shape), draw(dtype, shape, seed=1)
    want = result_of(REFERENCE, "add", x, y)
    for left, one in layouts(x):
        for right, two in layouts(y):
            for place, out in layouts(np.zeros_like(want)):
                rung.add(one, two, out)
                assert same_bits(out, want), f"x {left}, y {right}, out {place}"


BROADCASTS = [(3, 4), (1, 4), (3, 1), (4,), (1,), (), (1, 1), (0, 4), (2, 3, 4), (2, 1, 4), (2, 3, 1)]
pairs = [(a, b) for a in BROADCASTS for b in BROADCASTS if outcome(np.broadcast_shapes, a, b) is None]


@pytest.mark.parametrize(("one", "two"), pairs)
def test_axes_of_size_one_and_missing_axes_repeat(rung: ModuleType, one: tuple[int, ...], two: tuple[int, ...]) -> None:
    x, y = draw("float32", one), draw("float32", two, seed=1)
    assert same_bits(result_of(rung, "sub", x, y), x - y)
    condition = draw("bool", one, seed=2)
    assert same_bits(result_of(rung, "where", condition, x, y), np.where(condition, x, y))


@pytest.mark.parametrize("other", [(3,), (700, 1), (1, 3), (5, 1, 3), (5, 700, 1), (5, 1, 1)])
@pytest.mark.parametrize("length", [1, 3, 128, 129])
def test_short_and_long_rows_whichever_axes_repeat(rung: ModuleType, other: tuple[int, ...], length: int) -> None:
    other = tuple(length if size == 3 else size for size in other)
    x, y = draw("float64", (5, 700, length)), draw("float64", other, seed=1)
    for place in (x[:], x[:, ::2], x[..., ::-1]):
        one = np.broadcast_to(y, x.shape)[: place.shape[0], : place.shape[1]]
        out = np.zeros((*place.shape[:-1], 2 * length))[..., ::2]
        rung.add(place, one, out)
        assert same_bits(out.copy(), place + one)


def test_operands_repeat_along_axes_that_only_out_has(any_rung: ModuleType) -> None:
    out = np.zeros((2, 3))
    any_rung.exp(np.zeros(3), out)
    assert out.tolist() == [[1.0] * 3] * 2


@pytest.mark.parametrize("name", ["add", "maximum", "tanh_vjp", "relu_vjp"])
@pytest.mark.parametrize("which", [0, 1])
def test_out_may_be_an_operand(any_rung: ModuleType, name: str, which: int) -> None:
    for shape in ((3,), (40, 40)):
        operands = [draw("float32", shape), draw("float32", shape, seed=1)]
        want = result_of(any_rung, name, *operands)
        getattr(any_rung, name)(*operands, operands[which])
        assert same_bits(operands[which], want)


def test_a_strided_out_may_be_an_operand(any_rung: ModuleType) -> None:
    x = draw("float64", (1200,))[::2]
    want = x + x
    any_rung.add(x, x, x)
    assert same_bits(x, want)


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", TWINS)
def test_any_slicing_transposing_and_broadcasting(name: str, data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(0, 4), max_size=4), label="shape of out")
    operands = []
    for seed in range(2):
        first = data.draw(st.integers(0, len(sizes)), label="missing axes")
        own = [data.draw(st.sampled_from([1, size])) for size in sizes[first:]]
        steps = [data.draw(st.sampled_from([1, 2, -1, -3])) for _ in own]
        order = data.draw(st.permutations(range(len(own))))
        base = draw("float64", tuple(own[axis] * abs(steps[axis]) for axis in order), seed)
        base = base.transpose(np.argsort(order)) if own else base
        operands.append(base[(..., *(slice(None, None, step) for step in steps))])
    order = data.draw(st.permutations(range(len(sizes))))
    out = np.empty([sizes[axis] for axis in order])
    out = out.transpose(np.argsort(order)) if sizes else out
    RUNGS[name].mul(*operands, out)
    assert same_bits(out, np.broadcast_to(operands[0] * operands[1], out.shape).copy())


@pytest.mark.parametrize("shape", [(16, 16), (17, 40), (40, 131), (2, 33, 18), (33, 3, 70), (130, 16)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_operands_that_lie_the_other_way_round(rung: ModuleType, dtype: str, shape: tuple[int, ...]) -> None:
    size = int(np.prod(shape))
    across = draw(dtype, (size + 3,))[3:].reshape(shape[::-1]).T
    backwards, plain = across[::-1, ..., ::-1], draw(dtype, shape, seed=1)
    repeated = np.broadcast_to(draw(dtype, shape[:1], seed=2).reshape(-1, *[1] * (len(shape) - 1)), shape)
    wide = np.zeros((*shape[:-1], 2 * shape[-1]), dtype)
    for out in (np.zeros(shape, dtype), np.zeros(shape[::-1], dtype).T, wide[..., ::2]):
        for x, y in ((across, plain), (plain, across), (across, across), (backwards, repeated), (repeated, across)):
            rung.maximum(x, y, out)
            assert same_bits(out, result_of(REFERENCE, "maximum", x, y))
            rung.where(x == y, x, y, out)
            assert same_bits(out, y.copy())
        rung.copy(across, out)
        assert same_bits(out, across.copy())
    assert not wide[..., 1::2].any()


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_copy_casts_as_the_reference(rung: ModuleType, source: str, target: str) -> None:
    x = awkward(source)
    assert same_bits(result_of(rung, "copy", x, dtype=target), result_of(REFERENCE, "copy", x, dtype=target))
    assert same_bits(
        result_of(rung, "copy", x[::-2], dtype=target), result_of(REFERENCE, "copy", x[::-2], dtype=target)
    )


def test_an_int64_becomes_a_float32_in_one_rounding(any_rung: ModuleType) -> None:
    x = np.array([2**60 + 2**36 + 1])
    assert result_of(any_rung, "copy", x, dtype="float32").tolist() == [2.0**60 + 2.0**37]


@pytest.mark.parametrize(("dtype", "value"), [("float32", 0.1), ("float64", -0.0), ("int64", -(2**63)), ("int64", 2.9)])
def test_fill_writes_one_value_everywhere(any_rung: ModuleType, dtype: str, value: float) -> None:
    wide = np.ones((3, 1300), dtype)
    for out in (wide[:, ::2], wide[:, ::2].copy(), np.ones((), dtype), np.ones(0, dtype)):
        any_rung.fill(out, value)
        assert same_bits(out.copy(), np.full(out.shape, int(value) if dtype == "int64" else value, dtype))
    assert (wide[:, 1::2] == 1).all()


@pytest.mark.parametrize("value", [0, 1, 7, 0.5])
def test_fill_of_bools_asks_whether_the_value_is_zero(any_rung: ModuleType, value: float) -> None:
    out = np.array([True, False])
    any_rung.fill(out, value)
    assert out.tolist() == [value != 0] * 2


@pytest.mark.parametrize("dtype", FLOATS)
def test_add_scaled_rounds_twice(rung: ModuleType, dtype: str) -> None:
    x, y = draw(dtype, (40, 40)), draw(dtype, (40,), seed=1)
    got, want = np.empty((40, 40), dtype), np.empty((40, 40), dtype)
    rung.add_scaled(x, y, -0.1, got)
    REFERENCE.add_scaled(x, y, -0.1, want)
    assert same_bits(got, want)
    rung.add_scaled(got, got, 0.5, got)
    REFERENCE.add_scaled(want, want, 0.5, want)
    assert same_bits(got, want)


def test_the_numbers_of_section_12_4(any_rung: ModuleType) -> None:
    a, b, out = np.array([[1, 2, 3], [4, 5, 6]]), np.array([[10, 20, 30]]), np.empty((2, 3), np.int64)
    any_rung.broadcast_add_kernel(a, b, out)
    assert out.tolist() == [[11, 22, 33], [14, 25, 36]]
    assert any_rung.elementwise_add(a, b).tolist() == [[11, 22, 33], [14, 25, 36]]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("x", "y", "larger", "smaller"),
    [(-0.0, 0.0, 0.0, -0.0), (0.0, -0.0, 0.0, -0.0), (-0.0, -0.0, -0.0, -0.0), (np.nan, 1.0, np.nan, np.nan),
     (1.0, np.nan, np.nan, np.nan), (np.inf, np.nan, np.nan, np.nan)],
)  # fmt: skip
def test_maximum_and_minimum_of_zeros_and_nan(
    any_rung: ModuleType, dtype: str, x: float, y: float, larger: float, smaller: float
) -> None:
    one, two = np.full(33, x, dtype), np.full(33, y, dtype)
    assert same_bits(result_of(any_rung, "maximum", one, two), np.full(33, larger, dtype))
    assert same_bits(result_of(any_rung, "minimum", one, two), np.full(33, smaller, dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_relu_keeps_nan_and_drops_the_sign_of_zero(any_rung: ModuleType, dtype: str) -> None:
    x = np.array([np.nan, -0.0, -1.0, 2.0], dtype)
    assert same_bits(result_of(any_rung, "relu", x), np.array([np.nan, 0.0, 0.0, 2.0], dtype))
    assert same_bits(result_of(any_rung, "relu_vjp", np.full(4, 3.0, dtype), x), np.array([3, 0, 0, 3], dtype))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("name", "x", "value"),
    [
        ("exp", [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e4, -1e4], [np.inf, 0.0, np.nan, 1.0, 1.0, np.inf, 0.0]),
        (
            "log",
            [np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -1.0],
            [np.inf, np.nan, np.nan, -np.inf, -np.inf, 0.0, np.nan],
        ),
        ("tanh", [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e4, -1e4], [1.0, -1.0, np.nan, 0.0, -0.0, 1.0, -1.0]),
        ("sigmoid", [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e4, -1e4], [1.0, 0.0, np.nan, 0.5, 0.5, 1.0, 0.0]),
    ],
)
def test_values_at_the_ends(any_rung: ModuleType, dtype: str, name: str, x: list[float], value: list[float]) -> None:
    assert same_bits(result_of(any_rung, name, np.array(x, dtype)), np.array(value, dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_pow_at_the_ends_as_the_reference(rung: ModuleType, dtype: str) -> None:
    ends = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0, -3.0, 0.5], dtype)
    got, want = result_of(rung, "pow", ends[:, None], ends), result_of(REFERENCE, "pow", ends[:, None], ends)
    odd = np.isnan(want) | np.isinf(want) | (want == 0)
    assert same_bits(np.where(odd, got, 0), np.where(odd, want, 0))
    np.testing.assert_allclose(got[~odd], want[~odd], rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [*WITHIN_TWO, "erfc", "sinc", "atan2", "hypot", "xlogy"])
def test_awkward_values_give_what_the_reference_gives(rung: ModuleType, name: str, dtype: str) -> None:
    x = awkward(dtype)
    operands = (x,) if name in UNARY else (x[:, None], x)
    got, want = result_of(rung, name, *operands), result_of(REFERENCE, name, *operands)
    odd = np.isnan(want) | np.isinf(want) | (want == 0)
    assert same_bits(np.where(odd, got, 0), np.where(odd, want, 0))
    limits = np.finfo(dtype)
    bound = BOUNDS[name][rung is RUNGS["numpy"]] * limits.eps
    np.testing.assert_allclose(got[~odd], want[~odd], rtol=bound, atol=float(limits.smallest_subnormal))


DENSE = {
    "exp": None, "sigmoid": None, "tanh": (-12.0, 12.0), "exp2": (-120.0, 120.0), "expm1": (-40.0, 88.0),
    "sin": (-100.0, 100.0), "cos": (-100.0, 100.0), "tan": (-100.0, 100.0), "asin": (-1.0, 1.0), "acos": (-1.0, 1.0),
    "atan": (-50.0, 50.0), "sinh": (-80.0, 80.0), "cosh": (-80.0, 80.0), "asinh": (-1e4, 1e4), "acosh": (1.0, 1e4),
    "atanh": (-0.999, 0.999), "erf": (-6.0, 6.0), "erfc": (-6.0, 9.0), "log1p": (-0.999, 100.0), "sinc": (-20.0, 20.0),
}  # fmt: skip


def samples(name: str, dtype: str) -> Any:
    """Arguments over the whole range in which a function's value is a normal number, and dense around 0 and 1."""
    generator = np.random.default_rng(7)
    least, most = float(np.log(np.finfo(dtype).tiny)), float(np.log(np.finfo(dtype).max))
    if name in ("log", "log2", "log10"):
        x = np.concatenate([np.exp(generator.uniform(least, most, 300)), generator.uniform(0.5, 2.0, 300)])
        return x.astype(dtype)
    count = 600 if name in ("exp", "sigmoid", "tanh") else 150
    x = generator.uniform(*(DENSE[name] or (least, most)), count)
    if name != "acosh":
        tiny = generator.uniform(-1, 1, count // 2) * 10.0 ** generator.uniform(-30, 0, count // 2)
        x = np.concatenate([x, generator.uniform(-1, 1, count), tiny])
    return x.astype(dtype)


def series(x: Decimal, first: Decimal, ratio: Callable[[int], Decimal]) -> Decimal:
    """The sum of a power series whose terms follow from one another: each is the one before times `ratio(n)`."""
    total, term, n = first, first, 0
    while term and abs(term) > abs(total) * Decimal(10) ** -70:
        n += 1
        term *= ratio(n)
        total += term
    return total


def exact_sin(x: Decimal) -> Decimal:
    return series(x, x, lambda n: -x * x / (2 * n * (2 * n + 1)))


def exact_cos(x: Decimal) -> Decimal:
    return series(x, Decimal(1), lambda n: -x * x / (2 * n * (2 * n - 1)))


def exact_atan(x: Decimal) -> Decimal:
    """Halved until the series converges fast: atan(x) = 2 * atan(x / (1 + sqrt(1 + x * x)))."""
    doublings = 0
    while abs(x) > Decimal("0.05"):
        x, doublings = x / (1 + (1 + x * x).sqrt()), doublings + 1
    return 2**doublings * series(x, x, lambda n: -x * x * (2 * n - 1) / (2 * n + 1))


@cache
def exact_pi() -> Decimal:
    return 4 * exact_atan(Decimal(1))


def exact_erf(x: Decimal) -> Decimal:
    """2 / sqrt(pi) * exp(-x * x) times a series without cancellation."""
    scale = 2 / exact_pi().sqrt()
    return scale * (-x * x).exp() * series(x, x, lambda n: 2 * x * x / (2 * n + 1))


EXACTLY: dict[str, Callable[[Decimal], Decimal]] = {
    "exp": Decimal.exp,
    "log": Decimal.ln,
    "tanh": lambda x: 1 - 2 / ((2 * x).exp() + 1),
    "sigmoid": lambda x: 1 / (1 + (-x).exp()),
    "log2": lambda x: x.ln() / Decimal(2).ln(),
    "log10": Decimal.log10,
    "log1p": lambda x: (1 + x).ln(),
    "expm1": lambda x: x.exp() - 1,
    "exp2": lambda x: (x * Decimal(2).ln()).exp(),
    "sin": exact_sin,
    "cos": exact_cos,
    "tan": lambda x: exact_sin(x) / exact_cos(x),
    "asin": lambda x: exact_atan(x / (1 - x * x).sqrt()),
    "acos": lambda x: 2 * exact_atan(((1 - x) / (1 + x)).sqrt()),
    "atan": exact_atan,
    "sinh": lambda x: (x.exp() - (-x).exp()) / 2,
    "cosh": lambda x: (x.exp() + (-x).exp()) / 2,
    "asinh": lambda x: (x + (x * x + 1).sqrt()).ln(),
    "acosh": lambda x: (x + (x * x - 1).sqrt()).ln(),
    "atanh": lambda x: ((1 + x) / (1 - x)).ln() / 2,
    "erf": exact_erf,
    "erfc": lambda x: 1 - exact_erf(x),
    "sinc": lambda x: exact_sin(exact_pi() * x) / (exact_pi() * x),
}


@cache
def exact_values(name: str, dtype: str) -> list[Decimal]:
    with localcontext() as context:
        context.prec = 80
        return [EXACTLY[name](Decimal(value)) for value in samples(name, dtype).tolist()]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_functions_keep_within_their_bounds(any_rung: ModuleType, name: str, dtype: str) -> None:
    exact = exact_values(name, dtype)
    with localcontext() as context:
        context.prec = 80
        error = ulps(result_of(any_rung, name, samples(name, dtype)), exact)
    assert error <= BOUNDS[name][any_rung is RUNGS["numpy"]]


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_many_turns_are_taken_off_without_loss(any_rung: ModuleType, name: str) -> None:
    """Near a multiple of pi/2, where one of the two is nearly 0, as far as the reduction goes and beyond."""
    x = (np.concatenate([np.arange(1, 400), np.arange(630_000, 640_000, 50)]) * (np.pi / 2)).astype(np.float32)
    x = np.concatenate([x, -x])
    for part in (x[np.abs(x) < 1e6], x):
        exact = getattr(np, name)(part.astype(np.float64))
        error = np.abs(result_of(any_rung, name, part) - exact) / np.spacing(np.abs(exact).astype(np.float32))
        assert error.max() <= BOUNDS[name][any_rung is RUNGS["numpy"]]


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_slope_of_sinc_keeps_its_digits_near_0(any_rung: ModuleType, dtype: str) -> None:
    generator = np.random.default_rng(7)
    x = np.concatenate([generator.uniform(0.01, 0.9, 100), 10.0 ** generator.uniform(-30, -2, 50)]).astype(dtype)
    with localcontext() as context:
        context.prec = 120
        turns = [exact_pi() * Decimal(value) for value in x.tolist()]
        exact = [(exact_cos(a) - exact_sin(a) / a) * exact_pi() / a for a in turns]
        error = ulps(result_of(any_rung, "sinc_vjp", np.ones_like(x), x), exact)
    assert error <= 8
    assert result_of(any_rung, "sinc_vjp", np.ones(2, dtype), np.array([0.0, -0.0], dtype)).tolist() == [0.0, 0.0]


EXACTLY_OF_TWO: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "atan2": lambda x, y: exact_atan(x / y),
    "hypot": lambda x, y: (x * x + y * y).sqrt(),
    "xlogy": lambda x, y: x * y.ln(),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", EXACTLY_OF_TWO)
def test_functions_of_two_operands_keep_within_their_bounds(any_rung: ModuleType, name: str, dtype: str) -> None:
    generator = np.random.default_rng(7)
    x, y = generator.uniform(-10, 10, 300).astype(dtype), generator.uniform(0.01, 10, 300).astype(dtype)
    with localcontext() as context:
        context.prec = 60
        exact = [EXACTLY_OF_TWO[name](Decimal(a), Decimal(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        error = ulps(result_of(any_rung, name, x, y), exact)
    assert error <= BOUNDS[name][any_rung is RUNGS["numpy"]]


@pytest.mark.parametrize("exponent", [1.0, 2.0, 3.0, 0.5, -0.5, -1.0, -2.0, 1.5])
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_power_by_one_number_keeps_within_the_bound(any_rung: ModuleType, dtype: str, exponent: float) -> None:
    x = np.exp(np.random.default_rng(7).uniform(-25, 25, 400)).astype(dtype)
    with localcontext() as context:
        context.prec = 60
        exact = [Decimal(a) ** Decimal(exponent) for a in x.tolist()]
        error = ulps(result_of(any_rung, "pow", x, np.array(exponent, dtype)), exact)
    steps = 1 + (dtype == "float64" and exponent in (3.0, -0.5))
    assert error <= steps * BOUNDS["pow"][any_rung is RUNGS["numpy"]]
    ends = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -2.5], dtype)
    got = result_of(any_rung, "pow", ends, np.array([exponent], dtype))
    want = result_of(REFERENCE, "pow", ends, np.full(8, exponent, dtype))
    np.testing.assert_allclose(got, want, rtol=4 * np.finfo(dtype).eps)
    assert np.array_equal(np.signbit(got)[~np.isnan(want)], np.signbit(want)[~np.isnan(want)])


@pytest.mark.parametrize("dtype", FLOATS)
def test_pow_keeps_within_its_bound(any_rung: ModuleType, dtype: str) -> None:
    generator = np.random.default_rng(7)
    x, y = generator.uniform(0.01, 10.0, 600).astype(dtype), generator.uniform(-12, 12, 600).astype(dtype)
    with localcontext() as context:
        context.prec = 60
        exact = [Decimal(a) ** Decimal(b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        error = ulps(result_of(any_rung, "pow", x, y), exact)
    assert error <= BOUNDS["pow"][any_rung is RUNGS["numpy"]]


def test_the_bounds_tested_are_those_stated() -> None:
    stated = {
        "exp": "Within 1 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.",
        "log": "Within 1 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.",
        "tanh": "Within 1 ulp on the plain rung, within 3 ulp on the twin, within 4 ulp on the NumPy rung.",
        "sigmoid": "Within 3 ulp on the plain rung and the twin, within 6 ulp on the NumPy rung.",
        "pow": "Within 1 ulp of the exact power on the plain rung and the twin, within 4 ulp on the NumPy rung",
        "erfc": "Within 5 ulp on the plain and the NumPy rung, within 7 ulp on the twin.",
        "sinc": "Within 4 ulp on every rung.",
        "xlogy": "Within 3 ulp on the plain rung and the twin, within 5 ulp on the NumPy rung.",
        **dict.fromkeys(
            HYPERBOLIC,
            "Within 2 ulp on the plain rung, within 3 ulp on the twin, within 4 ulp on the NumPy rung.",
        ),
        **dict.fromkeys(
            (*WITHIN_TWO, "atan2", "hypot"),
            "Within 2 ulp on the plain rung and the twin, within 4 ulp on the NumPy rung.",
        ),
    }
    for name, text in stated.items():
        assert text in " ".join((getattr(REFERENCE, name).__doc__ or "").split())


@pytest.mark.parametrize("dtype", FLOATS)
def test_exp_goes_to_zero_through_subnormal_numbers(any_rung: ModuleType, dtype: str) -> None:
    least, last = {"float32": (-87.3, -104.0), "float64": (-708.3, -745.2)}[dtype]
    x = np.linspace(least, last, 400).astype(dtype)
    got = result_of(any_rung, "exp", x)
    with localcontext() as context:
        context.prec = 60
        error = ulps(got, [Decimal(value).exp() for value in x.tolist()])
    assert error <= 1.5
    assert got[-1] == 0
    assert ((0 < got) & (got < np.finfo(dtype).tiny)).sum() > 300


UNALIGNED = np.zeros(17, np.uint8)[1:].view(np.float64)
READ_ONLY = np.zeros(3)
READ_ONLY.flags.writeable = False
FOREIGN = np.zeros(3, np.dtype(np.float64).newbyteorder())
THREE, SINGLE, WHOLE, TRUTH = np.zeros(3), np.zeros(3, np.float32), np.zeros(3, np.int64), np.zeros(3, bool)

BAD_CALLS: dict[str, tuple[str, tuple[Any, ...], tuple[str, str]]] = {
    "shape of x": (
        "add", (np.zeros((2, 3)), np.zeros((4, 5)), np.zeros((4, 5))),
        ("ValueError", "add: x is (2, 3) but out is (4, 5); from the right, every size of x must be 1 or that of out"),
    ),
    "shape of y": (
        "add", (np.zeros((4, 5)), np.zeros((2, 3)), np.zeros((4, 5))),
        ("ValueError", "add: y is (2, 3) but out is (4, 5); from the right, every size of y must be 1 or that of out"),
    ),
    "out must not repeat": (
        "exp", (THREE, np.zeros(1)),
        ("ValueError", "exp: x is (3,) but out is (1,); from the right, every size of x must be 1 or that of out"),
    ),
    "too many axes": (
        "neg", (np.zeros((1, 3)), THREE),
        ("ValueError", "neg: x is (1, 3) but out is (3,); from the right, every size of x must be 1 or that of out"),
    ),
    "mixed types": (
        "mul", (SINGLE, THREE, THREE), ("TypeError", "mul: x is float32 but y is float64; cast one with copy first"),
    ),
    "type of out": (
        "mul", (SINGLE, SINGLE, THREE), ("TypeError", "mul: x is float32 but out is float64; out must be float32"),
    ),
    "comparison into floats": (
        "lt", (THREE, THREE, THREE), ("TypeError", "lt: x is float64 but out is float64; out must be bool"),
    ),
    "division of int64": (
        "div", (WHOLE, WHOLE, WHOLE),
        ("TypeError", "div: x is int64; div takes float32, float64, so cast it with copy first"),
    ),
    "difference of bools": (
        "sub", (TRUTH, TRUTH, TRUTH),
        ("TypeError", "sub: x is bool; sub takes float32, float64, int64, so cast it with copy first"),
    ),
    "condition of numbers": (
        "where", (THREE, THREE, THREE, THREE), ("TypeError", "where: condition is float64; it must be bool"),
    ),
    "shape of condition": (
        "where", (np.zeros(2, bool), THREE, THREE, THREE),
        ("ValueError", "where: condition is (2,) but out is (3,); from the right, every size of condition must be 1 or "
         "that of out"),
    ),
    "int32": (
        "abs", (np.zeros(3, np.int32), np.zeros(3, np.int32)),
        ("TypeError", "kernels take float32, float64, int64 and bool in native byte order, got int32"),
    ),
    "foreign byte order": (
        "abs", (FOREIGN, THREE),
        ("TypeError", f"kernels take float32, float64, int64 and bool in native byte order, got {FOREIGN.dtype}"),
    ),
    "complex": (
        "exp", (np.zeros(3, complex), np.zeros(3, complex)),
        ("TypeError", "kernels take float32, float64, int64 and bool in native byte order, got complex128"),
    ),
    "objects": (
        "exp", (np.zeros(3, object), np.zeros(3, object)),
        ("TypeError", "kernels take float32, float64, int64 and bool in native byte order, got object"),
    ),
    "read-only out": ("add", (THREE, THREE, READ_ONLY), ("ValueError", "add: out is read-only; pass a writable array")),
    "read-only out of several steps": (
        "relu", (THREE, READ_ONLY), ("ValueError", "relu: out is read-only; pass a writable array"),
    ),
    "unaligned": (
        "tanh", (UNALIGNED, np.zeros(2)), ("ValueError", "tanh: x is not aligned to its element size; pass a copy"),
    ),
    "names of a vjp": (
        "tanh_vjp", (SINGLE, THREE, SINGLE),
        ("TypeError", "tanh_vjp: g is float32 but y is float64; cast one with copy first"),
    ),
    "names of the first kernel": (
        "broadcast_add_kernel", (THREE, SINGLE, THREE),
        ("TypeError", "broadcast_add_kernel: a is float64 but b is float32; cast one with copy first"),
    ),
    "fresh sum of mixed types": (
        "elementwise_add", (THREE, SINGLE),
        ("TypeError", "elementwise_add: a is float64 but b is float32; cast one with copy first"),
    ),
    "fresh sum of shapes that do not fit": (
        "elementwise_add", (np.zeros((2, 2)), np.zeros((3, 2))),
        ("ValueError", "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"),
    ),
    "fill beyond int64": ("fill", (WHOLE, 2**63), ("OverflowError", "fill: 9223372036854775808 does not fit int64")),
    "fill of a read-only array": (
        "fill", (READ_ONLY, 0.0), ("ValueError", "fill: out is read-only; pass a writable array"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls_raise_the_same_on_every_rung(any_rung: ModuleType, case: str) -> None:
    name, operands, error = BAD_CALLS[case]
    assert outcome(getattr(any_rung, name), *operands) == error


@pytest.mark.parametrize("name", ["add", "sigmoid_vjp"])
def test_lists_and_scalars_are_for_the_reference_alone(rung: ModuleType, name: str) -> None:
    first = "g" if name == "sigmoid_vjp" else "x"
    got = outcome(getattr(rung, name), [1.0, 2.0, 3.0], THREE, THREE.copy())
    assert got == ("TypeError", f"{name}: {first} is a list; this rung takes NumPy arrays")
    got = outcome(getattr(rung, name), np.float64(1.0), THREE, THREE.copy())
    assert got == ("TypeError", f"{name}: {first} is a float64; this rung takes NumPy arrays")


def test_the_reference_takes_lists() -> None:
    out = [0.0, 0.0]
    REFERENCE.add([1.0, 2.0], [10.0], out)
    assert out == [11.0, 12.0]
