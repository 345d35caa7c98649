"""The kernels of layers agree over all rungs: in bits where they are exact, else within their stated bounds."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.kernels.parity import FLOATS, awkward, draw, layouts, outcome, parameters, same_bits
from tests.kernels.rungs import load_rungs
from tests.kernels.test_ch22_norms import NORMS

RUNGS = load_rungs("ch22_layers")
REFERENCE = RUNGS["python"]

PARAMETERS = {"beta": 1.5, "threshold": 20.0, "alpha": 0.7, "scale": 1.1, "steepness": 1.3, "low": -1.0, "high": 0.5,
              "negative_slope": 0.01, "factor": 1.25}  # fmt: skip
ARRAYS = ("g", "x", "y", "weight", "gate", "target", "out")

EXACT = (
    "hardsigmoid", "hardsigmoid_vjp", "hardswish", "hardswish_vjp", "hardtanh", "hardtanh_vjp", "leaky_relu",
    "leaky_relu_vjp", "prelu", "prelu_vjp", "prelu_weight_vjp", "softsign", "softsign_vjp",
    "squared_error", "squared_error_vjp", "absolute_error", "absolute_error_vjp", "smooth_l1", "smooth_l1_vjp",
    "binary_cross_entropy_vjp",
)  # fmt: skip
BOUNDED = (
    "elu", "elu_vjp", "gelu", "gelu_vjp", "gelu_tanh", "gelu_tanh_vjp", "glu", "glu_gate_vjp", "logsigmoid",
    "logsigmoid_vjp", "mish", "mish_vjp", "silu", "silu_vjp", "softplus", "softplus_vjp",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "binary_cross_entropy_with_logits_vjp",
)  # fmt: skip
ELEMENTWISE = (*EXACT, *BOUNDED)
ROWS = ("cross_entropy", "cross_entropy_vjp")


@pytest.fixture(params=[name for name in RUNGS if name != "python"])
def rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


@pytest.fixture(params=RUNGS)
def any_rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


def operand_names(name: str) -> list[str]:
    """The arrays that a kernel reads, by parameter name."""
    return [p for p in inspect.signature(getattr(REFERENCE, name)).parameters if p in ARRAYS and p != "out"]


def call(module: ModuleType, name: str, out: Any, **operands: Any) -> Any:
    """Run a kernel with the parameters of `PARAMETERS`; gives `out` back."""
    names = inspect.signature(getattr(REFERENCE, name)).parameters
    given = {key: PARAMETERS[key] for key in names if key in PARAMETERS}
    assert getattr(module, name)(**operands, **given, out=out) is None
    return out


def result_of(module: ModuleType, name: str, **operands: Any) -> Any:
    """What a kernel writes into a fresh `out`, after a check that it leaves its operands alone."""
    before = {key: array.tobytes() for key, array in operands.items()}
    shape = np.broadcast_shapes(*(array.shape for array in operands.values()))
    out = call(module, name, np.full(shape, 7.0, next(iter(operands.values())).dtype), **operands)
    assert {key: array.tobytes() for key, array in operands.items()} == before
    return out


def drawn(name: str, dtype: str, *shapes: tuple[int, ...]) -> dict[str, Any]:
    """Ordinary operands of a kernel, of the shapes given, repeated in turn."""
    return {key: draw(dtype, shapes[place % len(shapes)], seed=place) for place, key in enumerate(operand_names(name))}


def samples(dtype: str) -> Iterator[Any]:
    """Arguments from the whole range, and dense around 0."""
    generator = np.random.default_rng(7)
    yield generator.uniform(-8, 8, 500).astype(dtype)
    yield (generator.uniform(-1, 1, 300) * 10.0 ** generator.uniform(-30, 0, 300)).astype(dtype)
    yield generator.uniform(-120, 120, 300).astype(dtype)


def test_every_rung_offers_the_same_kernels_with_the_same_parameters(rung: ModuleType) -> None:
    assert rung.__all__ == REFERENCE.__all__
    assert parameters(rung) == parameters(REFERENCE)


def test_the_tables_of_this_file_name_every_kernel() -> None:
    assert {*ELEMENTWISE, *NORMS, *ROWS} == set(REFERENCE.__all__)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", EXACT)
def test_exact_kernels_give_the_bits_of_the_reference(rung: ModuleType, name: str, dtype: str) -> None:
    x = awkward(dtype)
    operands = {key: x.reshape((-1,) + (1,) * place) for place, key in enumerate(operand_names(name))}
    assert same_bits(result_of(rung, name, **operands), result_of(REFERENCE, name, **operands))


def bound(name: str, operands: dict[str, Any], result: Any) -> Any:
    """The stated bound of the error, in units of eps."""
    size = np.abs(np.asarray(operands.get("g", 1.0), float))
    x = np.abs(np.asarray(operands["x"], float))
    y = np.abs(np.asarray(operands.get("y", 0.0), float))
    return {
        "binary_cross_entropy": 800 * (1 + y),
        "binary_cross_entropy_with_logits": 8 * (1 + x) * (1 + y),
        "binary_cross_entropy_with_logits_vjp": 8 * size * PARAMETERS["scale"] * (1 + y),
        "elu": 8 * (1 + PARAMETERS["steepness"] * x) * np.abs(result),
        "elu_vjp": 8 * size * (1 + PARAMETERS["steepness"] * x),
        "gelu": 8 * x,
        "gelu_tanh": 8 * x,
        "gelu_tanh_vjp": 16 * size,
        "glu": 8 * x,
        "glu_gate_vjp": 8 * size * x,
        "logsigmoid": 8 * np.abs(result),
        "mish": 8 * x,
        "silu": 8 * x,
        "softplus": 8 * np.maximum(x, np.abs(result)),
        "softplus_vjp": 8 * size * (1 + PARAMETERS["beta"] * x),
    }.get(name, 8 * size)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BOUNDED)
def test_bounded_kernels_keep_within_their_bounds(rung: ModuleType, name: str, dtype: str) -> None:
    for x in samples(dtype):
        operands = {key: x if key == "x" else x[::-1].copy() for key in operand_names(name)}
        if "g" in operands:
            operands["g"] = draw(dtype, x.shape)
        if name == "binary_cross_entropy":
            operands = {key: np.abs(np.sin(array)) for key, array in operands.items()}
        wide = {key: array.astype("float64") for key, array in operands.items()}
        want, got = result_of(REFERENCE, name, **wide), result_of(rung, name, **operands)
        room = bound(name, wide, want) * np.finfo(dtype).eps + np.finfo(dtype).tiny
        error = np.abs(got.astype("float64") - want)
        assert (error <= room).all(), (error / room).max()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BOUNDED)
def test_infinities_nan_and_extreme_numbers_as_the_reference(rung: ModuleType, name: str, dtype: str) -> None:
    x = awkward(dtype)
    operands = {key: x.reshape((-1,) + (1,) * place) for place, key in enumerate(operand_names(name))}
    if "g" in operands:
        operands["g"] = np.array(-1.5, dtype)
    got, want = result_of(rung, name, **operands), result_of(REFERENCE, name, **operands)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    large = np.isinf(got) | np.isinf(want)
    np.testing.assert_array_equal(np.signbit(got[large]), np.signbit(want[large]))


FAR = {
    "gelu": (0, 1000), "gelu_tanh": (0, 1000), "silu": (0, 1000), "mish": (0, 1000), "hardswish": (0, 1000),
    "logsigmoid": (-1000, 0),
}  # fmt: skip
SLOPES = {
    "gelu_vjp": (0, 1), "gelu_tanh_vjp": (0, 1), "silu_vjp": (0, 1), "mish_vjp": (0, 1), "hardswish_vjp": (0, 1),
    "logsigmoid_vjp": (1, 0),
}  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
def test_values_and_slopes_far_out_are_finite(any_rung: ModuleType, dtype: str) -> None:
    for size in (1000.0, 1e30):
        x = np.array([-size, size], dtype)
        for name, ends in FAR.items():
            want = np.array(ends, dtype) * dtype_of(dtype)(size / 1000)
            np.testing.assert_array_equal(result_of(any_rung, name, x=x), want)
        for name, ends in SLOPES.items():
            np.testing.assert_array_equal(result_of(any_rung, name, g=np.ones(2, dtype), x=x), np.array(ends, dtype))


def dtype_of(name: str) -> Any:
    return np.dtype(name).type


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["gelu", "gelu_vjp", "silu", "silu_vjp"])
def test_what_lies_beside_an_element_changes_no_bit(rung: ModuleType, name: str, dtype: str) -> None:
    x = np.concatenate([np.linspace(-5, 5, 4000), np.linspace(-5, -4.9, 1003)]).astype(dtype)
    want = result_of(rung, name, **dict.fromkeys(operand_names(name), x))
    for other in (6.0, -1000.0, 1e30, np.inf, np.nan):
        mixed = x.copy()
        mixed[::97] = other
        got = result_of(rung, name, **dict.fromkeys(operand_names(name), mixed))
        assert same_bits(np.delete(got, np.s_[::97]), np.delete(want, np.s_[::97]))


@pytest.mark.parametrize("dtype", FLOATS)
def test_gelu_of_a_negative_number_is_not_positive(rung: ModuleType, dtype: str) -> None:
    x = -np.geomspace(1e-30, 40, 200_000).astype(dtype)
    assert (result_of(rung, "gelu", x=x) <= 0).all()


@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (2, 3, 4), (0, 3)])
def test_layouts_of_operands_and_out_do_not_change_a_bit(any_rung: ModuleType, name: str, shape: Any) -> None:
    operands = drawn(name, "float32", shape)
    want = result_of(any_rung, name, **operands)
    for key, array in operands.items():
        for where, one in layouts(array):
            assert same_bits(result_of(any_rung, name, **{**operands, key: one}), want), f"{key} {where}"
    for where, out in layouts(np.zeros_like(want)):
        assert same_bits(call(any_rung, name, out, **operands), want), f"out {where}"


@pytest.mark.parametrize("name", ["prelu_vjp", "glu_gate_vjp", "silu_vjp"])
@pytest.mark.parametrize("shapes", [((3, 1), (1, 4)), ((700, 5), (5,)), ((), (2, 3)), ((2, 1, 40), (3, 1))])
def test_axes_of_size_one_and_missing_axes_repeat(rung: ModuleType, name: str, shapes: Any) -> None:
    operands = drawn(name, "float64", *shapes)
    full = np.broadcast_shapes(*shapes)
    spread = {key: np.broadcast_to(array, full).copy() for key, array in operands.items()}
    assert same_bits(result_of(rung, name, **operands), result_of(rung, name, **spread))


@pytest.mark.parametrize("size", [1, 3, 17, 511, 512, 513, 1031])
@pytest.mark.parametrize("name", ["hardswish", "leaky_relu_vjp"])
def test_sizes_around_vector_and_block_lengths(rung: ModuleType, name: str, size: int) -> None:
    operands = drawn(name, "float32", (size,))
    want = result_of(REFERENCE, name, **operands)
    assert same_bits(result_of(rung, name, **operands), want)
    wide = {key: np.repeat(array, 2)[::2] for key, array in operands.items()}
    assert same_bits(result_of(rung, name, **wide), want)


def test_large_arrays_run_without_the_lock(rung: ModuleType) -> None:
    operands = drawn("hardswish_vjp", "float32", (300, 101))
    assert same_bits(result_of(rung, "hardswish_vjp", **operands), result_of(REFERENCE, "hardswish_vjp", **operands))


@pytest.mark.parametrize("name", ["silu", "silu_vjp", "prelu"])
def test_out_may_be_an_operand(any_rung: ModuleType, name: str) -> None:
    for step in (1, 2):
        operands = {key: array[::step] for key, array in drawn(name, "float64", (1400,)).items()}
        want = result_of(any_rung, name, **operands)
        call(any_rung, name, operands["x"], **operands)
        assert same_bits(operands["x"].copy(), want)


def scores(dtype: str, shape: tuple[int, ...], seed: int = 3) -> tuple[Any, Any, Any]:
    """Scores, right classes (some rows without one), and gradients of the losses."""
    generator = np.random.default_rng(seed)
    x = (generator.normal(size=shape) * 5).astype(dtype)
    target = generator.integers(-1, shape[-1], shape[:-1])
    return x, target, generator.uniform(0.5, 1.5, shape[:-1]).astype(dtype)


def losses_of(module: ModuleType, x: Any, target: Any, g: Any) -> tuple[Any, Any, Any]:
    """The losses, what is kept of each row, and the gradient of the scores."""
    level, out = np.full((*target.shape, 2), 7.0, x.dtype), np.full(target.shape, 7.0, x.dtype)
    gradient = np.full_like(x, 7.0)
    module.cross_entropy(x, target, level, out)
    module.cross_entropy_vjp(g, x, target, level, gradient)
    return out, level, gradient


SCORES = [(5,), (3, 4), (2, 3, 4), (3, 1), (0, 3), (2, 17), (4, 511), (3, 513), (2, 1500)]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SCORES)
def test_cross_entropy_keeps_within_its_bounds(rung: ModuleType, shape: tuple[int, ...], dtype: str) -> None:
    x, target, g = scores(dtype, shape)
    got = losses_of(rung, x, target, g)
    want = losses_of(REFERENCE, x.astype("float64"), target, g.astype("float64"))
    room = 8 * np.finfo(dtype).eps * (np.abs(x).max(-1, initial=0) + 1)
    assert (np.abs(got[0] - want[0]) <= room + 8 * np.finfo(dtype).eps * np.abs(want[0])).all()
    assert (np.abs(got[2] - want[2]) <= 4 * room[..., None] * np.abs(g)[..., None]).all()
    assert (got[0][target < 0] == 0).all()
    assert (got[2][target < 0] == 0).all()


def test_cross_entropy_of_any_strides(any_rung: ModuleType) -> None:
    """To the bits; NumPy's sum goes by the layout, so that rung is held to a bound."""

    def agree(got: Any, expected: Any) -> bool:
        return bool(np.allclose(got, expected, 1e-5, 1e-6)) if any_rung is RUNGS["numpy"] else same_bits(got, expected)

    x, target, g = scores("float32", (3, 4, 700))
    want = losses_of(any_rung, x, target, g)
    for where, one in layouts(x):
        for got, expected in zip(losses_of(any_rung, one, target, g), want, strict=True):
            assert agree(got, expected), where
    for (_, aims), (_, ups) in zip(layouts(target), layouts(g), strict=True):
        for got, expected in zip(losses_of(any_rung, x, aims, ups), want, strict=True):
            assert agree(got, expected)
    for where, out in layouts(np.zeros_like(x)):
        any_rung.cross_entropy_vjp(g, x, target, want[1], out)
        assert agree(out, want[2]), where


@pytest.mark.parametrize("dtype", FLOATS)
def test_cross_entropy_at_the_ends(any_rung: ModuleType, dtype: str) -> None:
    inf, nan = np.inf, np.nan
    x = np.array([[1000, 0], [0, -inf], [-inf, 0], [-inf, -inf], [inf, 0], [nan, 0], [nan, nan]], dtype)
    target = np.array([1, 0, 0, 0, 0, 1, -1])
    loss, _, gradient = losses_of(any_rung, x, target, np.ones(7, dtype))
    np.testing.assert_array_equal(loss, np.array([1000, 0, inf, nan, nan, nan, 0], dtype))
    np.testing.assert_array_equal(gradient[[0, 1, 2, 6]], np.array([[1, -1], [0, 0], [-1, 1], [0, 0]], dtype))
    assert np.isnan(gradient[3:6]).all()


def test_a_small_loss_keeps_its_digits(any_rung: ModuleType) -> None:
    x, target = np.array([[100.0, 90.0]], np.float32), np.array([0])
    loss, _, _ = losses_of(any_rung, x, target, np.ones(1, np.float32))
    assert abs(loss[0] - np.log1p(np.exp(-10.0))) < 2e-7


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"x": np.zeros((2, 3), np.int64)}, "TypeError: cross_entropy: x is int64; cross_entropy takes float32, "
         "float64, so cast it with copy first"),
        ({"x": np.zeros(())}, "ValueError: cross_entropy: x is (); it needs an axis of classes"),
        ({"target": np.zeros(2)}, "TypeError: cross_entropy: target is float64; it must be int64"),
        ({"target": np.zeros(3, np.int64)}, "ValueError: cross_entropy: x is (2, 3) but target is (3,); it must be "
         "(2,)"),
        ({"level": np.zeros((2, 3))}, "ValueError: cross_entropy: x is (2, 3) but level is (2, 3); it must be (2, 2)"),
        ({"target": np.array([0, 3])}, "IndexError: cross_entropy: a target is 3, but there are 3 classes, from 0"),
    ],
)  # fmt: skip
def test_cross_entropy_refuses_the_same_on_every_rung(any_rung: ModuleType, change: Any, error: str) -> None:
    good = {"x": np.zeros((2, 3)), "target": np.zeros(2, np.int64), "level": np.zeros((2, 2)), "out": np.zeros(2)}
    found = outcome(any_rung.cross_entropy, *(good | change).values())
    assert found is not None
    assert ": ".join(found) == error


THREE, FOUR = np.zeros(3), np.zeros(4)
READ_ONLY = np.zeros(3)
READ_ONLY.flags.writeable = False
BAD_CALLS = {
    "an integer": (
        "silu", (np.zeros(3, np.int64), THREE),
        ("TypeError", "silu: x is int64; silu takes float32, float64, so cast it with copy first"),
    ),
    "two types": (
        "silu_vjp", (THREE, np.zeros(3, np.float32), THREE),
        ("TypeError", "silu_vjp: g is float64 but x is float32; cast one with copy first"),
    ),
    "another type of out": (
        "mish", (THREE, np.zeros(3, np.float32)),
        ("TypeError", "mish: x is float64 but out is float32; out must be float64"),
    ),
    "a shape that does not broadcast": (
        "prelu", (THREE, FOUR, np.zeros(3)),
        ("ValueError", "prelu: weight is (4,) but out is (3,); from the right, every size of weight must be 1 or that "
         "of out"),
    ),
    "a read-only out": (
        "gelu", (THREE, READ_ONLY), ("ValueError", "gelu: out is read-only; pass a writable array"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls_raise_the_same_on_every_rung(any_rung: ModuleType, case: str) -> None:
    name, operands, error = BAD_CALLS[case]
    assert outcome(getattr(any_rung, name), *operands) == error
