"""A step gives the same bits on every rung, in every layout, and only `grad` is left as it was."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.kernels.parity import FLOATS, Array, awkward, draw, layouts
from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch23_optimizers")
REFERENCE = RUNGS["python"]
SHAPES = [(), (1,), (7,), (0,), (2, 0), (3, 5), (2, 3, 17), (1, 1, 1)]

STEPS: dict[str, tuple[str, int, tuple[Any, ...]]] = {
    "plain": ("sgd_step", 0, (0.1, 0.0, 0.0, 0.0, False, True)),
    "decay": ("sgd_step", 0, (0.1, 0.0, 0.0, 0.01, False, True)),
    "momentum, first": ("sgd_step", 1, (0.1, 0.9, 0.5, 0.01, False, True)),
    "momentum": ("sgd_step", 1, (0.1, 0.9, 0.0, 0.0, False, False)),
    "dampening": ("sgd_step", 1, (0.1, 0.9, 0.5, 0.01, False, False)),
    "nesterov": ("sgd_step", 1, (0.1, 0.9, 0.0, 0.01, True, False)),
    "adam, first": ("adam_step", 2, (1e-3, 0.9, 0.999, 1e-8, 0.0, False, 1)),
    "adam": ("adam_step", 2, (1e-3, 0.9, 0.999, 1e-8, 0.0, False, 100)),
    "adam, decay": ("adam_step", 2, (1e-3, 0.9, 0.999, 1e-8, 0.01, False, 3)),
    "adamw": ("adam_step", 2, (1e-3, 0.9, 0.999, 1e-8, 0.01, True, 3)),
    "adam without eps": ("adam_step", 2, (1e-3, 0.5, 0.75, 0.0, 0.0, False, 2)),
    "amsgrad": ("adam_step", 3, (1e-3, 0.9, 0.999, 1e-8, 0.01, False, 3)),
    "rmsprop": ("rmsprop_step", 1, (1e-2, 0.99, 1e-8, 0.0, 0.0)),
    "rmsprop, decay": ("rmsprop_step", 1, (1e-2, 0.99, 1e-8, 0.0, 0.01)),
    "rmsprop, centered": ("rmsprop_step", 2, (1e-2, 0.9, 1e-8, 0.0, 0.0)),
    "rmsprop, centered, momentum": ("rmsprop_step", 3, (1e-2, 0.99, 1e-3, 0.9, 0.01)),
    "adagrad": ("adagrad_step", 1, (1e-2, 1e-10, 0.0)),
    "adagrad, decay": ("adagrad_step", 1, (1e-2, 1e-10, 0.01)),
}
"""By name: the kernel, how many arrays it keeps, and its numbers."""
OPTIONAL = {"sgd_step": 1, "adam_step": 3, "rmsprop_step": 3, "adagrad_step": 1}
"""How many arrays of state a kernel takes; it goes without the last."""


@pytest.fixture(params=[name for name in RUNGS if name != "python"])
def rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


def stepped(rung: ModuleType, name: str, arrays: list[Array]) -> list[Array]:
    """The arrays after a step, the gradient among them."""
    kernel, kept, numbers = STEPS[name]
    held: list[Array | None] = [*arrays[2 : 2 + kept], *[None] * (OPTIONAL[kernel] - kept)]
    getattr(rung, kernel)(*arrays[:2], *held, *numbers)
    return arrays[: 2 + kept]


def operands(name: str, dtype: str, shape: tuple[int, ...]) -> list[Array]:
    """A parameter, its gradient, and three arrays of state, with a mean of squares above the squared mean."""
    found = [draw(dtype, shape, seed) for seed in range(5)]
    mean, square = (2, 3) if STEPS[name][0] == "adam_step" else (3, 2)
    found[square] = np.asarray(np.abs(found[square]) + found[mean] * found[mean])
    return found


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("dtype", FLOATS)
class TestSteps:
    @pytest.mark.parametrize("shape", SHAPES, ids=str)
    def test_the_bits_are_those_of_the_reference(self, rung, name, dtype, shape):
        found = stepped(rung, name, operands(name, dtype, shape))
        for array, want in zip(found, stepped(REFERENCE, name, operands(name, dtype, shape)), strict=True):
            assert array.tobytes() == want.tobytes()

    def test_a_large_parameter_is_changed_to_its_last_element(self, rung, name, dtype):
        found = stepped(rung, name, operands(name, dtype, (40_001,)))
        tail = [array[-64:].copy() for array in operands(name, dtype, (40_001,))]
        for array, want in zip(found, stepped(REFERENCE, name, tail), strict=True):
            assert array[-64:].tobytes() == want.tobytes()

    def test_no_layout_changes_a_bit(self, rung, name, dtype):
        wanted = stepped(REFERENCE, name, operands(name, dtype, (2, 3, 5)))
        laid = [dict(layouts(array)) for array in operands(name, dtype, (2, 3, 5))]
        names = list(laid[0])
        for shift in range(len(names)):
            mixed = [ways[names[(shift * (1 + place)) % len(names)]].copy(order="K") for place, ways in enumerate(laid)]
            alike = [dict(layouts(array))[names[shift]] for array in operands(name, dtype, (2, 3, 5))]
            for arrays in (mixed, alike):
                for array, want in zip(stepped(rung, name, arrays), wanted, strict=True):
                    assert np.array_equal(array, want)

    def test_the_gradient_is_read_alone(self, rung, name, dtype):
        arrays = operands(name, dtype, (3, 5))
        arrays[1].flags.writeable = False
        kept = arrays[1].copy()
        assert np.array_equal(stepped(rung, name, arrays)[1], kept)

    def test_awkward_numbers_meet_each_other(self, rung, name, dtype):
        values = awkward(dtype)
        columns = np.broadcast_to(values, (len(values), len(values)))

        def arrays() -> list[Array]:
            rolled = np.roll(columns, 3, 1).copy()
            return [columns.copy(), columns.T.copy(), rolled, np.abs(columns).copy(), np.roll(rolled, 2, 0)]

        for array, want in zip(stepped(rung, name, arrays()), stepped(REFERENCE, name, arrays()), strict=True):
            assert np.array_equal(array, want, equal_nan=True)
            assert np.array_equal(np.signbit(array) & (array == 0), np.signbit(want) & (want == 0))


@pytest.mark.parametrize("any_rung", RUNGS)
class TestRefusals:
    @pytest.mark.parametrize(
        ("kernel", "names", "like"),
        [
            ("sgd_step", "velocity", "momentum"),
            ("adam_step", "mean square largest", "amsgrad"),
            ("rmsprop_step", "square mean velocity", "rmsprop"),
            ("adagrad_step", "total", "adagrad"),
        ],
    )
    def test_the_words_are_the_same_on_every_rung(self, any_rung, kernel, names, like):
        numbers = STEPS[like][2]
        for broken in ("grad", *names.split()):
            for made, error, words in (
                (np.zeros(3, "float32"), TypeError, f"{kernel}: param is float64 but {broken} is float32; they must"),
                (np.zeros(4), ValueError, rf"{kernel}: {broken} is \(4,\) but param is \(3,\); their shapes must"),
            ):
                arrays = {name: np.zeros(3) for name in ("param", "grad", *names.split())} | {broken: made}
                with pytest.raises(error, match=words):
                    getattr(RUNGS[any_rung], kernel)(*arrays.values(), *numbers)

    def test_whole_numbers_take_no_steps(self, any_rung):
        x = np.zeros(3, "int64")
        with pytest.raises(TypeError, match="sgd_step: param is int64; sgd_step takes float32, float64, so cast it"):
            RUNGS[any_rung].sgd_step(x, x, None, 0.1, 0.0, 0.0, 0.0, False, True)

    def test_what_cannot_be_written_is_refused(self, any_rung):
        x, fixed = np.zeros(3), np.zeros(3)
        fixed.flags.writeable = False
        with pytest.raises(ValueError, match="adam_step: square is read-only; pass a writable array"):
            RUNGS[any_rung].adam_step(x, x.copy(), x.copy(), fixed, None, *STEPS["adam"][2])
